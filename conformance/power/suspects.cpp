// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/suspects.h"

#include <cmath>
#include <limits>

#include "conformance/power/simulated_fft.h"
#include "conformance/power/simulated_winograd.h"
#include "reference/discrete.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

// The distance from a number of the dtype to the next one away from zero.
double step_at(Dtype dtype, double value) {
  const Format& format = format_of(dtype);
  const int exponent = value == 0 ? format.min_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, format.min_exponent) - format.significand_bits + 1);
}

// The exact sum, `steps` of the dtype too large, and then stored.
auto raised(Dtype dtype, double steps) {
  return [=](double, double exact, Xoshiro&) {
    return round_to(dtype, exact + steps * step_at(dtype, exact));
  };
}

auto scaled(Dtype dtype, double factor) {
  return [=](double, double exact, Xoshiro&) { return round_to(dtype, exact * factor); };
}

// One result in a hundred, of those that are not exact, is a step off.
auto one_in_a_hundred(Dtype dtype) {
  return [=](double stored, double exact, Xoshiro& random) {
    if (stored == exact || random.below(100) != 0) return stored;
    return stored + static_cast<double>(random.sign()) * step_at(dtype, stored);
  };
}

Simulation simulated(Dtype dtype, Order order, SimulatedAccumulator accumulator = {},
                     SimulatedInput input = {}, Rounding store = Rounding::kNearest) {
  Simulation made{"", "", dtype};
  made.order = order;
  made.accumulator = accumulator;
  made.input = input;
  made.store = store;
  return made;
}

double bias_of(const Suspect& suspect, const Inputs& inputs, Extent oc) {
  if (inputs.bias.empty()) return 0;
  const double bias = inputs.bias[static_cast<std::size_t>(oc)];
  return suspect.bias_bits == 0 ? bias : round_to_bits(suspect.bias_bits, bias, Rounding::kNearest);
}

WinogradTile tile_of(const Suspect& suspect) {
  WinogradTile tile = winograd_tile(suspect.tile);
  tile.B[1][3] *= suspect.constant;
  return tile;
}

std::vector<double> compute_tiles(const Suspect& suspect, const reference::Geometry& g,
                                  const Inputs& inputs) {
  const Extent extent = suspect.tile + 2;
  const WinogradTile tile = suspect.fourier ? WinogradTile{} : tile_of(suspect);
  const auto pixels = static_cast<std::size_t>(extent * extent);
  const Extent kernel = g.K[reference::kWidth];
  const auto taps = static_cast<std::size_t>(kernel * kernel);
  const auto channels = [](const std::vector<double>& from, Extent first, Extent count,
                           std::size_t size) {
    std::vector<std::vector<double>> parts;
    for (Extent c = first; c < first + count; ++c) {
      const auto begin =
          from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c) * size);
      parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
    return parts;
  };
  std::vector<double> dst;
  for (Extent n = 0; n < g.N; ++n) {
    const auto src = channels(inputs.src, n * g.IC, g.IC, pixels);
    for (Extent oc = 0; oc < g.OC; ++oc) {
      const auto weights = channels(inputs.weights, oc * g.IC, g.IC, taps);
      const SimulatedAccumulator& accumulator = suspect.simulation.accumulator;
      const auto outputs =
          suspect.fourier ? fft_outputs(extent, kernel, src, weights, accumulator)
                          : tile_outputs(tile, src, weights, accumulator, suspect.simulation.input);
      for (const double value : outputs) {
        const double sum =
            suspect.simulation.accumulator.round(value + bias_of(suspect, inputs, oc));
        dst.push_back(round_to(suspect.simulation.dtype, sum));
      }
    }
  }
  return dst;
}

std::vector<double> compute_sums(const Suspect& suspect, const reference::Geometry& g,
                                 const Inputs& inputs) {
  using reference::kHeight, reference::kWidth;
  const Grid src(reference::joined(g.N, g.IC, g.I));
  const auto products = static_cast<std::size_t>(g.products());
  std::vector<double> dst, x(products);
  for (Extent n = 0; n < g.N; ++n) {
    std::vector<std::vector<double>> windows;
    for (const auto& [oh, ow] : Grid<2>({g.O[kHeight], g.O[kWidth]})) {
      std::size_t at = 0;
      for (const auto& [ic, kh, kw] : Grid<3>({g.IC, g.K[kHeight], g.K[kWidth]})) {
        reference::Spatial place{};
        place[kHeight] = oh + kh;
        place[kWidth] = ow + kw;
        x[at++] = inputs.src[src.offset(reference::joined(n, ic, place))];
      }
      windows.push_back(x);
    }
    for (Extent oc = 0; oc < g.OC; ++oc) {
      const std::span w(inputs.weights.data() + static_cast<std::size_t>(oc) * products, products);
      const double bias = bias_of(suspect, inputs, oc);
      for (const auto& window : windows) dst.push_back(suspect.simulation.dot(window, w, bias));
    }
  }
  return dst;
}

}  // namespace

std::vector<Suspect> suspects(Dtype dtype) {
  using enum Order;
  constexpr SimulatedInput kTf32{11, Rounding::kNearest, false},
      kBf16{8, Rounding::kNearest, false}, kBf16x3{8, Rounding::kNearest, true};
  const SimulatedAccumulator f32{}, half{11, Rounding::kNearest, true},
      zero{24, Rounding::kZero, false};
  const auto bits = [](int count) {
    return SimulatedAccumulator{count, Rounding::kNearest, false};
  };
  const Simulation honest = simulated(dtype, kFusedChain);
  std::vector<Suspect> all{{"honest", honest}};
  if (dtype == Dtype::kF32) {
    all.push_back({"TF32 inputs", simulated(dtype, kFusedChain, f32, kTf32)});
    all.push_back({"bf16 inputs", simulated(dtype, kFusedChain, f32, kBf16)});
    all.push_back({"bf16x3", simulated(dtype, kFusedChain, f32, kBf16x3)});
  }
  if (dtype != Dtype::kF16) all.push_back({"f16 accumulator", simulated(dtype, kFusedChain, half)});
  for (const int count : {20, 22, 23}) {
    all.push_back(
        {std::to_string(count) + "-bit accumulator", simulated(dtype, kFusedChain, bits(count))});
  }
  all.push_back({"sums toward zero, a chain", simulated(dtype, kFusedChain, zero)});
  all.push_back({"sums toward zero, 16 lanes", simulated(dtype, kSixteenLanes, zero)});
  Simulation additions = simulated(dtype, kChain, zero);
  additions.multiplier = f32;
  all.push_back({"additions toward zero", additions});
  additions.accumulator = bits(22);
  all.push_back({"22-bit additions", additions});
  if (dtype != Dtype::kF32) {
    all.push_back({"stores cut off", simulated(dtype, kFusedChain, f32, {}, Rounding::kZero)});
  }
  all.push_back({"+0.1 step", honest, raised(dtype, 0.1)});
  all.push_back({"+0.5 step", honest, raised(dtype, 0.5)});
  all.push_back({"+1 step", honest, raised(dtype, 1)});
  all.push_back({"1 step in 1 %", honest, one_in_a_hundred(dtype)});
  all.push_back({"times 1 + 2^-20", honest, scaled(dtype, 1 + 0x1p-20)});
  all.push_back({"times 1 + 2^-12", honest, scaled(dtype, 1 + 0x1p-12)});
  all.push_back({"times 1.001", honest, scaled(dtype, 1.001)});
  all.push_back({"times 1.5", honest, scaled(dtype, 1.5)});
  all.push_back({"zeros", honest, scaled(dtype, 0)});
  for (const Extent m : {2, 4, 6}) {
    all.push_back({"Winograd F(" + std::to_string(m) + ")", honest, {}, m});
  }
  all.push_back({"Winograd F(4), bf16 inputs", simulated(dtype, kFusedChain, f32, kBf16), {}, 4});
  all.push_back({"Winograd F(4), f16 accumulator", simulated(dtype, kFusedChain, half), {}, 4});
  Suspect constant{"Winograd F(4), a constant 1 % off", honest, {}, 4};
  constant.constant = 0.99;
  all.push_back(constant);
  Suspect bias{"Winograd F(4), bias in bf16", honest, {}, 4};
  bias.bias_bits = 8;
  if (dtype != Dtype::kBF16) all.push_back(bias);
  bias.name = "bias in bf16";
  bias.tile = 0;
  if (dtype != Dtype::kBF16) all.push_back(bias);
  all.push_back(fft_suspect(dtype));
  return all;
}

Suspect fft_suspect(Dtype dtype) {
  return {"FFT of 8 x 8", simulated(dtype, Order::kFusedChain), {}, 6, true};
}

std::vector<double> compute(const Suspect& suspect, const reference::Geometry& geometry,
                            const Inputs& inputs, std::span<const double> exact,
                            std::uint64_t seed) {
  std::vector<double> dst = suspect.tile == 0 ? compute_sums(suspect, geometry, inputs)
                                              : compute_tiles(suspect, geometry, inputs);
  CONCORD_CHECK(dst.size() == exact.size()) << dst.size() << " and " << exact.size();
  if (!suspect.spoil) return dst;
  Xoshiro random(seed, 99);
  for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = suspect.spoil(dst[i], exact[i], random);
  return dst;
}

}  // namespace concord::conformance
