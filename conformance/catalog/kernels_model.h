// SPDX-License-Identifier: Apache-2.0
// What the rows of kernels_model() are made of, for the sweep of its windows.
#ifndef CONCORD_CONFORMANCE_CATALOG_KERNELS_MODEL_H_
#define CONCORD_CONFORMANCE_CATALOG_KERNELS_MODEL_H_

namespace concord::conformance::kernels {

enum Index {
  kDtype,
  kDataFormat,
  kWeightsFormat,
  kKernel,
  kStride,  ///< "kernel": as long as the kernel, where no other level is
  kDilation,
  kPadding,
  kChannels,  ///< and groups
  kBatch,
  kBias,
  kOutputs,   ///< 1x1: the least that there are; else so many more
  kLeftOver,  ///< whether the last window leaves input over
  kFactors
};

enum PaddingLevel {
  kNone,
  kBegin,
  kEnd,
  kOne,
  kHalf,       ///< of what the dilated kernel has beside one element
  kBefore,     ///< all of that, at the beginning alone
  kAllButOne,  ///< all of that, at both ends
  kSameUpper,
  kSameLower
};

}  // namespace concord::conformance::kernels

#endif  // CONCORD_CONFORMANCE_CATALOG_KERNELS_MODEL_H_
