// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/judge_data.h"

namespace concord::conformance {
namespace {

constexpr Fill kTriedFills[] = {Fill::kUniform, Fill::kWide,     Fill::kSparse,
                                Fill::kUniform, Fill::kIntegers, Fill::kUniform};
constexpr std::size_t kMostNamed = 20;
constexpr int kIndexBits = 40;

// Most cases have few products and many outputs, some many products. One tile takes as long as
// hundreds of sums.
Problem draw_problem(const Suspect& honest, Xoshiro& random) {
  const bool tiled = honest.tile != 0;
  const bool is_long = !tiled && random.below(32) == 0;
  const Extent IC = is_long ? 1 + random.below(200) : 1 + random.below(tiled ? 4 : 8);
  const Extent kernel = tiled || random.below(3) == 0 ? 3 : 1;
  const Extent size = tiled ? honest.tile + 2 : kernel + random.below(is_long ? 2 : 4);
  // Drift over output channels takes 57 of them.
  const bool is_wide = !is_long && !tiled && random.below(16) == 0;
  const Extent OC = 1 + random.below(is_wide ? 100 : tiled ? 2 : 8);
  Problem problem;
  problem.dtype = honest.simulation.dtype;
  problem.src.dims = {tiled ? 1 : 1 + random.below(3), IC, size, size};
  problem.weights.dims = {OC, IC, kernel, kernel};
  if (random.below(2) == 0) problem.bias = Tensor{{OC}, {}};
  problem.attributes = ConvolutionAttributes{
      {{1, 1}, {0, 0}, {0, 0}, {1, 1}, AutoPad::kNone, 1, DataFormat::kNCX}, WeightsFormat::kOIX};
  return problem;
}

struct Judged {
  std::string why{};  ///< it failed; empty if it did not
  ErrorSums sums{};
};

Judged judge_one(const std::vector<Suspect>& libraries, std::uint64_t seed, std::uint64_t index) {
  Xoshiro random(seed, index);
  const std::uint64_t data = (seed << kIndexBits) + index;  // of no other tensor of any seed
  Suspect honest = libraries[index % libraries.size()];
  const auto order = static_cast<Order>(random.below(4));
  if (honest.simulation.order != Order::kAligned) honest.simulation.order = order;
  const concord_arithmetic own = *parse_arithmetic(honest.simulation.arithmetic);
  const Fill fill = kTriedFills[static_cast<std::size_t>(random.below(std::ssize(kTriedFills)))];
  const Problem problem = draw_problem(honest, random);
  const auto geometry = reference::resolve(problem);
  const Inputs inputs = fill_inputs(fill, data, problem, *geometry, own);
  const auto oracle =
      reference::evaluate(problem, *geometry, {inputs.src, inputs.weights, inputs.bias, {}});
  const OutputShape shape = output_shape(geometry->dst.dims, 1);
  const Expectation expected{fill, problem.dtype, own, *geometry, shape, inputs, oracle};
  const auto got = compute(honest, geometry->discrete(), inputs, oracle.value, data);
  const DataVerdict judged = judge_data(expected, Trust{}, got);
  Judged result;
  if (judged.errors) result.sums = judged.errors->sums;
  if (judged.verdict == Verdict::kFail) {
    result.why = fmt::format("{} {}, order {}, {} seed {}: {}", honest.name, print(problem),
                             static_cast<int>(honest.simulation.order), to_string(fill), data,
                             judged.reason);
  }
  return result;
}

Suspect winograd(Extent m, const char* declared, Dtype dtype, SimulatedAccumulator accumulator,
                 SimulatedInput input = {}) {
  Simulation simulation{fmt::format("F({}) {} {}", m, to_string(dtype), declared), declared, dtype};
  simulation.accumulator = accumulator;
  simulation.input = input;
  return {simulation.name, simulation, {}, m};
}

void add_winograd(std::vector<Suspect>& all) {
  constexpr Dtype f32 = Dtype::kF32, f16 = Dtype::kF16, bf16 = Dtype::kBF16;
  constexpr Rounding kNearest = Rounding::kNearest;
  for (const Extent m : {2, 4, 6}) {
    for (const Dtype dtype : {f32, f16, bf16}) all.push_back(winograd(m, "bilinear", dtype, {}));
    all.push_back(winograd(m, "bilinear,accumulator_rounding=zero", f32, {24, Rounding::kZero}));
    all.push_back(
        winograd(m, "bilinear,accumulator_rounding=faithful", f32, {24, Rounding::kAway}));
  }
  // Of coarser arithmetic the class covers smaller tiles only.
  for (const Extent m : {2, 4}) {
    all.push_back(winograd(m, "bilinear,tf32", f32, {}, {11, kNearest}));
    all.push_back(winograd(m, "bilinear,bf16", f32, {}, {8, kNearest}));
    all.push_back(winograd(m, "bilinear,bf16x3", f32, {}, {8, kNearest, true}));
    all.push_back(winograd(m, "bilinear,f16-accumulate", f16, {11, kNearest, true}));
    all.push_back(winograd(m, "bilinear,bf16-accumulate", bf16, {8, kNearest, true}));
  }
}

}  // namespace

std::vector<Suspect> honest_libraries() {
  std::vector<Suspect> all;
  for (const Simulation& each : simulations()) all.push_back({each.name, each});
  add_winograd(all);
  return all;
}

Alarms count_alarms(const std::vector<Suspect>& libraries, std::uint64_t tensors,
                    std::uint64_t seed) {
  Alarms alarms{tensors};
  std::vector<ErrorSums> pools(libraries.size());
  std::atomic<std::uint64_t> next = 0;
  std::mutex guard;
  const auto work = [&] {
    std::vector<ErrorSums> own(libraries.size());
    for (std::uint64_t index = next++; index < tensors; index = next++) {
      Judged judged = judge_one(libraries, seed, index);
      own[index % own.size()] += judged.sums;
      if (judged.why.empty()) continue;
      const std::scoped_lock lock(guard);
      ++alarms.failed;
      if (alarms.which.size() < kMostNamed) alarms.which.push_back(std::move(judged.why));
    }
    const std::scoped_lock lock(guard);
    for (std::size_t i = 0; i < own.size(); ++i) pools[i] += own[i];
  };
  std::vector<std::jthread> workers(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& worker : workers) worker = std::jthread(work);
  workers.clear();
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const Simulation& honest = libraries[i].simulation;
    const auto finding = judge_statistical(honest.dtype, *parse_arithmetic(honest.arithmetic),
                                           pools[i], Drawn::kOnce);
    if (finding.passed()) continue;
    ++alarms.failed_pools;
    alarms.which.push_back(
        fmt::format("{}, all tensors: {}", libraries[i].name, describe(finding)));
  }
  return alarms;
}

}  // namespace concord::conformance
