// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/exhaustive.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "conformance/catalog/window_kinds.h"

namespace concord::conformance {
namespace {

constexpr WindowBounds kFullPairBounds{4, 3, 2, 2, 1};
constexpr WindowBounds kPairBounds{6, 4, 3, 2, 2};
constexpr std::size_t kAxes = 3;

constexpr auto kDtypesSwept = std::to_array(kCommonDtypes);
constexpr std::array kDataFormats = {DataFormat::kNCX, DataFormat::kNXC};
constexpr std::array kWeightsFormats = {WeightsFormat::kOIX, WeightsFormat::kXIO};

/// Takes a number apart, the fastest digit first.
class Digits {
 public:
  explicit Digits(std::size_t number) : rest_(number) {}
  std::size_t next(std::size_t base) {
    const std::size_t digit = rest_ % base;
    rest_ /= base;
    return digit;
  }
  template <class T, std::size_t count>
  const T& next(const std::array<T, count>& levels) {
    return levels[next(count)];
  }

 private:
  std::size_t rest_;
};

/// Each ordered pair of windows on two axes; in every dtype and data format, or in one by turns.
class WindowPairs : public CaseSource {
 public:
  WindowPairs(std::string_view family, const WindowBounds& bounds, bool in_all, std::uint64_t seed)
      : family_(family), in_all_(in_all), seed_(seed), kinds_(all_legal_kinds(bounds)) {
    for (const WindowKind& kind : kinds_) count_ += size_of(kind);
  }

  std::size_t size() const override { return count_; }

  Case at(std::size_t number) const override {
    std::size_t place = number, index = 0;
    while (place >= size_of(kinds_[index])) place -= size_of(kinds_[index++]);
    const WindowKind& kind = kinds_[index];
    Digits digits(place);
    WindowVariant variant = kWindowVariants[number / 3 % kWindowVariants.size()];
    if (in_all_) variant = {digits.next(kDtypesSwept), digits.next(kDataFormats)};
    const std::size_t second = digits.next(kind.windows.size());
    const std::size_t first = digits.next(kind.windows.size());
    const std::vector<Window> windows = {kind.windows[first], kind.windows[second]};
    Surrounds surrounds = surrounds_by_turns(number, 2, variant, kind.auto_pad);
    add_needed_bias(windows, surrounds);
    const std::string name =
        fmt::format("{}-{}-{}-{}", kind.word, first + 1, second + 1, word_of(variant.data_format));
    return swept_case(family_, name, problem_of(surrounds, windows), fill_by_turns(number),
                      "every pair of windows of two axes", seed_);
  }

 private:
  std::size_t size_of(const WindowKind& kind) const {
    const std::size_t variants = in_all_ ? kDtypesSwept.size() * kDataFormats.size() : 1;
    return variants * kind.windows.size() * kind.windows.size();
  }

  std::string_view family_;
  bool in_all_;
  std::uint64_t seed_;
  std::vector<WindowKind> kinds_;
  std::size_t count_ = 0;
};

/// Each window on each axis of one, two and three, in every combination of operation, dtype,
/// formats and kind of groups; the other axes have other windows.
class EveryWindow : public CaseSource {
 public:
  explicit EveryWindow(std::uint64_t seed)
      : seed_(seed), kinds_(legal_kinds(kAxisBounds)), windows_(count_windows(kinds_)) {}

  std::size_t size() const override { return kAxes * kSurroundings * windows_; }

  Case at(std::size_t number) const override {
    const std::size_t block = number / windows_;
    const std::size_t axes = block / kSurroundings + 1;
    const WindowPlace place = place_among(kinds_, number % windows_);
    const WindowKind& of = kinds_[place.kind];
    Digits digits(block % kSurroundings);
    const WindowVariant variant{digits.next(kDtypesSwept), digits.next(kDataFormats)};
    Surrounds surrounds = surrounds_by_turns(number, axes, variant, of.auto_pad);
    surrounds.weights_format = digits.next(kWeightsFormats);
    surrounds.is_convolution1 = digits.next(2) == 1;
    const std::string_view channels = set_groups(digits.next(kGroupKinds), surrounds);
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      windows.push_back(of.windows[place_of(place.window, axis, block, of.windows.size())]);
    }
    add_needed_bias(windows, surrounds);
    const std::string name = fmt::format(
        "{}-{}-{}-{}-{}-{}", of.word, place.window + 1, surrounds.is_convolution1 ? "c1" : "c",
        word_of(variant.data_format), word_of(surrounds.weights_format), channels);
    return swept_case(kFamilies[axes - 1], name, problem_of(surrounds, windows),
                      fill_by_turns(number), "every window of an axis", seed_);
  }

 private:
  static constexpr std::array kFamilies = {"every_1d", "every_2d", "every_3d"};
  static constexpr std::size_t kGroupKinds = 3;
  static constexpr std::size_t kSurroundings = kDtypesSwept.size() * kDataFormats.size() *
                                               kWeightsFormats.size() * 2 /* operations */ *
                                               kGroupKinds;

  static std::string_view set_groups(std::size_t kind, Surrounds& surrounds) {
    surrounds.G = static_cast<Extent>(kind + 1);
    if (kind == 2) surrounds.ICG = 1;
    constexpr std::array kWords = {"dense", "grouped", "depthwise"};
    return kWords[kind];
  }

  std::uint64_t seed_;
  std::vector<WindowKind> kinds_;
  std::size_t windows_;
};

/// Each window that must be refused, on each axis of one, two and three in each dtype, among legal
/// ones on the other axes.
class EveryRefused : public CaseSource {
 public:
  explicit EveryRefused(std::uint64_t seed)
      : seed_(seed),
        legal_(legal_kinds(kAxisBounds)),
        refused_(refused_kinds(kAxisBounds)),
        windows_(count_windows(refused_)) {}

  std::size_t size() const override { return kPlaces.size() * kDtypesSwept.size() * windows_; }

  Case at(std::size_t number) const override {
    const WindowPlace place = place_among(refused_, number % windows_);
    const WindowKind& refused = refused_[place.kind];
    const auto& others = legal_[place.kind].windows;  // of the same auto_pad
    const std::size_t block = number / windows_;
    Digits digits(block);
    const Dtype dtype = digits.next(kDtypesSwept);
    const AxisPlace& at = digits.next(kPlaces);
    const WindowVariant variant{dtype, kDataFormats[number % kDataFormats.size()]};
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < at.axes; ++axis) {
      windows.push_back(axis == at.axis ? refused.windows[place.window]
                                        : others[place_of(number, axis, block + 1, others.size())]);
    }
    const Surrounds surrounds = surrounds_by_turns(number, at.axes, variant, refused.auto_pad);
    const std::string name =
        fmt::format("{}-{}-axis{}of{}", refused.word, place.window + 1, at.axis + 1, at.axes);
    return swept_case("every_refused", name, problem_of(surrounds, windows), Fill::kIntegers,
                      "one step from a legal window", seed_);
  }

 private:
  struct AxisPlace {
    std::size_t axes, axis;
  };
  static constexpr std::array kPlaces = {AxisPlace{1, 0}, AxisPlace{2, 0}, AxisPlace{2, 1},
                                         AxisPlace{3, 0}, AxisPlace{3, 1}, AxisPlace{3, 2}};

  std::uint64_t seed_;
  std::vector<WindowKind> legal_, refused_;
  std::size_t windows_;
};

}  // namespace

std::shared_ptr<const CaseSource> window_pair_sweep(std::uint64_t seed) {
  return std::make_shared<WindowPairs>("window_pairs", kFullPairBounds, false, seed);
}

CaseList exhaustive_cases(std::uint64_t seed) {
  CaseList cases;
  cases.append(std::make_shared<EveryWindow>(seed));
  cases.append(std::make_shared<WindowPairs>("every_pair", kPairBounds, true, seed));
  cases.append(std::make_shared<EveryRefused>(seed));
  return cases;
}

}  // namespace concord::conformance
