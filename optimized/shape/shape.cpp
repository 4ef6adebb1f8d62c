// SPDX-License-Identifier: Apache-2.0
#include "optimized/shape/shape.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "optimized/shape/verdict.h"
#include "spec/check.h"

namespace concord::optimized {
namespace {

constexpr Wide kMaxExtent = std::numeric_limits<Extent>::max();

// The attributes of all operations in one form.
struct Plain {
  Extents strides{}, dilations{}, pads_begin{}, pads_end{};
  AutoPad auto_pad = AutoPad::kNone;
  bool padding_is_known = true;  // false for a value that is no enumerator
  bool has_rate = false;
  Extent groups = 1;
  bool same_is_stride_aware = true;
  bool same_begins_at_pixel = false;  // atrous_conv2d's formula under SAME, which has no shift
  bool valid_is_as_printed = false;   // atrous_conv2d's shape with its 2 and the filters' exchange
};

Plain plain_of(const SpatialAttributes& a) {
  Plain plain;
  plain.strides = a.strides;
  plain.dilations = a.dilations;
  plain.pads_begin = a.pads_begin;
  plain.pads_end = a.pads_end;
  plain.auto_pad = a.auto_pad;
  plain.padding_is_known = a.auto_pad >= AutoPad::kNone && a.auto_pad <= AutoPad::kValid;
  plain.groups = a.groups;
  return plain;
}

Plain plain_of(const AtrousConv2dAttributes& a) {
  Plain plain;
  plain.strides = {1, 1};
  plain.dilations = {a.rate, a.rate};
  plain.pads_begin = plain.pads_end = {0, 0};
  plain.auto_pad = a.padding == TfPadding::kSame ? AutoPad::kSameUpper : AutoPad::kValid;
  plain.padding_is_known = a.padding == TfPadding::kSame || a.padding == TfPadding::kValid;
  plain.has_rate = true;
  return plain;
}

Plain plain_of(const Problem& problem) {
  CONCORD_CHECK(is_discrete(problem.operation())) << print(problem);
  Plain plain;
  if (const auto* atrous = std::get_if<AtrousConv2dAttributes>(&problem.attributes)) {
    plain = plain_of(*atrous);
  } else if (const auto* first = std::get_if<Convolution1Attributes>(&problem.attributes)) {
    plain = plain_of(*first);
  } else {
    plain = plain_of(std::get<ConvolutionAttributes>(problem.attributes));
  }
  plain.valid_is_as_printed = plain.has_rate && plain.auto_pad == AutoPad::kValid &&
                              problem.reading == Reading::kDocumented;
  plain.same_begins_at_pixel = plain.has_rate && problem.reading == Reading::kDocumented;
  plain.same_is_stride_aware = problem.reading != Reading::kDocumented;
  return plain;
}

std::vector<NamedTensor> tensors_of(const Problem& problem) {
  std::vector<NamedTensor> tensors = {{"src", &problem.src}, {"weights", &problem.weights}};
  if (problem.bias) tensors.push_back({"bias", &*problem.bias});
  if (problem.dst) tensors.push_back({"dst", &*problem.dst});
  return tensors;
}

std::optional<Refusal> check_ranks(const Problem& problem) {
  const std::size_t rank = problem.src.rank();
  const bool atrous = problem.operation() == Operation::kAtrousConv2d;
  // The oneDNN Graph's document names depth, height and width; Convolution-1's sets no bound.
  const bool is_bounded = problem.operation() == Operation::kConvolution;
  if (atrous ? rank != 4 : (rank < 3 || rank > (is_bounded ? 5 : kMaxRank))) {
    return Refusal{Fault::kRank, "src has " + std::to_string(rank) + " dimensions, not " +
                                     (atrous       ? "4"
                                      : is_bounded ? "3, 4 or 5"
                                                   : "3 to 8")};
  }
  for (const auto& [name, tensor] : tensors_of(problem)) {
    if (std::string_view(name) == "bias" || tensor->rank() == rank) continue;
    return Refusal{Fault::kRank, std::string(name) + " has " + std::to_string(tensor->rank()) +
                                     " dimensions where src has " + std::to_string(rank)};
  }
  return std::nullopt;
}

void check_list(Fault fault, const char* name, const Extents& list, std::size_t size, Extent least,
                Verdict* verdict) {
  const std::string what = std::string(name) + " " + text_of(list);
  if (list.size() != size) {
    verdict->add(fault, what + " has " + std::to_string(list.size()) + " values for " +
                            std::to_string(size) + " spatial axes");
  }
  for (const Extent value : list) {
    if (value >= least) continue;
    verdict->add(fault, what + " has the value " + std::to_string(value) + ", less than " +
                            std::to_string(least));
  }
}

void check_attributes(const Plain& plain, std::size_t spatial_rank, Verdict* verdict) {
  check_list(Fault::kStrides, "strides", plain.strides, spatial_rank, 1, verdict);
  check_list(Fault::kDilations, plain.has_rate ? "rate" : "dilations", plain.dilations,
             spatial_rank, 1, verdict);
  if (plain.has_rate && plain.dilations[0] > std::numeric_limits<std::int32_t>::max()) {
    verdict->add(Fault::kDilations, "rate " + std::to_string(plain.dilations[0]) + " is no int32");
  }
  check_list(Fault::kPads, "pads_begin", plain.pads_begin, spatial_rank, 0, verdict);
  check_list(Fault::kPads, "pads_end", plain.pads_end, spatial_rank, 0, verdict);
  if (!plain.padding_is_known) verdict->add(Fault::kPadding, "the padding is no value that exists");
  if (plain.groups < 1) {
    verdict->add(Fault::kGroups, "groups is " + std::to_string(plain.groups) + ", less than 1");
  }
}

void check_channels(Extent IC, Extent OC, Extent weights_ic, Extent groups, Verdict* verdict) {
  if (groups < 1) return;
  const std::string into = std::to_string(groups) + " groups";
  if (IC % groups != 0) {
    verdict->add(Fault::kChannels,
                 std::to_string(IC) + " input channels do not divide into " + into);
  } else if (OC % groups != 0) {
    verdict->add(Fault::kChannels,
                 std::to_string(OC) + " output channels do not divide into " + into);
  } else if (weights_ic != IC / groups) {
    verdict->add(Fault::kChannels, "weights have " + std::to_string(weights_ic) +
                                       " input channels where one of " + into + " has " +
                                       std::to_string(IC / groups));
  }
}

// Convolution-1's text adds it to all channels.
bool has_one_bias(const Problem& problem) {
  return problem.operation() == Operation::kConvolution1 &&
         problem.reading == Reading::kDocumented && problem.bias->dims == Extents{1};
}

void check_bias(const Problem& problem, Extent OC, Verdict* verdict) {
  if (!problem.bias) return;
  if (problem.operation() == Operation::kAtrousConv2d) {
    verdict->add(Fault::kBias, "bias is given, which AtrousConv2d does not have");
  } else if (problem.bias->dims != Extents{OC} && !has_one_bias(problem)) {
    verdict->add(Fault::kBias, "bias is " + to_string(*problem.bias) + ", not one element for " +
                                   std::to_string(OC) + " output channels");
  }
}

// All spatial axes, outermost first.
using Axes = std::vector<OuterAxis>;

// The same of an axis of atrous_conv2d with VALID, as its document has it. Nothing is padded: the
// windows of outputs too many find no more input.
void place_printed_axis(std::size_t at, Axes* axes, Verdict* verdict) {
  OuterAxis& x = (*axes)[at];
  const Wide EK = Wide{x.D} * (x.K - 1) + 1;
  const Wide O = Wide{x.I} - Wide{2} * ((*axes)[1 - at].K - 1);
  const std::string where = " on spatial axis " + std::to_string(at);
  if (EK > kMaxExtent || O - 1 + EK > kMaxExtent) {
    return verdict->add(Fault::kSize, "what the windows reach overflows 64 bits" + where);
  }
  if (O < 0) {
    return verdict->add(Fault::kKernel, "the document leaves a negative output size" + where);
  }
  x.O = static_cast<Extent>(O);
}

// Fixes P and O of one axis.
void place_axis(const Plain& plain, std::size_t at, Axes* axes, Verdict* verdict) {
  OuterAxis& x = (*axes)[at];
  const Wide I = x.I, K = x.K, S = x.S, D = x.D;
  const std::string where = " on spatial axis " + std::to_string(at);
  const Wide EK = D * (K - 1) + 1;
  Wide begin = 0;
  Wide end = 0;
  if (plain.auto_pad == AutoPad::kNone) {
    begin = plain.pads_begin[at];
    end = plain.pads_end[at];
  } else if (plain.auto_pad != AutoPad::kValid) {
    const Wide last = I % S == 0 ? S : I % S;
    const Wide total = plain.same_is_stride_aware ? std::max<Wide>(0, EK - last) : EK - 1;
    begin = plain.auto_pad == AutoPad::kSameUpper ? total / 2 : (total + 1) / 2;
    if (plain.same_begins_at_pixel) begin = 0;
    end = total - begin;
  }
  const Wide padded = begin + I + end;
  if (padded > kMaxExtent || EK > kMaxExtent) {
    return verdict->add(Fault::kSize,
                        "the padded input or the dilated kernel overflows 64 bits" + where);
  }
  const Wide room = padded - EK;
  const Wide O = (room >= 0 ? room / S : -((S - 1 - room) / S)) + 1;
  if (O < 0) {
    return verdict->add(Fault::kKernel, "the dilated kernel exceeds the padded input" + where);
  }
  x.P = static_cast<Extent>(begin);
  x.O = static_cast<Extent>(O);
}

// The steps of batch and channels; those of the spatial axes go to `step` of each.
Strides strides_in(const Tensor& channels_first, Extent OuterAxis::*step, Axes* axes) {
  const Extents strides = strides_of(channels_first);
  for (std::size_t at = 0; at < axes->size(); ++at) (*axes)[at].*step = strides[2 + at];
  Strides result;
  result.outer = strides[0];
  result.channel = strides[1];
  return result;
}

// Sets shape->dst_tensor and dst's strides.
void place_dst(const Problem& problem, Shape* shape, Axes* axes, Verdict* verdict) {
  Extents first{shape->N, shape->OC};
  for (const OuterAxis& x : *axes) first.push_back(x.O);
  const auto order = channels_first_axes(data_format_of(problem), first.size());
  Tensor dst;
  dst.dims = unpermute(Tensor{first, dense_strides(first)}, order).dims;
  if (!fits_memory(element_count(dst.dims), problem.dtype)) {
    verdict->add(Fault::kSize,
                 "dst would be " + to_string(dst) + ", too many elements for 64 bits");
  }
  if (problem.dst && problem.dst->dims != dst.dims) {
    return verdict->add(Fault::kDst, "dst is given as " + to_string(*problem.dst) +
                                         " where the operation makes " + to_string(dst));
  }
  if (problem.dst) dst.strides = problem.dst->strides;
  if (verdict->first()) return;
  shape->dst = strides_in(permute(dst, order), &OuterAxis::dst_step, axes);
  shape->dst_tensor = std::move(dst);
}

// Extents and attributes of the spatial axes; `plain` is one value an axis everywhere.
Axes begin_axes(const Plain& plain, const Tensor& src, const Tensor& weights) {
  Axes axes(src.rank() - 2);
  for (std::size_t at = 0; at < axes.size(); ++at) {
    axes[at].I = src.dims[2 + at];
    axes[at].K = weights.dims[2 + at];
    axes[at].S = plain.strides[at];
    axes[at].D = plain.dilations[at];
  }
  return axes;
}

// True for an axis of which every output reads the element at index 0 by the one tap.
bool is_trivial(const OuterAxis& x) { return x.K == 1 && x.O == 1 && x.P == 0 && x.I >= 1; }

// The last three axes become depth, height and width; those before them are outer ones. Where there
// are more than three, axes that mean nothing are dropped first.
void place_spatial(Axes axes, Shape* shape) {
  for (auto x = axes.begin(); x != axes.end() && axes.size() > 3;) {
    x = is_trivial(*x) ? axes.erase(x) : x + 1;
  }
  const std::size_t outer = axes.size() > 3 ? axes.size() - 3 : 0;
  for (std::size_t at = outer; at < axes.size(); ++at) {
    const OuterAxis& x = axes[at];
    const std::size_t axis = 3 + at - axes.size();
    shape->I[axis] = x.I;
    shape->O[axis] = x.O;
    shape->K[axis] = x.K;
    shape->S[axis] = x.S;
    shape->D[axis] = x.D;
    shape->P[axis] = x.P;
    shape->src.spatial[axis] = x.src_step;
    shape->weights.spatial[axis] = x.weights_step;
    shape->dst.spatial[axis] = x.dst_step;
  }
  axes.resize(outer);
  shape->outer = std::move(axes);
}

// The tensor's axes in the order [N, C, spatial...] or [OC, IC/G, spatial...]; strides may be bad.
template <class Format>
Tensor channels_first(const Tensor& tensor, Format format) {
  const auto axes = channels_first_axes(format, tensor.rank());
  const bool strides_fit = tensor.strides.size() == tensor.rank() || tensor.strides.empty();
  return permute(strides_fit ? tensor : Tensor{tensor.dims, {}}, axes);
}

}  // namespace

std::optional<Refusal> refuse_dtypes(const Problem& problem) {
  if (!problem.other_dtypes.any()) return std::nullopt;
  return Refusal{Fault::kDtype, "not all tensors have the dtype of src"};
}

double Shape::products() const {
  double products = 1;
  for (const Extent factor : {N, OC, ICG(), O[0], O[1], O[2], K[0], K[1], K[2]}) {
    products *= static_cast<double>(factor);
  }
  for (const OuterAxis& axis : outer) {
    products *= static_cast<double>(axis.O) * static_cast<double>(axis.K);
  }
  return products;
}

Result<Shape> infer_shape(const Problem& problem) {
  if (auto refused = refuse_dtypes(problem)) return *refused;
  if (auto refused = check_ranks(problem)) return *refused;
  const std::size_t rank = problem.src.rank();
  const Plain plain = plain_of(problem);
  const Tensor src = channels_first(problem.src, data_format_of(problem));
  const Tensor weights = channels_first(problem.weights, weights_format_of(problem));

  Verdict verdict;
  for (const auto& [name, tensor] : tensors_of(problem)) {
    check_tensor(name, *tensor, problem.dtype, &verdict);
  }
  check_attributes(plain, rank - 2, &verdict);
  check_channels(src.dims[1], weights.dims[0], weights.dims[1], plain.groups, &verdict);
  for (std::size_t at = 2; at < rank; ++at) {
    if (weights.dims[at] >= 1) continue;
    verdict.add(Fault::kKernel,
                "weights have no elements on spatial axis " + std::to_string(at - 2));
  }
  check_bias(problem, weights.dims[0], &verdict);
  if (verdict.forbids_sizes()) return *verdict.first();

  Axes axes = begin_axes(plain, src, weights);
  for (std::size_t at = 0; at < axes.size(); ++at) {
    if (plain.valid_is_as_printed) {
      place_printed_axis(at, &axes, &verdict);
    } else {
      place_axis(plain, at, &axes, &verdict);
    }
  }
  if (verdict.forbids_sizes()) return *verdict.first();
  Shape shape;
  shape.dtype = problem.dtype;
  shape.N = src.dims[0];
  shape.G = plain.groups;
  shape.IC = src.dims[1];
  shape.OC = weights.dims[0];
  place_dst(problem, &shape, &axes, &verdict);
  if (verdict.first()) return *verdict.first();
  shape.src = strides_in(src, &OuterAxis::src_step, &axes);
  shape.weights = strides_in(weights, &OuterAxis::weights_step, &axes);
  place_spatial(std::move(axes), &shape);
  shape.has_bias = problem.bias.has_value();
  if (shape.has_bias) {
    shape.bias_stride = problem.bias->dims[0] == shape.OC ? strides_of(*problem.bias)[0] : 0;
  }
  return shape;
}

}  // namespace concord::optimized
