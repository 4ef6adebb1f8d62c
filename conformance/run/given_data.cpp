// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/given_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "conformance/arithmetic/same_value.h"

namespace concord::conformance {
namespace {

std::string print_list(const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    while (end < values.size() && has_same_bits(values[end], values[i])) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", values[i]);
    if (end - i > 1) text += fmt::format("*{}", end - i);
    i = end;
  }
  return text;
}

Refusal syntax(std::string detail) { return {Fault::kSyntax, std::move(detail)}; }

// The part of `text` before `separator`, which is taken off with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

// Decimal, or hexadecimal as 0x1.8p3.
bool read_value(std::string_view text, double& value) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (!digits.starts_with("0x")) return read_whole(text, value);
  digits.remove_prefix(2);
  // Not what std::from_chars() takes besides: a sign, and words.
  if (digits.empty() ||
      (std::isxdigit(static_cast<unsigned char>(digits[0])) == 0 && digits[0] != '.')) {
    return false;
  }
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::hex);
  if (is_negative) value = -value;
  return error == std::errc() && stop == digits.data() + digits.size();
}

Result<std::vector<double>> parse_list(std::string_view name, std::string_view list, Dtype dtype,
                                       std::size_t wanted) {
  const auto wrong_count = [&](const std::string& count) {
    return syntax(fmt::format("{} has {} elements, not {}", name, count, wanted));
  };
  std::vector<double> values;
  while (!list.empty()) {
    const std::string_view word = take_until(list, ',');
    std::string_view rest = word;
    double value = 0;
    std::size_t times = 1;
    const bool is_number = read_value(take_until(rest, '*'), value);
    if (!is_number || (!rest.empty() && !read_whole(rest, times))) {
      return syntax(fmt::format("{}: '{}' is not a number", name, word));
    }
    if (!std::isnan(value) && round_to(dtype, value) != value) {
      const double nearest = std::clamp(round_to(dtype, value), -format_of(dtype).largest(),
                                        format_of(dtype).largest());
      return syntax(fmt::format("{}: {} is not a value of {}; the nearest is {}", name, word,
                                to_string(dtype), nearest));
    }
    if (times > wanted - values.size()) return wrong_count("more");
    values.insert(values.end(), times, value);
  }
  if (values.size() != wanted) return wrong_count(std::to_string(values.size()));
  return values;
}

}  // namespace

Case with_data(const Problem& problem, Inputs inputs) {
  const auto geometry = reference::resolve(problem);
  auto oracle = reference::evaluate(problem, *geometry,
                                    {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst});
  Case made;
  made.id = "given";
  made.problem = problem;
  made.fill = Fill::kRecorded;
  made.recorded = std::make_shared<Recorded>(Recorded{std::move(inputs.src),
                                                      std::move(inputs.weights),
                                                      std::move(inputs.bias),
                                                      std::move(oracle.value),
                                                      vectors::Exactness::kExact,
                                                      {},
                                                      std::move(inputs.diff_dst)});
  return made;
}

std::string print_data(const Problem& problem, const Inputs& inputs) {
  std::string text;
  for (const Input input : kInputs) {
    if (input_of(problem, input) == nullptr) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", to_string(input),
                        print_list(inputs.of(input)));
  }
  return text;
}

Result<Inputs> parse_data(std::string_view text, const Problem& problem) {
  Inputs inputs;
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor == nullptr) continue;
    std::string_view part = take_until(text, ';');
    const std::string_view name = take_until(part, '=');
    if (name != to_string(input)) {
      return syntax(fmt::format("'{}' where '{}=' is expected", name, to_string(input)));
    }
    const auto count = static_cast<std::size_t>(element_count(tensor->dims).value_or(0));
    auto values = parse_list(name, part, problem.dtype, count);
    if (!values) return values.why();
    inputs.of(input) = *std::move(values);
  }
  if (!text.empty()) return syntax(fmt::format("'{}' after the last list", text));
  return inputs;
}

}  // namespace concord::conformance
