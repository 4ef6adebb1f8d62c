// SPDX-License-Identifier: Apache-2.0
// Small tensors with strides, dilations and pads that need many bits. Such a window has as many
// outputs as a small one, and as many with any number cut to fewer bits or rounded, but then with
// other values.
#include <fmt/format.h>

#include <string>

#include "conformance/catalog/families.h"
#include "conformance/catalog/window_kinds.h"

namespace concord::conformance {
namespace {

struct FarWindow {
  std::string name;
  Window window;
  bool is_depthwise = false;  ///< with a kernel of three taps on the other axis, too
  bool has_more = false;      ///< cases in smoke: both axes, in f32, too, and one group
};

// Of the windows that are made longer.
constexpr Extent kSmallOutputs = 3, kSmallTaps = 3;

// Strides longer by `far`. The pads keep every window where it was beside output `o`, which sees
// what it saw; the others see padding.
Window with_far_stride(Extent far, Extent o) {
  const Window small{.I = 5, .K = kSmallTaps, .S = 2, .D = 1, .begin = 1, .end = 1};
  Window w = small;
  w.S += far;
  w.begin += o * far;
  w.end += (kSmallOutputs - 1 - o) * far;
  return w;
}

// Dilations longer by `far`: only tap `k` sees what it saw.
Window with_far_dilation(Extent far, Extent k) {
  const Window small{.I = 6, .K = kSmallTaps, .S = 1, .D = 2, .begin = 1, .end = 1};
  Window w = small;
  w.D += far;
  w.begin += k * far;
  w.end += (kSmallTaps - 1 - k) * far;
  return w;
}

// Pads of `far`, and no other number as large: cut to fewer bits they are next to nothing. Only the
// first tap sees anything, or the last one.
Window with_far_pad(Extent far, bool behind) {
  Window w{.I = 5, .K = 4, .S = 1};
  w.D = (far + w.K - 2) / (w.K - 1);
  (behind ? w.end : w.begin) = far;
  return w;
}

// Numbers of windows that a quotient by the stride tells, which f32 does not hold: rounded, there
// is a window fewer. The last one sees the last element, or the first one the first.
std::vector<FarWindow> with_quotients_beyond_f32() {
  constexpr Extent kOutputs = 3, kExtent = 3, kStride = Extent{1} << 23;
  constexpr Extent kPad = (kOutputs - 1) * kStride - (kExtent - 1);
  const Window window{.I = kExtent, .K = 1, .S = kStride, .D = 1};
  Window padded_before = window, padded_behind = window;
  padded_before.begin = kPad;
  padded_behind.end = kPad;
  return {{"quotient-24", padded_before}, {"quotient-24-behind", padded_behind}};
}

std::vector<FarWindow> windows_beyond(int bits, Extent step) {
  const Extent far = (Extent{1} << bits) + step;
  const auto far_window = [&](std::string_view what, const Window& window) {
    return FarWindow{fmt::format("{}-{}{:+}", what, bits, step), window};
  };
  return {far_window("stride-first", with_far_stride(far, 0)),
          far_window("stride-last", with_far_stride(far, kSmallOutputs - 1)),
          far_window("dilation-first", with_far_dilation(far, 0)),
          far_window("dilation-last", with_far_dilation(far, kSmallTaps - 1))};
}

std::vector<FarWindow> pads_beyond(int bits, Extent step) {
  const Extent far = (Extent{1} << bits) + step;
  std::vector<FarWindow> windows;
  for (const bool behind : {false, true}) {
    windows.push_back({fmt::format("pad-{}-{}{:+}", behind ? "behind" : "before", bits, step),
                       with_far_pad(far, behind), false, bits == 32});
  }
  return windows;
}

// Libraries have other kernels for these.
std::vector<FarWindow> depthwise_beyond(int bits, Extent step) {
  std::vector<FarWindow> windows = windows_beyond(bits, step);
  for (FarWindow& far : windows) {
    far.name = "depthwise-" + far.name;
    far.is_depthwise = true;
    far.has_more = bits == 28;
  }
  return windows;
}

struct FarKind {
  std::vector<FarWindow> (*windows)(int bits, Extent step);
  std::vector<int> bits;
};
// Pads of 30 bits are cut by nobody, and take long where an implementation walks along them. Of 28
// bits a stride is below every limit, but not what some kernels keep for each element of a row of
// src. Pads of 32 bits, which are 0 to an int, are refused by some kernels of a library for another
// reason and met by others.
const FarKind kKinds[] = {{windows_beyond, {7, 8, 15, 16, 30, 31, 32}},
                          {pads_beyond, {7, 8, 15, 16, 31, 32}},
                          {depthwise_beyond, {8, 16, 28, 31}}};

std::vector<FarWindow> far_windows(Extent step) {
  std::vector<FarWindow> windows;
  for (const FarKind& kind : kKinds) {
    for (const int bits : kind.bits) {
      const auto more = kind.windows(bits, step);
      windows.insert(windows.end(), more.begin(), more.end());
    }
  }
  return windows;
}

Source source_of(std::string_view name, const FarWindow& far, std::size_t axis, std::size_t axes,
                 std::size_t turn, const WindowVariant& variant) {
  std::vector<Window> windows(axes, {.I = 3, .K = far.is_depthwise ? 3 : 2, .end = 1});
  windows[axis] = far.window;
  Surrounds surrounds = surrounds_by_turns(turn, axes, variant, AutoPad::kNone);
  if (far.has_more) surrounds.G = 1;
  if (far.is_depthwise) {
    surrounds.G *= surrounds.ICG + 1;
    surrounds.ICG = surrounds.OCG = 1;
  }
  return {"far", fmt::format("{}-{}", name, word_of(variant.data_format)),
          problem_of(surrounds, windows), "numbers of many bits", ""};
}

}  // namespace

void add_far(Collector& collector, Suite suite) {
  constexpr std::size_t kAxes = 2;
  const bool is_smoke = suite == Suite::kSmoke;
  // Of each window of a whole power of two, smoke has one axis and one variant, by turns; of some,
  // more.
  for (const Extent step : {-1, 0, 1}) {
    std::size_t turn = 0;
    for (const FarWindow& far : far_windows(step)) {
      for (std::size_t i = 0; i < kAxes * kWindowVariants.size(); ++i) {
        const bool is_other = i >= kWindowVariants.size();
        const std::size_t variant = i % kWindowVariants.size();
        const bool is_turn = variant == turn % kWindowVariants.size();
        const bool in_smoke =
            step == 0 && (far.has_more ? is_turn || variant == 0 : is_turn && !is_other);
        if (is_smoke != in_smoke) continue;
        const std::string name = is_other ? far.name + "-other-axis" : far.name;
        const std::size_t axis = (turn / 4 + (is_other ? 1 : 0)) % kAxes;
        collector.add(source_of(name, far, axis, kAxes, turn, kWindowVariants[variant]),
                      Fill::kIntegers);
      }
      ++turn;
    }
  }
  // Implementations that walk along padding take minutes for pads of this length: f16 in smoke, f32
  // in full.
  const WindowVariant& variant = kWindowVariants[is_smoke ? 2 : 0];
  for (const FarWindow& far : with_quotients_beyond_f32()) {
    collector.add(source_of(far.name, far, 0, 1, 4, variant), Fill::kIntegers);
  }
}

}  // namespace concord::conformance
