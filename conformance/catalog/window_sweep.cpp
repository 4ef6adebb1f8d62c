// SPDX-License-Identifier: Apache-2.0
// Every window of an axis within small bounds, each axis with another one.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "conformance/catalog/sweeps.h"
#include "conformance/catalog/window.h"

namespace concord::conformance {
namespace {

constexpr Extent kMostI = 10, kMostK = 5, kMostS = 4, kMostD = 4, kMostPad = 4;
constexpr std::size_t kAxes = 3;

template <class Use>
void for_each_window(Extent least_step, Extent least_pad, bool has_pads, const Use& use) {
  const Extent most_pad = has_pads ? kMostPad : 0, first_pad = has_pads ? least_pad : 0;
  for (Extent I = 1; I <= kMostI; ++I) {
    for (Extent K = 1; K <= kMostK; ++K) {
      for (Extent S = least_step; S <= kMostS; ++S) {
        for (Extent D = least_step; D <= kMostD; ++D) {
          for (Extent begin = first_pad; begin <= most_pad; ++begin) {
            for (Extent end = first_pad; end <= most_pad; ++end) {
              use(Window{I, K, S, D, begin, end});
            }
          }
        }
      }
    }
  }
}

std::vector<Window> legal_windows(AutoPad auto_pad, bool with_output) {
  std::vector<Window> windows;
  for_each_window(1, 0, auto_pad == AutoPad::kNone, [&](const Window& window) {
    const bool is_wanted =
        is_legal(window, auto_pad) && has_output(window, auto_pad) == with_output;
    if (is_wanted) windows.push_back(window);
  });
  return windows;
}

/// The windows that go together in a problem, which has one auto_pad.
struct Kind {
  AutoPad auto_pad;
  std::string_view word;
  std::vector<Window> windows{};
};

// Windows that reach beyond the padding by less than a stride make no output, which is legal;
// beside others they would empty the problem.
std::vector<Kind> legal_kinds() {
  std::vector<Kind> kinds = {
      {AutoPad::kNone, "explicit", legal_windows(AutoPad::kNone, true)},
      {AutoPad::kSameUpper, "upper", legal_windows(AutoPad::kSameUpper, true)},
      {AutoPad::kSameLower, "lower", legal_windows(AutoPad::kSameLower, true)},
      {AutoPad::kValid, "valid", legal_windows(AutoPad::kValid, true)},
      {AutoPad::kNone, "empty", legal_windows(AutoPad::kNone, false)},
      {AutoPad::kValid, "valid_empty", legal_windows(AutoPad::kValid, false)}};
  return kinds;
}

// The next number without a common factor from about `share` of `count` on: steps of it meet
// everything.
std::size_t step_near(double share, std::size_t count) {
  auto step = static_cast<std::size_t>(share * static_cast<double>(count)) + 1;
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

/// The window that an axis of the problem with a number has: on the first axis one after the other,
/// on the others far apart, so that each axis meets each window once, always beside another one.
std::size_t place_of(std::size_t number, std::size_t axis, std::size_t turn, std::size_t count) {
  constexpr std::array kShares = {0.0, 0.6180339887, 0.4142135624};
  return (number * step_near(kShares[axis], count) + turn * (axis * 37 + 1)) % count;
}

// Dtype and format of the problems; other attributes go by turns of lengths without a common
// factor.
struct Variant {
  Dtype dtype;
  DataFormat data_format;
};
constexpr std::array kVariants = {
    Variant{Dtype::kF32, DataFormat::kNCX}, Variant{Dtype::kF32, DataFormat::kNXC},
    Variant{Dtype::kF16, DataFormat::kNXC}, Variant{Dtype::kBF16, DataFormat::kNCX}};

Surrounds surrounds_of(std::size_t number, std::size_t axes, const Variant& variant,
                       AutoPad auto_pad) {
  const auto turn = [number](std::size_t length) { return number % length; };
  const bool is_small = axes == kAxes;
  return {.is_convolution1 = turn(7) < 3,
          .dtype = variant.dtype,
          .data_format = variant.data_format,
          .weights_format = turn(5) < 2 ? WeightsFormat::kXIO : WeightsFormat::kOIX,
          .auto_pad = auto_pad,
          .has_bias = turn(9) < 4,
          .N = static_cast<Extent>(turn(11) == 0 ? 2 : 1),
          .G = static_cast<Extent>(turn(13) < 3 ? 2 : 1),
          .ICG = static_cast<Extent>(is_small ? 1 + turn(17) % 2 : 1 + turn(17) % 3),
          .OCG = static_cast<Extent>(is_small ? 1 + turn(19) % 2 : 1 + turn(19) % 3)};
}

// An output that sees nothing but padding tells something by its bias alone.
bool meets_src(const Window& w) {
  for (Extent o = 0; o * w.S + (w.K - 1) * w.D < w.I + w.begin + w.end; ++o) {
    for (Extent k = 0; k < w.K; ++k) {
      const Extent i = o * w.S + k * w.D - w.begin;
      if (i >= 0 && i < w.I) return true;
    }
  }
  return false;
}

class Windows : public CaseSource {
 public:
  explicit Windows(std::uint64_t seed) : seed_(seed), kinds_(legal_kinds()) {
    for (const Kind& kind : kinds_) windows_ += kind.windows.size();
  }

  std::size_t size() const override { return kAxes * kVariants.size() * windows_; }

  Case at(std::size_t number) const override {
    std::size_t place = number % windows_, kind = 0;
    const std::size_t block = number / windows_;
    const std::size_t axes = block / kVariants.size() + 1, variant = block % kVariants.size();
    while (place >= kinds_[kind].windows.size()) place -= kinds_[kind++].windows.size();
    const Kind& of = kinds_[kind];
    Surrounds surrounds = surrounds_of(number, axes, kVariants[variant], of.auto_pad);
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      windows.push_back(of.windows[place_of(place, axis, block, of.windows.size())]);
      surrounds.has_bias |= of.auto_pad == AutoPad::kNone && !meets_src(windows.back());
    }
    const std::string name = fmt::format("{}-{}-{}", of.word, place + 1,
                                         surrounds.data_format == DataFormat::kNCX ? "ncx" : "nxc");
    const Fill fill = number % 5 == 4 ? Fill::kRamp : Fill::kIntegers;
    return swept_case(kFamilies[axes - 1], name, problem_of(surrounds, windows), fill,
                      "every window of an axis", seed_);
  }

 private:
  static constexpr std::array kFamilies = {"tuples_1d", "tuples_2d", "tuples_3d"};

  std::uint64_t seed_;
  std::vector<Kind> kinds_;
  std::size_t windows_ = 0;
};

// True if one attribute one step further makes the window legal.
bool is_refused_by_one_step(const Window& window, AutoPad auto_pad) {
  if (is_legal(window, auto_pad) || is_open(window, auto_pad)) return false;
  const bool has_pads = auto_pad == AutoPad::kNone;
  for (const Extent step : {-1, 1}) {
    for (Extent Window::*attribute :
         {&Window::I, &Window::K, &Window::S, &Window::D, &Window::begin, &Window::end}) {
      if (!has_pads && (attribute == &Window::begin || attribute == &Window::end)) continue;
      Window other = window;
      other.*attribute += step;
      if (other.K >= 1 && other.I >= 1 && is_legal(other, auto_pad)) return true;
    }
  }
  return false;
}

class RefusedWindows : public CaseSource {
 public:
  explicit RefusedWindows(std::uint64_t seed) : seed_(seed), legal_(legal_kinds()) {
    for (const Kind& kind : legal_) {
      if (kind.word.ends_with("empty")) break;  // the last ones
      Kind refused{kind.auto_pad, kind.word, {}};
      for_each_window(0, -1, kind.auto_pad == AutoPad::kNone, [&](const Window& window) {
        if (is_refused_by_one_step(window, kind.auto_pad)) refused.windows.push_back(window);
      });
      count_ += refused.windows.size();
      refused_.push_back(std::move(refused));
    }
  }

  std::size_t size() const override { return count_; }

  Case at(std::size_t number) const override {
    std::size_t place = number, kind = 0;
    while (place >= refused_[kind].windows.size()) place -= refused_[kind++].windows.size();
    const std::size_t axes = number % kAxes + 1;
    const std::size_t refused_axis = number / kAxes % axes;
    const auto& others = legal_[kind].windows;
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      windows.push_back(axis == refused_axis ? refused_[kind].windows[place]
                                             : others[place_of(number, axis, 1, others.size())]);
    }
    const Variant& variant = kVariants[number / 7 % kVariants.size()];
    const Surrounds surrounds = surrounds_of(number, axes, variant, refused_[kind].auto_pad);
    return swept_case("tuples_refused", fmt::format("{}-{}", refused_[kind].word, place + 1),
                      problem_of(surrounds, windows), Fill::kIntegers,
                      "one step from a legal window", seed_);
  }

 private:
  std::uint64_t seed_;
  std::vector<Kind> legal_, refused_{};
  std::size_t count_ = 0;
};

// Channels for which libraries take their fast kernels.
struct Channels {
  Extent in, out;
};
constexpr std::array kFastChannels = {Channels{1, 64}, Channels{3, 64}, Channels{16, 32},
                                      Channels{64, 16}};

class FastWindows : public CaseSource {
 public:
  explicit FastWindows(std::uint64_t seed) : seed_(seed) {
    for (Kind& kind : legal_kinds()) {
      if (kind.word.ends_with("empty")) continue;
      windows_ += kind.windows.size();
      kinds_.push_back(std::move(kind));
    }
  }

  std::size_t size() const override { return kFastChannels.size() * windows_; }

  Case at(std::size_t number) const override {
    std::size_t place = number % windows_, kind = 0;
    const std::size_t turn = number / windows_;
    while (place >= kinds_[kind].windows.size()) place -= kinds_[kind++].windows.size();
    const bool is_nxc = (place + turn) % 2 == 1;
    const Channels& channels = kFastChannels[turn];
    const Surrounds surrounds = {
        .data_format = is_nxc ? DataFormat::kNXC : DataFormat::kNCX,
        .weights_format = is_nxc ? WeightsFormat::kXIO : WeightsFormat::kOIX,
        .auto_pad = kinds_[kind].auto_pad,
        .has_bias = true,
        .ICG = channels.in,
        .OCG = channels.out};
    const std::vector<Window> windows = {Window{.I = 2}, kinds_[kind].windows[place]};
    return swept_case(
        "tuples_fast",
        fmt::format("{}-{}-{}-to-{}", kinds_[kind].word, place + 1, channels.in, channels.out),
        problem_of(surrounds, windows), Fill::kIntegers,
        "every window of a row, with many channels", seed_);
  }

 private:
  std::uint64_t seed_;
  std::vector<Kind> kinds_{};
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
