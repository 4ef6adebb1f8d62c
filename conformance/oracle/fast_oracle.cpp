// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/fast_oracle.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "conformance/oracle/padded.h"
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

// By what is left of the values where they are rounded: sums of zeros only if all are zero. Neither
// NaN nor an infinity leaves zero. Eight sums of each, a loop each, so that vectors hold them.
Kind kind_of(std::span<const double> values) {
  constexpr double kWhole = 0x1.8p52;  // a sum with it has no bits behind the point
  constexpr std::size_t kLanes = 8;
  using Lanes = std::array<double, kLanes>;
  Lanes off_f32{}, off_whole{}, largest{};
  const auto look = [&](const double* x) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      off_f32[l] += std::fabs(static_cast<double>(static_cast<float>(x[l])) - x[l]);
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      off_whole[l] += std::fabs(x[l] + kWhole - kWhole - x[l]);
    }
    for (std::size_t l = 0; l < kLanes; ++l) largest[l] = std::max(largest[l], std::fabs(x[l]));
  };
  const std::size_t whole = values.size() / kLanes * kLanes;
  for (std::size_t at = 0; at < whole; at += kLanes) look(&values[at]);
  Lanes rest{};
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), rest.begin());
  look(rest.data());
  return {std::accumulate(off_f32.begin(), off_f32.end(), 0.0) == 0,
          std::accumulate(off_whole.begin(), off_whole.end(), 0.0) == 0,
          *std::max_element(largest.begin(), largest.end())};
}

/// One evaluation: what its threads share. Sums are kept in Number.
template <class Number>
class Evaluation {
 public:
  Evaluation(const reference::Geometry& g, const Padded<Number>& src,
             std::span<const double> weights, std::span<const double> bias,
             const TileKernel<Number>& kernel)
      : g_(g), src_(src), weights_(weights), bias_(bias), kernel_(kernel) {
    const auto count = static_cast<std::size_t>(g.N * g.OC * g.O[0] * g.O[1] * g.O[2]);
    oracle_.value.resize(count);
    oracle_.magnitude.resize(count);
    // Channels fill the vectors where a group has enough of them, else outputs of one row do.
    by_channel_ = g.OCG() >= kernel.width || g.OCG() > g.O[2];
    blocks_ = by_channel_ ? (g.OCG() + kernel.width - 1) / kernel.width : 1;
    places_.resize(src.taps.size());
    std::iota(places_.begin(), places_.end(), Extent{0});
    pack_weights();
  }

  reference::Oracle run(int threads) {
    const Extent tasks = g_.N * g_.G * blocks_ * g_.O[0] * g_.O[1];
    std::atomic<Extent> next{0};
    const Extent share = std::max<Extent>(1, tasks / (8 * threads));
    const auto work = [&] {
      std::vector<Number> sums(static_cast<std::size_t>(2 * kernel_.width * kernel_.count));
      for (Extent begin = next.fetch_add(share); begin < tasks; begin = next.fetch_add(share)) {
        for (Extent task = begin; task < std::min(begin + share, tasks); ++task) {
          run_row(task, sums);
        }
      }
    };
    std::vector<std::jthread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
    helpers.clear();  // joins
    return std::move(oracle_);
  }

 private:
  // By channels [G, block, tap, width], zeros behind the last channel of a group; else as they are.
  void pack_weights() {
    if (!by_channel_) {
      packed_.assign(weights_.begin(), weights_.end());
      return;
    }
    const Extent taps = g_.products(), width = kernel_.width;
    packed_.resize(static_cast<std::size_t>(g_.G * blocks_ * taps * width));
    for (Extent block = 0; block < g_.G * blocks_; ++block) {
      const Extent begin = block % blocks_ * width, used = std::min(width, g_.OCG() - begin);
      const double* const from = weights_.data() + (block / blocks_ * g_.OCG() + begin) * taps;
      Number* to = packed_.data() + block * taps * width;
      for (Extent t = 0; t < taps; ++t, to += width) {
        for (Extent l = 0; l < used; ++l) to[l] = static_cast<Number>(from[l * taps + t]);
      }
    }
    for (Extent& place : places_) place *= width;
  }

  // As many scalars as make the tiles of `left` outputs or channels about equal.
  Extent share_of(Extent left) const {
    const Extent tiles = (left + kernel_.count - 1) / kernel_.count;
    return (left + tiles - 1) / tiles;
  }

  Number bias_of(Extent oc) const {
    if (bias_.empty()) return 0;
    return static_cast<Number>(0 + bias_[static_cast<std::size_t>(oc)]);  // +0 of a -0, as a sum is
  }

  void run_row(Extent task, std::vector<Number>& sums) {
    const Extent oh = task % g_.O[1], od = task / g_.O[1] % g_.O[0];
    const Extent rest = task / (g_.O[1] * g_.O[0]);
    const Extent block = rest % blocks_, group = rest / blocks_ % g_.G, n = rest / (blocks_ * g_.G);
    const Number* const first = src_.values.data() + n * src_.image +
                                group * g_.ICG() * src_.plane + od * g_.S[0] * src_.slice +
                                oh * g_.S[1] * src_.line;
    const Extent row = ((n * g_.OC + group * g_.OCG()) * g_.O[0] + od) * g_.O[1] + oh;
    if (by_channel_) {
      channels(first, group, block, row, sums);
    } else {
      pixels(first, group, row, sums);
    }
  }

  // Where channel `oc` of the group has the output at `ow`; `row` counts rows of its first channel.
  std::size_t place(Extent row, Extent oc, Extent ow) const {
    return static_cast<std::size_t>((row + oc * g_.O[0] * g_.O[1]) * g_.O[2] + ow);
  }

  // A vector holds channels, the scalars are the inputs of neighbouring outputs.
  void channels(const Number* first, Extent group, Extent block, Extent row,
                std::vector<Number>& sums) {
    const Extent width = kernel_.width, begin = block * width;
    const Extent used = std::min(width, g_.OCG() - begin);
    Number* const value = sums.data();
    Number* const magnitude = value + width * kernel_.count;
    for (Extent ow = 0, count = 0; ow < g_.O[2]; ow += count) {
      count = share_of(g_.O[2] - ow);
      for (Extent i = 0; i < count * width; ++i) {
        const Extent oc = std::min(i % width, used - 1);
        value[i] = bias_of(group * g_.OCG() + begin + oc);
        magnitude[i] = std::fabs(value[i]);
      }
      kernel_.run(
          {packed_.data() + (group * blocks_ + block) * g_.products() * width, places_.data(),
           first + ow, src_.taps.data(), 1, g_.products(), value, magnitude},
          count);
      for (Extent l = 0; l < used; ++l) {
        const std::size_t at = place(row, begin + l, ow);
        for (Extent p = 0; p < count; ++p) {
          oracle_.value[at + static_cast<std::size_t>(p)] = value[p * width + l];
          oracle_.magnitude[at + static_cast<std::size_t>(p)] = magnitude[p * width + l];
        }
      }
    }
  }

  // A vector holds neighbouring outputs, the scalars are the weights of several channels.
  void pixels(const Number* first, Extent group, Extent row, std::vector<Number>& sums) {
    const Extent width = kernel_.width;
    Number* const value = sums.data();
    Number* const magnitude = value + width * kernel_.count;
    for (Extent oc = 0, count = 0; oc < g_.OCG(); oc += count) {
      count = share_of(g_.OCG() - oc);
      const Extent channel = group * g_.OCG() + oc;
      for (Extent ow = 0; ow < g_.O[2]; ow += width) {
        const Extent used = std::min(width, g_.O[2] - ow);
        for (Extent i = 0; i < count * width; ++i) {
          value[i] = bias_of(channel + i / width);
          magnitude[i] = std::fabs(value[i]);
        }
        kernel_.run({first + ow, src_.taps.data(), packed_.data() + channel * g_.products(),
                     places_.data(), g_.products(), g_.products(), value, magnitude},
                    count);
        for (Extent p = 0; p < count; ++p) {
          const std::size_t at = place(row, oc + p, ow);
          std::copy_n(value + p * width, used, oracle_.value.begin() + static_cast<Extent>(at));
          std::copy_n(magnitude + p * width, used,
                      oracle_.magnitude.begin() + static_cast<Extent>(at));
        }
      }
    }
  }

  const reference::Geometry& g_;
  const Padded<Number>& src_;
  std::span<const double> weights_, bias_;
  const TileKernel<Number>& kernel_;
  bool by_channel_ = false;
  Extent blocks_ = 1;
  std::vector<Extent> places_{};  ///< of the weights, a tap each
  std::vector<Number> packed_{};
  reference::Oracle oracle_{};
};

template <class Number>
std::optional<reference::Oracle> evaluate_in(const reference::Geometry& geometry,
                                             std::span<const double> src,
                                             std::span<const double> weights,
                                             std::span<const double> bias, int threads) {
  const TileKernel<Number>& kernel = best_kernel<Number>();
  const auto padded = pad<Number>(geometry, src, kernel.width);
  if (!padded) return std::nullopt;
  return Evaluation<Number>(geometry, *padded, weights, bias, kernel).run(threads);
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
                                std::span<const double> bias, int threads) {
  const auto literally = [&] {
    return reference::evaluate_discrete(problem, geometry, src, weights, bias);
  };
  if (!is_convolution(problem)) return literally();
  const Extent work = geometry.N * geometry.OC * geometry.O[0] * geometry.O[1] * geometry.O[2] *
                      geometry.products();
  if (work < kFewMultiplications) return literally();
  const Kind in = kind_of(src), filter = kind_of(weights), added = kind_of(bias);
  // Products of two numbers of f32 are exact in f64, which is what the kernels rely on.
  if (!in.f32 || !filter.f32) return literally();
  const int workers = work < kManyMultiplications ? 1 : threads;
  auto oracle = is_exact_in_f32(geometry, in, filter, added)
                    ? evaluate_in<float>(geometry, src, weights, bias, workers)
                    : evaluate_in<double>(geometry, src, weights, bias, workers);
  return oracle ? *std::move(oracle) : literally();
}

}  // namespace concord::conformance
