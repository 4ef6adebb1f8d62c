// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/row_completion.h"

#include <algorithm>
#include <utility>

namespace concord::conformance {

bool RowCompletion::complete(Row& row) {
  if (!model_.allowed(row)) return false;
  std::vector<std::size_t> open;
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (row[f] == kOpen) open.push_back(f);
  }
  for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[random_.below(i)]);
  return complete(row, open, 0);
}

bool RowCompletion::complete(Row& row, const std::vector<std::size_t>& open, std::size_t place) {
  if (place == open.size()) return true;
  const std::size_t factor = open[place];
  std::vector<std::pair<std::size_t, int>> order;
  const auto levels = static_cast<std::size_t>(model_.levels[factor]);
  const std::size_t turn = random_.below(levels);  // so that ties do not favour the first level
  for (std::size_t i = 0; i < levels; ++i) {
    const int level = static_cast<int>((i + turn) % levels);
    order.emplace_back(gain_(row, factor, level), level);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [ignored, level] : order) {
    row[factor] = level;
    if (model_.allowed(row) && complete(row, open, place + 1)) return true;
  }
  row[factor] = kOpen;
  return false;
}

}  // namespace concord::conformance
