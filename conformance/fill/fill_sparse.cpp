// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

// Where nothing meets an element of src, the bias is all there is to see.
void fill_bias(const FillOrder& order, std::vector<double>& bias) {
  Xoshiro random(order.seed, static_cast<std::uint64_t>(Stream::kBias));
  for (double& b : bias) b = draw_power(random);
}

/// Two elements of a run of weights that meet equal elements of src wherever both meet one.
struct Twins {
  Extent first = 0, second = 0;
  bool exist() const { return first != second; }
};

// The same number, which is not 0, with a significand from 1 to 5/4: the two bits behind the first
// one are cleared.
double with_low_significand(double value) {
  int exponent = 0;
  const double significand = std::frexp(value, &exponent);  // from 1/2
  const double quarters = std::floor((std::fabs(significand) - 0.5) * 8);
  return std::ldexp(significand - std::copysign(quarters / 8, significand), exponent);
}

// Copies src such that there are twins: one input channel of a group to another or, where a group
// has one channel and `shifts`, the last axis of several taps to its neighbours a dilation further.
// None exist where neither is possible, or a run has fewer elements than `least`. Significands are
// low if `low`.
Twins make_twins(const reference::Geometry& g, Extent least, bool shifts, bool low, Inputs& inputs,
                 Xoshiro& random) {
  const Extent taps = reference::volume(g.K), pixels = reference::volume(g.I);
  if (g.products() < least) return {};
  const auto values = inputs.src.begin();
  const auto lower = [&](Extent begin, Extent count) {
    if (!low) return;
    std::transform(values + begin, values + begin + count, values + begin, with_low_significand);
  };
  if (g.ICG() > 1) {
    const Extent from = random.below(g.ICG());
    const Extent to = (from + 1 + random.below(g.ICG() - 1)) % g.ICG();
    for (Extent block = 0; block < g.N * g.G; ++block) {
      lower((block * g.ICG() + from) * pixels, pixels);
      std::copy_n(values + (block * g.ICG() + from) * pixels, pixels,
                  values + (block * g.ICG() + to) * pixels);
    }
    const Extent tap = random.below(taps);
    return {from * taps + tap, to * taps + tap};
  }
  constexpr std::size_t kLast = reference::kSpatialRank - 1;
  if (!shifts || g.K[kLast] < 2) return {};
  lower(0, std::ssize(inputs.src));
  const Extent row = g.I[kLast];
  for (Extent begin = 0; begin < std::ssize(inputs.src); begin += row) {
    for (Extent i = g.D[kLast]; i < row; ++i) values[begin + i] = values[begin + i - g.D[kLast]];
  }
  const Extent tap = random.below(taps / g.K[kLast]) * g.K[kLast] + random.below(g.K[kLast] - 1);
  return {tap, tap + 1};
}

// a and -a, so large that a sum of a and the lone product y is rounded to fewer bits than the store
// keeps of y. Where accumulator and dtype have the same bits, y's own rounding shows already;
// beyond f32 the reference would round, too.
std::optional<int> exponent_of_twins(const FillOrder& order) {
  const int bits = format_of(order.dtype).significand_bits;
  const Accumulator accumulator = accumulator_of(order.dtype, order.arithmetic);
  constexpr int kF32Bits = 24;
  if (accumulator.bits != kF32Bits || bits == kF32Bits) return std::nullopt;
  return accumulator.bits - bits;
}

/// Two weights of one sign for twins x, such that the products are exact in the accumulator and
/// their sum is not, nor often a tie, nor in a higher binade than the larger of them.
struct Summands {
  bool are_powers;  ///< of two; else they have as many bits as x
  int apart;        ///< at least, as exponents

  std::array<double, 2> draw(int bits, Xoshiro& random) const {
    const auto apart_now = apart + static_cast<int>(random.between(0, 2));
    const double small = are_powers ? draw_power(random) : draw_full_mantissa(bits, random);
    const double large =
        are_powers ? small : with_low_significand(draw_full_mantissa(bits, random));
    return {std::copysign(std::ldexp(large, apart_now), small), small};
  }
};

// Nothing where the accumulator has fewer bits than x, or so many that results do not show them.
std::optional<Summands> summands_of(const FillOrder& order) {
  const int bits = exact_input_bits(order.dtype, order.arithmetic);
  const int kept = accumulator_of(order.dtype, order.arithmetic).bits;
  constexpr int kF32Bits = 24, kBeyond = 2;
  if (bits > kept || kept > std::max(kF32Bits, format_of(order.dtype).significand_bits)) {
    return std::nullopt;
  }
  const bool are_powers = 2 * bits > kept;
  return Summands{are_powers, kept - (are_powers ? bits : 2 * bits) + kBeyond};
}

// Two products, which are twins, have no room for a third. Every second seed, because src has two
// bits then.
bool can_be_beside_tie(const FillOrder& order) {
  const reference::Geometry& g = order.geometry;
  const bool are_twins = g.ICG() == 2 || g.K[reference::kSpatialRank - 1] == 2;
  return g.products() == 2 && are_twins && order.seed % 2 == 1 &&
         exact_input_bits(order.dtype, order.arithmetic) == format_of(order.dtype).significand_bits;
}

/// Two weights of one sign for twins of src that are 3 times a power of two, such that the larger
/// product has one bit more than the dtype, and the smaller is three quarters of the last bit that
/// f32 keeps of the sum: a tie of the store, to which an accumulator with fewer bits, or toward
/// zero, takes the sum back. Twice as large as need be, so that f16 has either product as a normal
/// number.
std::array<double, 2> draw_beside_tie(int bits, Xoshiro& random) {
  constexpr int kF32Bits = 24;
  const Extent least = (Extent{1} << bits) / 3 + 1, most = (Extent{1} << (bits + 1)) / 3;
  const Extent odd = 2 * random.between(least / 2, (most - 1) / 2) + 1;
  const auto sign = static_cast<double>(random.sign());
  return {sign * static_cast<double>(2 * odd), sign * std::ldexp(1.0, bits - kF32Bits)};
}

/// What an output channel shows.
enum class Shown { kProduct, kTwins, kBias };

// Both factors are odd significands, so their product is never halfway between two numbers. Every
// second channel has twins, one in four of those with a bias nothing else.
class LoneTaps {
 public:
  LoneTaps(const FillOrder& order, const std::vector<Extent>& taps)
      : order_(order),
        taps_(taps),
        bits_(exact_input_bits(order.dtype, order.arithmetic)),
        cancel_(exponent_of_twins(order)),
        summands_(cancel_ ? std::nullopt : summands_of(order)),
        beside_tie_(cancel_ && can_be_beside_tie(order)),
        weights_(order.seed, static_cast<std::uint64_t>(Stream::kWeights)) {}

  Inputs inputs() {
    Inputs inputs = make_zeros(order_);
    Xoshiro src(order_.seed, static_cast<std::uint64_t>(Stream::kSrc));
    Xoshiro biases(order_.seed, static_cast<std::uint64_t>(Stream::kBias));
    for (double& x : inputs.src) {
      x = beside_tie_ ? 3 * draw_power(src) : draw_full_mantissa(bits_, src);
    }
    constexpr Extent kSum = 2, kPairAndProduct = 3;
    if (cancel_ || summands_) {
      const Extent least = cancel_ && !beside_tie_ ? kPairAndProduct : kSum;
      twins_ = make_twins(order_.geometry, least, cancel_.has_value(), !beside_tie_, inputs, src);
    }
    double* run = inputs.weights.data();
    std::size_t channel = 0;
    for (const auto& hand : deal_taps(order_.geometry, taps_, 1, order_.seed)) {
      const Shown shown = shown_of(static_cast<Extent>(channel), hand.front());
      if (shown == Shown::kBias) {
        const int significand = format_of(order_.dtype).significand_bits;
        inputs.bias[channel] = draw_full_mantissa(significand, biases);
      } else {
        fill_run(shown, hand.front(), run);
      }
      run += order_.geometry.products();
      ++channel;
    }
    return inputs;
  }

 private:
  Shown shown_of(Extent channel, Extent tap) const {
    constexpr Extent kRound = 4, kOfBias = 2;
    const Extent turn = (channel + static_cast<Extent>(order_.seed % kRound)) % kRound;
    if (turn == kOfBias && order_.has_bias && order_.geometry.OC > 1) return Shown::kBias;
    const bool has_room = !cancel_ || beside_tie_ || (tap != twins_.first && tap != twins_.second);
    return turn % 2 == 1 && twins_.exist() && has_room ? Shown::kTwins : Shown::kProduct;
  }

  void fill_run(Shown shown, Extent tap, double* run) {
    if (shown == Shown::kTwins && beside_tie_) {
      const auto [large, small] = draw_beside_tie(bits_, weights_);
      run[twins_.first] = large;
      run[twins_.second] = small;
      return;
    }
    if (shown == Shown::kTwins && summands_) {
      // Twins are channels: any tap of theirs is one of two.
      const Extent taps = reference::volume(order_.geometry.K), place = tap % taps;
      const auto [large, small] = summands_->draw(bits_, weights_);
      run[twins_.first / taps * taps + place] = large;
      run[twins_.second / taps * taps + place] = small;
      return;
    }
    run[tap] = draw_full_mantissa(bits_, weights_);
    if (shown == Shown::kProduct) return;
    const int low = *cancel_ / 2;
    run[tap] = std::ldexp(run[tap], -low);
    const int high = *cancel_ - low + static_cast<int>(weights_.between(0, 3));
    const double larger = with_low_significand(draw_full_mantissa(bits_, weights_));
    run[twins_.first] = std::ldexp(larger, high);
    run[twins_.second] = -run[twins_.first];
  }

  const FillOrder& order_;
  const std::vector<Extent>& taps_;
  int bits_;
  std::optional<int> cancel_;  ///< how much larger twins are that cancel
  std::optional<Summands> summands_;
  bool beside_tie_;  ///< instead of that
  Twins twins_{};
  Xoshiro weights_;
};

/// An element of src within its group, and the taps of each axis that some output meets it with.
struct Lone {
  Extent ic = 0;
  reference::Spatial place{};
  std::array<std::vector<Extent>, reference::kSpatialRank> taps{};
};

Lone choose_element(const reference::Geometry& g, Extent ic, Xoshiro& random) {
  Lone lone;
  lone.ic = ic;
  for (std::size_t axis = 0; axis < reference::kSpatialRank; ++axis) {
    const std::vector<Meeting> met = meetings(g, axis);
    const auto chosen = static_cast<std::size_t>(random.below(static_cast<Extent>(met.size())));
    lone.place[axis] = met[chosen].i;
    for (const Meeting& meeting : met) {
      if (meeting.i == lone.place[axis]) lone.taps[axis].push_back(meeting.k);
    }
  }
  return lone;
}

// One element a channel of an image, so that no tile of a bilinear algorithm sees two that meet a
// weight. Of every four output channels one shows its bias alone.
class LoneElements {
 public:
  explicit LoneElements(const FillOrder& order)
      : order_(order),
        g_(order.geometry),
        inputs_(make_zeros(order)),
        src_(order.seed, static_cast<std::uint64_t>(Stream::kSrc)),
        weights_(order.seed, static_cast<std::uint64_t>(Stream::kWeights)),
        biases_(order.seed, static_cast<std::uint64_t>(Stream::kBias)) {}

  Inputs inputs() {
    for (Extent group = 0; group < g_.G; ++group) {
      const std::vector<Lone> elements = place_elements(group);
      for (Extent oc = group * g_.OCG(); oc < (group + 1) * g_.OCG(); ++oc) {
        if (shows_bias(oc)) {
          const int bits = format_of(order_.dtype).significand_bits;
          inputs_.bias[static_cast<std::size_t>(oc)] = draw_full_mantissa(bits, biases_);
        } else {
          place_weight(oc, elements[pick(elements.size())]);
        }
      }
    }
    return std::move(inputs_);
  }

 private:
  std::size_t pick(std::size_t count) {
    return static_cast<std::size_t>(weights_.below(static_cast<Extent>(count)));
  }

  bool shows_bias(Extent oc) const {
    constexpr Extent kRound = 4;
    const auto first = static_cast<Extent>(order_.seed % kRound);
    return order_.has_bias && g_.OC > 1 && (oc + first) % kRound == 0;
  }

  std::vector<Lone> place_elements(Extent group) {
    constexpr Extent kMost = 64;
    const Grid grid(reference::joined(g_.N, g_.IC, g_.I));
    std::vector<Extent> channels(static_cast<std::size_t>(g_.ICG()));
    std::iota(channels.begin(), channels.end(), 0);
    std::vector<Lone> elements;
    for (Extent n = 0; n < g_.N; ++n) {
      src_.shuffle(channels);
      for (Extent at = 0; at < std::min(g_.ICG(), kMost); ++at) {
        elements.push_back(choose_element(g_, channels[static_cast<std::size_t>(at)], src_));
        const Extent ic = group * g_.ICG() + elements.back().ic;
        inputs_.src[grid.offset(reference::joined(n, ic, elements.back().place))] =
            draw_power(src_);
      }
    }
    return elements;
  }

  void place_weight(Extent oc, const Lone& lone) {
    const Grid grid(reference::joined(g_.OC, g_.ICG(), g_.K));
    reference::Spatial tap{};
    for (std::size_t axis = 0; axis < tap.size(); ++axis) {
      tap[axis] = lone.taps[axis][pick(lone.taps[axis].size())];
    }
    inputs_.weights[grid.offset(reference::joined(oc, lone.ic, tap))] = draw_power(weights_);
  }

  const FillOrder& order_;
  const reference::Geometry& g_;
  Inputs inputs_;
  Xoshiro src_, weights_, biases_;
};

}  // namespace

// Zeros are added exactly in any order, so whatever the class and the number of products, an output
// is one product, the sum of two, one and two that cancel, or its bias:
// docs/numerics.md#one-product-among-zeros.
Inputs fill_sparse(const FillOrder& order) {
  const std::vector<Extent> taps = live_taps(order.geometry);
  if (taps.empty() || order.geometry.N == 0) {
    Inputs inputs = make_zeros(order);
    fill_bias(order, inputs.bias);
    return inputs;
  }
  return is_bilinear(order.arithmetic) ? LoneElements(order).inputs()
                                       : LoneTaps(order, taps).inputs();
}

}  // namespace concord::conformance
