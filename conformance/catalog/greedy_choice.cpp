// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/greedy_choice.h"

#include <algorithm>
#include <numeric>

namespace concord::conformance {
namespace {

// For each bug how many finds are wanted: `times`, or as many as there are.
std::vector<int> wanted_finds(const std::vector<Candidate>& candidates, int times) {
  std::vector<int> wanted;
  for (const Candidate& candidate : candidates) {
    for (const std::size_t bug : candidate.finds) {
      if (bug >= wanted.size()) wanted.resize(bug + 1);
      wanted[bug] = std::min(wanted[bug] + 1, times);
    }
  }
  return wanted;
}

std::ptrdiff_t lacking_finds(const Candidate& candidate, const std::vector<int>& lacking) {
  return std::count_if(candidate.finds.begin(), candidate.finds.end(),
                       [&](std::size_t bug) { return lacking[bug] > 0; });
}

// The candidate, not chosen yet, that gives most for its cost; `candidates.size()` if none gives.
std::size_t best_of(const std::vector<Candidate>& candidates, const std::vector<int>& lacking,
                    const std::vector<bool>& chosen) {
  std::size_t best = candidates.size();
  double best_worth = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (chosen[i]) continue;
    const auto finds = static_cast<double>(lacking_finds(candidates[i], lacking));
    const double worth = finds / candidates[i].cost;
    if (worth <= best_worth) continue;
    best = i;
    best_worth = worth;
  }
  return best;
}

void drop_needless(const std::vector<Candidate>& candidates, const std::vector<int>& wanted,
                   std::vector<bool>& chosen) {
  std::vector<int> found(wanted.size(), 0);
  std::vector<std::size_t> dearest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!chosen[i]) continue;
    dearest.push_back(i);
    for (const std::size_t bug : candidates[i].finds) ++found[bug];
  }
  std::stable_sort(dearest.begin(), dearest.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].cost > candidates[b].cost;
  });
  for (const std::size_t i : dearest) {
    const auto& finds = candidates[i].finds;
    if (std::any_of(finds.begin(), finds.end(),
                    [&](std::size_t bug) { return found[bug] <= wanted[bug]; })) {
      continue;
    }
    chosen[i] = false;
    for (const std::size_t bug : finds) --found[bug];
  }
}

}  // namespace

std::vector<std::size_t> choose_greedily(const std::vector<Candidate>& candidates, int times) {
  const std::vector<int> wanted = wanted_finds(candidates, times);
  std::vector<int> lacking = wanted;
  std::vector<bool> chosen(candidates.size(), false);
  while (true) {
    const std::size_t best = best_of(candidates, lacking, chosen);
    if (best == candidates.size()) break;
    chosen[best] = true;
    for (const std::size_t bug : candidates[best].finds) --lacking[bug];
  }
  drop_needless(candidates, wanted, chosen);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) places.push_back(i);
  }
  return places;
}

}  // namespace concord::conformance
