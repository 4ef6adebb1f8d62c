// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/judge_data.h"
#include "conformance/power/suspects.h"

namespace concord::conformance {
namespace {

constexpr Fill kTriedFills[] = {Fill::kUniform, Fill::kWide,     Fill::kSparse,
                                Fill::kUniform, Fill::kIntegers, Fill::kUniform};
constexpr std::size_t kMostNamed = 20;

// Most cases have few products and many outputs, some many products.
Problem draw_problem(Dtype dtype, Xoshiro& random) {
  const bool is_long = random.below(32) == 0;
  const Extent IC = is_long ? 1 + random.below(200) : 1 + random.below(8);
  const Extent kernel = random.below(3) == 0 ? 3 : 1;
  const Extent size = kernel + random.below(is_long ? 2 : 4);
  Problem problem;
  problem.dtype = dtype;
  problem.src.dims = {1 + random.below(3), IC, size, size};
  // Drift over output channels takes 57 of them.
  const bool is_wide = !is_long && random.below(16) == 0;
  problem.weights.dims = {1 + random.below(is_wide ? 100 : 8), IC, kernel, kernel};
  problem.attributes = ConvolutionAttributes{
      {{1, 1}, {0, 0}, {0, 0}, {1, 1}, AutoPad::kNone, 1, DataFormat::kNCX}, WeightsFormat::kOIX};
  return problem;
}

// One tensor; why it failed, or nothing.
std::string judge_one(std::uint64_t seed, std::uint64_t index) {
  Xoshiro random(seed, index);
  const auto all = simulations();
  Suspect honest{"", all[index % all.size()]};
  const auto order = static_cast<Order>(random.below(4));
  if (honest.simulation.order != Order::kAligned) honest.simulation.order = order;
  const concord_arithmetic own = *parse_arithmetic(honest.simulation.arithmetic);
  const Fill fill = kTriedFills[static_cast<std::size_t>(random.below(std::ssize(kTriedFills)))];
  const Problem problem = draw_problem(honest.simulation.dtype, random);
  const auto geometry = reference::resolve(problem);
  const Inputs inputs = fill_inputs(fill, index, problem, *geometry, own);
  const auto oracle = reference::evaluate(problem, *geometry, {inputs.src, inputs.weights, {}, {}});
  const OutputShape shape = output_shape(geometry->dst.dims, 1);
  const Expectation expected{fill, problem.dtype, own, *geometry, shape, inputs, oracle};
  const auto got = compute(honest, geometry->discrete(), inputs, oracle.value, index);
  const DataVerdict judged = judge_data(expected, Trust{}, got);
  if (judged.verdict != Verdict::kFail) return {};
  return fmt::format("{} {}, order {}, {} seed {}: {}", honest.simulation.name, print(problem),
                     static_cast<int>(honest.simulation.order), to_string(fill), index,
                     judged.reason);
}

}  // namespace

Alarms count_alarms(std::uint64_t tensors, std::uint64_t seed) {
  Alarms alarms{tensors};
  std::atomic<std::uint64_t> next = 0;
  std::mutex guard;
  const auto work = [&] {
    for (std::uint64_t index = next++; index < tensors; index = next++) {
      std::string why = judge_one(seed, index);
      if (why.empty()) continue;
      const std::scoped_lock lock(guard);
      ++alarms.failed;
      if (alarms.which.size() < kMostNamed) alarms.which.push_back(std::move(why));
    }
  };
  std::vector<std::jthread> workers(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& worker : workers) worker = std::jthread(work);
  workers.clear();
  return alarms;
}

}  // namespace concord::conformance
