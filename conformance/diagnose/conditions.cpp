// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "conformance/diagnose/features.h"

namespace concord::conformance {
namespace {

// More thresholds than these of one number say nothing that a reader would believe.
constexpr std::size_t kThresholds = 12;
// Some seconds of the reference.
constexpr double kMostProducts = 4e9;

/// Collects conditions; those that hold everywhere or nowhere, or where another one does, are left
/// out.
class Collector {
 public:
  Collector(const std::vector<Subject>& cases, int threads) {
    double cost = 0;
    for (const Subject& each : cases) {
      features_.push_back(features_of(*each.source));
      cost += evaluation_cost(*each.source);
    }
    for (std::size_t i = 0; i < cases.size() && cost <= kMostProducts; ++i) {
      add_data_features(*cases[i].source, cases[i].result->arithmetic, threads, features_[i]);
    }
    nobody_.resize(features_.size());
    for (std::size_t i = 0; i < features_.size(); ++i) {
      for (const auto& [name, value] : features_[i].numbers) {
        std::vector<std::optional<Extent>>& column = numbers_[name];
        if (column.empty()) names_.push_back(name);
        column.resize(features_.size());
        column[i] = value;
      }
    }
  }

  std::vector<Condition> run() {
    std::set<std::string> words;
    for (const Features& f : features_) words.insert(f.words.begin(), f.words.end());
    for (const std::string& word : words) {
      add(word, [&](std::size_t i) { return features_[i].words.contains(word); });
    }
    for (const std::string& name : names_) compare(name, "> 1", [](Extent v) { return v > 1; });
    for (const char* name : {"stride", "dilation", "kernel", "pad_begin", "pad_end", "input"}) {
      relate(fmt::format("{}_h", name), fmt::format("{}_w", name));
      relate(fmt::format("{}_1", name), fmt::format("{}_2", name));
    }
    for (const char* axis : {"", "_1", "_2", "_3", "_4"}) {
      relate(fmt::format("lower padding{}", axis), fmt::format("upper padding{}", axis));
    }
    for (const char* axis : {"", "_d", "_h", "_w"}) {
      relate(fmt::format("pad_begin{}", axis), fmt::format("pad_end{}", axis));
    }
    relate("input channels", "output channels");
    relate("groups", "input channels");
    // Before a threshold that all operations of a kind exceed.
    std::set<std::string_view> kinds;
    for (const Features& f : features_) kinds.insert(f.kind);
    for (const std::string_view kind : kinds) {
      add(fmt::format("the operation is {}", kind),
          [&](std::size_t i) { return features_[i].kind == kind; });
    }
    for (const std::string& name : names_) add_thresholds(name);
    return std::move(conditions_);
  }

 private:
  /// A number of all cases.
  const std::vector<std::optional<Extent>>& column(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? nobody_ : found->second;
  }

  template <class Holds>
  void add(std::string text, Holds holds) {
    Condition condition{std::move(text), std::vector<bool>(features_.size())};
    std::size_t count = 0;
    for (std::size_t i = 0; i < features_.size(); ++i) {
      condition.holds[i] = holds(i);
      count += condition.holds[i] ? 1U : 0U;
    }
    if (count == 0 || count == features_.size()) return;
    // Of several that hold of the same cases the first, which is the plainest.
    if (known_.insert(condition.holds).second) conditions_.push_back(std::move(condition));
  }

  template <class Holds>
  void compare(const std::string& name, const std::string& rest, Holds holds) {
    const auto& values = column(name);
    add(fmt::format("{} {}", name, rest),
        [&](std::size_t i) { return values[i] && holds(*values[i]); });
  }

  void relate(const std::string& a, const std::string& b) {
    const auto &x = column(a), &y = column(b);
    const auto both = [&](bool equal) {
      return [&, equal](std::size_t i) { return x[i] && y[i] && (*x[i] == *y[i]) == equal; };
    };
    add(fmt::format("{} != {}", a, b), both(false));
    add(fmt::format("{} = {}", a, b), both(true));
  }

  void add_thresholds(const std::string& name) {
    std::set<Extent> values;
    for (const auto& value : column(name)) {
      if (value) values.insert(*value);
    }
    std::size_t used = 0;
    for (const Extent t : values) {
      if (used++ == kThresholds) break;
      compare(name, fmt::format("= {}", t), [t](Extent v) { return v == t; });
      if (t != 1) compare(name, fmt::format("> {}", t), [t](Extent v) { return v > t; });
      compare(name, fmt::format("<= {}", t), [t](Extent v) { return v <= t; });
    }
    for (const Extent block : {2, 4, 8, 16}) {
      compare(name, fmt::format("is not a multiple of {}", block),
              [block](Extent v) { return v % block != 0; });
    }
  }

  std::vector<Features> features_{};
  std::map<std::string, std::vector<std::optional<Extent>>> numbers_{};
  std::vector<std::optional<Extent>> nobody_{};
  std::vector<std::string> names_{};  ///< of all numbers, in the order of Features
  std::vector<Condition> conditions_{};
  std::unordered_set<std::vector<bool>> known_{};
};

}  // namespace

std::vector<Condition> conditions_of(const std::vector<Subject>& cases, int threads) {
  return Collector(cases, threads).run();
}

}  // namespace concord::conformance
