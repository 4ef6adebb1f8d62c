// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions, and those of few channels a group, of tensors with channels first:
// vectors of pixels, which are contiguous in src and dst, so neither is transposed.
#ifndef CONCORD_OPTIMIZED_PLANES_PLAN_H_
#define CONCORD_OPTIMIZED_PLANES_PLAN_H_

#include <array>
#include <bit>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

#include "optimized/context.h"
#include "optimized/kernels/planes/kernel.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {

/// Of each group, a band of its planes is copied to the workspace with its padding as zeros, each
/// plane as several: one for each remainder of rows and columns modulo the strides. There every
/// product of an output lies as far from its place as of any other output.
struct PlanesNcx {
  static constexpr const char* kName = "planes_ncx";
  /// Remainders modulo a stride.
  static constexpr std::size_t kMostPhases = 8;
  /// Bands of a task.
  static constexpr Extent kMostBands = 8;

  const PlaneFamily* family = nullptr;
  Shape view{};  ///< with axes joined where pixels follow one another
  /// Outputs of a band, at most.
  Extent rows = 0, columns = 0;
  /// Planes of less than a vector's columns: vectors go on in the next row of a staged plane, and
  /// outputs are computed in the workspace, rows as far apart as there.
  bool is_flat = false;
  /// Src is read, and dst written past the caches, from beginning to end: outputs of a band are
  /// computed in the workspace.
  bool reads_in_order = false, copies_dst = false;
  /// Kernels prefetch dst, of which they write columns of rows.
  bool expects_dst = false;
  /// Remainders modulo the strides, of rows and columns that some tap reads.
  std::vector<Extent> row_phases{}, column_phases{};
  Extent pitch = 0;       ///< elements of a row of a staged plane
  Extent plane_rows = 0;  ///< of a staged plane
  /// Kernels compute vectors of neighbouring rows, and read a vector of src once for the taps of
  /// several kernel rows, if their runs are so long; if not, those of a row.
  bool goes_down = false;
  struct Tap {
    Extent row, column;
  };
  std::vector<Tap> taps{};  ///< of an input plane, in the order of their products
  /// The products of an output, of each depth tap that meets src, input channel and tap, as runs
  /// for each kernel of the family.
  std::array<std::vector<PlaneRun>, kPlaneChannels> runs{};
  Extent bands_per_task = 0, groups_per_task = 0;

  /// Plans a shape that is not empty; nothing if it is not of that kind, or if too many lanes would
  /// have no pixel.
  static std::optional<PlanesNcx> make(const Context& context, const Options& options);

  const char* kernel() const { return family->name; }
  bool flushes_subnormals() const { return false; }
  Extent row_bands() const { return (view.O[1] + rows - 1) / rows; }
  Extent column_bands() const { return (view.O[2] + columns - 1) / columns; }
  /// Of a plane of each depth.
  Extent bands() const { return view.O[0] * row_bands() * column_bands(); }
  Extent groups() const { return view.N * view.G; }  ///< of all images
  Extent band_tasks() const { return (bands() + bands_per_task - 1) / bands_per_task; }
  Extent group_tasks() const { return (groups() + groups_per_task - 1) / groups_per_task; }
  /// A task is so many bands of the planes of so many groups, one group after the other.
  Extent tasks() const { return band_tasks() * group_tasks(); }

  Extent depth_products() const { return view.ICG() * view.K[1] * view.K[2]; }
  Extent products() const { return view.K[0] * depth_products(); }
  Extent packed_weights() const { return view.OC * products(); }
  Extent packed_elements() const { return packed_weights() + view.OC; }

  /// Of one remainder of an input plane. The last row of a flat one ends within a vector.
  Extent part_elements() const { return plane_rows * pitch + (is_flat ? family->lanes : 0); }
  /// Of the remainders of an input plane.
  Extent plane_elements() const {
    return static_cast<Extent>(row_phases.size() * column_phases.size()) * part_elements();
  }
  /// What a band sees of src, and the rest of a vector behind it.
  Extent band_elements() const { return view.K[0] * view.ICG() * plane_elements() + family->lanes; }
  /// Vectors of a flat plane of outputs.
  Extent flat_vectors() const {
    return ((view.O[1] - 1) * pitch + view.O[2] + family->lanes - 1) / family->lanes;
  }
  /// Outputs of the channels that are computed at once, in the workspace, likewise.
  Extent unstaged_elements() const {
    constexpr Extent kMostChannels = 1 << (kPlaneChannels - 1);
    if (is_flat) return (kMostChannels * flat_vectors() + 1) * family->lanes;
    return copies_dst ? kMostChannels * copied_channel() + line_elements() : 0;
  }
  Extent line_elements() const {
    return static_cast<Extent>(Arena::kAlignment) / computed_bytes(view.dtype);
  }
  Extent in_lines(Extent elements) const {
    return (elements + line_elements() - 1) / line_elements() * line_elements();
  }
  /// From one channel of a band that is copied to the next: they are aligned as in dst.
  Extent copied_channel() const {
    return in_lines(rows * view.O[2]) + view.dst.channel % line_elements();
  }
  Extent staged_src() const { return 0; }
  /// Of each thread: twice what a band sees of src, and its outputs.
  Extent staged_dst() const {
    return 2 * (in_lines(band_elements()) + in_lines(unstaged_elements())) + line_elements();
  }
};

/// Writes weights as [output channels that are computed at once][products][channel], then the bias.
void pack(const Context& context, const PlanesNcx& planes, const void* weights, const void* bias,
          void* to);

/// Computes dst from src and packed weights. `workspace` holds PlanesNcx::staged_dst() for each
/// thread.
/// Numeric  padding is multiplied as zeros along height and width, and left out along depth
void run(const Context& context, const PlanesNcx& planes, const void* packed, const void* src,
         void* dst, void* workspace);

void describe(const Context& context, const PlanesNcx& planes, std::ostream& out);

/// Output channels that are computed at once, if so many are left.
constexpr Extent plane_channels(Extent left) {
  if (left >= 4) return 4;
  return left >= 2 ? 2 : 1;
}
/// Which of a family's kernels does.
constexpr std::size_t plane_kernel(Extent channels) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(channels)));
}

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_PLANES_PLAN_H_
