// SPDX-License-Identifier: Apache-2.0
// The problems of refused.txt with one number of one attribute out of its range, on each axis, or
// with one tensor that has a negative extent or stride or a dimension too many, or a dst whose
// elements overlap: a backend checks them one by one, and may leave one out.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/catalog/families.h"
#include "conformance/catalog/listed.h"
#include "reference/continuous.h"
#include "reference/open_question.h"
#include "reference/reference.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

/// The word KEY=VALUE of a problem line, where the value is a list of numbers; `begin` and `size`
/// are one of them.
struct Number {
  std::string_view key;
  std::size_t place;  ///< of the number in the list, from 1
  std::size_t begin, size;
};

bool is_tensor(std::string_view key) {
  return key == "src" || key == "weights" || key == "bias" || key == "dst" || key == "diff_dst";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789/") == std::string_view::npos;
}

std::vector<Number> numbers_of(std::string_view line) {
  std::vector<Number> numbers;
  for (std::size_t word = 0; word < line.size();) {
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::size_t equals = std::min(line.find('=', word), end);
    const std::string_view key = line.substr(word, equals - word);
    std::size_t place = 1;
    for (std::size_t begin = equals + 1; begin < end && !is_tensor(key); ++place) {
      const std::size_t comma = std::min(line.find(',', begin), end);
      if (is_number(line.substr(begin, comma - begin))) {
        numbers.push_back({key, place, begin, comma - begin});
      }
      begin = comma + 1;
    }
    word = end + 1;
  }
  return numbers;
}

// Pads and channels may be 0, but other numbers of the problem may not suit that.
bool may_be_zero(std::string_view key) {
  return key.starts_with("pad") || key == "crops" || key.ends_with("Pad") || key == "channels";
}

// With weights of CNTK's that suit a kernel or a number of maps of 0, of which they are a matrix:
// else they would be refused for their size.
std::string with_suiting_weights(std::string line, std::string_view key) {
  const bool of_kernel = key.starts_with("kernel"), of_maps = key == "mapCount";
  if (!line.starts_with("Cntk") || !(of_kernel || of_maps)) return line;
  const std::string_view word = " weights=";
  const std::size_t begin = line.find(word) + word.size();
  const std::size_t times = line.find('x', begin), end = line.find(' ', begin);
  return of_maps ? line.replace(begin, times - begin, "0")
                 : line.replace(times + 1, end - times - 1, "0");
}

// Likewise with as many parameters as the net has, of the continuous layer.
void suit_parameters(Problem& problem) {
  const auto suit = [&problem]<class A>(const A& a) {
    constexpr bool kIsChain = std::is_same_v<A, ContinuousChainAttributes>;
    if constexpr (kIsChain || std::is_base_of_v<ContinuousAttributes, A>) {
      const Extent channels = problem.src.dims[1];
      std::optional<Extent> parameters;
      if constexpr (kIsChain) {
        parameters = reference::parameters_of(channels, a.layer(channels));
      } else {
        parameters = reference::parameters_of(channels, a);
      }
      if (parameters) problem.weights.dims.back() = *parameters;
    }
  };
  std::visit(suit, problem.attributes);
}

bool must_be_refused(const Problem& problem) {
  return !reference::resolve(problem) && !reference::open_question(problem);
}

// The problem with that number, if it must be refused.
std::optional<Problem> refused_with(const std::string& line, const Number& number,
                                    std::string_view value) {
  std::string changed = line;
  changed.replace(number.begin, number.size, value);
  if (value == "0") changed = with_suiting_weights(std::move(changed), number.key);
  const auto parsed = parse(changed);
  if (!parsed) return std::nullopt;
  Problem problem = *parsed;
  if (number.key == "widths") suit_parameters(problem);
  return must_be_refused(problem) ? std::optional(std::move(problem)) : std::nullopt;
}

/// A tensor with one thing wrong in it.
struct WrongTensor {
  std::string what;
  Tensor tensor;
};

std::vector<WrongTensor> wrong_tensors(const Tensor& given) {
  const Tensor right{given.dims, strides_of(given)};
  std::vector<WrongTensor> wrong;
  for (std::size_t i = 0; i < right.rank(); ++i) {
    Tensor& extent =
        wrong.emplace_back(WrongTensor{fmt::format("{}-negative", i + 1), right}).tensor;
    extent.dims[i] *= -1;
    Tensor& stride =
        wrong.emplace_back(WrongTensor{fmt::format("stride-{}-negative", i + 1), right}).tensor;
    stride.strides[i] *= -1;
    if (right.dims[i] <= 1) continue;
    // By one too little for the axes inside it. Those of one element, whose strides mean nothing,
    // are not the ones of the largest stride.
    Tensor& close =
        wrong.emplace_back(WrongTensor{fmt::format("stride-{}-overlaps", i + 1), right}).tensor;
    close.strides[i] -= 1;
    for (std::size_t j = 0; j < right.rank(); ++j) {
      if (right.dims[j] == 1) close.strides[j] = 1;
    }
  }
  Tensor& front = wrong.emplace_back(WrongTensor{"axis-in-front", right}).tensor;
  front.dims.insert(front.dims.begin(), 1);
  front.strides.insert(front.strides.begin(), 1);
  Tensor& back = wrong.emplace_back(WrongTensor{"axis-at-the-end", right}).tensor;
  back.dims.push_back(1);
  back.strides.push_back(1);
  return wrong;
}

void add(Collector& collector, const std::string& name, const Problem& problem) {
  const std::string fault(to_string(reference::resolve(problem).why().fault));
  collector.add(
      {"invalid", fault + "-" + name, problem, "refused.txt", "refused with the fault " + fault},
      Fill::kIntegers);
}

void add_wrong_numbers(const Listed& base, Collector& collector) {
  const std::string line = print(base.problem);
  for (const Number& number : numbers_of(line)) {
    for (const auto& [value, word] : {std::pair("0", "zero"), std::pair("-1", "negative")}) {
      if (word == std::string_view("zero") && may_be_zero(number.key)) continue;
      const auto problem = refused_with(line, number, value);
      if (!problem) continue;
      add(collector, fmt::format("{}-{}-{}-{}", base.name, number.key, number.place, word),
          *problem);
      break;
    }
  }
}

void add_wrong_tensors(const Listed& base, Collector& collector) {
  const auto add_each = [&](std::string_view name, const Tensor& right, const auto& put_in) {
    for (const WrongTensor& wrong : wrong_tensors(right)) {
      Problem problem = base.problem;
      put_in(problem, wrong.tensor);
      if (must_be_refused(problem)) {
        add(collector, fmt::format("{}-{}-{}", base.name, name, wrong.what), problem);
      }
    }
  };
  for (const Input input : kInputs) {
    const Tensor* const right = input_of(base.problem, input);
    if (right == nullptr) continue;
    add_each(to_string(input), *right,
             [&](Problem& p, const Tensor& wrong) { make_input(p, input) = wrong; });
  }
  add_each("dst", reference::resolve(base.problem)->dst,
           [](Problem& p, const Tensor& wrong) { p.dst = wrong; });
}

}  // namespace

void add_refused(Collector& collector) {
  for (const Listed& base : listed("refused")) {
    CONCORD_CHECK(reference::resolve(base.problem)) << "refused.txt: " << base.name;
    add_wrong_numbers(base, collector);
    add_wrong_tensors(base, collector);
  }
}

}  // namespace concord::conformance
