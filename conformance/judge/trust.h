// SPDX-License-Identifier: Apache-2.0
// Trust: would the judge have noticed an error? Wrong outputs are judged like a backend's.
#ifndef CONCORD_CONFORMANCE_JUDGE_TRUST_H_
#define CONCORD_CONFORMANCE_JUDGE_TRUST_H_

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/judge/error_bound.h"
#include "conformance/judge/judge_lone.h"
#include "conformance/judge/judge_statistical.h"
#include "plugin/concord_plugin.h"
#include "reference/discrete.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// Wrong outputs: wrong values in the right positions, and right values in wrong positions.
enum class Plant {
  kZeros,       ///< nothing was computed
  kScaled,      ///< each element is 1.5 times what it should be
  kNegated,     ///< each element has the other sign
  kShifted,     ///< each element has the value of the one before it
  kTransposed,  ///< each plane is written as if OH and OW were swapped
  kChannels,    ///< each channel has the values of the next one
  kGroups,      ///< each group has the values of the next one
  kBatches      ///< each image has the values of the next one
};
inline constexpr Plant kPlants[] = {Plant::kZeros,   Plant::kScaled,     Plant::kNegated,
                                    Plant::kShifted, Plant::kTransposed, Plant::kChannels,
                                    Plant::kGroups,  Plant::kBatches};
/// True of the plants that change values; the others rearrange them.
bool changes_values(Plant plant);
/// "zeros", "scaled", "negated", "shifted", "transposed", "channels", "groups" or "batches".
std::string_view to_string(Plant plant);

/// The axes of dst along which outputs are rearranged.
struct OutputShape {
  std::size_t N = 1, OC = 1, OCG = 1;
  std::size_t plane = 1;       ///< elements of one channel of one image
  std::size_t OH = 1, OW = 1;  ///< of its last two axes
  std::size_t size() const { return N * OC * plane; }
};
/// The shape of a dst whose axes are read in the order of `dims`; `groups` divide the second axis.
OutputShape output_shape(const Extents& dims, Extent groups);

/// The wrong outputs that a case can detect.
struct Trust {
  std::vector<Plant> rejected{}, missed{};  ///< of those plants that the shape of dst offers
  /// About the smallest d for which the right output times 1 + d is rejected; infinite if none is,
  /// or if the tier has no scale, as that of special values.
  double resolution = std::numeric_limits<double>::infinity();

  /// True if every plant of wrong values is rejected and, where dst has more than one element, a
  /// rearrangement is; also if dst has no elements, so that its shape says everything. A case that
  /// cannot is VACUOUS.
  bool can_reject() const;
  /// "accepts zeros, shifted": the plants that were missed, or "" if none was.
  std::string describe() const;
};

/// Plants wrong outputs in front of judge_exact().
/// Shapes  want is dense in the order of the dims of `shape`
/// Source  docs/numerics.md#trust
Trust assess_exact(Dtype dtype, const concord_arithmetic& arithmetic, const OutputShape& shape,
                   std::span<const double> want);

/// Plants wrong outputs in front of judge_interval(). Shapes as there.
Trust assess_interval(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                      const OutputShape& shape, std::span<const double> want,
                      std::span<const double> magnitude);

/// Plants wrong outputs in front of an Acceptance of `bound`. Shapes as there.
Trust assess_bounded(Dtype dtype, const concord_arithmetic& arithmetic, const OutputShape& shape,
                     const ErrorBound& bound, std::span<const double> want,
                     std::span<const double> magnitude, std::span<const double> radius = {});

/// Plants wrong outputs in front of judge_lone(). Shapes as there.
Trust assess_lone(Dtype dtype, const LoneProducts& accepted, const OutputShape& shape,
                  std::span<const double> want, std::span<const double> magnitude);

/// Plants wrong outputs in front of judge_special(): rejected by an element that has to be finite,
/// however padding is treated; where none other than 0 has to, by any element. Shapes as there.
Trust assess_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                     const OutputShape& shape, std::span<const double> want,
                     std::span<const double> magnitude);
Trust assess_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                     const reference::Geometry& geometry, const OutputShape& shape,
                     std::span<const double> weights, std::span<const double> want,
                     std::span<const double> magnitude);

/// Plants wrong outputs in front of judge_statistical(). Shapes as there.
Trust assess_statistical(const ErrorModel& model, const OutputShape& shape,
                         std::span<const double> want, std::span<const double> magnitude);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_TRUST_H_
