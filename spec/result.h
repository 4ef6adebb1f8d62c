// SPDX-License-Identifier: Apache-2.0
// Result<T>: either a value or the reason why there is none. Faults are values, because which fault
// comes first is itself part of conformance. A function that has no value to return returns
// std::optional<Why>: the reason why it failed, or nothing.
#ifndef CONCORD_SPEC_RESULT_H_
#define CONCORD_SPEC_RESULT_H_

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "spec/check.h"

namespace concord {

/// What is wrong with a problem. The order of the enumerators is the order in which faults are
/// checked: of two faults in one problem, the earlier enumerator is the one reported.
/// Some faults are checked only if others are absent: docs/spec.md#refusals.
enum class Fault {
  kSyntax,       ///< the text is not a problem line
  kDtype,        ///< tensors of different dtypes
  kRank,         ///< src, weights or dst has the wrong number of dimensions
  kSize,         ///< an extent is negative, or a tensor or the padded input is too large to count
  kLayout,       ///< strides of a tensor: wrong number, negative, overlapping or overflowing
  kStrides,      ///< attribute strides: wrong length or not positive
  kScale,        ///< attribute scale of a continuous layer: not positive
  kDilations,    ///< attribute dilations (or rate): wrong length or not positive
  kBlockSize,    ///< attribute block_size: not positive, or its square does not divide the batch
  kPads,         ///< attribute pads_begin or pads_end: wrong length or negative
  kPadding,      ///< an auto_pad or padding that the operation does not have
  kGroups,       ///< attribute groups: not positive
  kMapCount,     ///< attribute mapCount: wrong length or not positive
  kSharing,      ///< attribute sharing: wrong length or not a flag
  kImageLayout,  ///< attribute imageLayout of CNTK's N-D form: not cudnn
  kChannels,     ///< channels of src, weights and groups do not fit together
  kKernel,       ///< a kernel extent is zero, or so large that the output size is negative
  kWidths,       ///< attribute widths: not two positive numbers
  kTheta,        ///< theta has a different number of parameters than the kernel
  kBias,         ///< bias is not one-dimensional with one element per output channel
  kDiffDst,      ///< diff_dst does not have the shape of the forward operation's dst
  kDst,          ///< the given dst shape is not the inferred one
  kLimit,        ///< none: the problem is legal, but beyond what an implementation can compute
};

/// The fault's name as results and problem reports spell it, such as "groups".
std::string_view to_string(Fault fault);

/// A refusal: the fault, and a sentence that names the thing and its value.
struct Refusal {
  Fault fault;
  std::string detail;
  bool operator==(const Refusal&) const = default;
};

/// A value of T, or the reason why there is none. Reading the wrong one of the two is a bug and
/// aborts.
template <class T, class Why = Refusal>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Why why) : held_(std::move(why)) {}    // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return held_.index() == 0; }

  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }

  const T& value() const& {
    check_value();
    return *std::get_if<0>(&held_);
  }
  T&& value() && {
    check_value();
    return std::move(*std::get_if<0>(&held_));
  }

  /// Why there is no value.
  const Why& why() const& {
    check_why();
    return *std::get_if<1>(&held_);
  }
  Why&& why() && {
    check_why();
    return std::move(*std::get_if<1>(&held_));
  }

 private:
  void check_value() const {
    if constexpr (requires(const Why& why) { why.detail; }) {
      CONCORD_CHECK(held_.index() == 0) << why().detail;
    } else {
      CONCORD_CHECK(held_.index() == 0) << "asked a failure for its value";
    }
  }
  void check_why() const { CONCORD_CHECK(held_.index() == 1) << "asked a success for its reason"; }

  std::variant<T, Why> held_;
};

}  // namespace concord

#endif  // CONCORD_SPEC_RESULT_H_
