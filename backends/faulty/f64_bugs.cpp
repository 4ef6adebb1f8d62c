// SPDX-License-Identifier: Apache-2.0
// Bugs of f64 alone: precision that is lost on the way, undeclared; geometry of its kernels.
#include <bit>
#include <cmath>
#include <cstdint>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

constexpr Mutation f64(DoubleHooks hooks) {
  hooks.served = true;
  return {.doubles = hooks};
}

// Of CNTK's convolutions.
constexpr Mutation f64_cntk(void (*nest)(const Problem&, CntkNest&)) {
  Mutation mutation = cntk({.nest = nest});
  mutation.doubles.served = true;
  return mutation;
}

double through_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

double without_low_bits(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & ~std::uint64_t{0xFF});
}

// `rounded` toward zero, of a number that it is `low` short of.
double cut(double rounded, double low) {
  const bool is_beyond = low != 0 && std::signbit(low) != std::signbit(rounded);
  return is_beyond ? std::nextafter(rounded, 0) : rounded;
}

double add_toward_zero(double sum, double x, double w) {
  const double product = cut(x * w, std::fma(x, w, -(x * w)));
  const double all = sum + product, of_product = all - sum;
  return cut(all, (sum - (all - of_product)) + (product - of_product));
}

double flushed(double value) {
  return std::fabs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value;
}

const Bug kBugs[] = {
    {"f64_sums_in_f32", "f64", "Keeps sums of f64 in f32.", "a common slip",
     f64({.add = [](double sum, double x, double w) { return through_f32(sum + x * w); }})},
    {"f64_products_in_f32", "f64", "Rounds every f64 product to f32 before it is summed.",
     "a common slip",
     f64({.add = [](double sum, double x, double w) { return sum + through_f32(x * w); }})},
    {"f64_sums_toward_zero", "f64", "Rounds every f64 product and partial sum toward zero.",
     "a common slip", f64({.add = add_toward_zero})},
    {"f64_src_through_f32", "f64", "Rounds f64 src to f32.", "a common slip",
     f64({.src = through_f32})},
    {"f64_weights_through_f32", "f64", "Packs f64 weights in f32.", "a common slip",
     f64({.weights = through_f32})},
    {"f64_weights_lose_low_bits", "f64", "Loses the lowest 8 bits of f64 weights.", "a common slip",
     f64({.weights = without_low_bits})},
    {"f64_bias_through_f32", "f64", "Rounds an f64 bias to f32.", "a common slip",
     f64({.bias = through_f32})},
    {"f64_flushes_results", "f64", "Stores a subnormal f64 result as zero.", "a common slip",
     f64({.result = flushed})},
    {"f64_strides_depth_as_height", "f64",
     "In f64, moves windows along the depth by the height's stride.", "a common slip",
     f64({.geometry = [](Nest& nest) { nest.S[kDepth] = nest.S[kHeight]; }})},
    {"f64_dilates_depth_as_height", "f64", "In f64, dilates the depth as the height.",
     "a common slip", f64({.geometry = [](Nest& nest) { nest.D[kDepth] = nest.D[kHeight]; }})},
    {"f64_cntk_lower_pads_beyond_three_axes", "f64",
     "In f64, ignores lowerPad of the axes behind the third.", "a common slip",
     f64_cntk([](const Problem& problem, CntkNest& nest) {
       if (problem.dtype != Dtype::kF64) return;
       for (std::size_t axis = 3; axis < nest.g.rank; ++axis) {
         if (!nest.g.axes[axis].auto_padding) nest.g.axes[axis].lower = 0;
       }
     })},
};

}  // namespace

std::span<const Bug> f64_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
