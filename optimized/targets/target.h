// SPDX-License-Identifier: Apache-2.0
// What the planners know about a family of processors: one file of this folder for each.
#ifndef CONCORD_OPTIMIZED_TARGETS_TARGET_H_
#define CONCORD_OPTIMIZED_TARGETS_TARGET_H_

#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include "optimized/runtime/isa.h"
#include "spec/tensor.h"

namespace concord::optimized {

/// A core's own data cache.
struct Cache {
  Extent bytes = 0, sets = 0, ways = 0;
};

/// From how many bytes of src on kernels of either stride gain if it is prefetched.
struct FarSrc {
  Extent stride_1 = 0, stride_2 = 0;
  Extent of_stride(Extent stride) const { return stride == 1 ? stride_1 : stride_2; }
};
/// However large src is, they do not.
inline constexpr FarSrc kNeverFar = {std::numeric_limits<Extent>::max(),
                                     std::numeric_limits<Extent>::max()};

/// What a core does in a cycle.
struct Core {
  double multiply_adds = 2;  ///< of vectors
  double loads = 2;          ///< of vectors
  double latency = 4;        ///< cycles until a sum can be added to again
  double half_vector = 1;    ///< multiply-adds that one of half a vector takes the time of
  /// A store of 64 bytes displaces no more than two of 32: on Zen 5 it displaces multiply-adds.
  bool whole_stores = false;
  double second_level_bytes = 25;
  double memory_bytes = 8;
  /// Cycles of a piece of a pixel that a tile writes to dst, beside its bytes, where dst goes to
  /// memory; 0: not known.
  double far_piece = 0;
  /// The same where dst leaves the last level, on top of all else: of a piece as wide as a panel.
  double far_panel = 0;
  double matrix_cycles = 16;  ///< of a product of 16x32 by 32x16 elements of bf16
  /// What comes from memory, or as late from a last level that many cores share, for depthwise
  /// kernels of patches, and for those of bands, to which prefetching costs less.
  FarSrc far_src = {16 << 20, 32 << 20}, far_src_of_bands = {16 << 20, 16 << 20};
  /// Of f32, vectors of channels that depthwise bands read at once, and rows of a call; 0: as suits
  /// the places of the first-level cache where pixels lie (grouped/plan.cpp).
  int band_vectors = 0;
  Extent band_rows = 0;
};

/// Cycles that register tiles take beyond the limits of `Core`: direct/tile_choice.cpp. These are
/// what `concord_bench --fit` finds.
struct TileCosts {
  /// Of each product, and each byte that it reads: of pixels; of weights that stay in the
  /// second-level cache, or come to it panel by panel.
  double pixel_byte = 0, kept_byte = 0, far_byte = 0;
  double loop = 0;  ///< of each product, if kernels cannot add two at once
  double part = 0;  ///< of each product that leaves out more than a few pixels of a tile
  /// Of each product and pixel, where pixels share one set of the first-level cache: in tiles of up
  /// to `pixels_of_a_set`, and in larger ones.
  double reload = 0, crowded_reload = 0;
  double tile = 0;  ///< of each tile
  double store = 0,
         store_of_part = 0;  ///< of each vector: the latter if panels are part of a pixel
  double turning = 1;        ///< columns have to cost less than this part of what rows cost
  int pixels_of_a_set = 0;
};

/// Cycles of AMX: amx/plan.cpp.
struct MatrixCosts {
  double pixel = 2;        ///< of a step of a tile by two tiles of output channels,
  double least_step = 24;  ///< which is at least this
  double tile = 64;
  double copied_bytes = 16;  ///< a cycle, from src to a slab
};

/// How many bytes of a cache each kind of block may take.
struct Blocks {
  // Of the first level.
  Extent near_weights = 0;    ///< a panel of register tiles
  Extent matrix_panels = 0;   ///< what AMX reads and writes for some panels
  Extent prefetched_src = 0;  ///< of narrow groups, for a tile
  // Of the second level: register tiles.
  Extent kept_weights = 0;  ///< all weights of a layer, which mostly stay
  Extent src = 0;           ///< of a task, beside a panel of weights
  Extent panel = 0;         ///< of weights, over a channel block, and a strip's src
  Extent near_layer = 0;    ///< all weights of a layer that stay beside src and dst
  Extent src_box = 0;       ///< that a task stages itself
  Extent staged_dst = 0;    ///< outputs of a panel that are taken to dst together
  Extent kept_dst = 0;      ///< outputs of a task, if all weights stay
  Extent kept_groups = 0;   ///< of the tasks of all groups for the same pixels, together
  // Of the second level: other algorithms.
  Extent near_pixels = 0;     ///< a panel of pointwise NCX: mostly of the first level
  Extent far_pixels = 0;      ///< the same where a plane has many panels
  Extent near_rows = 0;       ///< rows of src under a row of outputs of narrow groups
  Extent task_pixels = 0;     ///< the panels of a task of pointwise NCX
  Extent matrix_slab = 0;     ///< a task's rows of src for AMX
  Extent matrix_row = 0;      ///< the largest src of one row of outputs that AMX copies
  Extent matrix_weights = 0;  ///< weights for AMX, beside a slab
  Extent transformed = 0;     ///< Winograd's inputs and sums of a task
  // Of the last level.
  Extent non_temporal_dst = 0;  ///< a larger dst leaves nothing useful in the caches
};

/// The shares of a first-level and a second-level cache of so many bytes that suit most processors.
constexpr Blocks blocks_of(Extent first, Extent second) {
  return {.near_weights = first * 5 / 12,
          .matrix_panels = first * 2 / 3,
          .prefetched_src = first / 3,
          .kept_weights = second * 3 / 2,
          .src = second / 2,
          .panel = second * 5 / 8,
          .near_layer = second * 3 / 8,
          .src_box = second * 3 / 4,
          .staged_dst = second / 8,
          .kept_dst = second / 16,
          .kept_groups = second * 3 / 16,
          .near_pixels = first * 2 / 3,
          .far_pixels = first * 2 / 3,
          .near_rows = second * 3 / 16,
          .task_pixels = second / 4,
          .matrix_slab = second * 5 / 8,
          .matrix_row = second * 4,
          .matrix_weights = second * 5 / 8,
          .transformed = second * 3 / 4,
          .non_temporal_dst = Extent{8} << 20};
}

struct Target {
  const char* name = "";
  Cache first{}, second{};
  Extent line_bytes = 64;
  Core core{};
  TileCosts tiles{};
  MatrixCosts matrix{};
  Blocks blocks{};

  /// Bytes that lie a multiple of this apart share one set of the first-level cache.
  Extent set_period() const { return first.sets * line_bytes; }
  /// What lies so many bytes apart has places so many bytes apart within a period.
  Extent places_apart(Extent bytes) const { return std::gcd(set_period(), bytes % set_period()); }
};

/// Each in the file of its name.
extern const Target kZen5, kZen4, kZen3, kSapphireRapids, kX86, kX86Avx2, kAarch64;

/// What CPUID says of an x86-64 processor; all zero of others.
struct Processor {
  char vendor[13] = {};  ///< "AuthenticAMD"
  unsigned family = 0;   ///< with the extended family added, as is usual
  Isa isa = Isa::kGeneric;
  Extent second_level_bytes = 0;  ///< of a core; 0: unknown
};
/// This one.
const Processor& this_processor();

/// The target for code of `isa` on `processor`. A target that was fitted to kernels of an
/// instruction set serves those only; the others get the default of the architecture.
const Target& target_for(const Processor& processor, Isa isa);
/// All targets.
std::span<const Target* const> all_targets();
/// The one of this name; null if there is none.
const Target* find_target(std::string_view name);
/// "zen5, zen4, ...".
std::string target_names();

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_TARGETS_TARGET_H_
