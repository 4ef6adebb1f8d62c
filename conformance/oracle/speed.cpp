// SPDX-License-Identifier: Apache-2.0
// How fast the oracle is: prints the layer, and 10^9 multiplications a second of the literal loops
// and of the fast oracle on one and on two threads, the best of a few times.
// usage: oracle_speed [PROBLEM_LINE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "conformance/catalog/extents.h"
#include "conformance/fill.h"
#include "conformance/oracle/fast_oracle.h"

namespace concord::conformance {
namespace {

constexpr const char* kLayer =
    "Convolution f32 src=2x128x28x28 weights=128x128x3x3 pads_begin=1,1 pads_end=1,1 "
    "data_format=NCX weights_format=OIX";
constexpr int kTimes = 5;

template <class Run>
double best_rate(Extent work, Run run) {
  double best = 0;
  for (int i = 0; i < kTimes; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(work) / taken.count() / 1e9);
  }
  return best;
}

int measure(const char* line) {
  const auto problem = parse(line);
  const auto geometry = problem ? reference::resolve_discrete(*problem) : problem.why();
  if (!geometry) {
    fmt::print(stderr, "oracle_speed: {}\n", geometry.why().detail);
    return 2;
  }
  const Inputs in =
      fill_inputs(Fill::kUniform, 1, problem->dtype, *geometry, problem->bias.has_value(), {});
  const Extent work = count_macs(*geometry);
  fmt::print("{}\n{} multiplications\n", line, work);
  fmt::print("literal    {:6.2f} GMAC/s\n", best_rate(work, [&] {
               reference::evaluate_discrete(*problem, *geometry, in.src, in.weights, in.bias);
             }));
  for (const int threads : {1, 2}) {
    fmt::print("{} thread{}  {:6.2f} GMAC/s\n", threads, threads == 1 ? " " : "s",
               best_rate(work, [&] {
                 evaluate_fast(*problem, *geometry, in.src, in.weights, in.bias, threads);
               }));
  }
  return 0;
}

}  // namespace
}  // namespace concord::conformance

int main(int argc, char** argv) {
  return concord::conformance::measure(argc > 1 ? argv[1] : concord::conformance::kLayer);
}
