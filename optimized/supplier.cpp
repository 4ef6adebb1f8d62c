// SPDX-License-Identifier: Apache-2.0
#include "optimized/supplier.h"

#include <algorithm>

#include "optimized/pack_tiles.h"

namespace concord::optimized {
namespace {

// One is used while the next comes.
constexpr Extent kBuffers = 2;

// Weights that stay in a core's own cache, beside what a task has of src: elements.
constexpr Extent kKeptWeights = (384 << 10) / 4;
// Tiles, at least, of a task that need not wait for the next panel, which two of them bring.
constexpr Extent kSupplyingTiles = 3;
// Products for a row. Few tiles have few of them: rows then come as evenly as they can, for memory
// delivers them the easier. Where tiles are many, those that bring nothing are faster, so the first
// ones bring all.
constexpr Extent kSlowestPace = 8;
constexpr Extent kFastestPace = 2;
constexpr Extent kAmplePace = 12;

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
    : plan_(&plan), weights_(weights), buffers_(buffers), times_(plan.tiling.segments.size()) {}

void Supplier::begin(const Outputs& outputs) {
  const Tiling& t = plan_->tiling;
  std::fill(times_.begin(), times_.end(), 0);
  for (Extent index = outputs.first_strip; index < outputs.last_strip; ++index) {
    const Strip strip = strip_at(t, index);
    const Axis::Range kd = axis_of(t.view, 0).taps_of(strip.od);
    const Axis::Range kh = axis_of(t.view, 1).taps_of(strip.oh);
    times_[strip.segment] += strip.tiles * (kd.end - kd.begin) * (kh.end - kh.begin);
  }
}

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

void Supplier::expect(const WeightBlock& at, const WeightBlock& next,
                      const std::optional<WeightBlock>& after) {
  const Tiling& t = plan_->tiling;
  // A kernel supplies panels as wide as its own.
  if (t.vectors_of(next.panel) != t.vectors_of(at.panel) || !can_supply(*plan_, next.panel)) return;
  expected_ = next;
  supply_ = supply_of(*plan_, weights_, next.g, next.panel, next.block, buffer(turns_));
  if (after) supply_.after = first_row(*plan_, weights_, after->g, after->panel, after->block);
  const Extent wanted = supply_.tap_rows * t.taps();
  supply_.pace = rows_at(kAmplePace, at.block) < wanted ? kSlowestPace : kFastestPace;
  while (supply_.pace > kFastestPace && rows_at(supply_.pace, at.block) < wanted) --supply_.pace;
}

bool Supplier::supplies(const Strip& strip) const {
  return supply_.rows + supply_.taps > 0 && has_time(strip.segment);
}

bool Supplier::has_time(std::size_t segment) const {
  return 2 * plan_->tiling.segments[segment].pixels >= plan_->tiling.largest_tile();
}

// Rows that kernels supply while they compute with a block: one for so many products of each run.
Extent Supplier::rows_at(Extent pace, Extent block) const {
  const Tiling& t = plan_->tiling;
  Extent rows = 0;
  for (std::size_t segment = 0; segment < times_.size(); ++segment) {
    if (times_[segment] == 0 || !has_time(segment)) continue;
    for (const Run& run : t.runs[block + 1 == t.channel_blocks() ? 1 : 0][segment]) {
      rows += times_[segment] * (run.length / pace);
    }
  }
  return rows;
}

float* Supplier::buffer(Extent turn) const {
  return buffers_ + turn % kBuffers * largest_block(plan_->tiling);
}

}  // namespace concord::optimized
