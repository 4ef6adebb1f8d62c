// SPDX-License-Identifier: Apache-2.0
// Every window of an axis within small bounds, each axis with another one.
#include <fmt/format.h>

#include <array>

#include "conformance/catalog/sweeps.h"
#include "conformance/catalog/window_kinds.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kAxes = 3;

class Windows : public CaseSource {
 public:
  explicit Windows(std::uint64_t seed)
      : seed_(seed), kinds_(legal_kinds(kAxisBounds)), windows_(count_windows(kinds_)) {}

  std::size_t size() const override { return kAxes * kSweptVariants.size() * windows_; }

  Case at(std::size_t number) const override {
    const std::size_t block = number / windows_;
    const std::size_t axes = block / kSweptVariants.size() + 1;
    const WindowVariant& variant = kSweptVariants[block % kSweptVariants.size()];
    const WindowPlace place = place_among(kinds_, number % windows_);
    const WindowKind& of = kinds_[place.kind];
    Surrounds surrounds = surrounds_by_turns(number, axes, variant, of.auto_pad);
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      windows.push_back(of.windows[place_of(place.window, axis, block, of.windows.size())]);
    }
    add_needed_bias(windows, surrounds);
    const std::string name =
        fmt::format("{}-{}-{}", of.word, place.window + 1, word_of(surrounds.data_format));
    return swept_case(kFamilies[axes - 1], name, problem_of(surrounds, windows),
                      fill_by_turns(number), "every window of an axis", seed_);
  }

 private:
  static constexpr std::array kFamilies = {"tuples_1d", "tuples_2d", "tuples_3d"};

  std::uint64_t seed_;
  std::vector<WindowKind> kinds_;
  std::size_t windows_;
};

class RefusedWindows : public CaseSource {
 public:
  explicit RefusedWindows(std::uint64_t seed)
      : seed_(seed), legal_(legal_kinds(kAxisBounds)), refused_(refused_kinds(kAxisBounds)) {}

  std::size_t size() const override { return count_windows(refused_); }

  Case at(std::size_t number) const override {
    const WindowPlace place = place_among(refused_, number);
    const WindowKind& refused = refused_[place.kind];
    const std::size_t axes = number % kAxes + 1;
    const std::size_t refused_axis = number / kAxes % axes;
    const auto& others = legal_[place.kind].windows;  // of the same auto_pad
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      windows.push_back(axis == refused_axis ? refused.windows[place.window]
                                             : others[place_of(number, axis, 1, others.size())]);
    }
    const WindowVariant& variant = kWindowVariants[number / 7 % kWindowVariants.size()];
    const Surrounds surrounds = surrounds_by_turns(number, axes, variant, refused.auto_pad);
    return swept_case("tuples_refused", fmt::format("{}-{}", refused.word, place.window + 1),
                      problem_of(surrounds, windows), Fill::kIntegers,
                      "one step from a legal window", seed_);
  }

 private:
  std::uint64_t seed_;
  std::vector<WindowKind> legal_, refused_;
};

// Channels for which libraries take their fast kernels: 64 out of one, and others by turns.
constexpr std::array<Extent, 4> kFastIn = {1, 3, 16, 64};
constexpr std::array<Extent, 10> kFastOut = {64, 16, 32, 48, 8, 96, 24, 12, 80, 20};

Extent fast_out(std::size_t turn, std::size_t window) {
  return turn == 0 ? kFastOut[0] : kFastOut[(window + 3 * turn) % kFastOut.size()];
}

class FastWindows : public CaseSource {
 public:
  explicit FastWindows(std::uint64_t seed) : seed_(seed), kinds_(legal_kinds(kAxisBounds)) {
    std::erase_if(kinds_, [](const WindowKind& kind) { return kind.word.ends_with("empty"); });
    windows_ = count_windows(kinds_);
  }

  std::size_t size() const override { return kFastIn.size() * windows_; }

  Case at(std::size_t number) const override {
    const WindowPlace place = place_among(kinds_, number % windows_);
    const WindowKind& kind = kinds_[place.kind];
    const std::size_t turn = number / windows_;
    const bool is_nxc = (place.window + turn) % 2 == 1;
    const Extent in = kFastIn[turn], out = fast_out(turn, place.window);
    const Surrounds surrounds = {
        .data_format = is_nxc ? DataFormat::kNXC : DataFormat::kNCX,
        .weights_format = is_nxc ? WeightsFormat::kXIO : WeightsFormat::kOIX,
        .auto_pad = kind.auto_pad,
        .has_bias = true,
        .ICG = in,
        .OCG = out};
    const std::vector<Window> windows = {Window{.I = 2}, kind.windows[place.window]};
    return swept_case("tuples_fast",
                      fmt::format("{}-{}-{}-to-{}", kind.word, place.window + 1, in, out),
                      problem_of(surrounds, windows), Fill::kIntegers,
                      "every window of a row, with many channels", seed_);
  }

 private:
  std::uint64_t seed_;
  std::vector<WindowKind> kinds_;
  std::size_t windows_ = 0;
};

}  // namespace

std::shared_ptr<const CaseSource> fast_window_sweep(std::uint64_t seed) {
  return std::make_shared<FastWindows>(seed);
}

std::shared_ptr<const CaseSource> window_sweep(std::uint64_t seed) {
  return std::make_shared<Windows>(seed);
}

std::shared_ptr<const CaseSource> refused_window_sweep(std::uint64_t seed) {
  return std::make_shared<RefusedWindows>(seed);
}

}  // namespace concord::conformance
