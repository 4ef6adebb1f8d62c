// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/padded.h"

#include <algorithm>

#include "spec/grid.h"

namespace concord::conformance {
namespace {

// Padding beyond this costs more than it saves.
constexpr double kMostGrowth = 8;
constexpr double kAlwaysFine = 1 << 20;

// Elements that outputs reach on one axis.
Extent reach(const reference::Geometry& g, std::size_t axis) {
  return (g.O[axis] - 1) * g.S[axis] + (g.K[axis] - 1) * g.D[axis] + 1;
}

template <class Number>
void set_extents(const reference::Geometry& g, Extent slack, Padded<Number>& padded) {
  padded.row = g.O[2] + (g.K[2] - 1) * g.D[2] / g.S[2] + 1 + slack;
  padded.line = padded.row * g.S[2];
  padded.slice = padded.line * reach(g, 1);
  padded.plane = padded.slice * reach(g, 0);
  padded.image = padded.plane * g.IC;
}

bool is_reasonable(const reference::Geometry& g, Extent slack) {
  // In floating point, which cannot overflow.
  double size = static_cast<double>(g.N) * static_cast<double>(g.IC);
  double src = size;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    size *= static_cast<double>(g.O[axis] - 1) * static_cast<double>(g.S[axis]) +
            static_cast<double>(g.K[axis] - 1) * static_cast<double>(g.D[axis]) + 1 +
            static_cast<double>(axis == 2 ? slack * g.S[axis] : 0);
    src *= static_cast<double>(g.I[axis]);
  }
  return size <= kAlwaysFine || size <= kMostGrowth * src;
}

// The elements from `begin` to `end` of a row of outputs' inputs, which begins at `from`.
template <class Number>
void pad_row(const double* from, Extent begin, Extent end, Extent stride, Extent row, Number* to) {
  if (stride == 1) {
    for (Extent w = begin; w < end; ++w) to[w] = static_cast<Number>(from[w]);
    return;
  }
  for (Extent phase = 0; phase < stride; ++phase) {
    for (Extent w = begin + (phase - begin % stride + stride) % stride; w < end; w += stride) {
      to[phase * row + w / stride] = static_cast<Number>(from[w]);
    }
  }
}

}  // namespace

template <class Number>
std::optional<Padded<Number>> pad(const reference::Geometry& g, std::span<const double> src,
                                  Extent slack) {
  if (!is_reasonable(g, slack)) return std::nullopt;
  Padded<Number> padded;
  set_extents(g, slack, padded);
  padded.values.resize(static_cast<std::size_t>(padded.image * g.N));
  const auto [ID, IH, IW] = g.I;
  const Extent width = reach(g, 2);
  const Grid<4> rows({g.N, g.IC, reach(g, 0), reach(g, 1)});
  for (const auto [n, ic, d, h] : rows) {
    const Extent id = d - g.P_begin[0], ih = h - g.P_begin[1];
    if (id < 0 || id >= ID || ih < 0 || ih >= IH) continue;
    const double* const from = src.data() + (((n * g.IC + ic) * ID + id) * IH + ih) * IW;
    Number* const to = padded.values.data() + n * padded.image + ic * padded.plane +
                       d * padded.slice + h * padded.line;
    pad_row(from - g.P_begin[2], std::max<Extent>(0, g.P_begin[2]),
            std::min(width, IW + g.P_begin[2]), g.S[2], padded.row, to);
  }
  for (const auto [ic, kd, kh, kw] : Grid<4>({g.ICG(), g.K[0], g.K[1], g.K[2]})) {
    const Extent w = kw * g.D[2];
    padded.taps.push_back(ic * padded.plane + kd * g.D[0] * padded.slice +
                          kh * g.D[1] * padded.line + w % g.S[2] * padded.row + w / g.S[2]);
  }
  return padded;
}

template std::optional<Padded<double>> pad(const reference::Geometry&, std::span<const double>,
                                           Extent);
template std::optional<Padded<float>> pad(const reference::Geometry&, std::span<const double>,
                                          Extent);

}  // namespace concord::conformance
