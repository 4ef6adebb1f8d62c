// SPDX-License-Identifier: Apache-2.0
#include "reference/checks.h"

#include <algorithm>
#include <string_view>

#include "reference/assignment.h"

namespace concord::reference {
namespace {

struct NamedTensor {
  const char* name;
  const Tensor* tensor;
};

std::vector<NamedTensor> tensors_of(const Problem& problem) {
  std::vector<NamedTensor> tensors;
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) tensors.push_back({to_string(input).data(), tensor});
  }
  if (problem.dst) tensors.push_back({"dst", &*problem.dst});
  return tensors;
}

bool bytes_fit(std::optional<Extent> elements, Dtype dtype) {
  Extent bytes = 0;
  return elements &&
         !__builtin_mul_overflow(*elements, static_cast<Extent>(size_of(dtype)), &bytes);
}

using reference::assignment;

std::string assignment(const char* name, const Tensor& tensor) {
  return std::string(name) + "=" + to_string(tensor);
}

void check_layout(const char* name, const Tensor& tensor, Dtype dtype, Findings& findings) {
  const auto refuse = [&](const char* why) {
    findings.add(Fault::kLayout, assignment(name, tensor) + ": " + why);
  };
  if (tensor.strides.empty()) return;
  if (tensor.strides.size() != tensor.rank()) return refuse("strides and dims differ in number");
  if (std::any_of(tensor.strides.begin(), tensor.strides.end(), [](Extent s) { return s < 0; })) {
    return refuse("a stride is negative");
  }
  if (!bytes_fit(element_span(tensor), dtype)) return refuse("the bytes it spans overflow 64 bits");
  if (!is_injective(tensor)) return refuse("its strides let elements overlap");
}

void check_list(Fault fault, const char* name, const Extents& list, std::size_t spatial_rank,
                Extent least, Findings& findings) {
  if (list.size() != spatial_rank) {
    findings.add(fault, assignment(name, list) + ": not one value for each of " +
                            std::to_string(spatial_rank) + " spatial axes");
  } else if (std::any_of(list.begin(), list.end(), [&](Extent v) { return v < least; })) {
    findings.add(fault, assignment(name, list) + ": a value is less than " + std::to_string(least));
  }
}

}  // namespace

bool Findings::any_of(std::initializer_list<Fault> faults) const {
  return std::any_of(faults.begin(), faults.end(),
                     [&](Fault fault) { return details_.contains(fault); });
}

Spatial spatial(const Extents& list, Extent missing) {
  Spatial result;
  result.fill(missing);
  std::copy_backward(list.begin(), list.end(), result.end());
  return result;
}

Operands operands_of(const Problem& problem) {
  const std::size_t rank = problem.src.rank();
  // Extents alone: the strides are not checked yet.
  const auto channels_first = [&](const Tensor& tensor, auto format) {
    return permute({tensor.dims, {}}, channels_first_axes(format, rank)).dims;
  };
  const Extents src = channels_first(problem.src, data_format_of(problem));
  const Extents weights = channels_first(problem.weights, weights_format_of(problem));
  return {.N = src[0],
          .IC = src[1],
          .OC = weights[0],
          .weights_IC = weights[1],
          .I = spatial({src.begin() + 2, src.end()}, 1),
          .K = spatial({weights.begin() + 2, weights.end()}, 1),
          .spatial_rank = rank - 2};
}

std::optional<Refusal> check_ranks(const Problem& problem, std::size_t fewest, std::size_t most) {
  const std::size_t rank = problem.src.rank();
  if (rank < fewest || rank > most) {
    return Refusal{Fault::kRank, assignment("src", problem.src) + ": " + std::to_string(rank) +
                                     " dimensions, not " + std::to_string(fewest) +
                                     (most == fewest ? "" : " to " + std::to_string(most))};
  }
  for (const auto& [name, tensor] : tensors_of(problem)) {
    if (tensor->rank() == rank || std::string_view(name) == "bias") continue;
    return Refusal{Fault::kRank, assignment(name, *tensor) + ": " + std::to_string(tensor->rank()) +
                                     " dimensions, src has " + std::to_string(rank)};
  }
  return std::nullopt;
}

std::optional<Refusal> check_dtypes(const Problem& problem) {
  const auto differs = [&](std::string_view name, Dtype dtype) {
    return Refusal{Fault::kDtype, std::string(name) + " is " + std::string(to_string(dtype)) +
                                      ", src is " + std::string(to_string(problem.dtype))};
  };
  for (const Input input : kInputs) {
    if (input_of(problem, input) == nullptr) continue;
    const Dtype dtype = dtype_of(problem, input);
    if (dtype != problem.dtype) return differs(to_string(input), dtype);
  }
  if (dtype_of_dst(problem) != problem.dtype) return differs("dst", dtype_of_dst(problem));
  return std::nullopt;
}

void check_tensors(const Problem& problem, Findings& findings) {
  for (const auto& [name, tensor] : tensors_of(problem)) {
    const auto& dims = tensor->dims;
    if (std::any_of(dims.begin(), dims.end(), [](Extent e) { return e < 0; })) {
      findings.add(Fault::kSize, assignment(name, *tensor) + ": an extent is negative");
    } else if (!bytes_fit(element_count(dims), problem.dtype)) {
      findings.add(Fault::kSize, assignment(name, *tensor) + ": its bytes overflow 64 bits");
    } else {
      check_layout(name, *tensor, problem.dtype, findings);
    }
  }
}

void check_attributes(const SpatialAttributes& a, std::size_t spatial_rank, Findings& findings) {
  check_list(Fault::kStrides, "strides", a.strides, spatial_rank, 1, findings);
  check_list(Fault::kDilations, "dilations", a.dilations, spatial_rank, 1, findings);
  check_list(Fault::kPads, "pads_begin", a.pads_begin, spatial_rank, 0, findings);
  check_list(Fault::kPads, "pads_end", a.pads_end, spatial_rank, 0, findings);
  if (a.auto_pad < AutoPad::kNone || a.auto_pad > AutoPad::kValid) {
    findings.add(Fault::kPadding,
                 "auto_pad: no such value, " + std::to_string(static_cast<int>(a.auto_pad)));
  }
  if (a.groups < 1) {
    findings.add(Fault::kGroups, "groups=" + std::to_string(a.groups) + ": less than 1");
  }
}

void check_channels(const Operands& o, Extent groups, Findings& findings) {
  if (groups < 1) return;
  const std::string by = " is not divisible by groups=" + std::to_string(groups);
  if (o.IC % groups != 0) {
    findings.add(Fault::kChannels, "src has IC=" + std::to_string(o.IC) + ", which" + by);
  } else if (o.OC % groups != 0) {
    findings.add(Fault::kChannels, "weights has OC=" + std::to_string(o.OC) + ", which" + by);
  } else if (o.weights_IC != o.IC / groups) {
    findings.add(Fault::kChannels, "weights has " + std::to_string(o.weights_IC) +
                                       " input channels, not IC/groups=" + std::to_string(o.IC) +
                                       "/" + std::to_string(groups));
  }
}

void check_bias(const Problem& problem, Extent OC, Findings& findings) {
  if (!problem.bias || problem.bias->dims == Extents{OC}) return;
  findings.add(Fault::kBias, assignment("bias", *problem.bias) +
                                 ": not one dimension of OC=" + std::to_string(OC) + " elements");
}

void check_kernel(const Operands& o, Findings& findings) {
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    if (o.K[axis] >= 1) continue;
    findings.add(Fault::kKernel, "weights has K" + axis_name(axis, o.spatial_rank) + "=" +
                                     std::to_string(o.K[axis]) + ": less than 1");
  }
}

void check_axis(std::size_t axis, std::size_t spatial_rank, const PaddedAxis& sizes,
                Findings& findings) {
  // Not of an axis that the problem lacks: it has no name, and nothing to complain of.
  const auto where = [&] { return "axis " + axis_name(axis, spatial_rank) + ": "; };
  if (!fits(sizes.padded_input)) {
    findings.add(Fault::kSize, where() + "the padded input is too large to count");
  } else if (!fits(sizes.dilated_kernel)) {
    findings.add(Fault::kSize, where() + "the dilated kernel is too large to count");
  } else if (sizes.output < 0) {
    const auto text = [](Wide size) { return std::to_string(static_cast<Extent>(size)); };
    findings.add(Fault::kKernel, where() + "the dilated kernel has " + text(sizes.dilated_kernel) +
                                     " elements, the padded input " + text(sizes.padded_input) +
                                     ": the output size would be " + text(sizes.output));
  }
}

Tensor check_dst(const Problem& problem, const Extents& dims, Findings& findings) {
  Tensor dst{dims, {}};
  if (is_dst_column_major(problem.operation())) dst.strides = column_major_strides(dims);
  if (!bytes_fit(element_count(dims), problem.dtype)) {
    findings.add(Fault::kSize, assignment("dst", dst) + ": its bytes overflow 64 bits");
  }
  if (problem.dst && problem.dst->dims != dims) {
    findings.add(Fault::kDst, assignment("dst", *problem.dst) + ": the inferred shape is " +
                                  to_string(Tensor{dims, {}}));
  }
  if (problem.dst) dst.strides = problem.dst->strides;
  return dst;
}

Tensor infer_dst(const Problem& problem, const Operands& o, const Spatial& O, Findings& findings) {
  Extents dims{o.N, o.OC};
  dims.insert(dims.end(), O.end() - static_cast<std::ptrdiff_t>(o.spatial_rank), O.end());
  const auto axes = channels_first_axes(data_format_of(problem), dims.size());
  return check_dst(problem, unpermute({dims, {}}, axes).dims, findings);
}

}  // namespace concord::reference
