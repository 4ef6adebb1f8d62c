// SPDX-License-Identifier: Apache-2.0
// A problem: one operation on tensors of given shapes with given attributes, and its one-line text.
//
//   Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 pads_end=0,3
//               dilations=2,2 groups=2 data_format=NCX weights_format=OIX      (on one line)
//   Convolution1 bf16 src=1x9x7x3:256x28x4x1 weights=3x3x3x8 auto_pad=same_upper
//               data_format=NXC filter_format=XIO
//   AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 rate=3 padding=SAME
//   SpaceToBatch f32 src=2x9x10x2 block_size=2 paddings=1,2,0,2
//   CntkConvolution f32 src=10x9x3x2 weights=4x18 kernel=3,2,3 stride=2,1,3
//               autoPadding=true,true,false
//   CntkConvolution2d f32 src=10x9x3x2 weights=4x18 kernelWidth=3 kernelHeight=2 zeroPadding=true
//   ContinuousConvolution f32 src=1x2x8x9 weights=422 scale=2/3,0.7 channels=3
//   ContinuousBackwardData f32 src=1x2x8x9 weights=422 diff_dst=1x3x6x7 scale=2/3,0.7 channels=3
#ifndef CONCORD_SPEC_PROBLEM_H_
#define CONCORD_SPEC_PROBLEM_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/attributes.h"
#include "spec/dtype.h"
#include "spec/result.h"
#include "spec/tensor.h"

namespace concord {

/// Which meaning applies where a document and the systems that implement it differ.
enum class Reading {
  kImplemented,
  kDocumented,
  kFirstVersion  ///< of CntkConvolution2d alone, whose first version padded otherwise
};
template <>
inline constexpr std::array kWords<Reading> =
    std::to_array<std::string_view>({"implemented", "documented", "first_version"});
/// True of a reading that the operation has.
constexpr bool has_reading(Operation operation, Reading reading) {
  return reading != Reading::kFirstVersion || operation == Operation::kCntkConvolution2d;
}

/// The dtypes of tensors that do not have that of src.
struct OtherDtypes {
  std::optional<Dtype> weights{}, bias{}, diff_dst{}, dst{};
  bool any() const { return weights || bias || diff_dst || dst; }
  bool operator==(const OtherDtypes&) const = default;
};

/// A problem as its user states it; it may violate any rule of its operation.
struct Problem {
  Dtype dtype = Dtype::kF32;
  Reading reading = Reading::kImplemented;
  Tensor src{};
  Tensor weights{};  ///< unused if the operation has none
  std::optional<Tensor> bias{};
  std::optional<Tensor> diff_dst{};  ///< the incoming gradient, if the operation has one
  /// The shape that the user states, if any; its strides, if dst is not dense.
  std::optional<Tensor> dst{};
  /// Where there is any, nothing is computed: most documents forbid it, the others are silent.
  OtherDtypes other_dtypes{};
  Attributes attributes{};

  Operation operation() const { return static_cast<Operation>(attributes.index()); }
  bool operator==(const Problem&) const = default;
};

/// The problem's tensor; null where it has none.
const Tensor* input_of(const Problem& problem, Input input);
/// The problem's tensor; one without dims where it had none.
Tensor& make_input(Problem& problem, Input input);

/// The dtype of an input that the problem has; of dst.
Dtype dtype_of(const Problem& problem, Input input);
Dtype dtype_of_dst(const Problem& problem);

/// The formats of src and dst, and of weights. AtrousConv2d has NXC and XIO only. Of a discrete
/// operation.
DataFormat data_format_of(const Problem& problem);
WeightsFormat weights_format_of(const Problem& problem);

/// The tensor with its axes in the order in which the reference reads its values: channels first
/// for the discrete operations, reversed for src and diff_dst of CNTK's, else as it is.
Tensor in_reading_order(const Problem& problem, Input input);
/// The same for a dst of the problem.
Tensor dst_in_reading_order(const Problem& problem, const Tensor& dst);
/// The axis of dst at each position of that order.
std::vector<std::size_t> dst_reading_axes(const Problem& problem, std::size_t rank);
/// The strides of a dense src, diff_dst or dst of these dims: the first axis fastest where
/// is_column_major() or is_dst_column_major() says so, else the last one.
Extents dense_strides_of(Operation operation, const Extents& dims);
Extents dense_dst_strides_of(Operation operation, const Extents& dims);

/// The problem on one line. Lists that hold the default (1 for strides and dilations, 0 for pads,
/// as many as src has spatial axes) and other defaults are left out; formats never are, nor are
/// strides that are not those of a dense tensor.
std::string print(const Problem& problem);

/// Reads what print() writes, words in any order after the dtype; names of operations, dtypes and
/// enumerations in any case, but AtrousConv2d's padding as its document spells it; "()" is an empty
/// list; `weights_dtype=f16` and the like give a tensor another dtype than src.
/// Errors  kSyntax with the word that is wrong and why: an unknown operation, dtype, key or
///         literal, a key given twice, a missing src, weights or padding, a number that is invalid
///         or does not fit 64 bits, a reading that the operation does not have, the dtype of a
///         tensor that is not given, more than kMaxRank dimensions or list entries, a number of
///         strides other than that of dims
Result<Problem> parse(std::string_view line);

}  // namespace concord

#endif  // CONCORD_SPEC_PROBLEM_H_
