// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "conformance/catalog/extents.h"
#include "conformance/run/traits.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

/// What is known of one problem, by name.
struct Features {
  std::set<std::string> words{};  ///< "operation = Convolution", "bias"
  std::vector<std::pair<std::string, Extent>> numbers{};
};

void add_words(const Case& source, bool is_valid, Features& features) {
  const Problem& p = source.problem;
  const auto add = [&](bool holds, std::string text) {
    if (holds) features.words.insert(std::move(text));
  };
  add(!is_valid, "the problem is invalid");
  add(p.bias.has_value(), "there is a bias");
  add(!p.bias, "there is no bias");
  add(!p.src.strides.empty(), "src has strides");
  add(!p.weights.strides.empty(), "weights have strides");
  add(p.bias && !p.bias->strides.empty(), "bias has strides");
  add(p.dst && !p.dst->strides.empty(), "dst has strides");
  add(true, fmt::format("operation = {}", to_string(p.operation())));
  add(true, fmt::format("dtype = {}", to_string(p.dtype)));
  add(p.dtype != Dtype::kF32, "dtype != f32");
  if (is_discrete(p.operation())) {
    add(true, fmt::format("data_format = {}", to_string(data_format_of(p))));
    add(true, fmt::format("weights_format = {}", to_string(weights_format_of(p))));
  }
  add(true, fmt::format("reading = {}", to_string(p.reading)));
  add(true, fmt::format("fill = {}", to_string(source.fill)));
  if (const SpatialAttributes* a = spatial_attributes(p)) {
    add(true, fmt::format("auto_pad = {}", to_string(a->auto_pad)));
    add(a->auto_pad == AutoPad::kSameUpper || a->auto_pad == AutoPad::kSameLower,
        "auto_pad = same_upper or same_lower");
  }
}

// A number of each axis as "stride_w", and the largest and smallest of all as "stride" and
// "least stride".
void add_spatial(std::string_view name, const reference::Spatial& values, std::size_t rank,
                 Features& features) {
  constexpr std::string_view kAxes[] = {"d", "h", "w"};
  const auto begin = values.end() - static_cast<std::ptrdiff_t>(rank);
  features.numbers.emplace_back(name, *std::max_element(begin, values.end()));
  features.numbers.emplace_back(fmt::format("least {}", name),
                                *std::min_element(begin, values.end()));
  for (std::size_t axis = 3 - rank; axis < 3; ++axis) {
    features.numbers.emplace_back(fmt::format("{}_{}", name, kAxes[axis]), values[axis]);
  }
}

void add_numbers(const reference::Geometry& g, Features& features) {
  features.numbers = {{"groups", g.G},
                      {"channels of a group", g.ICG()},
                      {"output channels of a group", g.OCG()},
                      {"batch", g.N},
                      {"spatial axes", static_cast<Extent>(g.spatial_rank)},
                      {"input channels", g.IC},
                      {"output channels", g.OC},
                      {"products", g.products()}};
  add_spatial("stride", g.S, g.spatial_rank, features);
  add_spatial("dilation", g.D, g.spatial_rank, features);
  add_spatial("kernel", g.K, g.spatial_rank, features);
  add_spatial("pad_begin", g.P_begin, g.spatial_rank, features);
  add_spatial("pad_end", g.P_end, g.spatial_rank, features);
  add_spatial("input", g.I, g.spatial_rank, features);
  add_spatial("output", g.O, g.spatial_rank, features);
}

Features features_of(const Case& source) {
  Features features;
  const auto geometry = reference::resolve(source.problem);
  add_words(source, static_cast<bool>(geometry), features);
  if (is_discrete(source.problem.operation())) {
    if (geometry) add_numbers(geometry->discrete(), features);
  } else {
    for (const std::string& trait : traits_of(source.problem)) features.words.insert(trait);
  }
  return features;
}

// More thresholds than these of one number say nothing that a reader would believe.
constexpr std::size_t kThresholds = 12;

/// Collects conditions; those that hold everywhere or nowhere are left out.
class Collector {
 public:
  explicit Collector(const std::vector<const Case*>& cases) {
    for (const Case* source : cases) {
      features_.push_back(features_of(*source));
      std::map<std::string, Extent>& numbers = numbers_.emplace_back();
      for (const auto& [name, value] : features_.back().numbers) {
        numbers[name] = value;
        const auto known = std::find(names_.begin(), names_.end(), name);
        if (known == names_.end()) names_.push_back(name);
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
    }
    for (const char* axis : {"", "_d", "_h", "_w"}) {
      relate(fmt::format("pad_begin{}", axis), fmt::format("pad_end{}", axis));
    }
    relate("input channels", "output channels");
    relate("groups", "input channels");
    for (const std::string& name : names_) add_thresholds(name);
    return std::move(conditions_);
  }

 private:
  std::optional<Extent> number(std::size_t i, const std::string& name) const {
    const auto found = numbers_[i].find(name);
    return found == numbers_[i].end() ? std::nullopt : std::optional(found->second);
  }

  template <class Holds>
  void add(std::string text, Holds holds) {
    Condition condition{std::move(text), std::vector<bool>(features_.size())};
    std::size_t count = 0;
    for (std::size_t i = 0; i < features_.size(); ++i) {
      condition.holds[i] = holds(i);
      count += condition.holds[i] ? 1U : 0U;
    }
    if (count != 0 && count != features_.size()) conditions_.push_back(std::move(condition));
  }

  template <class Holds>
  void compare(const std::string& name, const std::string& rest, Holds holds) {
    add(fmt::format("{} {}", name, rest), [&](std::size_t i) {
      const auto value = number(i, name);
      return value && holds(*value);
    });
  }

  void relate(const std::string& a, const std::string& b) {
    const auto both = [&](bool equal) {
      return [&, equal](std::size_t i) {
        const auto x = number(i, a), y = number(i, b);
        return x && y && (*x == *y) == equal;
      };
    };
    add(fmt::format("{} != {}", a, b), both(false));
    add(fmt::format("{} = {}", a, b), both(true));
  }

  void add_thresholds(const std::string& name) {
    std::set<Extent> values;
    for (std::size_t i = 0; i < features_.size(); ++i) {
      if (const auto value = number(i, name)) values.insert(*value);
    }
    std::size_t used = 0;
    for (const Extent t : values) {
      if (used++ == kThresholds) break;
      compare(name, fmt::format("= {}", t), [t](Extent v) { return v == t; });
      if (t != 1) compare(name, fmt::format("> {}", t), [t](Extent v) { return v > t; });
      compare(name, fmt::format("<= {}", t), [t](Extent v) { return v <= t; });
    }
    for (const Extent block : {2, 4, 8, 16}) {
      compare(name, fmt::format("is no multiple of {}", block),
              [block](Extent v) { return v % block != 0; });
    }
  }

  std::vector<Features> features_{};
  std::vector<std::map<std::string, Extent>> numbers_{};
  std::vector<std::string> names_{};  ///< of all numbers, in the order of Features
  std::vector<Condition> conditions_{};
};

}  // namespace

std::vector<Condition> conditions_of(const std::vector<const Case*>& cases) {
  return Collector(cases).run();
}

}  // namespace concord::conformance
