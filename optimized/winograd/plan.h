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

#include <memory>
#include <optional>

#include "optimized/kernels/winograd/kernel.h"
#include "optimized/runtime/isa.h"
#include "optimized/shape/shape.h"

namespace concord::optimized {

struct Plan;

/// How Algorithm::kWinograd goes about it.
struct Winograd {
  const WinogradFamily* family = nullptr;
  Extent outputs = 0;                     ///< M: of a tile, along each axis; 2 or 4
  std::shared_ptr<const Plan> product{};  ///< of one point, for the tiles of a task; one thread
  Shape view{};
  Extent tiles_per_task = 0;
  bool non_temporal_dst = false;  ///< dst is written past the caches

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
  Extent packed_weights() const;
  Extent packed_elements() const { return packed_weights() + padded(view.OC); }
  Extent staged_src() const { return 0; }
  Extent staged_dst() const { return points() * (input_point() + sum_point()); }

 private:
  Extent point_distance(Extent channels) const;
};

/// Plans `shape`, which is not empty, for `threads`; nothing if it is not 3x3 over two spatial
/// axes with stride and dilation 1, one group, f32 and channels last.
/// Numeric  which products are summed in which order depends on the shape and `isa` alone
std::optional<Winograd> make_winograd(const Shape& shape, Isa isa, Extent outputs, int threads);

/// Writes for each point the weights of its product, transformed in f64 and rounded once, then the
/// bias.
void pack_winograd(const Plan& plan, const void* weights, const void* bias, float* to);

/// Computes dst from src and packed weights. `workspace` holds for each thread the transformed
/// inputs and the sums of a task.
void run_winograd(const Plan& plan, const float* packed, const void* src, void* dst,
                  float* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_WINOGRAD_PLAN_H_
