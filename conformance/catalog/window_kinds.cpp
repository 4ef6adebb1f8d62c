// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/window_kinds.h"

#include <numeric>
#include <utility>

namespace concord::conformance {
namespace {

template <class Use>
void for_each_window(const WindowBounds& most, Extent least_step, Extent least_pad, bool has_pads,
                     const Use& use) {
  const Extent most_pad = has_pads ? most.pad : 0, first_pad = has_pads ? least_pad : 0;
  for (Extent I = 1; I <= most.I; ++I) {
    for (Extent K = 1; K <= most.K; ++K) {
      for (Extent S = least_step; S <= most.S; ++S) {
        for (Extent D = least_step; D <= most.D; ++D) {
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

template <class Wanted>
WindowKind kind_of(const WindowBounds& bounds, AutoPad auto_pad, std::string_view word,
                   Extent least_step, Extent least_pad, const Wanted& is_wanted) {
  WindowKind kind{auto_pad, word, {}};
  for_each_window(bounds, least_step, least_pad, auto_pad == AutoPad::kNone,
                  [&](const Window& window) {
                    if (is_wanted(window, auto_pad)) kind.windows.push_back(window);
                  });
  return kind;
}

bool is_empty(const Window& window, AutoPad auto_pad) {
  return is_legal(window, auto_pad) && !has_output(window, auto_pad);
}

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

constexpr std::pair<AutoPad, std::string_view> kAutoPads[] = {{AutoPad::kNone, "explicit"},
                                                              {AutoPad::kSameUpper, "upper"},
                                                              {AutoPad::kSameLower, "lower"},
                                                              {AutoPad::kValid, "valid"}};

// The next number without a common factor from about `share` of `count` on: steps of it meet
// everything.
std::size_t step_near(double share, std::size_t count) {
  auto step = static_cast<std::size_t>(share * static_cast<double>(count)) + 1;
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

}  // namespace

std::vector<WindowKind> legal_kinds(const WindowBounds& bounds) {
  std::vector<WindowKind> kinds;
  for (const auto& [auto_pad, word] : kAutoPads) {
    kinds.push_back(kind_of(bounds, auto_pad, word, 1, 0, has_output));
  }
  kinds.push_back(kind_of(bounds, AutoPad::kNone, "empty", 1, 0, is_empty));
  kinds.push_back(kind_of(bounds, AutoPad::kValid, "valid_empty", 1, 0, is_empty));
  return kinds;
}

std::vector<WindowKind> all_legal_kinds(const WindowBounds& bounds) {
  std::vector<WindowKind> kinds;
  for (const auto& [auto_pad, word] : kAutoPads) {
    kinds.push_back(kind_of(bounds, auto_pad, word, 1, 0, is_legal));
  }
  return kinds;
}

std::vector<WindowKind> refused_kinds(const WindowBounds& bounds) {
  std::vector<WindowKind> kinds;
  for (const auto& [auto_pad, word] : kAutoPads) {
    kinds.push_back(kind_of(bounds, auto_pad, word, 0, -1, is_refused_by_one_step));
  }
  return kinds;
}

WindowPlace place_among(const std::vector<WindowKind>& kinds, std::size_t number) {
  WindowPlace place{0, number};
  while (place.window >= kinds[place.kind].windows.size()) {
    place.window -= kinds[place.kind++].windows.size();
  }
  return place;
}

std::size_t count_windows(const std::vector<WindowKind>& kinds) {
  return std::accumulate(
      kinds.begin(), kinds.end(), std::size_t{0},
      [](std::size_t sum, const WindowKind& kind) { return sum + kind.windows.size(); });
}

std::size_t place_of(std::size_t number, std::size_t axis, std::size_t turn, std::size_t count) {
  constexpr std::array kShares = {0.0, 0.6180339887, 0.4142135624};
  return (number * step_near(kShares[axis], count) + turn * (axis * 37 + 1)) % count;
}

bool meets_src(const Window& w) {
  for (Extent o = 0; o * w.S + (w.K - 1) * w.D < w.I + w.begin + w.end; ++o) {
    for (Extent k = 0; k < w.K; ++k) {
      const Extent i = o * w.S + k * w.D - w.begin;
      if (i >= 0 && i < w.I) return true;
    }
  }
  return false;
}

void add_needed_bias(const std::vector<Window>& windows, Surrounds& surrounds) {
  if (surrounds.auto_pad != AutoPad::kNone) return;
  for (const Window& window : windows) surrounds.has_bias |= !meets_src(window);
}

// The formats of the weights have turns of five, too: each kind of data has to meet each of them.
Fill fill_by_turns(std::size_t number) {
  return number / 5 % 5 == 4 ? Fill::kRamp : Fill::kIntegers;
}

std::string_view word_of(DataFormat format) { return format == DataFormat::kNCX ? "ncx" : "nxc"; }

std::string_view word_of(WeightsFormat format) {
  return format == WeightsFormat::kOIX ? "oix" : "xio";
}

Surrounds surrounds_by_turns(std::size_t number, std::size_t axes, const WindowVariant& variant,
                             AutoPad auto_pad) {
  const auto turn = [number](std::size_t length) { return number % length; };
  const bool is_small = axes == 3;
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

}  // namespace concord::conformance
