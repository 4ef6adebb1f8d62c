// SPDX-License-Identifier: Apache-2.0
// A trial of tensors that no machine need hold: of an input only some elements are not zero, or it
// has but a few elements, far apart. Pages that hold none of them take no memory: docs/suites.md.
#ifndef CONCORD_CONFORMANCE_WORKER_HUGE_TRIAL_H_
#define CONCORD_CONFORMANCE_WORKER_HUGE_TRIAL_H_

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "conformance/worker/host.h"
#include "spec/tensor_values.h"

namespace concord::conformance {

/// Each request of a HugeTrial may take so many times the deadline: the system makes gigabytes of
/// pages in seconds.
inline constexpr int kHugePatience = 12;
/// Of a tensor with gaps at most so many elements are taken: each may need a mapping of its own,
/// and Linux gives a process 65,530.
inline constexpr Extent kMostFarApart = 16384;

/// Ascending. Between the elements are zeros or, of a tensor with gaps, whose elements these are
/// all, what no plugin may read.
struct HugeInput {
  std::vector<PlacedValue> elements{};
  bool has_gaps = false;
};

/// What to execute twice: at the end of the tensors' pages, and at their beginning with other
/// garbage in dst and workspace.
struct HugeTrial {
  const Problem& problem;  ///< with dst
  std::array<HugeInput, std::size(kInputs)> inputs{};
  int threads = 1;
  /// The places of all elements of a dst with gaps, ascending; none of a dense one.
  std::vector<Extent> dst_places{};
  /// Is shown dst where it lies after each execution that was well.
  /// Shapes  element_span() * size_of(dtype) bytes, of a dst with gaps zero but near elements
  std::function<void(std::span<const std::byte> dst)> look{};

  const HugeInput& of(Input input) const { return inputs.at(static_cast<std::size_t>(input)); }
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_HUGE_TRIAL_H_
