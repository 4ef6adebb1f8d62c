// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "backends/adapter/adapter.h"

namespace concord::backends {
namespace {

Refused broken(const std::string& what) {
  return {CONCORD_FAULT, "the host broke the door's rules: " + what};
}

Or<Dtype> dtype_from(int32_t code) {
  switch (code) {
    case CONCORD_F32:
      return Dtype::kF32;
    case CONCORD_F16:
      return Dtype::kF16;
    case CONCORD_BF16:
      return Dtype::kBF16;
    default:
      return declines("dtype " + std::to_string(code) + " is unknown here");
  }
}

// A dense tensor is given back without strides.
Or<Tensor> tensor_from(const concord_tensor& from, const std::string& name) {
  if (from.rank < 0 || from.rank > CONCORD_MAX_RANK) {
    return broken(name + " has rank " + std::to_string(from.rank));
  }
  const auto rank = static_cast<std::size_t>(from.rank);
  const std::span dims(from.dims, rank), strides(from.strides, rank);
  Tensor tensor{Extents(dims.begin(), dims.end()), Extents(strides.begin(), strides.end())};
  if (tensor.strides == dense_strides(tensor.dims)) tensor.strides.clear();
  return tensor;
}

// Reads the fields of an attribute struct; remembers the first thing that is wrong.
class AttributeReader {
 public:
  void list(const concord_list& from, const char* name, Extents& to) {
    if (from.size < 0 || from.size > CONCORD_MAX_RANK) {
      refuse(broken(std::string(name) + " has " + std::to_string(from.size) + " elements"));
      return;
    }
    to.assign(from.at, from.at + from.size);
  }

  template <class Enum>
  void literal(int32_t from, int32_t last, const char* name, Enum& to) {
    if (from < 0 || from > last) {
      refuse(declines(std::string(name) + " " + std::to_string(from) + " is unknown here"));
      return;
    }
    to = static_cast<Enum>(from);
  }

  const std::optional<Refused>& refused() const { return refused_; }

 private:
  void refuse(Refused refused) {
    if (!refused_) refused_ = std::move(refused);
  }
  std::optional<Refused> refused_;
};

static_assert(static_cast<int>(AutoPad::kNone) == CONCORD_PAD_NONE &&
              static_cast<int>(AutoPad::kSameUpper) == CONCORD_PAD_SAME_UPPER &&
              static_cast<int>(AutoPad::kSameLower) == CONCORD_PAD_SAME_LOWER &&
              static_cast<int>(AutoPad::kValid) == CONCORD_PAD_VALID &&
              static_cast<int>(DataFormat::kNXC) == CONCORD_NXC &&
              static_cast<int>(DataFormat::kNCX) == CONCORD_NCX &&
              static_cast<int>(WeightsFormat::kXIO) == CONCORD_XIO &&
              static_cast<int>(WeightsFormat::kOIX) == CONCORD_OIX &&
              static_cast<int>(Reading::kImplemented) == CONCORD_READING_IMPLEMENTED &&
              static_cast<int>(Reading::kDocumented) == CONCORD_READING_DOCUMENTED);

// The attributes that Convolution-1 and Convolution share, into `to`; the rest into `weights`.
void read_spatial(AttributeReader& read, const concord_convolution& from, SpatialAttributes& to,
                  WeightsFormat& weights) {
  read.list(from.strides, "strides", to.strides);
  read.list(from.pads_begin, "pads_begin", to.pads_begin);
  read.list(from.pads_end, "pads_end", to.pads_end);
  read.list(from.dilations, "dilations", to.dilations);
  read.literal(from.auto_pad, CONCORD_PAD_VALID, "auto_pad", to.auto_pad);
  read.literal(from.data_format, CONCORD_NCX, "data_format", to.data_format);
  read.literal(from.weights_format, CONCORD_OIX, "weights_format", weights);
  to.groups = from.groups;
}

template <class T>
Or<const T*> attributes_as(const concord_problem& problem) {
  const T* attributes = static_cast<const T*>(problem.attributes);
  if (attributes->struct_size < sizeof(T)) {
    return broken("attributes.struct_size is " + std::to_string(attributes->struct_size));
  }
  return attributes;
}

Or<Attributes> attributes_from(const concord_problem& problem) {
  AttributeReader read;
  if (problem.attributes == nullptr) return broken("attributes is null");
  switch (problem.operation) {
    case CONCORD_CONVOLUTION_1:
    case CONCORD_CONVOLUTION: {
      const auto from = attributes_as<concord_convolution>(problem);
      if (const auto* no = std::get_if<Refused>(&from)) return *no;
      Convolution1Attributes one;
      ConvolutionAttributes other;
      const bool first = problem.operation == CONCORD_CONVOLUTION_1;
      read_spatial(read, *std::get<0>(from), first ? static_cast<SpatialAttributes&>(one) : other,
                   first ? one.filter_format : other.weights_format);
      if (read.refused()) return *read.refused();
      return first ? Attributes(one) : Attributes(other);
    }
    case CONCORD_ATROUS_CONV2D: {
      const auto from = attributes_as<concord_atrous_conv2d>(problem);
      if (const auto* no = std::get_if<Refused>(&from)) return *no;
      const concord_atrous_conv2d& atrous = *std::get<0>(from);
      return Attributes(AtrousConv2dAttributes{
          atrous.rate, atrous.same != 0 ? TfPadding::kSame : TfPadding::kValid});
    }
    default:
      return declines("operation " + std::to_string(problem.operation) + " is unknown here");
  }
}

// Is what the struct promises there, so that it can be read?
std::optional<Refused> check_counts(const concord_problem& problem) {
  if (problem.struct_size < sizeof(concord_problem)) {
    return broken("problem.struct_size is " + std::to_string(problem.struct_size));
  }
  if (problem.inputs == nullptr || problem.outputs == nullptr) return broken("no tensors");
  if (problem.num_inputs < 2 || problem.num_inputs > 3) {
    return broken("a convolution with " + std::to_string(problem.num_inputs) + " inputs");
  }
  if (problem.num_outputs != 1) {
    return broken("a convolution with " + std::to_string(problem.num_outputs) + " outputs");
  }
  return std::nullopt;
}

// The tensors of a convolution, bias and dst if they are given.
std::optional<Refused> read_tensors(const concord_problem& from, Problem& to) {
  struct Operand {
    const concord_tensor& from;
    const char* name;
  };
  const bool has_bias = from.num_inputs == 3 && from.inputs[2].dtype != 0;
  const Operand operands[] = {{from.inputs[0], "src"},
                              {from.inputs[1], "weights"},
                              {from.outputs[0], "dst"},
                              {from.inputs[has_bias ? 2 : 0], "bias"}};
  Tensor tensors[4];
  for (std::size_t i = 0; i < 4; ++i) {
    if (operands[i].from.dtype != from.inputs[0].dtype) {
      return declines(std::string(operands[i].name) + " has another dtype than src");
    }
    auto tensor = tensor_from(operands[i].from, operands[i].name);
    if (const auto* no = std::get_if<Refused>(&tensor)) return *no;
    tensors[i] = std::get<Tensor>(std::move(tensor));
  }
  to.src = tensors[0];
  to.weights = tensors[1];
  if (has_bias) to.bias = tensors[3];
  if (tensors[2].rank() > 0) {
    to.dst = tensors[2];
    to.dst->strides = strides_of(tensors[2]);
  }
  return std::nullopt;
}

}  // namespace

Or<Problem> from_door(const concord_problem& problem) {
  // What an unknown operation's tensors are cannot be known: the operation comes first.
  if (problem.struct_size >= sizeof problem &&
      (problem.operation < CONCORD_CONVOLUTION_1 || problem.operation > CONCORD_ATROUS_CONV2D)) {
    return declines("operation " + std::to_string(problem.operation) + " is unknown here");
  }
  if (const auto no = check_counts(problem)) return *no;
  auto attributes = attributes_from(problem);
  if (const auto* no = std::get_if<Refused>(&attributes)) return *no;
  const auto dtype = dtype_from(problem.inputs[0].dtype);
  if (const auto* no = std::get_if<Refused>(&dtype)) return *no;
  AttributeReader read;
  Problem result;
  result.attributes = std::get<Attributes>(std::move(attributes));
  result.dtype = std::get<Dtype>(dtype);
  read.literal(problem.reading, CONCORD_READING_DOCUMENTED, "reading", result.reading);
  if (read.refused()) return *read.refused();
  if (const auto no = read_tensors(problem, result)) return *no;
  return result;
}

}  // namespace concord::backends
