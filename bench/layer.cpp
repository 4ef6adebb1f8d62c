// SPDX-License-Identifier: Apache-2.0
#include "bench/layer.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "optimized/direct/row_tiles.h"

namespace concord::bench {
namespace {

constexpr std::size_t kPage = 4096;

Refusal refuse(const std::string& detail) { return {Fault::kSyntax, detail}; }

// The taps of all outputs of one axis together that read input.
double valid_taps(const optimized::Shape& s, std::size_t axis) {
  const optimized::Axis a{.I = s.I[axis],
                          .O = s.O[axis],
                          .K = s.K[axis],
                          .S = s.S[axis],
                          .D = s.D[axis],
                          .P = s.P[axis]};
  double count = 0;
  for (Extent k = 0; k < a.K; ++k) {
    const auto range = a.outputs_of(k);
    count += static_cast<double>(range.end - range.begin);
  }
  return count;
}

}  // namespace

Result<std::vector<Layer>> read_layers(const std::string& path) {
  std::ifstream file(path);
  if (!file) return refuse("cannot read " + path);
  const auto list = nlohmann::json::parse(file, nullptr, false);
  if (!list.is_array()) return refuse(path + " is not a JSON list");
  std::vector<Layer> layers;
  for (const auto& item : list) {
    for (const char* key : {"name", "network", "problem"}) {
      if (!item.is_object() || !item.contains(key) || !item[key].is_string()) {
        return refuse(path + ": a layer without the text '" + key + "'");
      }
    }
    Layer layer{item["name"], item["network"]};
    auto problem = parse(item["problem"].get<std::string>());
    if (!problem) return refuse(layer.name + ": " + problem.why().detail);
    if (!is_discrete(problem->operation())) {
      return refuse(layer.name + ": " + std::string(to_string(problem->operation())) +
                    " is none of the operations that are measured: Convolution1, Convolution, "
                    "AtrousConv2d");
    }
    const auto shape = optimized::infer_shape(*problem);
    if (!shape) return refuse(layer.name + ": " + shape.why().detail);
    layer.problem = *std::move(problem);
    layers.push_back(std::move(layer));
  }
  return layers;
}

Problem with_setting(const Problem& problem, const Setting& setting) {
  Problem result = problem;
  const auto axes = channels_first_axes(data_format_of(problem), problem.src.rank());
  Tensor first = permute(problem.src, axes);
  if (setting.batch > 0) first.dims[0] = setting.batch;
  std::visit(
      [&](auto& attributes) {
        if constexpr (requires { attributes.data_format; }) {
          attributes.data_format = setting.data_format;
        }
      },
      result.attributes);
  const auto new_axes = channels_first_axes(data_format_of(result), problem.src.rank());
  result.src = Tensor{unpermute(first, new_axes).dims, {}};
  result.weights.strides.clear();
  if (result.bias) result.bias->strides.clear();
  result.dst.reset();
  result.dtype = setting.dtype;
  return result;
}

Operations operations_of(const optimized::Shape& s) {
  const double channels =
      2.0 * static_cast<double>(s.N) * static_cast<double>(s.OC) * static_cast<double>(s.ICG());
  Operations operations{channels, channels};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    operations.nominal *= static_cast<double>(s.O[axis]) * static_cast<double>(s.K[axis]);
    operations.valid *= valid_taps(s, axis);
  }
  return operations;
}

double bytes_of(const Problem& problem, const optimized::Shape& shape) {
  double elements = 0;
  for (const Input input : kInputs) {
    if (const Tensor* tensor = input_of(problem, input)) {
      elements += static_cast<double>(*element_count(tensor->dims));
    }
  }
  elements += static_cast<double>(*element_count(shape.dst_tensor.dims));
  return elements * static_cast<double>(size_of(problem.dtype));
}

Elements::Elements(const Tensor& tensor, Dtype dtype, unsigned seed) {
  const auto count = static_cast<std::size_t>(*element_count(tensor.dims));
  memory_.resize(count * size_of(dtype) + 2 * kPage);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  data_ = memory_.data() + (kPage - address % kPage) % kPage;
  std::mt19937 generator(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(generator()) * 0x1p-31 - 1.0;
    store(dtype, value, data_ + i * size_of(dtype));
  }
}

}  // namespace concord::bench
