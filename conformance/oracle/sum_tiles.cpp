// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/sum_tiles.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "spec/interrupt.h"

namespace concord::conformance {
namespace {

using reference::kDepth;
using reference::kHeight;
using reference::kWidth;

// Taps at a time, so that their weights stay in the first cache while outputs change; and outputs
// at a time, so that their sums stay in the second.
constexpr Extent kTapsAtOnce = 128;
constexpr Extent kOutputsAtOnce = 240;

// A line of the cache, so that no vector lies in two.
template <class Number>
struct alignas(64) Line {
  Number numbers[64 / sizeof(Number)];
};

/// Numbers that nobody has set.
template <class Number>
class Lines {
 public:
  explicit Lines(Extent count)
      : lines_(std::make_unique_for_overwrite<Line<Number>[]>(
            static_cast<std::size_t>(count) / std::size(Line<Number>().numbers) + 1)) {}
  Number* data() const { return lines_[0].numbers; }

 private:
  std::unique_ptr<Line<Number>[]> lines_;
};

/// One evaluation: what its threads share. Sums are kept in Number.
template <class Number>
class Evaluation {
 public:
  Evaluation(const reference::Geometry& g, const Padded<Number>& src,
             std::span<const double> weights, std::span<const double> bias,
             const TileKernel<Number>& kernel, bool magnitudes)
      : g_(g),
        src_(src),
        weights_(weights),
        bias_(bias),
        kernel_(kernel),
        magnitudes_(magnitudes),
        by_channel_(is_by_channel(g, kernel)),
        blocks_(by_channel_ ? (g.OCG() + kernel.width - 1) / kernel.width : 1),
        packed_((by_channel_ ? g.G * blocks_ * kernel.width : g.OC) * g.products()),
        is_packed_(static_cast<std::size_t>(g.G * blocks_)),
        places_(src.taps.size()) {
    for (std::size_t t = 0; t < places_.size(); ++t) {
      places_[t] = static_cast<Extent>(t) * (by_channel_ ? kernel.width : 1);
    }
    const Extent bands = (pixels_ + kOutputsAtOnce - 1) / kOutputsAtOnce;
    band_ = by_channel_ ? (pixels_ + bands - 1) / bands : g.O[kWidth];
  }

  reference::Oracle run(int threads) {
    const Extent bands = (pixels_ + band_ - 1) / band_;
    const Extent tasks = g_.N * g_.G * blocks_ * bands;
    oracle_.value.reserve(static_cast<std::size_t>(g_.N * g_.OC * pixels_));
    if (magnitudes_) oracle_.magnitude.reserve(oracle_.value.capacity());
    const bool in_order = threads == 1;
    if (!in_order) grow_to(g_.N * g_.OC);
    std::atomic<Extent> next{0};
    const Extent share = std::max<Extent>(1, tasks / (8 * threads));
    const auto work = [&, flag = interrupt_flag] {
      const InterruptScope scope(flag);
      Room room(kernel_, band_);
      for (Extent begin = next.fetch_add(share); begin < tasks && !interrupted();
           begin = next.fetch_add(share)) {
        for (Extent task = begin; task < std::min(begin + share, tasks); ++task) {
          const Part part = part_of(task / bands, task % bands * band_);
          // By one thread a few channels after another, so that the zeros that a vector begins
          // with are still in the caches when they are overwritten.
          if (in_order) grow_to(part.first_plane + part.channels);
          if (by_channel_) {
            channels(part, room);
          } else {
            outputs(part, room);
          }
        }
      }
    };
    std::vector<std::jthread> helpers;
    try {
      for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // With fewer threads it takes longer.
    }
    work();
    helpers.clear();  // joins
    return std::move(oracle_);
  }

 private:
  /// What one thread works in.
  struct Room {
    Room(const TileKernel<Number>& kernel, Extent band)
        : sums(2 * kernel.width * std::max(band, kernel.count)),
          scalars(static_cast<std::size_t>(std::max(band, kernel.count))) {}
    Lines<Number> sums;
    std::vector<const Number*> scalars;
  };

  /// Some channels of one image, from output `begin` of each plane to output `end`.
  struct Part {
    Extent n, group, block;
    Extent channels;     ///< how many
    Extent first;        ///< of all channels
    Extent first_plane;  ///< of dst
    Extent begin, end;
  };

  Part part_of(Extent planes, Extent begin) const {
    Part part;
    part.block = planes % blocks_;
    part.group = planes / blocks_ % g_.G;
    part.n = planes / (blocks_ * g_.G);
    const Extent skipped = by_channel_ ? part.block * kernel_.width : 0;
    part.channels = by_channel_ ? std::min(kernel_.width, g_.OCG() - skipped) : g_.OCG();
    part.first = part.group * g_.OCG() + skipped;
    part.first_plane = part.n * g_.OC + part.first;
    part.begin = begin;
    part.end = std::min(begin + band_, pixels_);
    return part;
  }

  void grow_to(Extent planes) {
    const auto size = static_cast<std::size_t>(planes * pixels_);
    if (oracle_.value.size() >= size) return;
    oracle_.value.resize(size);
    if (magnitudes_) oracle_.magnitude.resize(size);
  }

  // The weights of a part: by channels [tap, width], zeros behind the last channel; else as they
  // are. Whoever comes first packs them.
  const Number* weights_of(const Part& part) {
    const Extent taps = g_.products(), index = part.group * blocks_ + part.block;
    const Extent width = by_channel_ ? kernel_.width : g_.OCG();
    Number* const packed = packed_.data() + index * width * taps;
    std::call_once(is_packed_[static_cast<std::size_t>(index)], [&] {
      const double* const from = weights_.data() + part.first * taps;
      if (by_channel_) {
        pack(from, part.channels, packed);
      } else {
        std::transform(from, from + width * taps, packed,
                       [](double w) { return static_cast<Number>(w); });
      }
    });
    return packed;
  }

  // A line of the cache of each channel after another: at some distances their lines would drive
  // each other out.
  void pack(const double* from, Extent channels, Number* to) const {
    constexpr Extent kLine = 8;
    const Extent taps = g_.products(), width = kernel_.width;
    for (Extent begin = 0; begin < taps; begin += kLine) {
      const Extent end = std::min(begin + kLine, taps);
      for (Extent l = 0; l < channels; ++l) {
        for (Extent t = begin; t < end; ++t) {
          to[t * width + l] = static_cast<Number>(from[l * taps + t]);
        }
      }
      for (Extent t = begin; t < end; ++t) {
        std::fill(to + t * width + channels, to + (t + 1) * width, Number{0});
      }
    }
  }

  // As many scalars as make the tiles of `left` outputs or channels about equal.
  Extent share_of(Extent left) const {
    const Extent tiles = (left + kernel_.count - 1) / kernel_.count;
    return (left + tiles - 1) / tiles;
  }

  Number bias_of(Extent oc) const {
    if (bias_.empty()) return 0;
    const std::size_t at = bias_.size() == 1 ? 0 : static_cast<std::size_t>(oc);
    return static_cast<Number>(0 + bias_[at]);  // +0 of a -0, as a sum is
  }

  // What the first tap of an output of the part's group reads.
  const Number* first_of(const Part& part, Extent output) const {
    const Extent ow = output % g_.O[kWidth], oh = output / g_.O[kWidth] % g_.O[kHeight];
    const Extent od = output / (g_.O[kWidth] * g_.O[kHeight]);
    return src_.values + part.n * src_.image + part.group * g_.ICG() * src_.plane +
           od * g_.S[kDepth] * src_.slice + oh * g_.S[kHeight] * src_.line + ow * src_.step;
  }

  // A vector holds channels, the scalars are the inputs of outputs, which may lie in several rows.
  void channels(const Part& part, Room& room) {
    const Extent width = kernel_.width, count = part.end - part.begin;
    Number* const value = room.sums.data();
    Number* const magnitude = value + width * band_;
    for (Extent p = 0; p < count; ++p) {
      room.scalars[static_cast<std::size_t>(p)] = first_of(part, part.begin + p);
      for (Extent l = 0; l < width; ++l) {
        const Number bias = bias_of(part.first + std::min(l, part.channels - 1));
        value[p * width + l] = bias;
        magnitude[p * width + l] = std::fabs(bias);
      }
    }
    const Number* const weights = weights_of(part);
    for (Extent tap = 0; tap < g_.products() && !interrupted(); tap += kTapsAtOnce) {
      const Extent taps = std::min(kTapsAtOnce, g_.products() - tap);
      for (Extent p = 0, some = 0; p < count; p += some) {
        some = share_of(count - p);
        kernel_.run(
            {weights, &places_[static_cast<std::size_t>(tap)],
             &room.scalars[static_cast<std::size_t>(p)], &src_.taps[static_cast<std::size_t>(tap)],
             taps, value + p * width, magnitudes_ ? magnitude + p * width : nullptr},
            some);
      }
    }
    for (Extent l = 0; l < part.channels; ++l) {
      const auto at = static_cast<std::size_t>((part.first_plane + l) * pixels_ + part.begin);
      for (Extent p = 0; p < count; ++p) {
        oracle_.value[at + static_cast<std::size_t>(p)] = value[p * width + l];
      }
      for (Extent p = 0; magnitudes_ && p < count; ++p) {
        oracle_.magnitude[at + static_cast<std::size_t>(p)] = magnitude[p * width + l];
      }
    }
  }

  // A vector holds neighbouring outputs of a row, the scalars are the weights of several channels.
  void outputs(const Part& part, Room& room) {
    const Extent width = kernel_.width;
    Number* const value = room.sums.data();
    Number* const magnitude = value + width * kernel_.count;
    const Number* const weights = weights_of(part);
    const Number* const first = first_of(part, part.begin);
    for (Extent oc = 0, count = 0; oc < part.channels; oc += count) {
      count = share_of(part.channels - oc);
      for (Extent p = 0; p < count; ++p) {
        room.scalars[static_cast<std::size_t>(p)] = weights + (oc + p) * g_.products();
      }
      for (Extent ow = 0; ow < g_.O[kWidth] && !interrupted(); ow += width) {
        const Extent used = std::min(width, g_.O[kWidth] - ow);
        for (Extent i = 0; i < count * width; ++i) {
          value[i] = bias_of(part.first + oc + i / width);
          magnitude[i] = std::fabs(value[i]);
        }
        kernel_.run({first + ow, src_.taps.data(), room.scalars.data(), places_.data(),
                     g_.products(), value, magnitudes_ ? magnitude : nullptr},
                    count);
        for (Extent p = 0; p < count; ++p) {
          const Extent at = (part.first_plane + oc + p) * pixels_ + part.begin + ow;
          std::copy_n(value + p * width, used, oracle_.value.begin() + at);
          if (!magnitudes_) continue;
          std::copy_n(magnitude + p * width, used, oracle_.magnitude.begin() + at);
        }
      }
    }
  }

  const reference::Geometry& g_;
  const Padded<Number>& src_;
  std::span<const double> weights_, bias_;
  const TileKernel<Number>& kernel_;
  const bool magnitudes_;
  const Extent pixels_ = g_.O[kDepth] * g_.O[kHeight] * g_.O[kWidth];  ///< of a plane of dst
  bool by_channel_;
  Extent blocks_;
  Extent band_ = 1;  ///< outputs of a task
  Lines<Number> packed_;
  std::vector<std::once_flag> is_packed_;
  std::vector<Extent> places_;  ///< of the weights, a tap each
  reference::Oracle oracle_{};
};

}  // namespace

template <class Number>
reference::Oracle sum_tiles(const reference::Geometry& geometry, const Padded<Number>& src,
                            std::span<const double> weights, std::span<const double> bias,
                            const TileKernel<Number>& kernel, bool magnitudes, int threads) {
  return Evaluation<Number>(geometry, src, weights, bias, kernel, magnitudes).run(threads);
}

template reference::Oracle sum_tiles(const reference::Geometry&, const Padded<double>&,
                                     std::span<const double>, std::span<const double>,
                                     const TileKernel<double>&, bool, int);
template reference::Oracle sum_tiles(const reference::Geometry&, const Padded<float>&,
                                     std::span<const double>, std::span<const double>,
                                     const TileKernel<float>&, bool, int);

}  // namespace concord::conformance
