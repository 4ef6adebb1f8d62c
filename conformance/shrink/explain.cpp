// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/arithmetic/same_value.h"
#include "conformance/record/failure_text.h"
#include "conformance/run/lowering.h"
#include "conformance/run/tensor_images.h"
#include "conformance/shrink/element.h"

namespace concord::conformance {
namespace {

// Larger kernels make pages that nobody reads; codes of more elements no dtype can tell apart.
constexpr std::size_t kMostWeights = 512;
constexpr std::size_t kMostSrc = 250;

// The element whose code is `code`: the first one's is 1.
std::optional<std::size_t> decoded(double code, std::size_t count) {
  if (!(code >= 1 && code <= static_cast<double>(count)) || code != std::floor(code)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(code) - 1;
}

/// Sums of products, and elements that are only moved.
class Explanation {
 public:
  Explanation(Element& element, const Inputs& inputs)
      : problem_(element.problem()), inputs_(inputs), element_(element) {
    if (!has_diff_dst(problem_.operation())) return;
    source_ = Input::kDiffDst;
    if (problem_.operation() == Operation::kCntkBackwardWeights) tap_ = Input::kSrc;
  }

  std::vector<std::string> run(const Failure& failure) {
    if (!has_weights(problem_.operation())) return {explain_moved()};
    for (std::size_t k = 0; k < taps(inputs_).size(); ++k) explain_tap(k);
    explain_bias();
    lines_.push_back(fmt::format("{} the expected products come to {}, the backend has {}",
                                 differs_ ? "so" : "every tap is the expected one:",
                                 value_text(failure.want), value_text(failure.got)));
    return std::move(lines_);
  }

 private:
  Inputs zeros() const {
    Inputs none = inputs_;
    for (const Input input : kInputs) {
      std::fill(none.of(input).begin(), none.of(input).end(), 0.0);
    }
    return none;
  }

  // The factors of the element's products: one of them is 1, the others tell where they are.
  std::vector<double>& taps(Inputs& inputs) const { return inputs.of(tap_); }
  const std::vector<double>& taps(const Inputs& inputs) const { return inputs.of(tap_); }
  std::vector<double>& sources(Inputs& inputs) const { return inputs.of(source_); }
  const std::vector<double>& sources(const Inputs& inputs) const { return inputs.of(source_); }

  // What a sum of codes 1, 2, ... means, where one weight is 1 and all others are 0.
  std::string source_of(double code) const {
    if (const auto place = decoded(code, sources(inputs_).size())) {
      return fmt::format("{} = {}", name_of(problem_, source_, *place),
                         value_text(sources(inputs_)[*place]));
    }
    return code == 0 ? "nothing" : std::isnan(code) ? "NaN" : "a mixture of elements";
  }

  std::string bias_of(double code) const {
    if (const auto place = decoded(code, inputs_.bias.size())) {
      return fmt::format("bias[{}] = {}", *place, value_text(inputs_.bias[*place]));
    }
    return code == 0 ? "no bias" : "something other than a bias";
  }

  // dst is an element of src, or of the padding.
  std::string explain_moved() {
    Inputs probe = zeros();
    std::iota(probe.src.begin(), probe.src.end(), 1.0);
    return fmt::format("it should be {}; the backend: {}", source_of(element_.expected(probe)),
                       source_of(element_.computed(probe)));
  }

  void compare(std::string line, double wanted, double got, const std::string& read) {
    if (!is_same_value(got, wanted)) {
      differs_ = true;
      line += "; the backend: " + read;
    }
    lines_.push_back(std::move(line));
  }

  void explain_tap(std::size_t k) {
    Inputs probe = zeros();
    taps(probe)[k] = 1;
    std::iota(sources(probe).begin(), sources(probe).end(), 1.0);
    const double wanted = element_.expected(probe);
    const double got = element_.computed(probe);
    if (wanted == 0 && got == 0) return;
    compare(fmt::format("{} = {} x {}", name_of(problem_, tap_, k), value_text(taps(inputs_)[k]),
                        source_of(wanted)),
            wanted, got, "x " + source_of(got));
  }

  void explain_bias() {
    if (inputs_.bias.empty()) return;
    Inputs probe = zeros();
    std::iota(probe.bias.begin(), probe.bias.end(), 1.0);
    const double wanted = element_.expected(probe), got = element_.computed(probe);
    compare(bias_of(wanted), wanted, got, bias_of(got));
  }

  const Problem& problem_;
  const Inputs& inputs_;
  Element& element_;
  Input tap_ = Input::kWeights, source_ = Input::kSrc;
  std::vector<std::string> lines_{};
  bool differs_ = false;
};

}  // namespace

std::vector<std::string> explain(const Case& source, const CaseResult& result,
                                 const TrialOptions& options) {
  PreparedCase prepared(source);
  const auto arithmetic = parse_arithmetic(result.arithmetic);
  if (!result.failure || !prepared.geometry() || !arithmetic) return {};
  // No element of a chain is a sum of a few things.
  if (source.problem.operation() == Operation::kContinuousChain) return {};
  const Inputs& inputs = prepared.data(*arithmetic).inputs;
  if (inputs.weights.size() > kMostWeights || inputs.src.size() > kMostSrc ||
      inputs.diff_dst.size() > kMostSrc) {
    return {};
  }
  const reference::Resolution& geometry = *prepared.geometry();
  Problem asked = source.problem;
  asked.dst = geometry.dst;
  if (!result.lowered.empty()) asked = lower(source.problem, geometry).value().complete();
  Element element(source.problem, std::move(asked), geometry, *arithmetic,
                  place_of(source.problem, geometry.dst, result.failure->element), options);
  const auto explained = [&](const Inputs& failed) -> std::vector<std::string> {
    // It is this failure that is explained, and not one that needs other circumstances.
    if (!is_same_value(element.expected(failed), result.failure->want) ||
        !is_same_value(element.computed(failed), result.failure->got)) {
      return {};
    }
    auto lines = is_continuous(source.problem.operation())
                     ? explain_continuous(element, failed)
                     : Explanation(element, failed).run(*result.failure);
    return element.is_lost() ? std::vector<std::string>{} : lines;
  };
  const Sequence sequence = prepared.sequence();
  const bool hides_weights = prepared.hides_weights();
  element.ask_as(sequence, hides_weights, nullptr);
  auto lines = explained(inputs);
  if (!lines.empty() || sequence == Sequence::kNothing) return lines;
  element.ask_as(sequence, hides_weights, &inputs);
  lines = explained(prepared.later_data(*arithmetic).inputs);
  if (!lines.empty()) {
    lines.insert(lines.begin(), sequence == Sequence::kOtherInputs
                                    ? "in an execution after one with other inputs:"
                                    : "of a second handle of the problem, with other inputs:");
  }
  return lines;
}

}  // namespace concord::conformance
