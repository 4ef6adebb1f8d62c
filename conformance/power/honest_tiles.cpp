// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/honest_tiles.h"

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "conformance/power/simulated_fft.h"
#include "conformance/power/simulated_winograd.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

using Matrix = std::vector<std::vector<double>>;
using Plane = std::array<Extent, 2>;  // rows and columns; a transform of one axis has one row
using reference::kHeight, reference::kWidth;

// F(m, r), each constant of its matrices rounded.
class Winograd {
 public:
  using Transformed = std::vector<double>;

  Winograd(const HonestLibrary& library, RoundingUnit& unit)
      : library_(library), unit_(unit), tile_(winograd_tile(library.tile, library.tile_taps)) {
    for (Matrix* matrix : {&tile_.G, &tile_.B, &tile_.A}) {
      for (auto& row : *matrix) {
        for (double& constant : row) constant = unit_.sum(constant, 0);
      }
    }
  }

  Transformed window(const std::vector<double>& values) {
    return transformed(tile_.B, values, tile_.n());
  }
  Transformed kernel(const std::vector<double>& values) {
    return transformed(tile_.G, values, tile_.taps);
  }
  std::vector<double> outputs(std::span<const Transformed> windows,
                              std::span<const Transformed> kernels) {
    std::vector<double> M(windows.front().size());
    for (std::size_t ic = 0; ic < windows.size(); ++ic) {
      for (std::size_t i = 0; i < M.size(); ++i) {
        M[i] = multiply_add(kernels[ic][i], windows[ic][i], M[i]);
      }
    }
    return transformed(tile_.A, M, tile_.n());
  }

 private:
  // T X T^T, or X T^T of a row; X has `width` elements along each axis.
  std::vector<double> transformed(const Matrix& T, const std::vector<double>& X, Extent width) {
    const auto rows = static_cast<Extent>(T.size());
    const bool is_plane = library_.tile_axes == 2;
    std::vector<double> wide;
    for (Extent i = 0; i < (is_plane ? width : 1); ++i) {
      for (const auto& row : T) wide.push_back(dot(row, X, i * width, 1));
    }
    if (!is_plane) return wide;
    std::vector<double> both;
    for (const auto& row : T) {
      for (Extent j = 0; j < rows; ++j) both.push_back(dot(row, wide, j, rows));
    }
    return both;
  }

  double dot(const std::vector<double>& row, const std::vector<double>& X, Extent first,
             Extent stride) {
    double sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row[k] == 0) continue;
      const double x = X[static_cast<std::size_t>(first + static_cast<Extent>(k) * stride)];
      sum = add_product(row[k], x, sum);
    }
    return sum;
  }

  double add_product(double a, double b, double sum) {
    if (library_.fused) return unit_.fused(a, b, sum);
    return unit_.sum(sum, unit_.product(a, b));
  }

  double multiply_add(double u, double v, double sum) {
    const Demoted a = demote(library_, u), b = demote(library_, v);
    sum = add_product(a.high, b.high, sum);
    if (library_.computed.input_precision != CONCORD_INPUT_BF16X3) return sum;
    return add_product(a.low, b.high, add_product(a.high, b.low, sum));
  }

  const HonestLibrary& library_;
  RoundingUnit& unit_;
  WinogradTile tile_;
};

// Whole tensors, tile by tile, by an `Algorithm` that transforms windows and kernels.
template <class Algorithm>
class Tiles {
 public:
  Tiles(const HonestLibrary& library, const reference::Geometry& g, const Inputs& inputs,
        Algorithm algorithm)
      : library_(library), g_(g), inputs_(inputs), algorithm_(std::move(algorithm)) {}

  std::vector<double> outputs() {
    const Plane O{g_.O[kHeight], g_.O[kWidth]};
    std::vector<double> dst(static_cast<std::size_t>(g_.N * g_.OC * O[0] * O[1]));
    const std::vector<Transformed> kernels = transformed_kernels();
    const Plane step = along(library_.tile);
    for (Extent n = 0; n < g_.N; ++n) {
      for (Extent oh = 0; oh < O[0]; oh += step[0]) {
        for (Extent ow = 0; ow < O[1]; ow += step[1]) tile_at(n, {oh, ow}, kernels, dst);
      }
    }
    return dst;
  }

 private:
  using Transformed = typename Algorithm::Transformed;

  // The extents of something that is `size` along each transformed axis.
  Plane along(Extent size) const { return {library_.tile_axes == 2 ? size : 1, size}; }
  Extent width() const { return library_.tile + library_.tile_taps - 1; }

  // [OC][ICG], one after another.
  std::vector<Transformed> transformed_kernels() {
    const auto taps = reference::volume(g_.K);
    std::vector<Transformed> kernels;
    for (auto from = inputs_.weights.begin(); from != inputs_.weights.end(); from += taps) {
      kernels.push_back(algorithm_.kernel({from, from + taps}));
    }
    return kernels;
  }

  std::vector<double> window(Extent n, Extent channel, Plane first) const {
    const Plane I{g_.I[kHeight], g_.I[kWidth]};
    std::vector<double> X;
    for (const auto& [i, j] : Grid<2>(along(width()))) {
      const Extent h = first[0] + i - g_.P_begin[kHeight], w = first[1] + j - g_.P_begin[kWidth];
      const bool inside = h >= 0 && w >= 0 && h < I[0] && w < I[1];
      const Extent at = ((n * g_.IC + channel) * I[0] + h) * I[1] + w;
      X.push_back(inside ? inputs_.src[static_cast<std::size_t>(at)] : 0);
    }
    return X;
  }

  void tile_at(Extent n, Plane first, const std::vector<Transformed>& kernels,
               std::vector<double>& dst) {
    std::vector<Transformed> windows;
    for (Extent ic = 0; ic < g_.IC; ++ic) {
      windows.push_back(algorithm_.window(window(n, ic, first)));
    }
    const auto count = static_cast<std::size_t>(g_.ICG());
    for (Extent oc = 0; oc < g_.OC; ++oc) {
      const auto group = static_cast<std::size_t>(oc / g_.OCG()),
                 channel = static_cast<std::size_t>(oc);
      const auto outputs = algorithm_.outputs(std::span(windows).subspan(group * count, count),
                                              std::span(kernels).subspan(channel * count, count));
      store(n, oc, first, outputs, dst);
    }
  }

  void store(Extent n, Extent oc, Plane first, const std::vector<double>& Y,
             std::vector<double>& dst) const {
    const Plane O{g_.O[kHeight], g_.O[kWidth]};
    std::size_t at = 0;
    for (const auto& [i, j] : Grid<2>(along(library_.tile))) {
      const double value = Y[at++];
      const Extent h = first[0] + i, w = first[1] + j;
      if (h >= O[0] || w >= O[1]) continue;
      dst[static_cast<std::size_t>(((n * g_.OC + oc) * O[0] + h) * O[1] + w)] = value;
    }
  }

  const HonestLibrary& library_;
  const reference::Geometry& g_;
  const Inputs& inputs_;
  Algorithm algorithm_;
};

}  // namespace

std::vector<double> compute_tiles(const HonestLibrary& library, const reference::Geometry& g,
                                  const Inputs& inputs, RoundingUnit& unit) {
  const Extent taps = library.tile_taps;
  CONCORD_CHECK(reference::volume(g.K) == (library.tile_axes == 2 ? taps * taps : taps) &&
                g.K[kWidth] == taps)
      << "a kernel that is no tile's";
  if (!library.fourier) return Tiles(library, g, inputs, Winograd(library, unit)).outputs();
  const RealOperations operations{[&](double a, double b) { return unit.sum(a, b); },
                                  [&](double a, double b) { return unit.product(a, b); }};
  const FourierTile tile(library.tile + taps - 1, taps, library.tile_axes, operations);
  return Tiles(library, g, inputs, tile).outputs();
}

}  // namespace concord::conformance
