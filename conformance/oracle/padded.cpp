// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/padded.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "spec/grid.h"

namespace concord::conformance {
namespace {

using reference::kDepth;
using reference::kHeight;
using reference::kWidth;

// Padding beyond this costs more than it saves.
constexpr double kMostGrowth = 8;
constexpr double kAlwaysFine = 1 << 20;

// Elements that outputs reach on one axis.
Extent reach(const reference::Geometry& g, std::size_t axis) {
  return (g.O[axis] - 1) * g.S[axis] + (g.K[axis] - 1) * g.D[axis] + 1;
}

bool is_reasonable(const reference::Geometry& g, Extent slack) {
  // In floating point, which cannot overflow.
  double size = static_cast<double>(g.N) * static_cast<double>(g.IC);
  double src = size;
  for (std::size_t axis = kDepth; axis <= kWidth; ++axis) {
    size *= static_cast<double>(g.O[axis] - 1) * static_cast<double>(g.S[axis]) +
            static_cast<double>(g.K[axis] - 1) * static_cast<double>(g.D[axis]) + 1 +
            static_cast<double>(axis == kWidth ? slack * g.S[axis] : 0);
    src *= static_cast<double>(g.I[axis]);
  }
  return size <= kAlwaysFine || size <= kMostGrowth * src;
}

// Whether an output reads the places of an axis.
std::vector<char> read_places(const reference::Geometry& g, std::size_t axis) {
  std::vector<char> read(static_cast<std::size_t>(reach(g, axis)), 0);
  for (Extent o = 0; o < g.O[axis]; ++o) {
    for (Extent k = 0; k < g.K[axis]; ++k) {
      read[static_cast<std::size_t>(o * g.S[axis] + k * g.D[axis])] = 1;
    }
  }
  return read;
}

template <class Number>
void set_taps(const reference::Geometry& g, bool by_phase, Padded<Number>& padded) {
  const Extent row = padded.line / g.S[kWidth];
  padded.taps.reserve(static_cast<std::size_t>(g.products()));
  for (const auto [ic, kd, kh, kw] : Grid<4>({g.ICG(), g.K[kDepth], g.K[kHeight], g.K[kWidth]})) {
    const Extent w = kw * g.D[kWidth];
    padded.taps.push_back(ic * padded.plane + kd * g.D[kDepth] * padded.slice +
                          kh * g.D[kHeight] * padded.line +
                          (by_phase ? w % g.S[kWidth] * row + w / g.S[kWidth] : w));
  }
}

template <class Number>
void set_planes(Extent line, Extent height, Extent depth, Extent channels, Padded<Number>& padded) {
  padded.line = line;
  padded.slice = line * height;
  padded.plane = padded.slice * depth;
  padded.image = padded.plane * channels;
}

// Calls `write(row, from)` for each row that is read: with null where it lies in padding, else with
// where the element of src at the beginning of the row would lie.
template <class Number, class Write>
void for_rows(const reference::Geometry& g, std::span<const double> src,
              const Padded<Number>& padded, Write write) {
  const auto [ID, IH, IW] = reference::innermost<3>(g.I);
  const std::vector<char> depths = read_places(g, kDepth), heights = read_places(g, kHeight);
  for (const auto [n, ic, d, h] : Grid<4>({g.N, g.IC, reach(g, kDepth), reach(g, kHeight)})) {
    if (!depths[static_cast<std::size_t>(d)] || !heights[static_cast<std::size_t>(h)]) continue;
    const Extent id = d - g.P_begin[kDepth], ih = h - g.P_begin[kHeight];
    const bool outside = id < 0 || id >= ID || ih < 0 || ih >= IH;
    const double* const from = src.data() + (((n * g.IC + ic) * ID + id) * IH + ih) * IW;
    write(padded.own.get() + n * padded.image + ic * padded.plane + d * padded.slice +
              h * padded.line,
          outside ? nullptr : from - g.P_begin[kWidth]);
  }
}

// True if no output reads beside src.
bool reads_src_alone(const reference::Geometry& g) {
  for (std::size_t axis = kDepth; axis <= kWidth; ++axis) {
    if (g.P_begin[axis] > 0 || reach(g, axis) - g.P_begin[axis] > g.I[axis]) return false;
  }
  return true;
}

}  // namespace

template <class Number>
std::optional<Padded<Number>> pad(const reference::Geometry& g, std::span<const double> src) {
  Padded<Number> padded;
  padded.step = g.S[kWidth];
  if constexpr (std::is_same_v<Number, double>) {
    if (reads_src_alone(g)) {
      set_planes(g.I[kWidth], g.I[kHeight], g.I[kDepth], g.IC, padded);
      padded.values = src.data() - g.P_begin[kDepth] * padded.slice -
                      g.P_begin[kHeight] * padded.line - g.P_begin[kWidth];
      set_taps(g, false, padded);
      return padded;
    }
  }
  if (!is_reasonable(g, 0)) return std::nullopt;
  const Extent width = reach(g, kWidth);
  set_planes(width, reach(g, kHeight), reach(g, kDepth), g.IC, padded);
  padded.own =
      std::make_unique_for_overwrite<Number[]>(static_cast<std::size_t>(padded.image * g.N));
  padded.values = padded.own.get();
  const Extent begin = std::clamp<Extent>(g.P_begin[kWidth], 0, width);
  const Extent end = std::clamp<Extent>(g.I[kWidth] + g.P_begin[kWidth], begin, width);
  for_rows(g, src, padded, [&](Number* to, const double* from) {
    if (from == nullptr) return void(std::fill_n(to, width, Number{0}));
    std::fill(to, to + begin, Number{0});
    for (Extent w = begin; w < end; ++w) to[w] = static_cast<Number>(from[w]);
    std::fill(to + end, to + width, Number{0});
  });
  set_taps(g, false, padded);
  return padded;
}

template <class Number>
std::optional<Padded<Number>> pad_by_phase(const reference::Geometry& g,
                                           std::span<const double> src, Extent slack) {
  if (!is_reasonable(g, slack)) return std::nullopt;
  Padded<Number> padded;
  padded.step = 1;
  const Extent stride = g.S[kWidth];
  const Extent row = g.O[kWidth] + (g.K[kWidth] - 1) * g.D[kWidth] / stride + 1 + slack;
  set_planes(row * stride, reach(g, kHeight), reach(g, kDepth), g.IC, padded);
  padded.own = std::make_unique<Number[]>(static_cast<std::size_t>(padded.image * g.N));
  padded.values = padded.own.get();
  const Extent begin = std::max<Extent>(0, g.P_begin[kWidth]);
  const Extent end = std::min(reach(g, kWidth), g.I[kWidth] + g.P_begin[kWidth]);
  for_rows(g, src, padded, [&](Number* to, const double* from) {
    if (from == nullptr) return;
    for (Extent phase = 0; phase < stride; ++phase) {
      for (Extent w = begin + (phase - begin % stride + stride) % stride; w < end; w += stride) {
        to[phase * row + w / stride] = static_cast<Number>(from[w]);
      }
    }
  });
  set_taps(g, true, padded);
  return padded;
}

template std::optional<Padded<double>> pad(const reference::Geometry&, std::span<const double>);
template std::optional<Padded<float>> pad(const reference::Geometry&, std::span<const double>);
template std::optional<Padded<double>> pad_by_phase(const reference::Geometry&,
                                                    std::span<const double>, Extent);
template std::optional<Padded<float>> pad_by_phase(const reference::Geometry&,
                                                   std::span<const double>, Extent);

}  // namespace concord::conformance
