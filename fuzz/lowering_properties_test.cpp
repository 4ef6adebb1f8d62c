// SPDX-License-Identifier: Apache-2.0
// A lowered problem is the original: the reference makes the same bytes of dst of it, from the same
// bytes of the inputs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "conformance/catalog/catalog.h"
#include "conformance/run/lowering.h"
#include "fuzz/operations.h"

namespace concord::fuzz {
namespace {

using conformance::lower;
using conformance::Lowered;

/// A tensor's memory, in f64: gaps hold NaN, which no element does.
using Memory = std::vector<double>;
constexpr double kGap = -0.25;

// Where each element lies, in the order of the tensor's axes, last axis fastest.
std::vector<std::size_t> places(const Tensor& tensor) {
  const Extents strides = strides_of(tensor);
  std::vector<Extent> offsets{0};
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    std::vector<Extent> longer;
    for (const Extent offset : offsets) {
      for (Extent i = 0; i < tensor.dims[axis]; ++i) longer.push_back(offset + i * strides[axis]);
    }
    offsets = std::move(longer);
  }
  return {offsets.begin(), offsets.end()};
}

Memory integers(const Tensor& tensor, std::uint32_t seed) {
  std::mt19937 random(seed);
  Memory memory(static_cast<std::size_t>(element_span(tensor).value()));
  for (double& value : memory) value = static_cast<double>(random() % 19) - 9;
  return memory;
}

std::vector<double> read(const Memory& memory, const Tensor& tensor) {
  std::vector<double> values;
  for (const std::size_t place : places(tensor)) values.push_back(memory[place]);
  return values;
}

Memory written(const std::vector<double>& values, const Tensor& tensor) {
  Memory memory(static_cast<std::size_t>(element_span(tensor).value()), kGap);
  const auto where = places(tensor);
  for (std::size_t i = 0; i < where.size(); ++i) memory[where[i]] = values[i];
  return memory;
}

// What the reference makes of a problem whose dst is complete.
Memory dst_of(const Problem& problem, const Memory& src, const Memory& weights,
              const Memory& bias) {
  const auto resolution = reference::resolve(problem).value();
  const auto from = [&](Input input, const Memory& memory) {
    return input_of(problem, input) == nullptr ? std::vector<double>()
                                               : read(memory, in_reading_order(problem, input));
  };
  const auto src_values = from(Input::kSrc, src), weights_values = from(Input::kWeights, weights),
             bias_values = from(Input::kBias, bias);
  const auto oracle =
      reference::evaluate(problem, resolution, {src_values, weights_values, bias_values, {}});
  return written(oracle.value, dst_in_reading_order(problem, *problem.dst));
}

// Empty if `lowered` computes what `problem` does.
std::string difference(const Problem& problem, const reference::Resolution& resolution,
                       const Lowered& lowered, std::uint32_t seed) {
  const Problem view = lowered.complete();
  const auto resolved = reference::resolve(view);
  if (!resolved) return print(view) + ": " + resolved.why().detail;
  Problem complete = problem;
  complete.dst = resolution.dst;
  const Memory src = integers(problem.src, seed), weights = integers(problem.weights, seed + 1);
  const Memory bias = problem.bias ? integers(*problem.bias, seed + 2) : Memory();
  if (element_span(view.src) != element_span(problem.src)) return print(view) + ": src is other";
  return dst_of(complete, src, weights, bias) == dst_of(view, src, weights, bias)
             ? std::string()
             : print(view) + ": dst differs";
}

RC_GTEST_PROP(Lowering, OfCntkComputesTheSameBytes, (std::uint32_t seed)) {
  const Problem problem = *cntk_problem();
  const auto resolution = reference::resolve(problem);
  RC_PRE(static_cast<bool>(resolution));
  const auto lowered = lower(problem, *resolution);
  RC_PRE(lowered.has_value());
  RC_ASSERT(difference(problem, *resolution, *lowered, seed) == "");
}

RC_GTEST_PROP(Lowering, OfConvolution1AndAtrousComputesTheSameBytes, (std::uint32_t seed)) {
  const Problem problem = *small_problem();
  const auto resolution = reference::resolve(problem);
  const auto lowered = lower(problem, *resolution);
  // The oneDNN Graph Convolution has at most three spatial axes.
  RC_ASSERT(lowered.has_value() ==
            (problem.operation() != Operation::kConvolution && problem.src.rank() <= 5));
  if (lowered) RC_ASSERT(difference(problem, *resolution, *lowered, seed) == "");
}

TEST(Lowering, OfTheCatalogComputesTheSameBytes) {
  std::map<Operation, int> count;
  std::string last;
  for (const auto& source : conformance::make_catalog(conformance::Suite::kSmoke, 1)) {
    const Problem& problem = source.problem;
    const auto resolution = reference::resolve(problem);
    if (!resolution || print(problem) == last) continue;  // a problem's fills come in a row
    last = print(problem);
    const auto lowered = lower(problem, *resolution);
    if (!lowered) continue;
    ++count[problem.operation()];
    EXPECT_EQ(difference(problem, *resolution, *lowered, 1), "") << last;
  }
  EXPECT_GT(count[Operation::kConvolution1], 100);
  EXPECT_GT(count[Operation::kAtrousConv2d], 20);
  EXPECT_GT(count[Operation::kCntkConvolution], 20);
  EXPECT_GT(count[Operation::kCntkConvolution2d], 10);
}

// A lowering that is wrong shows: pads the wrong way round, axes exchanged, dilation forgotten.
TEST(Lowering, ThatIsWrongIsNoticed) {
  const auto noticed = [](auto change) {
    int count = 0;
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
      const auto problems = seed % 2 == 0 ? cntk_problem() : small_problem();
      const Problem problem = problems(rc::Random(seed), rc::kNominalSize).value();
      const auto resolution = reference::resolve(problem);
      if (!resolution) continue;
      auto lowered = lower(problem, *resolution);
      if (!lowered) continue;
      change(std::get<ConvolutionAttributes>(lowered->problem.attributes));
      if (!difference(problem, *resolution, *lowered, seed).empty()) ++count;
    }
    return count;
  };
  EXPECT_EQ(noticed([](ConvolutionAttributes&) {}), 0);
  EXPECT_GT(noticed([](ConvolutionAttributes& a) { std::swap(a.pads_begin, a.pads_end); }), 10);
  EXPECT_GT(
      noticed([](ConvolutionAttributes& a) { std::swap(a.strides.front(), a.strides.back()); }), 5);
  EXPECT_GT(noticed([](ConvolutionAttributes& a) { a.dilations.assign(a.dilations.size(), 1); }),
            5);
}

}  // namespace
}  // namespace concord::fuzz
