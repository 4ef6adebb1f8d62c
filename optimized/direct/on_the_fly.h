// SPDX-License-Identifier: Apache-2.0
// On-the-fly packing: each task packs the weights it needs.
#ifndef CONCORD_OPTIMIZED_DIRECT_ON_THE_FLY_H_
#define CONCORD_OPTIMIZED_DIRECT_ON_THE_FLY_H_

#include <optional>
#include <vector>

#include "optimized/direct/pack.h"
#include "optimized/direct/src_box.h"

namespace concord::optimized {

/// True if on-the-fly packing is faster: tasks, which share no weights, pack each block shortly
/// before they use it.
bool packs_by_task(const Context& context, const Tiling& t);

/// Provides the blocks that one thread uses, in a plan that packs_by_task(): kernels pack one while
/// they compute with the previous one.
class OnTheFlyPacker {
 public:
  /// Elements that it packs into.
  static Extent buffers(const Tiling& tiling);

  OnTheFlyPacker(const Context& context, const Tiling& t, const void* weights, void* buffers);

  /// A task begins, whose tiles compute these outputs with each block.
  void begin(const Outputs& outputs);
  /// The packed weights of the block, valid until the block after the next is announced or taken.
  const void* take(const WeightBlock& at);
  /// Announces the block after `at`, and the one after that, if known.
  void expect(const WeightBlock& at, const WeightBlock& next,
              const std::optional<WeightBlock>& after);
  /// What there is to do for kernels that compute with the block taken last.
  PackJob* job() { return &job_; }
  /// True where the strip's kernels are to do it: there is something, and while a tile of less than
  /// half as many pixels as the largest is computed there is no time for it.
  bool packs_during(const Strip& strip) const;

 private:
  bool has_time(std::size_t segment) const;
  Extent rows_at(Extent copy_interval, Extent block) const;
  void* buffer(Extent turn) const;

  const Context* context_;
  const Tiling* tiling_;
  const void* weights_;
  void* buffers_;
  std::vector<Extent> times_;  // by segment: how often the task's tiles go through its runs
  Extent turns_ = 0;           // blocks taken
  WeightBlock expected_{};
  PackJob job_{};  // of the block that is expected, where it has vectors
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_ON_THE_FLY_H_
