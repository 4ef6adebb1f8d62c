// SPDX-License-Identifier: Apache-2.0
// The gradients of the continuous layer. Nothing is kept from the forward pass: the kernel is
// evaluated again. As there, by input and theta there are two ways:
//
//   phases    where the forward pass takes phases, except for the cubic of Keys: the kernel's
//             weights once for each phase, and products of them with blocks of its outputs
//   features  any scale: a block of outputs at a time; weights are never formed. Products of the
//             last layer's matrix with a block of diff_dst, and of that with features
//
// Numeric  f64 throughout, one rounding to the dtype at the end; outputs in rising order, so the
//          same bits for any number of threads
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_GRADIENT_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_GRADIENT_H_

#include <memory>
#include <optional>
#include <vector>

#include "optimized/convolution.h"
#include "optimized/operations/continuous_shape.h"

namespace concord::optimized {

enum class GradientWay { kFeatures, kPhases };

/// Convolutions in f64, each on one thread.
struct GradientProducts {
  std::vector<Plan> plans{};        ///< of phases [k_h,k_w]; or of features one, by theta two
  std::size_t workspace_bytes = 0;  ///< the most that one takes
};

/// The plan of kPhases: continuous_phase_gradient.h.
struct GradientPhases {
  Context io{};                     ///< of theta: for reorders between the dtype and f32
  Extent pitch = 0;                 ///< staged columns
  Extent block = 0;                 ///< outputs of a product
  std::vector<Extent> packed_at{};  ///< of the input: doubles before each phase's weights
  Extent packed = 0;                ///< doubles: of the input, all; of theta, the most of one
  Extent rows = 0, bands = 0, staged_rows = 0;  ///< of theta: outputs and inputs of a band
  Extent group = 1, groups = 1;                 ///< of theta: phases at once, and how often
  Extent chunks = 1;                            ///< of theta: parts of the bands of all images
};

/// Either gradient. shape.dst is the layout of diff_dst.
struct ContinuousGradientPlan {
  ContinuousShape shape{};
  GradientWay way = GradientWay::kFeatures;
  GradientProducts products{};
  GradientPhases phases{};
  Tensor diff_src{};        ///< of the input's gradient: its strides
  Extent rows_at_once = 1;  ///< of the input's gradient: that a task sums up
  Extent chains = 1;        ///< of the parameters' gradient: partial sums, added up at the end
  std::shared_ptr<const ThreadPool> thread_pool{};
  std::size_t thread_bytes = 0, workspace_bytes = 0;
};

/// Plans dI[n,ci,m] = sum over outputs and places k with m(k) = m, and co, of W[co,ci,k]
/// delta[n,co].
/// Shapes  diff_src [N,Cin,H,W]; without strides it is dense
/// Errors  kSyntax for an invalid option, or if `way` is kPhases and the layer has none; kDst,
///         kLayout of diff_src; kLimit for what fits no memory
Result<ContinuousGradientPlan> plan_input_gradient(const ContinuousShape& shape,
                                                   const Tensor& diff_src, const Options& options,
                                                   std::optional<GradientWay> way = {});
void execute_input_gradient(const ContinuousGradientPlan& plan, const void* theta,
                            const void* diff_dst, void* diff_src, void* workspace);

/// Plans the gradient with respect to theta, and to the grid.
/// Errors  as above
Result<ContinuousGradientPlan> plan_theta_gradient(const ContinuousShape& shape,
                                                   const Options& options,
                                                   std::optional<GradientWay> way = {});
/// Shapes  diff_theta lies as `layout` says, or is null; diff_grid [2,H',W'] or null, as it has to
///         be by phases, the neighbours held fixed
void execute_theta_gradient(const ContinuousGradientPlan& plan, const void* src, const void* theta,
                            const void* diff_dst, const Tensor& layout, void* diff_theta,
                            double* diff_grid, void* workspace);

/// The gradient with respect to W, which depends on nothing that the kernel computes.
struct KernelGradientPlan {
  ContinuousShape shape{};
  Tensor dst{};
  std::shared_ptr<const ThreadPool> thread_pool{};
  std::size_t thread_bytes = 0, workspace_bytes = 0;
};

/// Plans dW[co,ci,k,n] = sum over images b of delta[b,co,n] I[b,ci,m(n,k)], 0 where there is no
/// such pixel.
/// Shapes  dst [1,Cout,Cin,K,H',W']
/// Errors  kSyntax for an invalid option; kLimit for what fits no memory
Result<KernelGradientPlan> plan_kernel_gradient(const ContinuousShape& shape, const Tensor& dst,
                                                const Options& options);
void execute_kernel_gradient(const KernelGradientPlan& plan, const void* src, const void* diff_dst,
                             void* result, void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_GRADIENT_H_
