// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/shape.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "spec/unusual_attributes.h"

namespace concord::backends {
namespace {

using Fails = std::optional<Refused>;

// How the ends of an axis are padded, whatever the operation calls it.
enum class Padding {
  kExplicit,
  kNone,
  kSameUpper,  // ceil(I/S) outputs; of an odd total, the larger half at the end
  kSameLower,
  kSameAtPixel,  // as kSameUpper at stride 1, but all of it at the end
  kPrinted,  // none, and the output of atrous_conv2d's document: I - 2 (K of the other axis - 1)
  kSameUpperUnstrided,  // the total that stride 1 would need, as Convolution-1's text has it
  kSameLowerUnstrided
};

// The attributes of all operations, brought to one form.
struct Attributes {
  Extents strides, dilations, pads_begin, pads_end;
  Padding padding;
  Extent groups;
};

Padding padding_of(AutoPad auto_pad, bool unstrided) {
  switch (auto_pad) {
    case AutoPad::kNone:
      return Padding::kExplicit;
    case AutoPad::kValid:
      return Padding::kNone;
    case AutoPad::kSameUpper:
      return unstrided ? Padding::kSameUpperUnstrided : Padding::kSameUpper;
    case AutoPad::kSameLower:
      return unstrided ? Padding::kSameLowerUnstrided : Padding::kSameLower;
  }
  return Padding::kExplicit;
}

struct Unify {
  const Problem& problem;

  Attributes spatial(const SpatialAttributes& a, bool unstrided) const {
    return {a.strides, a.dilations, a.pads_begin, a.pads_end, padding_of(a.auto_pad, unstrided),
            a.groups};
  }
  std::optional<Attributes> operator()(const Convolution1Attributes& a) const {
    return spatial(a, problem.reading == Reading::kDocumented);
  }
  std::optional<Attributes> operator()(const ConvolutionAttributes& a) const {
    return spatial(a, problem.reading == Reading::kDocumented);
  }
  std::optional<Attributes> operator()(const AtrousConv2dAttributes& a) const {
    const bool printed = problem.reading == Reading::kDocumented;
    const Padding same = printed ? Padding::kSameAtPixel : Padding::kSameUpper;
    const Padding valid = printed ? Padding::kPrinted : Padding::kNone;
    const Padding padding = a.padding == TfPadding::kSame ? same : valid;
    return Attributes{{1, 1}, {a.rate, a.rate}, {0, 0}, {0, 0}, padding, 1};
  }
  template <class Other>
  std::optional<Attributes> operator()(const Other&) const {
    return std::nullopt;
  }
};

// Nothing for an operation that is not served.
std::optional<Attributes> unified(const Problem& problem) {
  return std::visit(Unify{problem}, problem.attributes);
}

std::string text_of(const Extents& values) {
  std::string text;
  for (const Extent value : values) {
    text.append(text.empty() ? "" : ",").append(std::to_string(value));
  }
  return text.empty() ? "()" : text;
}

Fails check_rank(const Problem& problem) {
  const std::size_t rank = problem.src.rank();
  const bool atrous = problem.operation() == Operation::kAtrousConv2d;
  if (rank < 3 || (atrous && rank != 4)) {
    return invalid("src has " + std::to_string(rank) + " dimensions");
  }
  if (problem.weights.rank() != rank) {
    return invalid("weights has " + std::to_string(problem.weights.rank()) +
                   " dimensions, src has " + std::to_string(rank));
  }
  if (rank > 5 && problem.operation() == Operation::kConvolution) {
    return declines("a Convolution of " + std::to_string(rank - 2) +
                    " spatial axes, which its document does not describe");
  }
  return std::nullopt;
}

bool bytes_fit(std::optional<Extent> elements, Dtype dtype) {
  Extent bytes = 0;
  return elements &&
         !__builtin_mul_overflow(*elements, static_cast<Extent>(size_of(dtype)), &bytes);
}

Fails check_layout(const Tensor& tensor, Dtype dtype, const char* name) {
  if (!bytes_fit(element_count(tensor.dims), dtype)) {
    return invalid(std::string(name) + "=" + to_string(tensor) + " has no size in bytes");
  }
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.dims.size()) {
    return invalid(std::string(name) + "=" + to_string(tensor) + " must have one stride per axis");
  }
  if (!bytes_fit(element_span(tensor), dtype) || !is_injective(tensor)) {
    return invalid(std::string(name) + "=" + to_string(tensor) +
                   " has strides that overlap or overflow");
  }
  return std::nullopt;
}

Fails check_list(const Extents& list, std::size_t size, Extent least, const char* name) {
  const bool in_range = std::all_of(list.begin(), list.end(), [&](Extent e) { return e >= least; });
  if (list.size() == size && in_range) return std::nullopt;
  return invalid(std::string(name) + "=" + text_of(list) + " must be " + std::to_string(size) +
                 " numbers of at least " + std::to_string(least));
}

Fails check_attributes(const Attributes& a, std::size_t spatial_rank) {
  if (auto no = check_list(a.strides, spatial_rank, 1, "strides")) return no;
  if (auto no = check_list(a.dilations, spatial_rank, 1, "dilations")) return no;
  // Under auto_pad the pads do not count, but they must still be pads.
  if (auto no = check_list(a.pads_begin, spatial_rank, 0, "pads_begin")) return no;
  if (auto no = check_list(a.pads_end, spatial_rank, 0, "pads_end")) return no;
  if (a.groups < 1) return invalid("groups=" + std::to_string(a.groups) + " must be at least 1");
  return std::nullopt;
}

// What the document of AtrousConv2d alone asks of its attributes.
Fails check_atrous(const Problem& problem) {
  const auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
  if (a == nullptr) return std::nullopt;
  if (a->rate > std::numeric_limits<std::int32_t>::max()) {
    return invalid("rate=" + std::to_string(a->rate) + " is not an int32");
  }
  if (a->padding == TfPadding::kOther) return invalid("padding is neither SAME nor VALID");
  return std::nullopt;
}

Fails check_channels(const PaddedConvolution& p) {
  const Extent weights_ic = p.weights.dims[1];
  if (p.IC % p.G != 0 || p.IC / p.G != weights_ic || p.OC % p.G != 0) {
    return invalid("src has " + std::to_string(p.IC) + " channels, weights " +
                   std::to_string(weights_ic) + " by " + std::to_string(p.OC) +
                   ": these do not match groups=" + std::to_string(p.G));
  }
  return std::nullopt;
}

// The dilated kernel D*(K-1)+1, or nothing if it overflows.
std::optional<Extent> effective_kernel(Extent kernel, Extent dilation) {
  Extent reach = 0;
  if (__builtin_mul_overflow(kernel - 1, dilation, &reach) ||
      __builtin_add_overflow(reach, Extent{1}, &reach)) {
    return std::nullopt;
  }
  return reach;
}

// Begin and end padding of one axis.
std::pair<Extent, Extent> pads_of(Padding padding, Extent I, Extent S, Extent EK) {
  const bool unstrided =
      padding == Padding::kSameUpperUnstrided || padding == Padding::kSameLowerUnstrided;
  // The last of ceil(I/S) windows begins at (ceil(I/S)-1)*S, which is I less its distance to the
  // end: S, or what I leaves over.
  const Extent rest = I % S == 0 ? S : I % S;
  const Extent total = unstrided ? EK - 1 : std::max<Extent>(EK - rest, 0);
  switch (padding) {
    case Padding::kSameUpper:
    case Padding::kSameUpperUnstrided:
      return {total / 2, total - total / 2};
    case Padding::kSameLower:
    case Padding::kSameLowerUnstrided:
      return {total - total / 2, total / 2};
    case Padding::kSameAtPixel:
      return {0, total};
    default:
      return {0, 0};
  }
}

// atrous_conv2d's VALID as documented: as many zeros behind the input as its output needs.
Fails resolve_printed_axis(std::size_t axis, const Extents& input, const Extents& kernel,
                           PaddedConvolution& p) {
  const Extent I = input[axis];
  const auto EK = effective_kernel(kernel[axis], p.D[axis]);
  const Extent O = I - 2 * (kernel[1 - axis] - 1);
  const std::string where = " on spatial axis " + std::to_string(axis);
  Extent reach = 0;
  if (kernel[axis] < 1 || kernel[1 - axis] < 1) return invalid("weights have no extent" + where);
  if (!EK || __builtin_add_overflow(O - 1, *EK, &reach)) {
    return invalid("the dilated kernel overflows" + where);
  }
  if (O < 0) return invalid("the documented output would have " + std::to_string(O) + where);
  if (O > 0 && reach < I) return declines("an output that leaves out windows that fit" + where);
  p.pad_begin.push_back(0);
  p.pad_end.push_back(std::max<Extent>(reach - I, 0));
  p.O.push_back(O);
  return std::nullopt;
}

// Resolves padding and output extent of spatial axis `axis`, and appends them to `p`.
Fails resolve_axis(const Attributes& a, std::size_t axis, PaddedConvolution& p) {
  const Extent I = p.I[axis], K = p.K[axis], S = p.S[axis], D = p.D[axis];
  const std::string where = " on spatial axis " + std::to_string(axis);
  if (K < 1) return invalid("weights have extent " + std::to_string(K) + where);
  const auto EK = effective_kernel(K, D);
  if (!EK) return invalid("dilations=" + text_of(p.D) + ": the dilated kernel overflows" + where);
  const auto [begin, end] = a.padding == Padding::kExplicit
                                ? std::pair(a.pads_begin[axis], a.pads_end[axis])
                                : pads_of(a.padding, I, S, *EK);
  Extent padded = 0;
  if (__builtin_add_overflow(I, begin, &padded) || __builtin_add_overflow(padded, end, &padded)) {
    return invalid("the padded input overflows" + where);
  }
  // A kernel that is too large by up to one stride gives no outputs, by more it is refused.
  if (padded - *EK < -S) {
    return invalid("the dilated kernel of " + std::to_string(*EK) +
                   " elements exceeds the padded input of " + std::to_string(padded) +
                   " by more than a stride" + where);
  }
  p.pad_begin.push_back(begin);
  p.pad_end.push_back(end);
  p.O.push_back(padded < *EK ? 0 : (padded - *EK) / S + 1);
  return std::nullopt;
}

Fails check_bias(const Problem& problem, PaddedConvolution& p) {
  if (!problem.bias) return std::nullopt;
  if (problem.operation() == Operation::kAtrousConv2d) {
    return invalid("bias=" + to_string(*problem.bias) + ", but AtrousConv2d has none");
  }
  // Convolution-1's text adds a bias of one element to all channels.
  const bool is_single = problem.operation() == Operation::kConvolution1 &&
                         problem.reading == Reading::kDocumented &&
                         problem.bias->dims == Extents{1};
  if (problem.bias->dims != Extents{p.OC} && !is_single) {
    return invalid("bias=" + to_string(*problem.bias) + " must have " + std::to_string(p.OC) +
                   " elements");
  }
  p.bias_stride = problem.bias->dims[0] == p.OC ? strides_of(*problem.bias)[0] : 0;
  return std::nullopt;
}

// The dims of dst in its own axis order, and dst itself channels first.
Fails infer_dst(const Problem& problem, PaddedConvolution& p) {
  const auto axes = channels_first_axes(data_format_of(problem), problem.src.rank());
  Tensor first{{p.N, p.OC}, {}};
  first.dims.insert(first.dims.end(), p.O.begin(), p.O.end());
  Tensor dst{unpermute(first, axes).dims, {}};
  p.dst_dims = dst.dims;
  if (problem.dst) {
    if (problem.dst->dims != dst.dims) {
      return invalid("dst=" + to_string(*problem.dst) + " should be " + to_string(dst));
    }
    dst = *problem.dst;
  }
  if (auto no = check_layout(dst, problem.dtype, "dst")) return no;
  p.dst = permute(dst, axes);
  return std::nullopt;
}

Extents spatial_of(const Extents& channels_first) {
  return {channels_first.begin() + 2, channels_first.end()};
}

}  // namespace

std::optional<Refused> beyond_three_axes(const PaddedConvolution& p) {
  if (p.spatial_rank <= 3) return std::nullopt;
  return declines("a convolution over " + std::to_string(p.spatial_rank) +
                  " spatial axes: the library has at most three");
}

Or<PaddedConvolution> lower(const Problem& problem) {
  const auto a = unified(problem);
  if (!a) return declines(std::string(to_string(problem.operation())) + " is not served");
  if (const auto others = unusual_attributes(problem, kDiscreteKeys); !others.empty()) {
    return declines("the attribute " + std::string(others.front()) + " is not served");
  }
  if (problem.other_dtypes.any()) return invalid("not all tensors have the dtype of src");
  if (auto no = check_rank(problem)) return *no;
  if (auto no = check_layout(problem.src, problem.dtype, "src")) return *no;
  if (auto no = check_layout(problem.weights, problem.dtype, "weights")) return *no;
  if (problem.bias) {
    if (auto no = check_layout(*problem.bias, problem.dtype, "bias")) return *no;
  }
  PaddedConvolution p;
  const std::size_t rank = problem.src.rank();
  p.spatial_rank = rank - 2;
  if (auto no = check_attributes(*a, p.spatial_rank)) return *no;
  if (auto no = check_atrous(problem)) return *no;

  p.src = permute(problem.src, channels_first_axes(data_format_of(problem), rank));
  p.weights = permute(problem.weights, channels_first_axes(weights_format_of(problem), rank));
  p.N = p.src.dims[0];
  p.IC = p.src.dims[1];
  p.OC = p.weights.dims[0];
  p.G = a->groups;
  p.I = spatial_of(p.src.dims);
  p.K = spatial_of(p.weights.dims);
  p.S = a->strides;
  p.D = a->dilations;
  if (auto no = check_channels(p)) return *no;
  for (std::size_t axis = 0; axis < p.spatial_rank; ++axis) {
    auto no = a->padding == Padding::kPrinted ? resolve_printed_axis(axis, p.I, p.K, p)
                                              : resolve_axis(*a, axis, p);
    if (no) return *no;
  }
  if (auto no = check_bias(problem, p)) return *no;
  if (auto no = infer_dst(problem, p)) return *no;
  return p;
}

std::string lowering_part(const Problem& problem) {
  if (problem.operation() == Operation::kAtrousConv2d) {
    return "AtrousConv2d as a dilated convolution";
  }
  const auto a = unified(problem);
  return !a || a->padding == Padding::kExplicit ? "" : "auto_pad";
}

}  // namespace concord::backends
