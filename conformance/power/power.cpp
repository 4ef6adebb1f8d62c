// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <thread>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/oracle/fast_oracle.h"

namespace concord::conformance {
namespace {

// A layer has so many output channels, and images for the rest.
constexpr Extent kMostChannels = 128;
// Of a kernel that tiles are for.
constexpr Extent kTaps = 9;

// Winograd's F(m x m, 3 x 3) has no smaller kernel.
bool has_length(const Suspect& suspect, Extent length) {
  return suspect.tile == 0 || suspect.fourier || length >= kTaps;
}

Problem make_problem(const Suspect& suspect, Dtype dtype, Extent length, int outputs) {
  const bool tiled = suspect.tile != 0;
  const Extent kernel = tiled && length >= kTaps ? 3 : 1, size = tiled ? suspect.tile + 2 : 1;
  const Extent IC = kernel > 1 ? length / kTaps : length;
  const Extent plane = (size - kernel + 1) * (size - kernel + 1);
  const Extent wanted = (Extent{1} << outputs) / plane;
  const Extent OC = std::clamp<Extent>(wanted, 1, kMostChannels);
  const Extent N = std::max<Extent>(wanted / OC, 1);
  Problem problem;
  problem.dtype = dtype;
  problem.src.dims = {N, IC, size, size};
  problem.weights.dims = {OC, IC, kernel, kernel};
  if (suspect.bias_bits != 0) problem.bias = Tensor{{OC}, {}};
  problem.attributes = ConvolutionAttributes{
      {{1, 1}, {0, 0}, {0, 0}, {1, 1}, AutoPad::kNone, 1, DataFormat::kNCX}, WeightsFormat::kOIX};
  return problem;
}

char statistic_of(const PowerOptions& options, const ErrorSums& sums) {
  const StatisticalFinding f = judge_statistical(options.dtype, options.declared, sums);
  if (f.mean_square > f.mean_square_limit) return 'M';
  if (f.channels > f.channels_limit) return 'C';
  return f.drift > f.drift_limit ? 'D' : 'G';
}

// The criterion that sees the suspect in one draw of a case's data; nothing if the case passes or
// is vacuous.
std::optional<char> judge_draw(const Suspect& suspect, Fill fill, const Problem& problem,
                               const PowerOptions& options, std::uint64_t seed) {
  const auto geometry = reference::resolve(problem);
  const reference::Geometry& g = geometry->discrete();
  const Inputs inputs = fill_inputs(fill, seed, problem, *geometry, options.declared);
  const auto oracle = evaluate_fast(problem, g, inputs.src, inputs.weights, inputs.bias, 1);
  const OutputShape shape = output_shape(geometry->dst.dims, 1);
  const Expectation expected{fill,   options.dtype, options.declared, *geometry, shape,
                             inputs, oracle};
  const auto got = compute(suspect, g, inputs, oracle.value, seed);
  const DataVerdict judged = judge_data(expected, assess_data(expected), got);
  if (judged.verdict != Verdict::kFail) return std::nullopt;
  if (judged.tier == Tier::kStatistical) return statistic_of(options, judged.errors->sums);
  if (fill == Fill::kSparse) return 'S';
  return static_cast<char>(std::toupper(to_string(judged.tier).front()));
}

// The same of the case: what only statistics see they have to see in two draws.
std::optional<char> judge_case(const Suspect& suspect, Fill fill, const Problem& problem,
                               const PowerOptions& options) {
  constexpr std::string_view kStatistics = "MDGC";
  constexpr std::uint64_t kOfSecond = 1'000'000;
  const auto seen = judge_draw(suspect, fill, problem, options, options.seed);
  if (!seen || kStatistics.find(*seen) == std::string_view::npos) return seen;
  const auto again = judge_draw(suspect, fill, problem, options, options.seed + kOfSecond);
  return again ? seen : std::nullopt;
}

}  // namespace

std::optional<Seen> find_power(const Suspect& suspect, Extent length, const PowerOptions& options) {
  if (!has_length(suspect, length)) return std::nullopt;
  for (int outputs = 0; outputs <= options.most_outputs; ++outputs) {
    const Problem problem = make_problem(suspect, options.dtype, length, outputs);
    const Extent products = *element_count(problem.weights.dims) * problem.src.dims[0];
    if (outputs > 0 && products > Extent{1} << options.most_products) break;
    for (const Fill fill : options.fills) {
      if (const auto criterion = judge_case(suspect, fill, problem, options)) {
        return Seen{*criterion, outputs};
      }
    }
  }
  return std::nullopt;
}

std::string power_table(const PowerOptions& options) {
  std::vector<Suspect> rows = suspects(options.dtype);
  std::erase_if(rows, [&](const Suspect& each) {
    return each.name.find(options.suspect) == std::string::npos;
  });
  std::vector<std::string> cells(rows.size() * options.lengths.size());
  // A row a thread: they have nothing in common.
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < cells.size(); at = next++) {
      const Suspect& suspect = rows[at / options.lengths.size()];
      const Extent length = options.lengths[at % options.lengths.size()];
      const auto seen = find_power(suspect, length, options);
      cells[at] = seen ? fmt::format("{}{}", seen->criterion, seen->outputs)
                  : has_length(suspect, length) ? "-"
                                                : "";
    }
  };
  std::vector<std::jthread> workers(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& worker : workers) worker = std::jthread(work);
  workers.clear();

  std::string table =
      fmt::format("| {} declared `{}` |", to_string(options.dtype), print(options.declared));
  for (const Extent length : options.lengths) table += fmt::format(" {} |", length);
  table += "\n|---|";
  for (std::size_t i = 0; i < options.lengths.size(); ++i) table += "---|";
  for (std::size_t at = 0; at < cells.size(); ++at) {
    if (at % options.lengths.size() == 0) {
      table += fmt::format("\n| {} |", rows[at / options.lengths.size()].name);
    }
    table += fmt::format(" {} |", cells[at]);
  }
  return table + "\n";
}

}  // namespace concord::conformance
