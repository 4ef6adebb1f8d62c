// SPDX-License-Identifier: Apache-2.0
// Images of few rows or columns, beside one another and beside longer ones, under small windows
// with padding. Libraries have a loop for the inside of an image and others for its borders: in
// such images borders meet each other, or there is no inside.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/case/seed.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/window.h"
#include "conformance/catalog/window_kinds.h"

namespace concord::conformance {
namespace {

struct ImageKernel {
  std::string_view word;
  Extent G, ICG, OCG;
};
constexpr std::array kImageKernels = {
    ImageKernel{"3-to-16", 1, 3, 16}, ImageKernel{"16-to-16", 1, 16, 16},
    ImageKernel{"depthwise-16", 16, 1, 1}, ImageKernel{"4-times-4-to-4", 4, 4, 4}};

// Longer ones are above one vector, and above three.
constexpr Extent kShortExtents[] = {1, 2, 3}, kLongerExtents[] = {9, 26};

struct Image {
  Extent height, width;
};

std::vector<Image> images() {
  std::vector<Image> all;
  for (const Extent side : kShortExtents) {
    for (const Extent other : kShortExtents) all.push_back({side, other});
    for (const Extent other : kLongerExtents) {
      all.push_back({side, other});
      all.push_back({other, side});
    }
  }
  return all;
}

/// The same on both axes.
struct ImageWindow {
  Extent K, S, D;
};

std::vector<ImageWindow> image_windows() {
  std::vector<ImageWindow> all;
  for (const Extent K : {2, 3, 5}) {
    for (const Extent S : {1, 2, 3}) {
      // The taps of a dilated kernel of 2 may lie on both sides of an image, and see none of it.
      for (const Extent D : {1, 2}) {
        if (K > 2 || D == 1) all.push_back({K, S, D});
      }
    }
  }
  return all;
}

// Those that most layers of networks have.
bool is_common(const ImageWindow& window) {
  return window.K == 3 && window.S <= 2 && (window.D == 1 || window.S == 1);
}

Source source_of(const Image& image, const ImageWindow& window, const ImageKernel& kernel,
                 DataFormat format) {
  std::string name =
      fmt::format("{}x{}-kernel-{}-stride-{}-dilation-{}-{}-{}", image.height, image.width,
                  window.K, window.S, window.D, kernel.word, word_of(format));
  Random random(fnv1a(name));
  constexpr std::array kDrawnDtypes = {Dtype::kF32, Dtype::kF32, Dtype::kF32,
                                       Dtype::kF32, Dtype::kF16, Dtype::kBF16};
  Surrounds s{.is_convolution1 = random.below(2) == 0,
              .dtype = kDrawnDtypes[random.below(kDrawnDtypes.size())],
              .data_format = format,
              .weights_format = random.below(2) == 0 ? WeightsFormat::kXIO : WeightsFormat::kOIX,
              .has_bias = random.below(2) == 0,
              .N = static_cast<Extent>(1 + random.below(2)),
              .G = kernel.G,
              .ICG = kernel.ICG,
              .OCG = kernel.OCG};
  const Extent beyond_first = (window.K - 1) * window.D, half = beyond_first / 2;
  constexpr std::array kAutoPads = {AutoPad::kSameUpper, AutoPad::kSameLower};
  // As most layers pad, the same at both ends but not as much as it takes, or more; all at one end.
  const std::array<std::pair<Extent, Extent>, 6> pads = {{{half, beyond_first - half},
                                                          {half, beyond_first - half},
                                                          {1, 1},
                                                          {beyond_first, beyond_first},
                                                          {0, beyond_first},
                                                          {beyond_first, 0}}};
  const std::size_t padding = random.below(pads.size() + kAutoPads.size());
  Window w{.K = window.K, .S = window.S, .D = window.D};
  if (padding < pads.size()) {
    std::tie(w.begin, w.end) = pads[padding];
  } else {
    s.auto_pad = kAutoPads[padding - pads.size()];
  }
  std::vector<Window> windows(2, w);
  windows[0].I = image.height;
  windows[1].I = image.width;
  // Pads of 1 may be too little for a small image.
  for (Window& each : windows) {
    if (s.auto_pad == AutoPad::kNone && each.I + each.begin + each.end <= beyond_first) {
      each.begin = half;
      each.end = beyond_first - half;
    }
  }
  return {"short_images", std::move(name), problem_of(s, windows),
          "images of few rows or columns, under windows with padding", ""};
}

}  // namespace

void add_short_images(Collector& collector, Suite suite) {
  std::size_t number = 0;
  for (const ImageWindow& window : image_windows()) {
    if (is_common(window) != (suite == Suite::kSmoke)) continue;
    for (const ImageKernel& kernel : kImageKernels) {
      for (const DataFormat format : {DataFormat::kNCX, DataFormat::kNXC}) {
        for (const Image& image : images()) {
          collector.add(source_of(image, window, kernel, format), fill_by_turns(number++));
        }
      }
    }
  }
}

}  // namespace concord::conformance
