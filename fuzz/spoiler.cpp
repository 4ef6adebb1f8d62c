// SPDX-License-Identifier: Apache-2.0
#include "fuzz/spoiler.h"

#include <algorithm>

#include "fuzz/picks.h"
#include "spec/walk_attributes.h"

namespace concord::fuzz {
namespace {

Rational pick_rational(Number number) {
  const Extent numerator = std::max(number(), -INT64_MAX);
  return {numerator, pick_of<Extent>({1, 2, 3, Extent{1} << 31, INT64_MAX})};
}

/// Walks over attributes, and spoils the one that has its turn.
class Spoiler {
 public:
  Spoiler(Number number, Extent target) : number_(number), target_(target) {}

  void operator()(const AttributeFacts&, Extents& values, const Extents&) {
    if (has_turn()) spoil_list(values, number_);
  }
  void operator()(const AttributeFacts&, Extent& value, Extent) {
    if (has_turn()) value = number_();
  }
  void operator()(const AttributeFacts&, Rational& value, const Rational&) {
    if (has_turn()) value = pick_rational(number_);
  }
  void operator()(const AttributeFacts&, Rationals& values, const Rationals&) {
    if (!has_turn()) return;
    if (values.empty() || one_in(4)) values.resize(static_cast<std::size_t>(pick(0, 4)), 1);
    if (values.empty()) return;
    values[static_cast<std::size_t>(pick(1, std::ssize(values))) - 1] = pick_rational(number_);
  }
  template <class Enum>
  void operator()(const AttributeFacts&, Enum& value, Enum) {
    if (has_turn()) value = static_cast<Enum>(pick(0, std::ssize(kWords<Enum>) - 1));
  }
  void pair(std::string_view, Rational& first, Rational& second) {
    if (has_turn()) (one_in(2) ? first : second) = pick_rational(number_);
  }
  void padding(std::string_view, TfPadding& padding, std::string& other) {
    if (has_turn()) misspell(padding, other);
  }

  Extent seen() const { return seen_; }

 private:
  bool has_turn() { return seen_++ == target_; }

  Number number_;
  Extent target_;
  Extent seen_ = 0;
};

Extent walk(Problem& problem, Number number, Extent target) {
  Spoiler spoiler(number, target);
  std::visit([&](auto& a) { walk_attributes(a, spatial_rank(problem.src), spoiler); },
             problem.attributes);
  return spoiler.seen();
}

}  // namespace

void spoil_attribute(Problem& problem, Number number) {
  if (const Extent attributes = walk(problem, number, -1); attributes > 0) {
    walk(problem, number, pick(0, attributes - 1));
  }
}

void misspell(TfPadding& padding, std::string& other) {
  padding = TfPadding::kOther;
  other = pick_of<std::string>({"same", "valid", "Same", "FULL", ""});
}

}  // namespace concord::fuzz
