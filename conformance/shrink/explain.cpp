// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "conformance/judge/arithmetic.h"
#include "conformance/run/lowering.h"
#include "conformance/run/tensor_images.h"

namespace concord::conformance {
namespace {

// Larger kernels make pages that nobody reads; codes of more elements no dtype can tell apart.
constexpr std::size_t kMostWeights = 512;
constexpr std::size_t kMostSrc = 250;

/// A function of the inputs: what becomes of one element of dst.
class Element {
 public:
  /// `asked` is what the backend is asked for, with dst: the problem, or what it was lowered to.
  Element(const Problem& problem, Problem asked, const reference::Resolution& geometry,
          std::size_t place, const TrialOptions& options)
      : problem_(problem),
        asked_(std::move(asked)),
        geometry_(geometry),
        place_(place),
        options_(options),
        host_(options.backend, options.host) {}

  double expected(const Inputs& inputs) const {
    return reference::evaluate(problem_, geometry_,
                               {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst})
        .value[place_];
  }

  /// NaN where the backend gives no answer.
  double computed(const Inputs& inputs) {
    const InputImages images = images_of(problem_, inputs);
    const auto tried = host_.execute({.problem = asked_,
                                      .src = images.src,
                                      .weights = images.weights,
                                      .bias = images.bias,
                                      .threads = options_.examine.threads});
    const auto* reply = std::get_if<TrialReply>(&tried);
    if (reply == nullptr || reply->prepare_status != CONCORD_OK ||
        reply->execute_status != CONCORD_OK) {
      return std::nan("");
    }
    return values_of(problem_, geometry_.dst, reply->dst)[place_];
  }

 private:
  const Problem& problem_;
  const Problem asked_;
  const reference::Resolution& geometry_;
  std::size_t place_;
  const TrialOptions& options_;
  Host host_;
};

template <class Format>
std::string name_of(std::string_view tensor, const Tensor& shape, Format format,
                    std::size_t place) {
  const auto axes = channels_first_axes(format, shape.rank());
  Extents index(shape.rank());
  auto rest = static_cast<Extent>(place);
  for (std::size_t i = axes.size(); i-- > 0;) {
    index[axes[i]] = rest % shape.dims[axes[i]];
    rest /= shape.dims[axes[i]];
  }
  return fmt::format("{}[{}]", tensor, fmt::join(index, ","));
}

// The element whose code is `code`: the first one's is 1.
std::optional<std::size_t> decoded(double code, std::size_t count) {
  if (!(code >= 1 && code <= static_cast<double>(count)) || code != std::floor(code)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(code) - 1;
}

class Explanation {
 public:
  Explanation(const Problem& problem, const Inputs& inputs, Element& element)
      : problem_(problem), inputs_(inputs), element_(element) {}

  std::vector<std::string> run(const Failure& failure) {
    for (std::size_t k = 0; k < inputs_.weights.size(); ++k) explain_tap(k);
    explain_bias();
    lines_.push_back(fmt::format("{} the expected products come to {:.9g}, the backend has {:.9g}",
                                 differs_ ? "so" : "every tap is the expected one:", failure.want,
                                 failure.got));
    return std::move(lines_);
  }

 private:
  Inputs zeros() const {
    Inputs none = inputs_;
    for (auto* values : {&none.src, &none.weights, &none.bias}) {
      std::fill(values->begin(), values->end(), 0.0);
    }
    return none;
  }

  // What a sum of codes 1, 2, ... means, where one weight is 1 and all others are 0.
  std::string source_of(double code) const {
    if (const auto place = decoded(code, inputs_.src.size())) {
      return fmt::format("{} = {:.9g}",
                         name_of("src", problem_.src, data_format_of(problem_), *place),
                         inputs_.src[*place]);
    }
    return code == 0 ? "nothing" : std::isnan(code) ? "NaN" : "a mixture of elements";
  }

  std::string bias_of(double code) const {
    if (const auto place = decoded(code, inputs_.bias.size())) {
      return fmt::format("bias[{}] = {:.9g}", *place, inputs_.bias[*place]);
    }
    return code == 0 ? "no bias" : "something else than a bias";
  }

  void compare(std::string line, double wanted, double got, const std::string& read) {
    if (got != wanted) {
      differs_ = true;
      line += "; the backend: " + read;
    }
    lines_.push_back(std::move(line));
  }

  void explain_tap(std::size_t k) {
    Inputs probe = zeros();
    probe.weights[k] = 1;
    std::iota(probe.src.begin(), probe.src.end(), 1.0);
    const double wanted = element_.expected(probe);
    const double got = element_.computed(probe);
    if (wanted == 0 && got == 0) return;
    compare(fmt::format("{} = {:.9g} x {}",
                        name_of("weights", problem_.weights, weights_format_of(problem_), k),
                        inputs_.weights[k], source_of(wanted)),
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
  std::vector<std::string> lines_{};
  bool differs_ = false;
};

}  // namespace

std::vector<std::string> explain(const Case& source, const CaseResult& result,
                                 const TrialOptions& options) {
  PreparedCase prepared(source);
  const auto arithmetic = parse_arithmetic(result.arithmetic);
  if (!result.failure || !prepared.geometry() || !arithmetic) return {};
  const Inputs& inputs = prepared.data(*arithmetic).inputs;
  if (inputs.weights.size() > kMostWeights || inputs.src.size() > kMostSrc) return {};
  if (!is_discrete(source.problem.operation())) return {};
  const reference::Resolution& geometry = *prepared.geometry();
  Problem asked = source.problem;
  asked.dst = geometry.dst;
  if (!result.lowered.empty()) asked = lower(source.problem, geometry).value().complete();
  Element element(source.problem, std::move(asked), geometry,
                  place_of(source.problem, geometry.dst, result.failure->element), options);
  // What failed may have been another execution, with other weights.
  if (element.expected(inputs) != result.failure->want) return {};
  return Explanation(source.problem, inputs, element).run(*result.failure);
}

}  // namespace concord::conformance
