// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/catalogue.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace concord::backends::faulty {
namespace {

std::vector<Bug> gather() {
  std::vector<Bug> all;
  for (const auto bugs : {padding_bugs(),
                          window_bugs(),
                          channel_bugs(),
                          layout_bugs(),
                          arithmetic_bugs(),
                          class_bugs(),
                          special_bugs(),
                          memory_bugs(),
                          state_bugs(),
                          behaviour_bugs(),
                          conduct_bugs(),
                          cntk_bugs(),
                          cntk_layout_bugs(),
                          block_bugs(),
                          chain_bugs(),
                          continuous_bugs(),
                          continuous_kernel_bugs(),
                          continuous_gradient_bugs(),
                          continuous_more_bugs(),
                          cntk_gradient_bugs(),
                          cntk_memory_bugs(),
                          cntk_narrow_bugs(),
                          continuous_narrow_bugs(),
                          choice_bugs(),
                          f64_bugs(),
                          size_bugs(),
                          split_bugs(),
                          offset_bugs()}) {
    all.insert(all.end(), bugs.begin(), bugs.end());
  }
  return all;
}

// How many letters must be put in, taken out or changed to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<Bug>& catalogue() {
  static const std::vector<Bug> bugs = gather();
  return bugs;
}

const Bug* find_bug(std::string_view name) {
  static const Bug none{"none", "none", "Nothing is wrong.", "", {.doubles = {.served = true}}};
  if (name == none.name) return &none;
  const auto& bugs = catalogue();
  const auto found =
      std::find_if(bugs.begin(), bugs.end(), [&](const Bug& bug) { return name == bug.name; });
  return found == bugs.end() ? nullptr : &*found;
}

const std::string& catalogue_text() {
  constexpr const char* kShows[] = {"always", "by chance", "beyond 32 bits"};
  static const std::string text = [&] {
    std::string lines;
    for (const Bug& bug : catalogue()) {
      lines.append(bug.name).append("\t").append(bug.family).append("\t");
      lines.append(bug.sentence).append("\t").append(bug.source).append("\t");
      lines.append(kShows[static_cast<std::size_t>(bug.shows)]).append("\n");
    }
    return lines;
  }();
  return text;
}

std::string near_names(std::string_view name) {
  std::vector<std::pair<std::size_t, const char*>> ranked;
  for (const Bug& bug : catalogue()) ranked.emplace_back(edit_distance(name, bug.name), bug.name);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ranked.resize(std::min<std::size_t>(ranked.size(), 5));
  std::string names;
  for (const auto& [distance, near] : ranked) names.append(names.empty() ? "" : ", ").append(near);
  return names;
}

}  // namespace concord::backends::faulty
