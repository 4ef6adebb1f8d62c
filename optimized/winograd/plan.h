// SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm F(M x M, 3x3): opt-in, because its errors follow the largest elements of a
// tile, not those that an output sees (docs/numerics.md#bilinear).
//
//   dst = A^T [ sum over channels of (G g G^T) * (B^T d B) ] A + bias
//
// on tiles of M x M outputs. Each of the (M + 2)^2 points of the transformed domain is a product
// of matrices, [tiles, IC] by [IC, OC], which the direct engine computes as a pointwise layer.
#ifndef CONCORD_OPTIMIZED_WINOGRAD_PLAN_H_
#define CONCORD_OPTIMIZED_WINOGRAD_PLAN_H_

#include <iosfwd>
#include <optional>

#include "optimized/direct/plan.h"
#include "optimized/kernels/winograd/kernel.h"

namespace concord::optimized {

/// Winograd's F(2x2, 3x3) or F(4x4, 3x3), if it is requested.
struct Winograd {
  static constexpr const char* kName = "winograd";
  const WinogradFamily* family = nullptr;
  Extent outputs = 0;         ///< M: of a tile, along each axis; 2 or 4
  Context product_context{};  ///< of one point, for the tiles of a task; one thread
  Tiling product{};
  Shape view{};
  Extent tiles_per_task = 0;
  bool non_temporal_dst = false;  ///< dst is written with non-temporal stores

  /// Plans a shape that is not empty; nothing if it is not requested, or the shape is not 3x3 over
  /// two spatial axes with stride and dilation 1, one group, f32 and channels last.
  /// Numeric  which products are summed in which order depends on the shape and the kernels alone
  static std::optional<Winograd> make(const Context& context, const Options& options);

  const char* kernel() const { return family->name; }
  bool flushes_subnormals() const { return false; }
  int size_index() const { return outputs == 2 ? 0 : 1; }
  Extent points() const { return (outputs + 2) * (outputs + 2); }
  Extent tile_rows() const { return (view.O[1] + outputs - 1) / outputs; }
  Extent tile_columns() const { return (view.O[2] + outputs - 1) / outputs; }
  Extent tiles() const { return view.N * tile_rows() * tile_columns(); }
  Extent tasks() const { return (tiles() + tiles_per_task - 1) / tiles_per_task; }
  Extent padded(Extent channels) const;
  /// f32 elements from one point's transformed inputs, or sums, to the next point's.
  Extent input_point() const { return point_distance(padded(view.IC)); }
  Extent sum_point() const { return point_distance(padded(view.OC)); }
  Extent packed_weights() const { return points() * product.packed_elements(); }
  Extent packed_elements() const { return packed_weights() + padded(view.OC); }
  Extent staged_src() const { return 0; }
  Extent staged_dst() const { return points() * (input_point() + sum_point()); }

 private:
  Extent point_distance(Extent channels) const;
};

/// Writes for each point the weights of its product, transformed in f64 and rounded once, then the
/// bias.
void pack(const Context& context, const Winograd& winograd, const void* weights, const void* bias,
          void* to);

/// Computes dst from src and packed weights. `workspace` holds for each thread the transformed
/// inputs and the sums of a task.
void run(const Context& context, const Winograd& winograd, const void* packed, const void* src,
         void* dst, void* workspace);

void describe(const Context& context, const Winograd& winograd, std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_WINOGRAD_PLAN_H_
