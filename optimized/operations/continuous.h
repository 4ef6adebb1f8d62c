// SPDX-License-Identifier: Apache-2.0
// The continuous convolution layer. Two ways of computing it:
//
//   phases  a scale k_h/l_h, k_w/l_w of small numerators: outputs p, p + k, .. share their
//           distances, so the layer is k_h * k_w discrete convolutions, interleaved
//   tiles   any scale: the kernel is evaluated anew for a tile of outputs at a time, so that memory
//           does not grow with the image. The net's last layer is linear, hence its matrix can be
//           applied after the sum over the neighbours; weights are never formed:
//
//             I'[co,n] = sum over ci, h of A3[co,ci,h] sum over k of a2[h,k,n] I[ci,m(n,k)]
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_H_

#include <memory>
#include <string>
#include <vector>

#include "optimized/convolution.h"
#include "optimized/operations/continuous_shape.h"

namespace concord::optimized {

enum class ContinuousWay {
  kNothing,  ///< no outputs
  kZeros,    ///< all outputs are zero
  kTiles,
  kPhases
};
/// "nothing", "zeros", "tiles" or "phases".
std::string_view to_string(ContinuousWay way);

struct ContinuousOptions : Options {
  /// Nothing: phases where the numerators are small beside the output.
  std::optional<ContinuousWay> way{};
  Extent tile = 256;  ///< outputs of a tile, rounded up to whole blocks
};

/// The plan of kTiles.
struct ContinuousTiles {
  Plan product{};       ///< from the features of a block's outputs to their channels
  Extent features = 0;  ///< of an output: channels times hidden values
  Extent blocks = 0, blocks_per_tile = 1;
};

/// The convolutions of one band of outputs, as high as any or the last one.
struct ContinuousBand {
  Extent rows = 0;                       ///< of outputs
  Extent staged_rows = 0;                ///< of inputs
  std::vector<Plan> plans{};             ///< [k_h,k_w]
  std::vector<std::size_t> packed_at{};  ///< floats before each one's packed weights
};

/// The plan of kPhases. A phase has the rows p, p + k_h, .. and columns q, q + k_w, ..
struct ContinuousPhases {
  Extent bands = 0;                 ///< of an image
  Extent pitch = 0;                 ///< staged columns
  std::size_t workspace_bytes = 0;  ///< the most that a convolution of either band takes
  ContinuousBand full{}, last{};
};

/// Numeric  tiles: hidden layers in f64, rounded to f32 once, features and products in f32;
///          phases: weights in f64, rounded to f32 once, convolutions in f32. One rounding to the
///          dtype at the end; the same bits for any number of threads and any tile
struct ContinuousPlan {
  ContinuousShape shape{};
  ContinuousWay way = ContinuousWay::kNothing;
  ContinuousTiles tiles{};
  ContinuousPhases phases{};
  Context io{};  ///< for reorders between the dtype and f32
  std::shared_ptr<const ThreadPool> thread_pool{};
  std::size_t thread_bytes = 0;  ///< of workspace, for each thread
  std::size_t packed_bytes = 0, workspace_bytes = 0, one_shot_workspace_bytes = 0;
};

/// Errors  kSyntax for an invalid option, or if kPhases is requested and there are no phases, or one
///         is larger than memory; kLimit for what fits no memory
Result<ContinuousPlan> make_continuous_plan(const ContinuousShape& shape,
                                            const ContinuousOptions& options = {});
/// The plan as readable text.
std::string describe(const ContinuousPlan& plan);

/// What follows from theta alone.
struct ContinuousPacked {
  std::vector<std::byte> memory{};
};
ContinuousPacked pack(const ContinuousPlan& plan, const void* theta);
/// As the functions of convolution.h.
void execute(const ContinuousPlan& plan, const ContinuousPacked& packed, const void* src, void* dst,
             void* workspace);
void execute(const ContinuousPlan& plan, const void* src, const void* theta, void* dst,
             void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_H_
