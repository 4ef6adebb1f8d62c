// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/shard.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace concord::conformance {

std::vector<std::size_t> places_of_shard(std::span<const double> costs, const Shard& shard) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (shard.count == 1) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  using Part = std::pair<double, std::size_t>;  // what it costs so far, its index
  std::priority_queue<Part, std::vector<Part>, std::greater<>> parts;
  // Further parts are empty.
  for (std::size_t index = 1; index <= std::min(shard.count, costs.size()); ++index) {
    parts.emplace(0, index);
  }
  std::vector<std::size_t> places;
  for (const std::size_t place : order) {
    auto [cost, index] = parts.top();
    parts.pop();
    if (index == shard.index) places.push_back(place);
    parts.emplace(cost + costs[place], index);
  }
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace concord::conformance
