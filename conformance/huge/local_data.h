// SPDX-License-Identifier: Apache-2.0
// Data of a discrete convolution whose tensors have more elements than anyone can compute: zeros
// but for a few elements at places where offsets outgrow 31 and 32 bits, and what follows for dst.
// An output is the sum over the taps whose src is not zero, and its bias: the oracle evaluates the
// problem cut out to those taps. docs/numerics.md#locality has the argument.
#ifndef CONCORD_CONFORMANCE_HUGE_LOCAL_DATA_H_
#define CONCORD_CONFORMANCE_HUGE_LOCAL_DATA_H_

#include <array>
#include <cstdint>
#include <vector>

#include "plugin/concord_plugin.h"
#include "reference/reference.h"
#include "spec/problem.h"
#include "spec/tensor_values.h"

namespace concord::conformance {

struct LocalData {
  /// The elements that are not zero, ascending; all of bias.
  std::array<std::vector<PlacedValue>, std::size(kInputs)> inputs{};
  /// The bias of each output channel, or zeros: the value of every output that is not in `outputs`.
  std::vector<double> background{};
  /// The places in dst of the outputs that an element other than zero reaches, ascending; or of
  /// all, if dst has no more than kAllOutputs.
  std::vector<Extent> outputs{};
  /// Of those outputs, in their order.
  reference::Oracle oracle{};
  /// The most products that any of them sums, zeros aside.
  Extent products = 0;
  /// Every partial sum is exact in the declared accumulator.
  bool is_exact = false;

  std::vector<PlacedValue>& of(Input input) { return inputs.at(static_cast<std::size_t>(input)); }
};
inline constexpr Extent kAllOutputs = 16384;

/// Makes the data of `problem`, whose dst is complete: integers within the limits of `arithmetic`.
/// Shapes  `geometry` is what reference::resolve() says of it; dst has at least one element
LocalData make_local_data(const Problem& problem, const reference::Geometry& geometry,
                          std::uint64_t seed, const concord_arithmetic& arithmetic);

/// Places of a tensor that spans so many elements of so many bytes, which must not be confused with
/// others: the first, the last, both sides of 2^31 and 2^32 elements and bytes, and a few anywhere.
std::vector<Extent> marks_of(Extent span, Extent element_bytes, std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_HUGE_LOCAL_DATA_H_
