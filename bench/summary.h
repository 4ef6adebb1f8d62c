// SPDX-License-Identifier: Apache-2.0
// What the figures of many layers say together.
#ifndef CONCORD_BENCH_SUMMARY_H_
#define CONCORD_BENCH_SUMMARY_H_

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/competitor.h"

namespace concord::bench {

/// One measured layer.
struct Outcome {
  std::string name, family, problem;
  std::string algorithm;  ///< of the engine, and its kernels
  double share;           ///< of the limit, which is 1; 0 where no limit was measured
  /// By competitor: its time over the engine's.
  std::map<std::string, double> ratios{};
  std::map<std::string, Footprint> footprints{};  ///< of those who tell, the engine's as "concord"
  /// Of one of the worst, measured anew: over the competitor for which it is one.
  std::optional<double> again{};
};

struct Aggregate {
  std::size_t layers = 0;
  double mean = 0;  ///< geometric
  double low = 0;   ///< the 5th percentile: of 1 to 20 layers the least
  double least = 0;
};
/// `values` is not empty.
Aggregate aggregate_of(std::vector<double> values);

/// The ratios over one competitor, of all layers or of a family's if it is not empty.
std::vector<double> ratios_over(const std::vector<Outcome>& outcomes, const std::string& competitor,
                                const std::string& family = "");

/// The ten worst layers over the first competitor that was measured, as places among `outcomes`,
/// the worst first.
struct Worst {
  std::string competitor{};
  std::vector<std::size_t> places{};
};
Worst worst_of(const std::vector<Outcome>& outcomes, const std::vector<std::string>& competitors);

/// In bytes.
double total(const Footprint& footprint);

/// Prints what the engine and a competitor need of memory over the layers that both serve; nothing
/// if the competitor does not tell.
void print_footprints(const std::vector<Outcome>& outcomes, const std::string& competitor);

/// Prints for each family mean and least over every competitor and the share of the limit, then
/// the ten worst layers over the first competitor that was measured.
void print_families(const std::vector<Outcome>& outcomes,
                    const std::vector<std::string>& competitors);
/// The same figures: {"competitors", "families", "worst", "again", "share"}.
nlohmann::json summary_json(const std::vector<Outcome>& outcomes,
                            const std::vector<std::string>& competitors);

}  // namespace concord::bench

#endif  // CONCORD_BENCH_SUMMARY_H_
