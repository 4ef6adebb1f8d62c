// SPDX-License-Identifier: Apache-2.0
#include "spec/unusual_attributes.h"

#include <algorithm>

#include "spec/walk_attributes.h"

namespace concord {
namespace {

struct Collector {
  std::span<const std::string_view> known;
  std::vector<std::string_view> keys{};

  template <class Value>
  void operator()(const AttributeFacts& facts, const Value& value, const Value& usual) {
    if (value != usual) add(facts.key);
  }
  void pair(std::string_view key, const Rational&, const Rational&) { add(key); }
  void padding(std::string_view key, TfPadding, const std::string&) { add(key); }

 private:
  void add(std::string_view key) {
    if (std::find(known.begin(), known.end(), key) == known.end()) keys.push_back(key);
  }
};

}  // namespace

std::vector<std::string_view> unusual_attributes(const Problem& problem,
                                                 std::span<const std::string_view> known) {
  Collector collector{known};
  std::visit([&](const auto& a) { walk_attributes(a, spatial_rank(problem.src), collector); },
             problem.attributes);
  return collector.keys;
}

}  // namespace concord
