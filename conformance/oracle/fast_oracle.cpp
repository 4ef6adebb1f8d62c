// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/fast_oracle.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "conformance/oracle/padded.h"
#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

// Below this the reference is as fast; below that one thread is.
constexpr Extent kFewMultiplications = 4000;
constexpr Extent kManyMultiplications = 4'000'000;

const TileKernel& best_kernel() {
#if defined(CONCORD_ORACLE_X86)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return kTileAvx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) return kTileAvx2;
#endif
  return kTileGeneric;
}

bool all_finite(std::span<const double> values) {
  // A sum of magnitudes is finite only if all of them are; of single values none overflows it.
  double sum = 0;
  for (const double value : values) sum += value * 0;
  return sum == 0;
}

/// One evaluation: what its threads share.
class Evaluation {
 public:
  Evaluation(const reference::Geometry& g, const Padded& src, std::span<const double> weights,
             std::span<const double> bias, const TileKernel& kernel)
      : g_(g), src_(src), weights_(weights), bias_(bias), kernel_(kernel) {
    const auto count = static_cast<std::size_t>(g.N * g.OC * g.O[0] * g.O[1] * g.O[2]);
    oracle_.value.resize(count);
    oracle_.magnitude.resize(count);
    // Channels fill the vectors where a group has enough of them, else outputs of one row do.
    by_channel_ = g.OCG() >= kernel.width || g.OCG() > g.O[2];
    blocks_ = by_channel_ ? (g.OCG() + kernel.width - 1) / kernel.width : 1;
    places_.resize(src.taps.size());
    std::iota(places_.begin(), places_.end(), Extent{0});
    if (by_channel_) pack_weights();
  }

  reference::Oracle run(int threads) {
    const Extent tasks = g_.N * g_.G * blocks_ * g_.O[0] * g_.O[1];
    std::atomic<Extent> next{0};
    const Extent share = std::max<Extent>(1, tasks / (8 * threads));
    const auto work = [&] {
      std::vector<double> sums(static_cast<std::size_t>(2 * kernel_.width * kernel_.count));
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
  // [G, block, tap, width], zeros behind the last channel of a group.
  void pack_weights() {
    const Extent taps = g_.products(), width = kernel_.width;
    packed_.resize(static_cast<std::size_t>(g_.G * blocks_ * taps * width));
    for (Extent oc = 0; oc < g_.OC; ++oc) {
      const Extent group = oc / g_.OCG(), within = oc % g_.OCG();
      double* const to =
          packed_.data() + (group * blocks_ + within / width) * taps * width + within % width;
      for (Extent t = 0; t < taps; ++t) {
        to[t * width] = weights_[static_cast<std::size_t>(oc * taps + t)];
      }
    }
    for (Extent& place : places_) place *= width;
  }

  double bias_of(Extent oc) const {
    return bias_.empty() ? 0 : 0 + bias_[static_cast<std::size_t>(oc)];  // +0 of a -0, as a sum is
  }

  void run_row(Extent task, std::vector<double>& sums) {
    const Extent oh = task % g_.O[1], od = task / g_.O[1] % g_.O[0];
    const Extent rest = task / (g_.O[1] * g_.O[0]);
    const Extent block = rest % blocks_, group = rest / blocks_ % g_.G, n = rest / (blocks_ * g_.G);
    const double* const first = src_.values.data() + n * src_.image +
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
  void channels(const double* first, Extent group, Extent block, Extent row,
                std::vector<double>& sums) {
    const Extent width = kernel_.width, begin = block * width;
    const Extent used = std::min(width, g_.OCG() - begin);
    double* const value = sums.data();
    double* const magnitude = value + width * kernel_.count;
    for (Extent ow = 0; ow < g_.O[2]; ow += kernel_.count) {
      const Extent count = std::min(kernel_.count, g_.O[2] - ow);
      for (Extent i = 0; i < count * width; ++i) {
        const Extent oc = std::min(i % width, used - 1);
        value[i] = bias_of(group * g_.OCG() + begin + oc);
        magnitude[i] = std::fabs(value[i]);
      }
      kernel_.run(
          {packed_.data() + (group * blocks_ + block) * g_.products() * width, places_.data(),
           first + ow, src_.taps.data(), 1, g_.products(), value, magnitude},
          count);
      for (Extent p = 0; p < count; ++p) {
        for (Extent l = 0; l < used; ++l) {
          const std::size_t at = place(row, begin + l, ow + p);
          oracle_.value[at] = value[p * width + l];
          oracle_.magnitude[at] = magnitude[p * width + l];
        }
      }
    }
  }

  // A vector holds neighbouring outputs, the scalars are the weights of several channels.
  void pixels(const double* first, Extent group, Extent row, std::vector<double>& sums) {
    const Extent width = kernel_.width;
    double* const value = sums.data();
    double* const magnitude = value + width * kernel_.count;
    for (Extent oc = 0; oc < g_.OCG(); oc += kernel_.count) {
      const Extent count = std::min(kernel_.count, g_.OCG() - oc);
      const Extent channel = group * g_.OCG() + oc;
      for (Extent ow = 0; ow < g_.O[2]; ow += width) {
        const Extent used = std::min(width, g_.O[2] - ow);
        for (Extent i = 0; i < count * width; ++i) {
          value[i] = bias_of(channel + i / width);
          magnitude[i] = std::fabs(value[i]);
        }
        kernel_.run({first + ow, src_.taps.data(), weights_.data() + channel * g_.products(),
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
  const Padded& src_;
  std::span<const double> weights_, bias_;
  const TileKernel& kernel_;
  bool by_channel_ = false;
  Extent blocks_ = 1;
  std::vector<Extent> places_{};  ///< of the weights, a tap each
  std::vector<double> packed_{};
  reference::Oracle oracle_{};
};

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
  if (work < kFewMultiplications || !all_finite(src) || !all_finite(weights)) return literally();
  const TileKernel& kernel = best_kernel();
  const auto padded = pad(geometry, src, kernel.width);
  if (!padded) return literally();
  return Evaluation(geometry, *padded, weights, bias, kernel)
      .run(work < kManyMultiplications ? 1 : threads);
}

}  // namespace concord::conformance
