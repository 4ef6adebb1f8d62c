// SPDX-License-Identifier: Apache-2.0
// How fast the oracle is: prints the layer, and 10^9 multiplications a second of the literal loops
// and of the fast oracle on one and on two threads, the best of a few times.
// Of a file of problems, as `concord run --problems` takes it: what one thread does with reals and
// with integers, a problem a line.
// usage: oracle_speed [PROBLEM_LINE | --problems FILE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <string_view>

#include "conformance/catalog/extents.h"
#include "conformance/fill/fill.h"
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

int measure_file(const char* path) {
  std::ifstream file(path);
  double work_of_all = 0, seconds[2] = {0, 0};
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    const auto problem = parse(colon == std::string::npos ? line : line.substr(colon + 2));
    const auto geometry = problem ? reference::resolve_discrete(*problem) : problem.why();
    if (!geometry) continue;  // a comment
    const Extent work = count_macs(*geometry);
    fmt::print("{:28} {:7.1f} million", line.substr(0, colon), static_cast<double>(work) / 1e6);
    work_of_all += static_cast<double>(work) / 1e9;
    for (const Fill fill : {Fill::kUniform, Fill::kIntegers}) {
      const Inputs in =
          fill_inputs(fill, 1, problem->dtype, *geometry, problem->bias.has_value(), {});
      const double rate = best_rate(
          work, [&] { evaluate_fast(*problem, *geometry, in.src, in.weights, in.bias, 1); });
      fmt::print("  {} {:6.2f}", fill == Fill::kUniform ? "reals" : "integers", rate);
      seconds[fill == Fill::kUniform ? 0 : 1] += static_cast<double>(work) / 1e9 / rate;
    }
    fmt::print(" GMAC/s\n");
  }
  fmt::print("all: reals {:.2f}, integers {:.2f} GMAC/s\n", work_of_all / seconds[0],
             work_of_all / seconds[1]);
  return 0;
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
  if (argc > 2 && argv[1] == std::string_view("--problems")) {
    return concord::conformance::measure_file(argv[2]);
  }
  return concord::conformance::measure(argc > 1 ? argv[1] : concord::conformance::kLayer);
}
