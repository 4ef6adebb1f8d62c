// SPDX-License-Identifier: Apache-2.0
// What the two gradients of the continuous layer share: their memory, their products, the last
// layer's matrix in f64, the blocks of diff_dst, Keys' weights.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_LINEAR_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_LINEAR_H_

#include "optimized/convolution.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/continuous_patch.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {

/// The largest workspace that is planned, in doubles.
inline constexpr Extent kMostGradientElements = Extent{1} << 36;

/// kSyntax for an invalid option; kLimit for what fits no memory.
std::optional<Refusal> check_gradient(const ContinuousShape& shape, const Options& options);

/// Sets what a gradient takes of a workspace: what its threads share, and behind that what each of
/// them has for itself.
template <class LayOutShared, class LayOutScratch>
void set_gradient_memory(const Options& options, const LayOutShared& lay_out_shared,
                         const LayOutScratch& lay_out_scratch, ContinuousGradientPlan* plan) {
  plan->thread_bytes = arena_bytes(lay_out_scratch);
  plan->workspace_bytes = arena_bytes(lay_out_shared) + Arena::kAlignment +
                          static_cast<std::size_t>(options.threads) * plan->thread_bytes;
}

inline bool has_net(const ContinuousShape& shape) {
  return shape.function != KernelFunction::kKeys;
}

/// False where products would be of nothing.
bool has_products(const ContinuousShape& shape);

/// Doubles that take so many bytes, in whole lines of the cache.
Extent elements_of(std::size_t bytes);

/// A product as a pointwise convolution in f64: a row of pixels of `in` channels becomes one of
/// `out` channels.
struct Product {
  struct Strides {
    Extent channel, pixel;  ///< elements from one to the next
  };
  Extent in, out, pixels;
  Strides src;
  Extent weights_in, weights_out;  ///< elements from one channel to the next
  Strides dst;
  Shape shape() const;
};

/// Plans one more product, on one thread.
std::optional<Refusal> add_product(const Product& product, const Options& options,
                                   GradientProducts* products);

/// What the packed weights of a product take; nothing if the plan has no products.
Extent packed_elements(const ContinuousGradientPlan& plan, std::size_t product);

/// Plans the first product of kFeatures: from a block of diff_dst [kContinuousBlock,Cout], by the
/// matrix of write_matrix(), to the gradients of its features [kContinuousBlock,features].
std::optional<Refusal> add_features_product(const Options& options, ContinuousGradientPlan* plan);
/// Packs the matrix.
void pack_features_product(const ContinuousGradientPlan& plan, const double* matrix,
                           double* packed);
/// Runs it; zeros where there are no output channels.
void run_features_product(const ContinuousGradientPlan& plan, const double* packed,
                          const double* delta, double* to, double* workspace);

/// The matrix [Cout,features], column-major, from features to output channels.
void write_matrix(const ContinuousShape& shape, const double* theta, double* to);

/// Copies a block of image n of diff_dst, a column [Cout] an output, zeros behind the last one.
void gather_delta(const ContinuousShape& shape, const OutputBlock& block, Extent n,
                  const void* diff_dst, double* to);

/// Writes `count` sums, `from_step` apart, rounding each once, to elements `to_step` apart.
void store_sums(Dtype dtype, const double* from, Extent from_step, Extent count, void* to,
                Extent to_step);

/// Keys' cubic at place k.
double keys_weight(const ContinuousShape& shape, const OutputPlace& at, Extent k);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_LINEAR_H_
