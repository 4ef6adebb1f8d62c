// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/search_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/error_bound.h"
#include "conformance/judge/judge_lone.h"
#include "conformance/power/simulated_fft.h"
#include "spec/grid.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kClimb = 1000;  // tiles of data of one start
constexpr Extent kMostChannels = 3;

using Channels = SearchedTile::Channels;

struct Candidate {
  Channels src, weights;
};

concord_arithmetic bilinear() { return *parse_arithmetic("bilinear"); }

// Full significands of about the same size: a bound has the maxima.
double any_value(Xoshiro& random) {
  const double magnitude = random.below(2) == 0 ? 2 - random.unit() / 16 : 2 * random.unit();
  return round_to(Dtype::kF32, static_cast<double>(random.sign()) * magnitude);
}

// Every second start has the signs of one row of each transform, whose sums are then as large as
// they can be.
Candidate draw_start(const SearchedTile& tile, Xoshiro& random) {
  const Extent channels = 1 + random.below(kMostChannels);
  const auto row = [&] { return static_cast<std::size_t>(random.below(tile.width())); };
  const std::size_t down = row(), across = row();
  const bool aligned = random.below(2) == 0;
  const auto drawn = [&](const std::vector<std::vector<double>>& transform, Extent size) {
    Channels all(static_cast<std::size_t>(channels));
    for (auto& channel : all) {
      for (const auto& [i, j] : Grid<2>({size, size})) {
        const double sign = transform[down][static_cast<std::size_t>(i)] *
                            transform[across][static_cast<std::size_t>(j)];
        const double value = any_value(random);
        channel.push_back(aligned ? std::copysign(value, sign) : value);
      }
    }
    return all;
  };
  Channels src = drawn(tile.src_rows, tile.width());
  return {std::move(src), drawn(tile.weights_rows, tile.taps)};
}

void change(Candidate& candidate, Xoshiro& random) {
  auto& channels = random.below(2) == 0 ? candidate.src : candidate.weights;
  auto& channel = channels[static_cast<std::size_t>(random.below(std::ssize(channels)))];
  double& value = channel[static_cast<std::size_t>(random.below(std::ssize(channel)))];
  switch (random.below(3)) {
    case 0:
      value = any_value(random);
      break;
    case 1:
      value = -value;
      break;
    default:
      value = round_to(Dtype::kF32,
                       value * (1 + 0x1p-24 * static_cast<double>(random.between(-16, 16))));
  }
}

double largest_of(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

// The largest error of an output over the bound of the interval tier.
double interval_ratio(const SearchedTile& tile, const Candidate& c) {
  const Extent n = tile.width(), r = tile.taps;
  const std::vector<double> got = tile.compute(c.src, c.weights);
  double terms = 0;
  for (std::size_t ic = 0; ic < c.src.size(); ++ic) {
    terms += largest_of(c.src[ic]) * largest_of(c.weights[ic]);
  }
  const Extent taps = r * r;
  const double window = static_cast<double>(std::max<Extent>(9, taps)) / 4;
  const double allowed =
      error_bound(Dtype::kF32, bilinear(), taps * std::ssize(c.src)).of(window * terms);
  double most = 0;
  for (const auto& [i, j] : Grid<2>({tile.outputs, tile.outputs})) {
    long double exact = 0;
    for (std::size_t ic = 0; ic < c.src.size(); ++ic) {
      for (const auto& [kh, kw] : Grid<2>({r, r})) {
        exact +=
            static_cast<long double>(c.src[ic][static_cast<std::size_t>((i + kh) * n + j + kw)]) *
            c.weights[ic][static_cast<std::size_t>(kh * r + kw)];
      }
    }
    const double off =
        static_cast<double>(got[static_cast<std::size_t>(i * tile.outputs + j)] - exact);
    most = std::max(most, std::fabs(off) / allowed);
  }
  return most;
}

// Of one product of ones, wherever they are.
double lone_ratio(const SearchedTile& tile) {
  const double allowed = lone_product_error(Dtype::kF32, bilinear(), 2);
  const Extent n = tile.width(), m = tile.outputs, taps = tile.taps * tile.taps;
  constexpr Extent kAllTried = 8, kEvery = 8;  // of the products of larger tiles
  double most = 0;
  for (const auto& [i, j, tap] : Grid<3>({m, m, taps})) {
    if (m > kAllTried && (5 * i + 3 * j + tap) % kEvery != 0) continue;
    Channels src(1, std::vector<double>(static_cast<std::size_t>(n * n)));
    Channels weights(1, std::vector<double>(static_cast<std::size_t>(taps)));
    const Extent at = (i + tap / tile.taps) * n + j + tap % tile.taps;
    src[0][static_cast<std::size_t>(at)] = weights[0][static_cast<std::size_t>(tap)] = 1;
    const auto got = tile.compute(src, weights);
    const double off = got[static_cast<std::size_t>(i * m + j)] - 1;
    most = std::max(most, std::fabs(off) / allowed);
  }
  return most;
}

// The largest share of the interval that `steps` tiles of data reach.
double search_interval(const SearchedTile& tile, std::uint64_t steps, std::uint64_t seed) {
  double reached = 0;
  Xoshiro random(seed, static_cast<std::uint64_t>(tile.outputs * tile.width()));
  Candidate best;
  double best_ratio = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const bool starts = step % kClimb == 0;
    Candidate next = starts ? draw_start(tile, random) : best;
    if (!starts) change(next, random);
    const double ratio = interval_ratio(tile, next);
    if (!starts && ratio < best_ratio) continue;
    best = std::move(next);
    best_ratio = ratio;
    reached = std::max(reached, ratio);
  }
  return reached;
}

// Real parts of the roots of unity that a row of the transform has.
std::vector<std::vector<double>> fourier_rows(Extent n, Extent columns) {
  std::vector<std::vector<double>> rows;
  for (Extent k = 0; k < n; ++k) {
    std::vector<double>& row = rows.emplace_back();
    for (Extent i = 0; i < columns; ++i) {
      row.push_back(
          std::cos(2 * std::numbers::pi * static_cast<double>(k * i) / static_cast<double>(n)));
    }
  }
  return rows;
}

}  // namespace

std::vector<SearchedTile> searched_tiles() {
  std::vector<SearchedTile> all;
  for (const WinogradTile& tile : winograd_tiles()) {
    const auto compute = [=](const Channels& src, const Channels& weights) {
      return tile_outputs(tile, src, weights, {}, {});
    };
    const std::string name = fmt::format("F({}, {})", tile.m, tile.taps);
    all.push_back({name, tile.m, tile.taps, compute, tile.B, tile.G});
  }
  constexpr Extent kTaps = 3;
  for (const Extent n : {8, 16}) {
    const auto compute = [=](const Channels& src, const Channels& weights) {
      return fft_outputs(n, kTaps, src, weights, {});
    };
    all.push_back({fmt::format("Fourier, {} x {}", n, n), n - kTaps + 1, kTaps, compute,
                   fourier_rows(n, n), fourier_rows(n, kTaps)});
  }
  return all;
}

void search_tiles(std::vector<TileReach>& known, std::uint64_t steps, std::uint64_t seed) {
  const std::vector<SearchedTile> all = searched_tiles();
  if (known.empty()) {
    for (const SearchedTile& tile : all) known.push_back({tile.name, 0, lone_ratio(tile)});
  }
  for (std::size_t at = 0; at < all.size(); ++at) {
    known[at].interval = std::max(known[at].interval, search_interval(all[at], steps, seed));
  }
}

double largest(const std::vector<TileReach>& tiles) {
  double most = 0;
  for (const TileReach& tile : tiles) most = std::max({most, tile.interval, tile.lone});
  return most;
}

std::string print(const std::vector<TileReach>& tiles) {
  std::string text = "| tiles in two axes | interval | one product |\n|---|---|---|\n";
  for (const TileReach& tile : tiles) {
    text += fmt::format("| {} | {:.3f} | {:.3f} |\n", tile.name, tile.interval, tile.lone);
  }
  return text;
}

}  // namespace concord::conformance
