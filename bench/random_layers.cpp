// SPDX-License-Identifier: Apache-2.0
#include "bench/random_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string_view>

namespace concord::bench {
namespace {

Refusal refuse(const std::string& detail) { return {Fault::kSyntax, detail}; }

// Takes what stands before the first `end` off `text`, or all of it.
std::string_view take(std::string_view* text, char end) {
  const auto at = text->find(end);
  const auto part = text->substr(0, at);
  *text = at == std::string_view::npos ? std::string_view() : text->substr(at + 1);
  return part;
}

std::optional<Extent> positive(std::string_view text) {
  Extent value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

// "8x56x56"; a single number stands for all axes if their number is known.
std::optional<Extents> extents(std::string_view text, std::size_t rank) {
  Extents values;
  while (!text.empty()) {
    const auto value = positive(take(&text, 'x'));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (values.size() == 1 && rank > 1) values.assign(rank, values[0]);
  if (values.empty() || values.size() > 3) return std::nullopt;
  if (rank != 0 && values.size() != rank) return std::nullopt;
  return values;
}

std::optional<Window> parse_window(std::string_view text) {
  constexpr std::string_view kValid = "valid ";
  Window window;
  window.padded = !text.starts_with(kValid);
  if (!window.padded) text.remove_prefix(kValid.size());
  const auto kernel = extents(take(&text, '/'), 0);
  if (!kernel) return std::nullopt;
  window.kernel = *kernel;
  for (Extents* list : {&window.strides, &window.dilations}) {
    const auto values = extents(text.empty() ? "1" : take(&text, '/'), kernel->size());
    if (!values) return std::nullopt;
    *list = *values;
  }
  if (!text.empty()) return std::nullopt;
  return window;
}

std::optional<Site> parse_site(std::string_view text, std::size_t rank) {
  auto channels = take(&text, '@');
  auto before = take(&channels, '/');
  const auto groups = channels.empty() ? 1 : positive(channels);
  const auto in = positive(take(&before, '>'));
  const auto out = before.empty() ? in : positive(before);
  const auto image = extents(text, rank);
  if (!groups || !in || !out || !image) return std::nullopt;
  if (*in % *groups != 0 || *out % *groups != 0) return std::nullopt;
  return Site{*in, *out, *groups, *image};
}

Result<Family> parse_family(const nlohmann::json& item) {
  if (!item.is_object() || !item.contains("family") || !item["family"].is_string()) {
    return refuse("a family without the text 'family'");
  }
  Family family{item["family"]};
  const auto weight = item.find("weight");
  if (weight == item.end() || !weight->is_number_unsigned() || *weight == 0) {
    return refuse(family.name + ": no positive number 'weight'");
  }
  family.weight = *weight;
  for (const char* key : {"windows", "sites"}) {
    if (!item.contains(key) || !item[key].is_array() || item[key].empty()) {
      return refuse(family.name + ": no list '" + key + "'");
    }
    for (const auto& text : item[key]) {
      const std::string words = text.is_string() ? text.get<std::string>() : text.dump();
      if (*key == 'w') {
        const auto window = parse_window(words);
        const bool fits = window && (family.windows.empty() ||
                                     window->kernel.size() == family.windows[0].kernel.size());
        if (!fits) return refuse(family.name + ": '" + words + "' is no window of its rank");
        family.windows.push_back(*window);
      } else {
        const auto site = parse_site(words, family.windows[0].kernel.size());
        if (!site) return refuse(family.name + ": '" + words + "' is no site of its rank");
        family.sites.push_back(*site);
      }
    }
  }
  return family;
}

// The standard's distributions differ between libraries; the generator's numbers do not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : generator_(seed) {}
  Extent below(Extent count) {
    return static_cast<Extent>(generator_() % static_cast<std::uint64_t>(count));
  }
  bool one_in(Extent count) { return below(count) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<Extent>(list.size())))];
  }

 private:
  std::mt19937_64 generator_;
};

const Family& draw_family(const std::vector<Family>& families, Draw* draw) {
  Extent sum = 0;
  for (const Family& family : families) sum += family.weight;
  Extent at = draw->below(sum);
  for (const Family& family : families) {
    if (at < family.weight) return family;
    at -= family.weight;
  }
  return families.back();
}

// In percent.
constexpr std::array<Extent, 5> kImageScales = {50, 75, 125, 150, 200};
constexpr std::array<Extent, 6> kWidths = {25, 35, 50, 75, 125, 140};
constexpr std::array<Extent, 11> kBatches = {1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 64};
constexpr Extent kMostSide = 640;

void scale_image(Site* site, Draw* draw) {
  const Extent percent = draw->of(kImageScales);
  for (Extent& extent : site->extents) {
    const Extent most = site->extents.size() == 1 ? 64 * kMostSide : std::max(kMostSide, extent);
    extent = std::clamp<Extent>(extent * percent / 100, 1, most);
  }
}

// Channels of an image stay; depthwise layers stay depthwise; groups keep their number.
void scale_channels(Site* site, Draw* draw) {
  const Extent percent = draw->of(kWidths);
  const bool rounds = draw->one_in(2);
  const bool depthwise = site->groups > 1 && site->groups == site->in;
  const auto scaled = [&](Extent channels) {
    if (channels <= 6) return channels;
    const Extent exact = std::max<Extent>(channels * percent / 100, 1);
    return rounds ? (exact + 7) / 8 * 8 : exact;
  };
  if (depthwise) {
    const Extent multiplier = site->out / site->in;
    site->in = site->groups = scaled(site->in);
    site->out = site->in * multiplier;
    return;
  }
  site->in = site->groups * scaled(site->in / site->groups);
  site->out = site->groups * scaled(site->out / site->groups);
}

std::string problem_text(const Window& window, const Site& site, Extent batch, bool has_bias) {
  Extents begin;
  Extents end;
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    const Extent reach = (window.kernel[axis] - 1) * window.dilations[axis];
    const bool overlaps = window.strides[axis] < window.kernel[axis];
    const Extent all = window.padded && overlaps ? reach : 0;
    begin.push_back(all / 2);
    end.push_back(all - all / 2);
  }
  const std::string bias = has_bias ? fmt::format(" bias={}", site.out) : "";
  return fmt::format(
      "Convolution f32 src={}x{}x{} weights={}x{}x{}{} strides={} dilations={} pads_begin={} "
      "pads_end={} groups={} data_format=NXC weights_format=XIO",
      batch, fmt::join(site.extents, "x"), site.in, fmt::join(window.kernel, "x"),
      site.in / site.groups, site.out, bias, fmt::join(window.strides, ","),
      fmt::join(window.dilations, ","), fmt::join(begin, ","), fmt::join(end, ","), site.groups);
}

// The problem, if it is valid, not empty and within the budget.
std::optional<Problem> affordable(const std::string& text) {
  const auto problem = parse(text);
  if (!problem) return std::nullopt;
  const auto shape = optimized::infer_shape(*problem);
  if (!shape || shape->is_empty()) return std::nullopt;
  for (const Tensor& tensor : {problem->src, problem->weights, shape->dst_tensor}) {
    if (*element_count(tensor.dims) > kMostElements) return std::nullopt;
  }
  if (operations_of(*shape).nominal > 2 * kMostProducts) return std::nullopt;
  return *problem;
}

std::optional<Problem> draw_problem(const Family& family, Draw* draw) {
  const Window& window = draw->of(family.windows);
  Site site = draw->of(family.sites);
  if (draw->one_in(4)) scale_image(&site, draw);
  if (draw->one_in(5)) scale_channels(&site, draw);
  const Extent batch = draw->of(kBatches);
  const bool has_bias = draw->one_in(2);
  auto problem = affordable(problem_text(window, site, batch, has_bias));
  return problem ? problem : affordable(problem_text(window, site, 1, has_bias));
}

}  // namespace

Result<std::vector<Family>> read_families(const std::string& path) {
  std::ifstream file(path);
  if (!file) return refuse("cannot read " + path);
  const auto list = nlohmann::json::parse(file, nullptr, false);
  if (!list.is_array() || list.empty()) return refuse(path + " is not a JSON list of families");
  std::vector<Family> families;
  for (const auto& item : list) {
    auto family = parse_family(item);
    if (!family) return refuse(path + ": " + family.why().detail);
    families.push_back(*std::move(family));
  }
  return families;
}

Result<std::vector<Layer>> draw_layers(const std::vector<Family>& families, int count,
                                       std::uint64_t seed) {
  Draw draw(seed);
  std::vector<Layer> layers;
  while (layers.size() < static_cast<std::size_t>(count)) {
    const Family& family = draw_family(families, &draw);
    constexpr int kTrials = 1000;
    std::optional<Problem> problem;
    for (int trial = 0; trial < kTrials && !problem; ++trial) problem = draw_problem(family, &draw);
    if (!problem) return refuse(family.name + ": no valid layer within the budget");
    layers.push_back({fmt::format("r{:03}", layers.size()), family.name, *std::move(problem)});
  }
  return layers;
}

}  // namespace concord::bench
