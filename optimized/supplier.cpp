// SPDX-License-Identifier: Apache-2.0
#include "optimized/supplier.h"

#include "optimized/pack_tiles.h"

namespace concord::optimized {
namespace {

// One is used while the next comes.
constexpr Extent kBuffers = 2;

// Weights that stay in a core's own cache, beside what a task has of src: elements.
constexpr Extent kKeptWeights = (384 << 10) / 4;
// Tiles, at least, of a task that need not wait for the next panel, which two of them bring.
constexpr Extent kSupplyingTiles = 3;

Extent largest_block(const Tiling& t) { return t.channel_block * t.taps() * t.panel_width(); }

}  // namespace

bool packs_by_task(const Plan& plan) {
  const Tiling& t = plan.tiling;
  if (plan.shape.weights.outer != 1 || (t.reads_pairs() && !can_supply(plan, 0))) return false;
  if (t.slots * Supplier::buffers(t) > t.packed_weights()) return false;
  if (t.strip_tasks() == 1) return true;
  // Where several tasks need the same weights, each has so much to do with them that bringing them
  // costs it nothing; but not where they stay in a core's own cache from one task to the next.
  return can_supply(plan, 0) && t.packed_weights() > kKeptWeights &&
         t.pixels_per_task() >= kSupplyingTiles * t.largest_tile();
}

Extent Supplier::buffers(const Tiling& tiling) { return kBuffers * largest_block(tiling); }

Supplier::Supplier(const Plan& plan, const void* weights, float* buffers)
    : plan_(&plan), weights_(weights), buffers_(buffers) {}

const float* Supplier::take(const WeightBlock& at) {
  float* const packed = buffer(turns_);
  if (supply_.vectors != 0 && expected_ == at) {
    plan_->tiling.family->supply(&supply_);
  } else {
    pack_block(*plan_, weights_, at.g, at.panel, at.block, packed);
  }
  supply_ = Supply{};
  ++turns_;
  return packed;
}

void Supplier::expect(const WeightBlock& at, const WeightBlock& next) {
  const Tiling& t = plan_->tiling;
  // A kernel supplies panels as wide as its own.
  if (t.vectors_of(next.panel) != t.vectors_of(at.panel) || !can_supply(*plan_, next.panel)) return;
  expected_ = next;
  supply_ = supply_of(*plan_, weights_, next.g, next.panel, next.block, buffer(turns_));
}

float* Supplier::buffer(Extent turn) const {
  return buffers_ + turn % kBuffers * largest_block(plan_->tiling);
}

}  // namespace concord::optimized
