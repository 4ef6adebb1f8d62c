// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/c_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace concord::conformance {
namespace {

std::string c_double(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  return fmt::format("{}", value);  // as many digits as give it back
}

template <class Item>
std::string array(std::string_view type, std::string_view name, const std::vector<Item>& items) {
  std::string text = fmt::format("static const {} {}[] = {{", type, name);
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i % 8 == 0 ? ",\n  " : ", ", items[i]);
  }
  return text + (items.empty() ? "0};\n" : "};\n");
}

std::string list(std::span<const std::int64_t> values) {
  return fmt::format("{{{}}}", fmt::join(values, ", "));
}

std::string c_list(const concord_list& l) { return fmt::format("{{{}, {}}}", l.size, list(l.at)); }

std::string c_struct(const concord_convolution& a) {
  return fmt::format(
      "static const concord_convolution attributes = {{\n  sizeof(concord_convolution),\n"
      "  {}, /* strides */\n  {}, /* pads_begin */\n  {}, /* pads_end */\n  {}, /* dilations */\n"
      "  {}, /* auto_pad */\n  {}, /* data_format */\n  {}, /* weights_format */\n"
      "  {}  /* groups */\n}};\n",
      c_list(a.strides), c_list(a.pads_begin), c_list(a.pads_end), c_list(a.dilations), a.auto_pad,
      a.data_format, a.weights_format, a.groups);
}

std::string c_struct(const concord_atrous_conv2d& a) {
  return fmt::format(
      "static const concord_atrous_conv2d attributes = {{sizeof(concord_atrous_conv2d),\n"
      "  {}, /* rate */\n  {}  /* same: 1 SAME, 0 VALID, 2 neither */\n}};\n",
      a.rate, a.same);
}

std::string c_struct(const concord_blocks& a) {
  return fmt::format(
      "static const concord_blocks attributes = {{sizeof(concord_blocks),\n"
      "  {}, /* block_size */\n  {}  /* edges */\n}};\n",
      a.block_size, c_list(a.edges));
}

std::string c_struct(const concord_cntk_convolution& a) {
  return fmt::format(
      "static const concord_cntk_convolution attributes = {{\n  sizeof(concord_cntk_convolution),\n"
      "  {}, /* kernel */\n  {}, /* map_count */\n  {}, /* stride */\n  {}, /* sharing */\n"
      "  {}, /* auto_padding */\n  {}, /* lower_pad */\n  {}, /* upper_pad */\n"
      "  {}  /* max_temp_mem_size_in_samples */\n}};\n",
      c_list(a.kernel), c_list(a.map_count), c_list(a.stride), c_list(a.sharing),
      c_list(a.auto_padding), c_list(a.lower_pad), c_list(a.upper_pad),
      a.max_temp_mem_size_in_samples);
}

std::string c_struct(const concord_cntk_convolution_2d& a) {
  return fmt::format(
      "static const concord_cntk_convolution_2d attributes = {{\n"
      "  sizeof(concord_cntk_convolution_2d),\n  {}, /* kernel_width */\n"
      "  {}, /* kernel_height */\n  {}, /* map_count */\n  {}, /* horizontal_stride */\n"
      "  {}, /* vertical_stride */\n  {}, /* zero_padding */\n"
      "  {}, /* max_temp_mem_size_in_samples */\n  {}  /* image_layout */\n}};\n",
      a.kernel_width, a.kernel_height, a.map_count, a.horizontal_stride, a.vertical_stride,
      a.zero_padding, a.max_temp_mem_size_in_samples, a.image_layout);
}

std::string c_rational(const concord_rational& r) {
  return fmt::format("{{{}, {}}}", r.numerator, r.denominator);
}

std::string c_struct(const concord_continuous& a) {
  return fmt::format(
      "static const concord_continuous attributes = {{\n  sizeof(concord_continuous),\n"
      "  {}, /* scale_h */\n  {}, /* scale_w */\n  {}, /* size */\n  {}, /* kernel */\n"
      "  {}, /* widths */\n  {}, /* channels */\n  {}, /* slope */\n  {}, /* kernel_function */\n"
      "  {}, /* ties */\n  {}  /* boundary */\n}};\n",
      c_rational(a.scale_h), c_rational(a.scale_w), c_list(a.size), c_list(a.kernel),
      c_list(a.widths), a.channels, c_rational(a.slope), a.kernel_function, a.ties, a.boundary);
}

template <class Struct>
std::string c_struct(const void* attributes) {
  return c_struct(*static_cast<const Struct*>(attributes));
}

}  // namespace

std::string c_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // Three octal digits: no digit that follows can become part of them. ? could begin a trigraph.
    const bool plain = byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '?';
    quoted += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return quoted + "\"";
}

std::string c_words(std::string_view name, std::span<const std::byte> bytes,
                    std::size_t element_bytes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i + element_bytes <= bytes.size(); i += element_bytes) {
    std::uint32_t word = 0;
    std::uint16_t half = 0;
    std::memcpy(element_bytes == 4 ? static_cast<void*>(&word) : &half, &bytes[i], element_bytes);
    words.push_back(fmt::format("0x{:0{}x}", element_bytes == 4 ? word : half, 2 * element_bytes));
  }
  return array(element_bytes == 4 ? "uint32_t" : "uint16_t", name, words);
}

std::string c_doubles(std::string_view name, std::span<const double> values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(c_double(value));
  return array("double", name, texts);
}

std::string c_tensors(std::string_view name, std::span<const concord_tensor> tensors) {
  std::string text =
      fmt::format("static const concord_tensor {}[] = {{ /* dtype, rank, dims, strides */\n", name);
  for (const concord_tensor& t : tensors) {
    text += fmt::format("  {{{}, {}, {}, {}}},\n", t.dtype, t.rank, list(t.dims), list(t.strides));
  }
  return text + "};\n";
}

std::string c_attributes(const concord_problem& problem) {
  switch (problem.operation) {
    case CONCORD_ATROUS_CONV2D:
      return c_struct<concord_atrous_conv2d>(problem.attributes);
    case CONCORD_SPACE_TO_BATCH:
    case CONCORD_BATCH_TO_SPACE:
      return c_struct<concord_blocks>(problem.attributes);
    case CONCORD_CNTK_CONVOLUTION:
      return c_struct<concord_cntk_convolution>(problem.attributes);
    case CONCORD_CNTK_CONVOLUTION_2D:
      return c_struct<concord_cntk_convolution_2d>(problem.attributes);
    case CONCORD_CONTINUOUS_CONVOLUTION:
    case CONCORD_CONTINUOUS_BACKWARD_DATA:
    case CONCORD_CONTINUOUS_BACKWARD_WEIGHTS:
      return c_struct<concord_continuous>(problem.attributes);
    default:
      return c_struct<concord_convolution>(problem.attributes);
  }
}

}  // namespace concord::conformance
