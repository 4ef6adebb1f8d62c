// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/on_the_fly.h"

#include <algorithm>
#include <cstdlib>

#include "optimized/direct/pack.h"

namespace concord::optimized {
namespace {

// Double buffering: one block is used while the next is packed.
constexpr Extent kBuffers = 2;

// The most outputs of a task that packs. Kernels that pack are slower than the others: beyond this
// what that costs is more than weights that are written to memory once.
constexpr Extent kPackingPixels = 256;
// Products per copied row. With few tiles the rows are spread evenly, which suits memory best. With
// many tiles, tiles that copy nothing are faster, so the first ones copy everything.
constexpr Extent kLongestInterval = 8;
constexpr Extent kShortestInterval = 2;
constexpr Extent kAmpleInterval = 12;

Extent largest_block(const Tiling& t) { return t.channel_block * t.taps() * t.panel_width(); }

}  // namespace

bool packs_by_task(const Context& context, const Tiling& t) {
  return context.shape.weights.outer == 1 && t.strip_tasks() == 1 &&
         t.pixels_per_task() <= kPackingPixels &&
         t.slots * OnTheFlyPacker::buffers(t) <= t.packed_weights() &&
         (!t.reads_pairs() || can_pack_on_the_fly(context, t, 0));
}

Extent OnTheFlyPacker::buffers(const Tiling& tiling) { return kBuffers * largest_block(tiling); }

OnTheFlyPacker::OnTheFlyPacker(const Context& context, const Tiling& t, const void* weights,
                               void* buffers)
    : context_(&context),
      tiling_(&t),
      weights_(weights),
      buffers_(buffers),
      times_(t.segments.size()) {}

void OnTheFlyPacker::begin(const Outputs& outputs) {
  const Tiling& t = *tiling_;
  std::fill(times_.begin(), times_.end(), 0);
  for (Extent index = outputs.first_strip; index < outputs.last_strip; ++index) {
    const Strip strip = strip_at(t, index);
    const Axis::Range kd = axis_of(t.view, 0).taps_of(strip.od);
    const Axis::Range kh = axis_of(t.view, 1).taps_of(strip.oh);
    times_[strip.segment] += strip.tiles * (kd.end - kd.begin) * (kh.end - kh.begin);
  }
}

const void* OnTheFlyPacker::take(const WeightBlock& at) {
  void* const packed = buffer(turns_);
  if (job_.vectors != 0 && expected_ == at) {
    tiling_->family->pack_rest(&job_);
  } else {
    pack_block(*context_, *tiling_, weights_, at, packed);
  }
  job_ = PackJob{};
  ++turns_;
  return packed;
}

void OnTheFlyPacker::expect(const WeightBlock& at, const WeightBlock& next,
                            const std::optional<WeightBlock>& after) {
  const Tiling& t = *tiling_;
  // A kernel packs panels as wide as its own.
  if (t.vectors_of(next.panel) != t.vectors_of(at.panel) ||
      !can_pack_on_the_fly(*context_, t, next.panel)) {
    return;
  }
  expected_ = next;
  job_ = pack_job_of(*context_, t, weights_, next, buffer(turns_));
  if (after) job_.after = first_row(*context_, t, weights_, *after);
  const Extent wanted = job_.tap_rows * t.taps();
  job_.copy_interval =
      rows_at(kAmpleInterval, at.block) < wanted ? kLongestInterval : kShortestInterval;
  while (job_.copy_interval > kShortestInterval && rows_at(job_.copy_interval, at.block) < wanted) {
    --job_.copy_interval;
  }
}

bool OnTheFlyPacker::packs_during(const Strip& strip) const {
  return job_.rows + job_.taps > 0 && has_time(strip.segment);
}

bool OnTheFlyPacker::has_time(std::size_t segment) const {
  return 2 * tiling_->segments[segment].pixels >= tiling_->largest_tile();
}

// Rows that kernels copy while they compute with a block: one per copy_interval products of a run.
Extent OnTheFlyPacker::rows_at(Extent copy_interval, Extent block) const {
  const Tiling& t = *tiling_;
  Extent rows = 0;
  for (std::size_t segment = 0; segment < times_.size(); ++segment) {
    if (times_[segment] == 0 || !has_time(segment)) continue;
    for (const Run& run : t.runs[block + 1 == t.channel_blocks() ? 1 : 0][segment]) {
      // Others pack nothing.
      const bool packs = std::abs(run.left_out) <= kFewLeftOut;
      if (packs) rows += times_[segment] * (run.length / copy_interval);
    }
  }
  return rows;
}

void* OnTheFlyPacker::buffer(Extent turn) const {
  return static_cast<std::byte*>(buffers_) +
         turn % kBuffers * largest_block(*tiling_) * tiling_->element_bytes();
}

}  // namespace concord::optimized
