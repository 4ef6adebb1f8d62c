// SPDX-License-Identifier: Apache-2.0
// What every discrete operation requires of its tensors and attributes, before any formula applies.
#ifndef CONCORD_REFERENCE_CHECKS_H_
#define CONCORD_REFERENCE_CHECKS_H_

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "reference/discrete.h"
#include "reference/wide.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::reference {

/// The faults that the checks found, each with its first detail.
class Findings {
 public:
  void add(Fault fault, std::string detail) { details_.emplace(fault, std::move(detail)); }
  bool any() const { return !details_.empty(); }
  bool any_of(std::initializer_list<Fault> faults) const;
  /// The fault that comes first in the order of the enumeration. There is one.
  Refusal first() const { return {details_.begin()->first, details_.begin()->second}; }

 private:
  std::map<Fault, std::string> details_{};
};

/// The faults that prevent deriving any size: see docs/spec.md#refusals.
inline constexpr std::initializer_list<Fault> kNoSizes = {Fault::kSize,      Fault::kStrides,
                                                          Fault::kDilations, Fault::kPads,
                                                          Fault::kPadding,   Fault::kKernel};

/// The extents of a problem's tensors, whatever their formats. Missing spatial axes have extent 1.
struct Operands {
  Extent N, IC, OC;
  Extent weights_IC;  ///< the input channels of weights: IC/G, if all is well
  Spatial I, K;
  std::size_t spatial_rank;
};
/// `problem` has passed check_ranks().
Operands operands_of(const Problem& problem);

/// A list of one value per spatial axis, with `missing` for missing leading axes.
Spatial spatial(const Extents& list, Extent missing);

/// kRank: src has `fewest` to `most` dimensions, weights and dst as many. The other checks, and
/// operands_of(), presuppose this one.
std::optional<Refusal> check_ranks(const Problem& problem, std::size_t fewest, std::size_t most);

/// kDtype: every tensor has the dtype of src.
std::optional<Refusal> check_dtypes(const Problem& problem);

/// kSize and kLayout of every tensor given.
void check_tensors(const Problem& problem, Findings& findings);

/// kStrides, kDilations, kPads, kPadding, kGroups. The pads are checked under every auto_pad.
void check_attributes(const SpatialAttributes& attributes, std::size_t spatial_rank,
                      Findings& findings);

/// kChannels. `groups` may be anything; the check is left out if it is not positive.
void check_channels(const Operands& operands, Extent groups, Findings& findings);

/// kBias: one-dimensional, OC elements.
void check_bias(const Problem& problem, Extent OC, Findings& findings);

/// kKernel: every kernel extent of the problem's spatial axes is at least 1.
void check_kernel(const Operands& operands, Findings& findings);

/// One padded spatial axis: the input of every operation's size formula.
struct PaddedAxis {
  Wide padded_input, dilated_kernel, output;
};
/// kSize if a size is not an Extent, kKernel if the output size is negative.
void check_axis(std::size_t axis, std::size_t spatial_rank, const PaddedAxis& sizes,
                Findings& findings);

/// The dst of these dims, with the strides asked for or the operation's own.
/// kSize if it cannot be counted, kDst if the shape given is another one.
Tensor check_dst(const Problem& problem, const Extents& dims, Findings& findings);

/// Infers dst: [N, OC, O] in the order of the data format, with the strides asked for.
/// kSize if it cannot be counted, kDst if the given shape differs. O is not negative.
Tensor infer_dst(const Problem& problem, const Operands& operands, const Spatial& O,
                 Findings& findings);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CHECKS_H_
