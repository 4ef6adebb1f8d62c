// SPDX-License-Identifier: Apache-2.0
// CNTK's Convolution. Where all weights are shared it is one fast convolution a sample, or a few;
// where they are not, every position of the unshared axes has separate runs of weights, each
// applied to the windows of a block of samples and shared positions at once.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CNTK_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CNTK_H_

#include <string>
#include <vector>

#include "optimized/convolution.h"
#include "optimized/operations/cntk_shape.h"

namespace concord::optimized {

/// One fast convolution, and where its tensors begin, in elements.
struct CntkPart {
  Plan plan{};
  Extent src = 0, weights = 0, dst = 0;
  std::size_t packed = 0;  ///< bytes before its packed weights
};

/// The plan for unshared weights. Steps count weights of dense runs.
struct CntkLocal {
  std::array<Extent, kCntkAxes> position_run{}, map_run{};
  Extent groups = 0;            ///< positions of the unshared axes
  Extent columns = 0;           ///< windows that each of them has: shared positions of all samples
  Extent block = 0;             ///< windows that are gathered at once
  bool reads_in_place = false;  ///< the user's weights are dense runs that need not be widened
};

/// Numeric  one sample after the other by plans that do not depend on their number, so that the
///          bits are the same for every maxTempMemSizeInSamples and every number of threads
struct CntkPlan {
  CntkShape shape{};
  bool by_parts = true;  ///< shared weights, but for those of too many parts or axes
  std::vector<CntkPart> parts{};
  CntkLocal local{};  ///< of the rest
  std::shared_ptr<const ThreadPool> thread_pool{};
  Extent in_flight = 1;          ///< samples that are treated at once, at most shape.sub_batch
  std::size_t sample_bytes = 0;  ///< of workspace, for each sample in flight or each thread
  std::size_t packed_bytes = 0, workspace_bytes = 0, one_shot_workspace_bytes = 0;
};

/// Errors  kSyntax for an invalid option; kLimit for what fits no memory
Result<CntkPlan> make_cntk_plan(const CntkShape& shape, const Options& options = {});
/// The plan as readable text.
std::string describe(const CntkPlan& plan);

/// As the functions of convolution.h, without bias.
Packed pack(const CntkPlan& plan, const void* weights);
void execute(const CntkPlan& plan, const Packed& packed, const void* src, void* dst,
             void* workspace);
void execute(const CntkPlan& plan, const void* src, const void* weights, void* dst,
             void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CNTK_H_
