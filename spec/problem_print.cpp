// SPDX-License-Identifier: Apache-2.0
#include "spec/attribute_keys.h"

namespace concord {
namespace {

/// Prints one attribute after another.
class Printer {
 public:
  explicit Printer(std::string& line) : line_(line) {}

  void list(std::string_view key, const Extents& values, const Extents& usual) {
    if (values == usual) return;
    word(key, joined(values, [](Extent value) { return std::to_string(value); }));
  }
  void flags(std::string_view key, const Extents& values, const Extents& usual) {
    if (values != usual) word(key, joined(values, flag_text));
  }
  void number(std::string_view key, Extent value, Extent usual) {
    if (value != usual) word(key, std::to_string(value));
  }
  void flag(std::string_view key, Extent value, Extent usual) {
    if (value != usual) word(key, flag_text(value));
  }
  void rational(std::string_view key, const Rational& value, const Rational& usual) {
    if (value != usual) word(key, to_string(value));
  }
  void scales(std::string_view key, const Rational& height, const Rational& width) {
    word(key, to_string(height) + "," + to_string(width));
  }
  template <class Enum, std::size_t size>
  void literal(std::string_view key, Enum value, const std::array<Enum, size>&,
               std::optional<Enum> usual) {
    if (value != usual) word(key, to_string(value));
  }
  void padding(std::string_view key, const AtrousConv2dAttributes& a) {
    word(key, a.padding == TfPadding::kOther ? a.other_padding : to_string(a.padding));
  }

 private:
  // What is neither true nor false is shown as the number that it is.
  static std::string flag_text(Extent value) {
    if (value == 0) return "false";
    return value == 1 ? "true" : std::to_string(value);
  }
  template <class Text>
  static std::string joined(const Extents& values, Text text) {
    if (values.empty()) return "()";
    std::string joined;
    for (const Extent value : values) joined += (joined.empty() ? "" : ",") + text(value);
    return joined;
  }
  void word(std::string_view key, std::string_view value) {
    line_.append(" ").append(key).append("=").append(value);
  }

  std::string& line_;
};

// A tensor of CNTK's is dense where its first axis is the fastest: then its strides go without
// saying, and those of any other are said, even if its last axis is the fastest.
std::string print_tensor(Operation operation, Tensor tensor) {
  if (!is_column_major(operation)) return to_string(tensor);
  tensor.strides = strides_of(tensor);
  if (tensor.strides == dense_strides_of(operation, tensor.dims)) tensor.strides.clear();
  return to_string(tensor);
}

}  // namespace

std::string print(const Problem& problem) {
  const Operation operation = problem.operation();
  std::string line =
      std::string(to_string(operation)) + " " + std::string(to_string(problem.dtype));
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor == nullptr) continue;
    line.append(" ").append(to_string(input)).append("=");
    line += input == Input::kSrc ? print_tensor(operation, *tensor) : to_string(*tensor);
  }
  if (problem.dst) line += " dst=" + print_tensor(operation, *problem.dst);
  Printer printer(line);
  std::visit(WalkAttributes<Printer>(printer, spatial_rank(problem)), problem.attributes);
  if (problem.reading != Reading::kImplemented) {
    line.append(" reading=").append(to_string(problem.reading));
  }
  return line;
}

}  // namespace concord
