// SPDX-License-Identifier: Apache-2.0
// A problem: one operation on tensors of given shapes with given attributes, and its one-line text.
//
//   Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 pads_end=0,3
//               dilations=2,2 groups=2 data_format=NCX weights_format=OIX      (on one line)
//   Convolution1 bf16 src=1x9x7x3:256x28x4x1 weights=3x3x3x8 auto_pad=same_upper
//               data_format=NXC filter_format=XIO
//   AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 rate=3 padding=SAME
#ifndef CONCORD_SPEC_PROBLEM_H_
#define CONCORD_SPEC_PROBLEM_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "spec/attributes.h"
#include "spec/dtype.h"
#include "spec/result.h"
#include "spec/tensor.h"

namespace concord {

/// The operations, in the order of the alternatives of Attributes.
enum class Operation { kConvolution1, kConvolution, kAtrousConv2d };
inline constexpr Operation kOperations[] = {Operation::kConvolution1, Operation::kConvolution,
                                            Operation::kAtrousConv2d};
/// The operation's name as problem lines spell it: "Convolution1", "Convolution", "AtrousConv2d".
std::string_view to_string(Operation operation);

/// Which of two meanings counts where a document and the systems that carry its name differ.
enum class Reading { kImplemented, kDocumented };
/// "implemented" or "documented".
std::string_view to_string(Reading reading);

/// A problem as its user states it; it may break every rule of its operation.
struct Problem {
  Dtype dtype = Dtype::kF32;
  Reading reading = Reading::kImplemented;
  Tensor src{};
  Tensor weights{};
  std::optional<Tensor> bias{};
  /// The shape that the user expects, if he says so; its strides, if dst is not dense.
  std::optional<Tensor> dst{};
  Attributes attributes{};

  Operation operation() const { return static_cast<Operation>(attributes.index()); }
  bool operator==(const Problem&) const = default;
};

/// The formats of src and dst, and of weights. AtrousConv2d has NXC and XIO only.
DataFormat data_format_of(const Problem& problem);
WeightsFormat weights_format_of(const Problem& problem);

/// The problem on one line. Lists that hold the default (1 for strides and dilations, 0 for pads,
/// as many as src has spatial axes) and other defaults are left out; formats never are.
std::string print(const Problem& problem);

/// Reads what print() writes, words in any order after the dtype; names of operations, dtypes and
/// enumerations in any case; "()" is an empty list.
/// Errors  kSyntax with the word that is wrong and why: an unknown operation, dtype, key or
///         literal, a key given twice, a missing src or weights, a number that is none or does not
///         fit 64 bits, more than kMaxRank dimensions or list entries, strides not as many as dims
Result<Problem> parse(std::string_view line);

}  // namespace concord

#endif  // CONCORD_SPEC_PROBLEM_H_
