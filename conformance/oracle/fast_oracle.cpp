// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/fast_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "conformance/oracle/padded.h"
#include "conformance/oracle/sum_tiles.h"
#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

// Below this the reference is as fast; below that one thread is.
constexpr Extent kFewMultiplications = 4000;
constexpr Extent kManyMultiplications = 4'000'000;

template <class Number>
const TileKernel<Number>& best_of(const TileKernel<Number>& generic,
                                  [[maybe_unused]] const TileKernel<Number>* avx2,
                                  [[maybe_unused]] const TileKernel<Number>* avx512) {
#if defined(CONCORD_ORACLE_X86)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return *avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return *avx2;
#endif
  return generic;
}

template <class Number>
const TileKernel<Number>& best_kernel();

#if defined(CONCORD_ORACLE_X86)
template <>
const TileKernel<double>& best_kernel() {
  return best_of(kTileGeneric, &kTileAvx2, &kTileAvx512);
}
template <>
const TileKernel<float>& best_kernel() {
  return best_of(kExactTileGeneric, &kExactTileAvx2, &kExactTileAvx512);
}
#else
template <>
const TileKernel<double>& best_kernel() {
  return kTileGeneric;
}
template <>
const TileKernel<float>& best_kernel() {
  return kExactTileGeneric;
}
#endif

/// What is true of all values of a tensor.
struct Kind {
  bool f32 = true;    ///< each is a finite number of f32
  bool whole = true;  ///< and an integer
  double largest = 0;
};

Kind kind_of(std::span<const double> values) {
  const auto look = best_kernel<double>().look;
  const std::size_t whole = values.size() / kLookedAt * kLookedAt;
  std::array<double, kLookedAt> rest{};
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), rest.begin());
  const Leftover most = look(values.data(), whole), few = look(rest.data(), rest.size());
  return {most.of_f32 + few.of_f32 == 0, most.of_whole + few.of_whole == 0,
          std::max(most.largest, few.largest)};
}

template <class Number>
std::optional<reference::Oracle> evaluate_in(const reference::Geometry& geometry,
                                             std::span<const double> src,
                                             std::span<const double> weights,
                                             std::span<const double> bias, int threads,
                                             bool magnitudes) {
  const TileKernel<Number>& kernel = best_kernel<Number>();
  const auto padded = is_by_channel(geometry, kernel)
                          ? pad<Number>(geometry, src)
                          : pad_by_phase<Number>(geometry, src, kernel.width);
  if (!padded) return std::nullopt;
  return sum_tiles(geometry, *padded, weights, bias, kernel, magnitudes, threads);
}

// True if f32 holds every sum of the terms, in whatever order: integers of at most 2^24.
bool is_exact_in_f32(const reference::Geometry& g, const Kind& src, const Kind& weights,
                     const Kind& bias) {
  return src.whole && weights.whole && bias.whole &&
         src.largest * weights.largest * static_cast<double>(g.products()) + bias.largest <= 0x1p24;
}

bool is_convolution(const Problem& problem) {
  return std::holds_alternative<Convolution1Attributes>(problem.attributes) ||
         std::holds_alternative<ConvolutionAttributes>(problem.attributes) ||
         std::holds_alternative<AtrousConv2dAttributes>(problem.attributes);
}

}  // namespace

reference::Oracle evaluate_fast(const Problem& problem, const reference::Geometry& geometry,
                                std::span<const double> src, std::span<const double> weights,
                                std::span<const double> bias, int threads, bool magnitudes) {
  const auto literally = [&] {
    return reference::evaluate_discrete(problem, geometry, src, weights, bias);
  };
  if (!is_convolution(problem) || problem.dtype == Dtype::kF64) return literally();
  const Extent work =
      geometry.N * geometry.OC * reference::volume(geometry.O) * geometry.products();
  if (work < kFewMultiplications || geometry.spatial_rank > 3) return literally();
  const Kind in = kind_of(src), filter = kind_of(weights), added = kind_of(bias);
  // Products of two numbers of f32 are exact in f64, which is what the kernels rely on.
  if (!in.f32 || !filter.f32) return literally();
  const int workers = work < kManyMultiplications ? 1 : threads;
  auto oracle = is_exact_in_f32(geometry, in, filter, added)
                    ? evaluate_in<float>(geometry, src, weights, bias, workers, magnitudes)
                    : evaluate_in<double>(geometry, src, weights, bias, workers, magnitudes);
  return oracle ? *std::move(oracle) : literally();
}

}  // namespace concord::conformance
