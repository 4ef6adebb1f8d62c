// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/catalog/counts/form_counter.h"
#include "reference/continuous.h"

namespace concord::conformance {
namespace {

/// Of a continuous layer whose scale is the same on both axes.
struct ContinuousCounts {
  Extent images = 1, in_channels = 2, out_channels = 2, height = 7, width = 8;
  Extent kernel_height = 3, kernel_width = 3;
  Extent first_width = 5, second_width = 3;
  Rational scale{2, 3};
};

struct ContinuousCounted {
  std::string_view word;
  void (*set)(ContinuousCounts& counts, Extent value);
  std::vector<Extent> values{};
};

constexpr Extent kMostSupport = 9, kMostOfScale = 9;

std::vector<ContinuousCounted> continuous_counted() {
  using Counts = ContinuousCounts;
  return {{"images", [](Counts& n, Extent value) { n.images = value; }, numbers_to(kMostOfFew)},
          {"in-channels", [](Counts& n, Extent value) { n.in_channels = value; },
           numbers_to(kMostOfFew)},
          {"out-channels", [](Counts& n, Extent value) { n.out_channels = value; },
           numbers_to(kMostOfFew)},
          {"height", [](Counts& n, Extent value) { n.height = value; }, numbers_to(kMostOfMany)},
          {"width", [](Counts& n, Extent value) { n.width = value; }, numbers_to(kMostOfMany)},
          {"kernel-height", [](Counts& n, Extent value) { n.kernel_height = value; },
           numbers_to(kMostSupport)},
          {"kernel-width", [](Counts& n, Extent value) { n.kernel_width = value; },
           numbers_to(kMostSupport)},
          {"first-width", [](Counts& n, Extent value) { n.first_width = value; },
           numbers_to(kMostOfMany)},
          {"second-width", [](Counts& n, Extent value) { n.second_width = value; },
           numbers_to(kMostOfMany)},
          {"kernel", [](Counts& n, Extent value) { n.kernel_height = n.kernel_width = value; },
           numbers_to(kMostSupport)}};
}

// Every k/l with small parts, and periods of more phases than a vector has elements.
std::vector<Rational> scales() {
  std::vector<Rational> all;
  for (Extent numerator = 1; numerator <= kMostOfScale; ++numerator) {
    for (Extent denominator = 1; denominator <= kMostOfScale; ++denominator) {
      if (std::gcd(numerator, denominator) == 1) all.emplace_back(numerator, denominator);
    }
  }
  for (const auto& [numerator, denominator] :
       {std::pair{16, 1}, {1, 16}, {17, 16}, {16, 17}, {19, 17}, {33, 32}, {31, 33}, {40, 13}}) {
    all.emplace_back(numerator, denominator);
  }
  return all;
}

ContinuousAttributes continuous_attributes(const ContinuousCounts& n, KernelFunction function,
                                           std::size_t turn) {
  ContinuousAttributes a;
  a.scale_h = a.scale_w = n.scale;
  a.kernel = {n.kernel_height, n.kernel_width};
  a.channels = n.out_channels;
  a.function = function;
  a.widths = {n.first_width, n.second_width};
  a.boundary = static_cast<Boundary>(turn / 3 % std::size(kWords<Boundary>));
  // Where neighbours at the border do not count, an output of a narrow support may have none.
  const bool is_narrow = std::min(n.kernel_height, n.kernel_width) < 2;
  a.ties = is_narrow ? Ties::kHalfOpen : static_cast<Ties>(turn % std::size(kWords<Ties>));
  return a;
}

/// Of layers one after the other, that make an image larger and smaller by turns: at the end it has
/// its own size.
struct ContinuousChainCounts {
  Extent images = 1, channels = 2, layers = 3, height = 7, width = 8;
  Extent kernel_height = 3, kernel_width = 3;
};

struct ContinuousChainCounted {
  std::string_view word;
  Extent ContinuousChainCounts::*member;
  std::vector<Extent> values{};
};

std::vector<ContinuousChainCounted> continuous_chain_counted() {
  const auto few = numbers_to(kMostOfFew);
  return {{"images", &ContinuousChainCounts::images, few},
          {"channels", &ContinuousChainCounts::channels, few},
          {"layers", &ContinuousChainCounts::layers, numbers_to(kMostLayers)},
          {"height", &ContinuousChainCounts::height, few},
          {"width", &ContinuousChainCounts::width, few},
          {"kernel-height", &ContinuousChainCounts::kernel_height, numbers_to(kMostSupport)},
          {"kernel-width", &ContinuousChainCounts::kernel_width, numbers_to(kMostSupport)}};
}

Problem continuous_chain_problem(const ContinuousChainCounts& n, std::size_t turn) {
  ContinuousChainAttributes a;
  const Rational larger(3, 2), smaller(2, 3);
  for (Extent layer = 0; layer < n.layers; ++layer) {
    const bool is_odd_one = layer + 1 == n.layers && layer % 2 == 0;
    a.scales_h.push_back(is_odd_one ? Rational(1) : layer % 2 == 0 ? larger : smaller);
    a.scales_w.push_back(is_odd_one ? Rational(1) : layer % 2 == 0 ? smaller : larger);
  }
  a.kernel = {n.kernel_height, n.kernel_width};
  a.function = turn % 3 == 2 ? KernelFunction::kNetK : KernelFunction::kNet;
  a.widths = {5, 3};
  a.boundary = static_cast<Boundary>(turn % std::size(kWords<Boundary>));
  const Extent parameters = *reference::parameters_of(n.channels, a.layer(n.channels));
  return {.src = {{n.images, n.channels, n.height, n.width}, {}},
          .weights = {{n.layers, parameters}, {}},
          .attributes = a};
}

void add_problems(FormCounter& counter, const ContinuousCounts& n, std::string_view counted,
                  Extent value, const std::string& more) {
  for (const KernelFunction function :
       {KernelFunction::kNet, KernelFunction::kNetK, KernelFunction::kKeys}) {
    for (const auto& [pass_word, pass] : kPasses) {
      // The cubic has no parameters to differentiate by.
      if (function == KernelFunction::kKeys && pass == Pass::kWeights) continue;
      ContinuousAttributes a = continuous_attributes(n, function, counter.turn());
      Problem problem;
      problem.src.dims = {n.images, n.in_channels, n.height, n.width};
      problem.weights.dims = {*reference::parameters_of(n.in_channels, a)};
      problem.attributes = a;
      make_gradient<ContinuousBackwardDataAttributes, ContinuousBackwardWeightsAttributes>(pass, a,
                                                                                           problem);
      const std::string variant = fmt::format("{}-{}", to_string(function), pass_word);
      // Channels and widths are what the sums of each function are of.
      const bool is_of_sums = counted.ends_with("channels") || counted.ends_with("-width");
      counter.add("continuous_counts", counted, value, more + variant, problem,
                  is_of_sums ? variant : pass_word);
    }
  }
}

}  // namespace

void add_continuous_counts(FormCounter& counter) {
  for (const ContinuousCounted& counted : continuous_counted()) {
    for (const Extent value : counted.values) {
      ContinuousCounts n;
      counted.set(n, value);
      add_problems(counter, n, counted.word, value, "");
    }
  }
  for (const Rational& scale : scales()) {
    ContinuousCounts n;
    n.scale = scale;
    const std::string denominator = std::to_string(scale.denominator());
    add_problems(counter, n, "scale", scale.numerator(), denominator + "-");
  }
}

void add_continuous_chain_counts(FormCounter& counter) {
  for (const ContinuousChainCounted& counted : continuous_chain_counted()) {
    for (const Extent value : counted.values) {
      ContinuousChainCounts n;
      n.*counted.member = value;
      counter.add("continuous_chain_counts", counted.word, value, "",
                  continuous_chain_problem(n, counter.turn()));
    }
  }
}

}  // namespace concord::conformance
