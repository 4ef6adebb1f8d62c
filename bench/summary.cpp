// SPDX-License-Identifier: Apache-2.0
#include "bench/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace concord::bench {
namespace {

constexpr std::size_t kWorst = 10;

// Those against which a layer was measured.
std::vector<std::string> measured(const std::vector<Outcome>& outcomes,
                                  const std::vector<std::string>& competitors) {
  std::vector<std::string> result;
  for (const auto& name : competitors) {
    if (!ratios_over(outcomes, name).empty()) result.push_back(name);
  }
  return result;
}

std::set<std::string> families_of(const std::vector<Outcome>& outcomes) {
  std::set<std::string> families;
  for (const Outcome& outcome : outcomes) families.insert(outcome.family);
  return families;
}

std::vector<double> shares_of(const std::vector<Outcome>& outcomes, const std::string& family) {
  std::vector<double> shares;
  for (const Outcome& outcome : outcomes) {
    if (!family.empty() && outcome.family != family) continue;
    if (outcome.share > 0) shares.push_back(outcome.share);
  }
  return shares;
}

nlohmann::json to_json(const Aggregate& a) {
  return {{"layers", a.layers}, {"mean", a.mean}, {"percentile_5", a.low}, {"least", a.least}};
}

}  // namespace

Aggregate aggregate_of(std::vector<double> values) {
  std::ranges::sort(values);
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return {.layers = values.size(),
          .mean = std::exp(sum / static_cast<double>(values.size())),
          .low = values[(values.size() - 1) / 20],
          .least = values[0]};
}

std::vector<double> ratios_over(const std::vector<Outcome>& outcomes, const std::string& competitor,
                                const std::string& family) {
  std::vector<double> ratios;
  for (const Outcome& outcome : outcomes) {
    if (!family.empty() && outcome.family != family) continue;
    const auto ratio = outcome.ratios.find(competitor);
    if (ratio != outcome.ratios.end()) ratios.push_back(ratio->second);
  }
  return ratios;
}

double total(const Footprint& footprint) {
  return static_cast<double>(footprint.packed) + static_cast<double>(footprint.workspace);
}

void print_footprints(const std::vector<Outcome>& outcomes, const std::string& competitor) {
  constexpr double kMiB = 1 << 20;
  double ours = 0, theirs = 0, our_most = 0, their_most = 0;
  std::size_t less = 0, layers = 0;
  for (const Outcome& outcome : outcomes) {
    const auto their = outcome.footprints.find(competitor);
    if (their == outcome.footprints.end()) continue;
    const double our_bytes = total(outcome.footprints.at("concord"));
    const double their_bytes = total(their->second);
    ours += our_bytes;
    theirs += their_bytes;
    our_most = std::max(our_most, our_bytes);
    their_most = std::max(their_most, their_bytes);
    less += our_bytes <= their_bytes ? 1 : 0;
    ++layers;
  }
  if (layers == 0) return;
  fmt::print(
      "memory beside {}: packed weights and workspace of all layers {:.1f} for {:.1f} MiB, the "
      "most {:.1f} for {:.1f}; no more in {} of {} layers\n",
      competitor, ours / kMiB, theirs / kMiB, our_most / kMiB, their_most / kMiB, less, layers);
}

Worst worst_of(const std::vector<Outcome>& outcomes, const std::vector<std::string>& competitors) {
  const auto against = measured(outcomes, competitors);
  if (against.empty()) return {};
  Worst worst{.competitor = against[0]};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].ratios.contains(worst.competitor)) worst.places.push_back(i);
  }
  std::ranges::stable_sort(worst.places, {},
                           [&](auto i) { return outcomes[i].ratios.at(worst.competitor); });
  worst.places.resize(std::min(worst.places.size(), kWorst));
  return worst;
}

void print_families(const std::vector<Outcome>& outcomes,
                    const std::vector<std::string>& competitors) {
  const auto against = measured(outcomes, competitors);
  fmt::print("\n{:26} {:>6} {:>6}", "family", "layers", "limit");
  for (const auto& name : against) fmt::print("  {:>14}", name + " mean/least");
  fmt::print("\n");
  auto families = families_of(outcomes);
  families.insert("");
  for (const auto& family : families) {
    const auto count = std::ranges::count_if(
        outcomes, [&](const auto& o) { return family.empty() || o.family == family; });
    const auto shares = shares_of(outcomes, family);
    fmt::print("{:26} {:>6} {:>6}", family.empty() ? "all" : family, count,
               shares.empty() ? "-" : fmt::format("{:.0f} %", 100 * aggregate_of(shares).mean));
    for (const auto& name : against) {
      const auto ratios = ratios_over(outcomes, name, family);
      const Aggregate a = ratios.empty() ? Aggregate{} : aggregate_of(ratios);
      fmt::print("  {:>{}}", ratios.empty() ? "-" : fmt::format("{:.2f} / {:.2f}", a.mean, a.least),
                 std::max<std::size_t>(name.size() + 11, 14));
    }
    fmt::print("\n");
  }
  const Worst worst = worst_of(outcomes, competitors);
  if (worst.places.empty()) return;
  fmt::print("\nworst over {}, and measured again\n", worst.competitor);
  for (const std::size_t place : worst.places) {
    const Outcome& outcome = outcomes[place];
    fmt::print("{:.3f} {} {} {}, {}: {}\n", outcome.ratios.at(worst.competitor),
               outcome.again ? fmt::format("{:.3f}", *outcome.again) : "-", outcome.name,
               outcome.family, outcome.algorithm, outcome.problem);
  }
}

nlohmann::json summary_json(const std::vector<Outcome>& outcomes,
                            const std::vector<std::string>& competitors) {
  nlohmann::json all = {{"competitors", nlohmann::json::object()},
                        {"families", nlohmann::json::object()},
                        {"worst", nlohmann::json::array()},
                        {"again", nlohmann::json::array()}};
  const auto against = measured(outcomes, competitors);
  const auto families = families_of(outcomes);
  for (const auto& name : against) {
    all["competitors"][name] = to_json(aggregate_of(ratios_over(outcomes, name)));
    for (const auto& family : families) {
      const auto ratios = ratios_over(outcomes, name, family);
      if (!ratios.empty()) all["families"][family][name] = to_json(aggregate_of(ratios));
    }
  }
  for (const std::size_t place : worst_of(outcomes, competitors).places) {
    const Outcome& outcome = outcomes[place];
    all["worst"].push_back(outcome.name);
    all["again"].push_back(outcome.again ? nlohmann::json(*outcome.again) : nlohmann::json());
  }
  const auto shares = shares_of(outcomes, "");
  all["share"] = shares.empty() ? nlohmann::json() : nlohmann::json(aggregate_of(shares).mean);
  return all;
}

}  // namespace concord::bench
