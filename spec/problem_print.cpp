// SPDX-License-Identifier: Apache-2.0
#include "spec/problem.h"
#include "spec/walk_attributes.h"

namespace concord {
namespace {

/// Prints one attribute after another.
class Printer {
 public:
  explicit Printer(std::string& line) : line_(line) {}

  void operator()(const AttributeFacts& facts, const Extents& values, const Extents& usual) {
    if (values == usual) return;
    std::string joined;
    for (const Extent value : values) joined += (joined.empty() ? "" : ",") + text(facts, value);
    word(facts.key, joined.empty() ? "()" : joined);
  }
  void operator()(const AttributeFacts& facts, Extent value, Extent usual) {
    if (value != usual) word(facts.key, text(facts, value));
  }
  void operator()(const AttributeFacts& facts, const Rationals& values, const Rationals& usual) {
    if (values == usual) return;
    std::string joined;
    for (const Rational& value : values) joined += (joined.empty() ? "" : ",") + to_string(value);
    word(facts.key, joined.empty() ? "()" : joined);
  }
  template <class Value>
  void operator()(const AttributeFacts& facts, const Value& value, const Value& usual) {
    if (value != usual || facts.is_always_printed) word(facts.key, to_string(value));
  }
  void pair(std::string_view key, const Rational& first, const Rational& second) {
    word(key, to_string(first) + "," + to_string(second));
  }
  void padding(std::string_view key, TfPadding padding, const std::string& other) {
    word(key, padding == TfPadding::kOther ? other : to_string(padding));
  }

 private:
  // A flag that is neither true nor false is shown as the number that it is.
  static std::string text(const AttributeFacts& facts, Extent value) {
    if (!facts.is_flag || (value != 0 && value != 1)) return std::to_string(value);
    return value == 1 ? "true" : "false";
  }
  void word(std::string_view key, std::string_view value) {
    line_.append(" ").append(key).append("=").append(value);
  }

  std::string& line_;
};

// A tensor of CNTK's is dense where its first axis is the fastest: then its strides go without
// saying, and those of any other are said, even if its last axis is the fastest.
std::string print_tensor(Tensor tensor, bool column_major) {
  if (!column_major) return to_string(tensor);
  tensor.strides = strides_of(tensor);
  if (tensor.strides == column_major_strides(tensor.dims)) tensor.strides.clear();
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
    line += print_tensor(*tensor, is_column_major(operation, input));
  }
  if (problem.dst) line += " dst=" + print_tensor(*problem.dst, is_dst_column_major(operation));
  Printer printer(line);
  const std::size_t rank = spatial_rank(problem.src);
  std::visit([&](const auto& a) { walk_attributes(a, rank, printer); }, problem.attributes);
  for (const Input input : kInputs) {
    if (input_of(problem, input) == nullptr || dtype_of(problem, input) == problem.dtype) continue;
    line.append(" ").append(to_string(input)).append("_dtype=");
    line.append(to_string(dtype_of(problem, input)));
  }
  if (dtype_of_dst(problem) != problem.dtype) {
    line.append(" dst_dtype=").append(to_string(dtype_of_dst(problem)));
  }
  if (problem.reading != Reading::kImplemented) {
    line.append(" reading=").append(to_string(problem.reading));
  }
  return line;
}

}  // namespace concord
