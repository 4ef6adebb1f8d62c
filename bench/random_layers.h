// SPDX-License-Identifier: Apache-2.0
// Layers drawn at random from families of real networks: a benchmark that nobody can tune to.
#ifndef CONCORD_BENCH_RANDOM_LAYERS_H_
#define CONCORD_BENCH_RANDOM_LAYERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/layer.h"

namespace concord::bench {

/// A kernel window: "3x3", "3x3/2" with strides, "3x3/1/6" with dilations. Padding keeps the
/// extent, divided by the stride, unless "valid" precedes it or the windows do not overlap.
struct Window {
  Extents kernel{}, strides{}, dilations{};
  bool padded = true;
};

/// Where a network uses such windows: "64>128/2@28", 64 input and 128 output channels in 2 groups
/// on an image of 28x28; "64@8x56x56" has 64 of both and one extent per axis.
struct Site {
  Extent in = 0, out = 0, groups = 1;
  Extents extents{};
};

/// Layers of one kind; `weight` is how often they occur, relative to the others.
struct Family {
  std::string name;
  Extent weight = 0;
  std::vector<Window> windows{};
  std::vector<Site> sites{};
};

/// Reads a list of families: [{"family", "weight", "sources", "windows", "sites"}].
/// Errors  kSyntax with the path, or the family, and the text that is wrong
Result<std::vector<Family>> read_families(const std::string& path);

/// What a drawn layer may cost: multiply-adds of all taps, and elements of src, weights or dst.
inline constexpr double kMostProducts = 1.2e9;
inline constexpr Extent kMostElements = Extent{16} << 20;

/// Draws layers: a family by its weight, then a window, a site, the batch, a bias for every second.
/// Every fourth image is scaled, as networks run at other resolutions; every fifth layer has its
/// channels scaled as width multipliers do, and half of these are not rounded to multiples of 8, as
/// in pruned networks. Layer.network is the family. The same seed gives the same layers everywhere.
/// Errors  kSyntax with the name of a family whose sites are all beyond the budget, or invalid
Result<std::vector<Layer>> draw_layers(const std::vector<Family>& families, int count,
                                       std::uint64_t seed);

}  // namespace concord::bench

#endif  // CONCORD_BENCH_RANDOM_LAYERS_H_
