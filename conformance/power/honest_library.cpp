// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/honest_library.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/power/honest_tiles.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

using reference::kSpatialRank;
using reference::Spatial;

bool one_in(Extent count, Xoshiro& random) { return random.below(count) == 0; }

// The terms of one output, in the order of its taps, added as the library does.
class Adder {
 public:
  Adder(const HonestLibrary& library, RoundingUnit& unit, Xoshiro& random)
      : library_(library), unit_(unit), random_(random) {}

  void clear() { terms_.clear(), rest_.clear(); }
  void add_tap(double x, double w) {
    const Demoted a = demote(library_, x), b = demote(library_, w);
    terms_.push_back({a.high, b.high});
    if (library_.computed.input_precision != CONCORD_INPUT_BF16X3) return;
    auto& others = library_.parts_apart ? rest_ : terms_;
    others.push_back({a.high, b.low});
    others.push_back({a.low, b.high});
  }

  double sum(double bias) {
    terms_.insert(terms_.end(), rest_.begin(), rest_.end());
    const double first = library_.bias_first ? bias : 0, last = library_.bias_first ? 0 : bias;
    return unit_.sum(add_all(first), last);
  }

 private:
  struct Term {
    double x, w;
  };

  double add_all(double first) {
    const auto count = terms_.size(), block = library_.block;
    switch (library_.summation) {
      case Summation::kTree:
        return count == 0 ? first : unit_.sum(tree(0, count), first);
      case Summation::kLanes:
        return lanes(0, count, block, first);
      case Summation::kPairs:
        for (std::size_t i = 1; i < count; i += 2) std::swap(terms_[i - 1], terms_[i]);
        return lanes(0, count, 1, first);
      case Summation::kAligned:
        if (are_finite(first)) return aligned(first);
        break;
      default:
        break;
    }
    const std::size_t lane_count = library_.summation == Summation::kTiles ? 2 : 1;
    for (std::size_t begin = 0; begin < count; begin += block) {
      const std::size_t end = std::min(begin + block, count);
      first = unit_.sum(first, lanes(begin, end, lane_count, 0));
    }
    return first;
  }

  double add(double sum, const Term& term) {
    if (library_.fused) return unit_.fused(term.x, term.w, sum);
    return unit_.sum(sum, unit_.product(term.x, term.w));
  }

  double lanes(std::size_t begin, std::size_t end, std::size_t count, double first) {
    lanes_.assign(count, 0.0);
    lanes_[0] = first;
    for (std::size_t i = begin; i < end; ++i) {
      double& lane = lanes_[(i - begin) % count];
      lane = add(lane, terms_[i]);
    }
    double sum = lanes_[0];
    for (std::size_t lane = 1; lane < count; ++lane) sum = unit_.sum(sum, lanes_[lane]);
    return sum;
  }

  double tree(std::size_t begin, std::size_t end) {
    const auto count = static_cast<Extent>(end - begin);
    const Term& first = terms_[begin];
    if (count == 1) return unit_.product(first.x, first.w);
    const Extent left = library_.balanced ? count / 2 : 1 + random_.below(count - 1);
    if (left == 1) return add(tree(begin + 1, end), first);
    const std::size_t middle = begin + static_cast<std::size_t>(left);
    const double sum = tree(begin, middle);
    return unit_.sum(sum, tree(middle, end));
  }

  // Products that overflow have no last bit to cut the others off at.
  bool are_finite(double first) const {
    const double most = format_of(Dtype::kF32).largest();
    return std::isfinite(first) && std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
             return std::fabs(term.x * term.w) <= most;
           });
  }

  double aligned(double sum) {
    std::vector<double> block;
    for (std::size_t begin = 0; begin < terms_.size(); begin += library_.block) {
      block.clear();
      const std::size_t end = std::min(begin + library_.block, terms_.size());
      for (std::size_t i = begin; i < end; ++i) block.push_back(terms_[i].x * terms_[i].w);
      if (!std::isfinite(sum)) return sum;
      sum = unit_.aligned(sum, block);
    }
    return sum;
  }

  const HonestLibrary& library_;
  RoundingUnit& unit_;
  Xoshiro& random_;
  std::vector<Term> terms_, rest_;
  std::vector<double> lanes_;
};

// Where a tap of the kernel meets src; outside, whether the library multiplies it as a zero.
struct Tap {
  std::size_t weight, src;
  bool inside, multiplied;
};

class Sums {
 public:
  Sums(const HonestLibrary& library, const reference::Geometry& g, const Inputs& inputs,
       RoundingUnit& unit, Xoshiro& random)
      : library_(library), g_(g), inputs_(inputs), random_(random), adder_(library, unit, random) {
    order_.resize(static_cast<std::size_t>(g.products()));
    std::iota(order_.begin(), order_.end(), 0);
    if (library.shuffled) random.shuffle(order_);
    if (library.backwards) std::reverse(order_.begin(), order_.end());
  }

  // Without a bias that is added later.
  std::vector<double> outputs() {
    const Grid dst(reference::joined(g_.N, g_.OC, g_.O));
    std::vector<double> sums(static_cast<std::size_t>(g_.N * g_.OC * reference::volume(g_.O)));
    const bool late = library_.computed.bias == CONCORD_BIAS_AFTER_STORE;
    for (const auto& at : Grid(reference::joined(g_.N, g_.G, g_.O))) {
      const std::vector<Tap> taps = taps_of(at[0], at[1], reference::spatial_part(at));
      for (Extent oc = at[1] * g_.OCG(); oc < (at[1] + 1) * g_.OCG(); ++oc) {
        const auto channel = static_cast<std::size_t>(oc);
        const double bias = late || inputs_.bias.empty() ? 0 : inputs_.bias[channel];
        const Spatial o = reference::spatial_part(at);
        sums[dst.offset(reference::joined(at[0], oc, o))] = sum_of(taps, channel, bias);
      }
    }
    return sums;
  }

 private:
  std::vector<Tap> taps_of(Extent n, Extent group, const Spatial& o) const {
    const Grid src(reference::joined(g_.N, g_.IC, g_.I));
    std::vector<Tap> taps;
    std::size_t weight = 0;
    for (const auto& tap : Grid(reference::joined(g_.ICG(), g_.K))) {
      Spatial i = reference::spatial_part(tap);
      bool inside = true, multiplied = true;
      for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
        i[axis] = o[axis] * g_.S[axis] + i[axis] * g_.D[axis] - g_.P_begin[axis];
        if (i[axis] >= 0 && i[axis] < g_.I[axis]) continue;
        inside = false;
        multiplied = multiplied && library_.multiplies[axis];
      }
      const Extent ic = group * g_.ICG() + tap[0];
      taps.push_back(
          {weight++, inside ? src.offset(reference::joined(n, ic, i)) : 0, inside, multiplied});
    }
    return taps;
  }

  double sum_of(const std::vector<Tap>& taps, std::size_t oc, double bias) {
    const double* weights = inputs_.weights.data() + oc * taps.size();
    const bool skips = library_.computed.zero_weights == CONCORD_ZERO_WEIGHTS_SKIPPED;
    adder_.clear();
    for (const Extent at : order_) {
      const Tap& tap = taps[static_cast<std::size_t>(at)];
      if (!tap.inside && !tap.multiplied) continue;
      const double w = weights[tap.weight];
      if (skips && w == 0 && one_in(2, random_)) continue;
      adder_.add_tap(tap.inside ? inputs_.src[tap.src] : 0, w);
    }
    return adder_.sum(bias);
  }

  const HonestLibrary& library_;
  const reference::Geometry& g_;
  const Inputs& inputs_;
  Xoshiro& random_;
  Adder adder_;
  std::vector<Extent> order_;
};

// A result of the dtype, and the bias after it if the class says so.
class Store {
 public:
  Store(const HonestLibrary& library, Xoshiro& random)
      : library_(library), random_(random), rounding_(output_rounding(library.computed)) {}

  double stored(double value) {
    value = flushed(value);
    return flushed(round_to(library_.dtype, value, rounding_));
  }

  // By an addition in f32, to nearest or as the accumulator rounds, or at once.
  double with_bias(double sum, double bias) {
    sum = stored(sum);
    bias = flushed(bias);
    if (library_.dtype == Dtype::kF64) {
      return add(Dtype::kF64, rounding_ == Rounding::kZero ? Direction::kZero : Direction::kNearest,
                 sum, bias);
    }
    if (one_in(2, random_)) return stored(add(Dtype::kF64, Direction::kOdd, sum, bias));
    const bool plain = one_in(2, random_);
    return stored(
        add(Dtype::kF32, plain ? Direction::kNearest : library_.unit.direction, sum, bias));
  }

 private:
  double add(Dtype kept, Direction direction, double sum, double bias) {
    return RoundingUnit({kept, direction}, random_).sum(sum, bias);
  }
  double flushed(double value) {
    const bool flushes = library_.computed.flushes_subnormals != 0 && one_in(2, random_);
    return flushes && std::fabs(value) < format_of(library_.dtype).normal() ? 0 : value;
  }

  const HonestLibrary& library_;
  Xoshiro& random_;
  Rounding rounding_;
};

Inputs flushed_inputs(Inputs inputs, Dtype dtype) {
  for (auto* values : {&inputs.src, &inputs.weights, &inputs.bias}) {
    for (double& value : *values) {
      if (std::fabs(value) < format_of(dtype).normal()) value = 0;
    }
  }
  return inputs;
}

}  // namespace

Demoted demote(const HonestLibrary& library, double value) {
  const int bits = exact_input_bits(library.dtype, library.computed);
  if (bits == format_of(library.dtype).significand_bits) return {value, 0};
  const double high = round_to_bits(bits, value, library.demotion);
  // Inf - Inf, as in the libraries.
  return {high, round_to_bits(bits, value - high, library.demotion)};
}

std::vector<double> compute(const HonestLibrary& library, const reference::Geometry& geometry,
                            const Inputs& inputs, std::span<const double> exact, Xoshiro& random) {
  const Inputs seen = library.flushes_inputs ? flushed_inputs(inputs, library.dtype) : inputs;
  RoundingUnit unit(library.unit, random);
  std::vector<double> dst = library.tile == 0
                                ? Sums(library, geometry, seen, unit, random).outputs()
                                : compute_tiles(library, geometry, seen, unit);
  CONCORD_CHECK(dst.size() == exact.size()) << dst.size() << " and " << exact.size();
  Store store(library, random);
  const bool late = library.computed.bias == CONCORD_BIAS_AFTER_STORE;
  const Extent plane = reference::volume(geometry.O);
  for (std::size_t i = 0; i < dst.size(); ++i) {
    const Extent oc = static_cast<Extent>(i) / plane % geometry.OC;
    const double bias = seen.bias.empty() ? 0 : seen.bias[static_cast<std::size_t>(oc)];
    const bool in_sum = !late && library.tile != 0;
    const double sum = in_sum ? unit.sum(dst[i], bias) : dst[i];
    const bool after = late && !seen.bias.empty();
    dst[i] = after ? store.with_bias(sum, bias) : store.stored(sum);
    if (library.spoil) dst[i] = library.spoil(dst[i], exact[i], random);
  }
  return dst;
}

}  // namespace concord::conformance
