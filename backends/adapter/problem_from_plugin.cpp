// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <span>
#include <utility>

#include "backends/adapter/adapter.h"

namespace concord::backends {
namespace {

Refused broken(const std::string& what) {
  return {CONCORD_FAULT, "the host broke the rules of the plugin ABI: " + what};
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

  void rational(const concord_rational& from, const char* name, Rational& to) {
    constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
    if (from.denominator <= 0 || from.numerator == kLeast) {
      refuse(broken(std::string(name) + " is " + std::to_string(from.numerator) + "/" +
                    std::to_string(from.denominator)));
      return;
    }
    to = Rational(from.numerator, from.denominator);
  }

  const std::optional<Refused>& refused() const { return refused_; }

 private:
  void refuse(Refused refused) {
    if (!refused_) refused_ = std::move(refused);
  }
  std::optional<Refused> refused_;
};

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

void read(AttributeReader& read, const concord_convolution& from, Convolution1Attributes& to) {
  read_spatial(read, from, to, to.filter_format);
}
void read(AttributeReader& read, const concord_convolution& from, ConvolutionAttributes& to) {
  read_spatial(read, from, to, to.weights_format);
}
void read(AttributeReader&, const concord_atrous_conv2d& from, AtrousConv2dAttributes& to) {
  constexpr TfPadding kPaddings[] = {TfPadding::kValid, TfPadding::kSame};
  const bool known = from.same == 0 || from.same == 1;
  to = {from.rate, known ? kPaddings[from.same] : TfPadding::kOther};
}
void read(AttributeReader& read, const concord_blocks& from, SpaceToBatchAttributes& to) {
  to.block_size = from.block_size;
  read.list(from.edges, "paddings", to.paddings);
}
void read(AttributeReader& read, const concord_blocks& from, BatchToSpaceAttributes& to) {
  to.block_size = from.block_size;
  read.list(from.edges, "crops", to.crops);
}
void read(AttributeReader& read, const concord_cntk_convolution& from,
          CntkConvolutionAttributes& to) {
  read.list(from.kernel, "kernel", to.kernel);
  read.list(from.map_count, "mapCount", to.map_count);
  read.list(from.stride, "stride", to.stride);
  read.list(from.sharing, "sharing", to.sharing);
  read.list(from.auto_padding, "autoPadding", to.auto_padding);
  read.list(from.lower_pad, "lowerPad", to.lower_pad);
  read.list(from.upper_pad, "upperPad", to.upper_pad);
  to.max_temp_mem_size_in_samples = from.max_temp_mem_size_in_samples;
}
void read(AttributeReader& read, const concord_cntk_convolution_2d& from,
          CntkConvolution2dAttributes& to) {
  to.kernel_width = from.kernel_width;
  to.kernel_height = from.kernel_height;
  to.map_count = from.map_count;
  to.horizontal_stride = from.horizontal_stride;
  to.vertical_stride = from.vertical_stride;
  to.zero_padding = from.zero_padding;
  to.max_temp_mem_size_in_samples = from.max_temp_mem_size_in_samples;
  read.literal(from.image_layout, CONCORD_LAYOUT_HWC, "imageLayout", to.image_layout);
}
void read(AttributeReader& read, const concord_continuous& from, ContinuousAttributes& to) {
  read.rational(from.scale_h, "scale_h", to.scale_h);
  read.rational(from.scale_w, "scale_w", to.scale_w);
  read.list(from.size, "size", to.size);
  read.list(from.kernel, "kernel", to.kernel);
  read.list(from.widths, "widths", to.widths);
  to.channels = from.channels;
  read.rational(from.slope, "slope", to.slope);
  read.literal(from.kernel_function, CONCORD_KERNEL_KEYS, "function", to.function);
  read.literal(from.ties, CONCORD_TIES_CLOSED, "ties", to.ties);
  read.literal(from.boundary, CONCORD_BOUNDARY_SYMMETRIC, "boundary", to.boundary);
}

// The attributes `From` of the plugin ABI as `To` of ours.
template <class From, class To>
Or<Attributes> attributes_as(const concord_problem& problem) {
  const From* from = static_cast<const From*>(problem.attributes);
  if (from->struct_size < sizeof(From)) {
    return broken("attributes.struct_size is " + std::to_string(from->struct_size));
  }
  AttributeReader reader;
  To to;
  read(reader, *from, to);
  if (reader.refused()) return *reader.refused();
  return Attributes(to);
}

Or<Attributes> attributes_from(const concord_problem& problem) {
  if (problem.attributes == nullptr) return broken("attributes is null");
  switch (problem.operation) {
    case CONCORD_CONVOLUTION_1:
      return attributes_as<concord_convolution, Convolution1Attributes>(problem);
    case CONCORD_CONVOLUTION:
      return attributes_as<concord_convolution, ConvolutionAttributes>(problem);
    case CONCORD_ATROUS_CONV2D:
      return attributes_as<concord_atrous_conv2d, AtrousConv2dAttributes>(problem);
    case CONCORD_SPACE_TO_BATCH:
      return attributes_as<concord_blocks, SpaceToBatchAttributes>(problem);
    case CONCORD_BATCH_TO_SPACE:
      return attributes_as<concord_blocks, BatchToSpaceAttributes>(problem);
    case CONCORD_CNTK_CONVOLUTION:
      return attributes_as<concord_cntk_convolution, CntkConvolutionAttributes>(problem);
    case CONCORD_CNTK_CONVOLUTION_2D:
      return attributes_as<concord_cntk_convolution_2d, CntkConvolution2dAttributes>(problem);
    case CONCORD_CONTINUOUS_CONVOLUTION:
      return attributes_as<concord_continuous, ContinuousAttributes>(problem);
    case CONCORD_CONTINUOUS_BACKWARD_DATA:
      return attributes_as<concord_continuous, ContinuousBackwardDataAttributes>(problem);
    case CONCORD_CONTINUOUS_BACKWARD_WEIGHTS:
      return attributes_as<concord_continuous, ContinuousBackwardWeightsAttributes>(problem);
    default:
      return declines("operation " + std::to_string(problem.operation) + " is unknown here");
  }
}

// How many inputs the operation has at least and at most.
std::pair<int32_t, int32_t> input_counts(Operation operation) {
  if (!has_weights(operation)) return {1, 1};
  if (has_diff_dst(operation)) return {3, 3};
  return {2, has_bias(operation) ? 3 : 2};
}

// Is what the struct promises there, so that it can be read?
std::optional<Refused> check_counts(const concord_problem& problem, Operation operation) {
  if (problem.inputs == nullptr || problem.outputs == nullptr) return broken("no tensors");
  const auto [fewest, most] = input_counts(operation);
  if (problem.num_inputs < fewest || problem.num_inputs > most) {
    return broken(std::string(to_string(operation)) + " with " +
                  std::to_string(problem.num_inputs) + " inputs");
  }
  if (problem.num_outputs != 1) {
    return broken(std::string(to_string(operation)) + " with " +
                  std::to_string(problem.num_outputs) + " outputs");
  }
  return std::nullopt;
}

// Reads tensors of one dtype; remembers the first thing that is wrong.
class TensorReader {
 public:
  explicit TensorReader(int32_t dtype) : dtype_(dtype) {}

  Tensor tensor(const concord_tensor& from, const char* name) {
    if (refused_) return {};
    if (from.dtype != dtype_) {
      refused_ = declines(std::string(name) + " has another dtype than src");
      return {};
    }
    auto tensor = tensor_from(from, name);
    if (const auto* no = std::get_if<Refused>(&tensor)) refused_ = *no;
    return refused_ ? Tensor{} : std::get<Tensor>(std::move(tensor));
  }
  const std::optional<Refused>& refused() const { return refused_; }

 private:
  int32_t dtype_;
  std::optional<Refused> refused_{};
};

// The tensors that the operation has, bias and dst if they are given.
std::optional<Refused> read_tensors(const concord_problem& from, Problem& to) {
  const Operation operation = to.operation();
  TensorReader read(from.inputs[0].dtype);
  to.src = read.tensor(from.inputs[0], "src");
  if (has_weights(operation)) to.weights = read.tensor(from.inputs[1], "weights");
  if (has_diff_dst(operation)) to.diff_dst = read.tensor(from.inputs[2], "diff_dst");
  if (has_bias(operation) && from.num_inputs == 3 && from.inputs[2].dtype != 0) {
    to.bias = read.tensor(from.inputs[2], "bias");
  }
  Tensor dst = read.tensor(from.outputs[0], "dst");
  if (!read.refused() && dst.rank() > 0) {
    dst.strides = strides_of(dst);
    to.dst = std::move(dst);
  }
  return read.refused();
}

}  // namespace

Or<Problem> problem_from_plugin(const concord_problem& problem) {
  if (problem.struct_size < sizeof(concord_problem)) {
    return broken("problem.struct_size is " + std::to_string(problem.struct_size));
  }
  // What an unknown operation's tensors are cannot be known: the operation comes first.
  auto attributes = attributes_from(problem);
  if (const auto* no = std::get_if<Refused>(&attributes)) return *no;
  Problem result;
  result.attributes = std::get<Attributes>(std::move(attributes));
  if (const auto no = check_counts(problem, result.operation())) return *no;
  const auto dtype = dtype_from(problem.inputs[0].dtype);
  if (const auto* no = std::get_if<Refused>(&dtype)) return *no;
  AttributeReader read;
  result.dtype = std::get<Dtype>(dtype);
  read.literal(problem.reading, CONCORD_READING_DOCUMENTED, "reading", result.reading);
  if (read.refused()) return *read.refused();
  if (const auto no = read_tensors(problem, result)) return *no;
  return result;
}

}  // namespace concord::backends
