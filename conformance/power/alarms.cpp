// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/judge_data.h"
#include "conformance/oracle/fast_oracle.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// Statistics have the most to say of random data.
constexpr Fill kTriedFills[] = {Fill::kUniform, Fill::kUniform,   Fill::kUniform, Fill::kWide,
                                Fill::kWide,    Fill::kSparse,    Fill::kSparse,  Fill::kIntegers,
                                Fill::kImpulse, Fill::kSubnormal, Fill::kSpecial, Fill::kOverflow,
                                Fill::kRamp};
constexpr std::size_t kMostNamed = 20;
constexpr std::uint64_t kAssessed = 16;  // of so many tensors one is asked what it could reject

// Few products, many output channels now and then, for the drift over them takes 57; of each axis
// a kernel, stride, dilation and padding of its own.
void draw_sizes(Problem& problem, std::size_t axes, Xoshiro& random) {
  auto& attributes = std::get<ConvolutionAttributes>(problem.attributes);
  const Extent groups = random.below(4) == 0 ? 1 + random.below(3) : 1;
  const bool is_wide = random.below(16) == 0;
  const Extent OCG = 1 + random.below(is_wide ? 100 : 6), ICG = 1 + random.below(6);
  attributes.groups = groups;
  problem.src.dims = {1 + random.below(3), groups * ICG};
  problem.weights.dims = {groups * OCG, ICG};
  const bool is_plain = random.below(2) == 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Extent K = 1 + random.below(3);
    const Extent S = is_plain ? 1 : 1 + random.below(2), D = is_plain ? 1 : 1 + random.below(2);
    const Extent reach = D * (K - 1) + 1;
    const Extent begin = is_plain ? 0 : random.below(reach),
                 end = is_plain ? 0 : random.below(reach);
    const Extent extra = random.below(is_wide || axes == 3 ? 2 : 4);
    problem.src.dims.push_back(std::max<Extent>(1, reach - begin - end) + extra);
    problem.weights.dims.push_back(K);
    attributes.strides.push_back(S);
    attributes.dilations.push_back(D);
    attributes.pads_begin.push_back(begin);
    attributes.pads_end.push_back(end);
  }
}

// Several tiles, with an edge that needs a part of one only.
void draw_tiled_sizes(Problem& problem, const HonestLibrary& library, Xoshiro& random) {
  auto& attributes = std::get<ConvolutionAttributes>(problem.attributes);
  const Extent ICG = 1 + random.below(random.below(16) == 0 ? 32 : 4);
  attributes.groups = random.below(8) == 0 ? 2 : 1;
  problem.src.dims = {1 + random.below(2), attributes.groups * ICG};
  problem.weights.dims = {attributes.groups * (1 + random.below(3)), ICG};
  const Extent padding = random.below(3), taps = library.tile_taps;
  const Extent most = library.tile + taps - 1 + random.below(2) * random.below(library.tile);
  for (std::size_t axis = 0; axis < library.tile_axes; ++axis) {
    problem.src.dims.push_back(std::max<Extent>(most - random.below(3), taps));
    problem.weights.dims.push_back(taps);
    for (Extents* each : {&attributes.strides, &attributes.dilations}) each->push_back(1);
    for (Extents* each : {&attributes.pads_begin, &attributes.pads_end}) each->push_back(padding);
  }
}

// One output or a few of many products: as many lengths between two powers of two as between any
// other two.
void draw_long_sizes(Problem& problem, Xoshiro& random) {
  constexpr Extent kLongest = 16;  // as a power of two
  const Extent least = Extent{1} << random.between(6, kLongest - 1);
  auto& attributes = std::get<ConvolutionAttributes>(problem.attributes);
  const Extent IC = least + random.below(least) + 1;
  problem.src.dims = {1, IC, 1};
  problem.weights.dims = {1 + random.below(std::max<Extent>(Extent{4096} / least, 2)), IC, 1};
  attributes.strides = attributes.dilations = {1};
  attributes.pads_begin = attributes.pads_end = {0};
}

Problem draw_problem(const HonestLibrary& library, Xoshiro& random) {
  Problem problem;
  problem.dtype = library.dtype;
  ConvolutionAttributes attributes{};
  attributes.data_format = DataFormat::kNCX;
  attributes.weights_format = WeightsFormat::kOIX;
  problem.attributes = attributes;
  if (library.tile != 0) {
    draw_tiled_sizes(problem, library, random);
  } else if (random.below(64) == 0) {
    draw_long_sizes(problem, random);
  } else {
    draw_sizes(problem, static_cast<std::size_t>(1 + random.below(3)), random);
  }
  if (random.below(2) == 0) problem.bias = Tensor{{problem.weights.dims[0]}, {}};
  return problem;
}

// A run adds up the errors of a dtype and class.
std::string pool_of(const HonestLibrary& library) {
  return fmt::format("{} {}", to_string(library.dtype), print(library.declared));
}

struct Judged {
  HonestLibrary library{};
  DataVerdict verdict{};
  std::optional<bool> could_reject{};  // a wrong output; where that was asked
  std::string which{};                 // if it failed
};

Judged judge_one(const AlarmOptions& options, std::uint64_t index) {
  Xoshiro random(options.seed, index);
  const std::uint64_t data = options.seed * kTensorsOfSeed + index;  // of no other tensor
  const HonestLibrary library = options.draw(random);
  const Problem problem = draw_problem(library, random);
  Fill fill = kTriedFills[static_cast<std::size_t>(random.below(std::ssize(kTriedFills)))];
  if (why_no_fill(fill, problem)) fill = Fill::kUniform;
  const auto geometry = reference::resolve(problem);
  CONCORD_CHECK(geometry) << print(problem) << ": " << geometry.why().detail;
  const reference::Geometry& g = geometry->discrete();
  const Inputs inputs = fill_inputs(fill, data, problem, *geometry, library.declared);
  const auto oracle = evaluate_fast(problem, g, inputs.src, inputs.weights, inputs.bias, 1);
  const OutputShape shape = output_shape(geometry->dst.dims, 1);
  const Expectation expected{fill,   problem.dtype, library.declared, *geometry, shape,
                             inputs, oracle,        nullptr,          &problem};
  const auto got = compute(library, g, inputs, oracle.value, random);
  Judged judged{library, judge_data(expected, Trust{}, got), {}, {}};
  if (index % kAssessed == 0) judged.could_reject = assess_data(expected).can_reject();
  if (judged.verdict.verdict == Verdict::kFail) {
    judged.which = fmt::format("number {} of seed {}: {}; {}, {} of seed {}: {}", index,
                               options.seed, describe(library), print(problem), to_string(fill),
                               data, judged.verdict.reason);
    if (const auto& worst = judged.verdict.finding.worst) {
      judged.which +=
          fmt::format("; element {} is {:a}, of {:a}, accepted {:a} to {:a}", worst->index,
                      worst->got, worst->want, worst->lowest, worst->highest);
    }
  }
  return judged;
}

// What a thread has found, or all have.
struct Count {
  struct Pool {
    HonestLibrary library{};
    ErrorSums sums{};
  };
  Alarms alarms{};
  std::map<std::string, Pool> pools{};

  void add(const Judged& judged) {
    ++alarms.tensors;
    if (judged.could_reject) {
      ++alarms.assessed;
      alarms.able += static_cast<std::uint64_t>(*judged.could_reject);
    }
    Pool& pool = pools[pool_of(judged.library)];
    pool.library = judged.library;
    if (judged.verdict.errors) pool.sums += judged.verdict.errors->sums;
    if (judged.which.empty()) return;
    ++alarms.failed;
    if (alarms.which.size() < kMostNamed) alarms.which.push_back(judged.which);
  }

  void add(const Count& other) {
    alarms.tensors += other.alarms.tensors;
    alarms.failed += other.alarms.failed;
    alarms.assessed += other.alarms.assessed;
    alarms.able += other.alarms.able;
    alarms.which.insert(alarms.which.end(), other.alarms.which.begin(), other.alarms.which.end());
    for (const auto& [name, pool] : other.pools) {
      pools[name].library = pool.library;
      pools[name].sums += pool.sums;
    }
  }
};

void judge_pools(Count& count) {
  count.alarms.pools = count.pools.size();
  for (const auto& [name, pool] : count.pools) {
    const auto finding =
        judge_statistical(pool.library.dtype, pool.library.declared, pool.sums, Drawn::kOnce);
    if (finding.passed()) continue;
    ++count.alarms.failed_pools;
    count.alarms.which.push_back(fmt::format("{}, all tensors: {}", name, describe(finding)));
  }
}

}  // namespace

Alarms count_alarms(const AlarmOptions& options) {
  Count all;
  std::atomic<std::uint64_t> next = 0;
  std::mutex guard;
  const auto work = [&] {
    Count own;
    for (std::uint64_t at = next++; at < options.tensors; at = next++) {
      own.add(judge_one(options, options.first + at));
    }
    const std::scoped_lock lock(guard);
    all.add(own);
  };
  std::vector<std::jthread> workers(std::max(1U, options.jobs));
  for (auto& worker : workers) worker = std::jthread(work);
  workers.clear();
  judge_pools(all);
  return all.alarms;
}

}  // namespace concord::conformance
