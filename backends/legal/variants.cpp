// SPDX-License-Identifier: Apache-2.0
#include "backends/legal/variants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace concord::backends::legal {
namespace {

template <class T>
T products(const Terms<T>& t, std::size_t begin, std::size_t end, T sum = 0) {
  for (std::size_t i = begin; i < end; ++i) sum += t.x[i] * t.w[i];
  return sum;
}

template <class T>
T with_bias(const Terms<T>& t, T sum) {
  return t.bias ? sum + *t.bias : sum;
}

struct InOrder {
  template <class T>
  static double sum(const Terms<T>& t) {
    return with_bias(t, products(t, 0, t.x.size()));
  }
};

struct Reversed {
  template <class T>
  static double sum(const Terms<T>& t) {
    T sum = 0;
    for (std::size_t i = t.x.size(); i-- > 0;) sum += t.x[i] * t.w[i];
    return with_bias(t, sum);
  }
};

struct BiasFirst {
  template <class T>
  static double sum(const Terms<T>& t) {
    return products(t, 0, t.x.size(), t.bias.value_or(0));
  }
};

struct TapsFirst {
  template <class T>
  static double sum(const Terms<T>& t) {
    T sum = 0;
    const std::size_t taps = t.channels == 0 ? 0 : t.x.size() / t.channels;
    for (std::size_t tap = 0; tap < taps; ++tap) {
      for (std::size_t i = tap; i < t.x.size(); i += taps) sum += t.x[i] * t.w[i];
    }
    return with_bias(t, sum);
  }
};

struct Pairwise {
  template <class T>
  static T half(const Terms<T>& t, std::size_t begin, std::size_t end) {
    if (end - begin == 1) return t.x[begin] * t.w[begin];
    const std::size_t middle = begin + (end - begin) / 2;
    return half(t, begin, middle) + half(t, middle, end);
  }
  template <class T>
  static double sum(const Terms<T>& t) {
    return with_bias(t, t.x.empty() ? T{0} : half(t, 0, t.x.size()));
  }
};

// Source: W. Kahan, Further remarks on reducing truncation errors, CACM 8(1), 1965.
struct Compensated {
  template <class T>
  static double sum(const Terms<T>& t) {
    T sum = 0, lost = 0;
    const auto add = [&](T term) {
      const T corrected = term - lost;
      const T next = sum + corrected;
      lost = (next - sum) - corrected;
      if (!std::isfinite(lost)) lost = 0;  // of an infinite sum nothing is lost
      sum = next;
    };
    for (std::size_t i = 0; i < t.x.size(); ++i) add(t.x[i] * t.w[i]);
    if (t.bias) add(*t.bias);
    return sum;
  }
};

template <class T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class T>
Wider<T> wider_sum(const Terms<T>& t) {
  Wider<T> sum = 0;
  for (std::size_t i = 0; i < t.x.size(); ++i) sum += Wider<T>{t.x[i]} * t.w[i];
  return t.bias ? sum + *t.bias : sum;
}

struct WiderSum {
  template <class T>
  static double sum(const Terms<T>& t) {
    return static_cast<double>(wider_sum(t));
  }
};

struct WiderSumNarrowed {
  template <class T>
  static double sum(const Terms<T>& t) {
    return static_cast<T>(wider_sum(t));
  }
};

struct BlocksOfSeven {
  template <class T>
  static double sum(const Terms<T>& t) {
    T sum = 0;
    for (std::size_t i = 0; i < t.x.size(); i += 7) {
      sum += products(t, i, std::min(i + 7, t.x.size()));
    }
    return with_bias(t, sum);
  }
};

struct Lanes {
  template <class T>
  static double sum(const Terms<T>& t) {
    std::array<T, 16> lanes{};
    for (std::size_t i = 0; i < t.x.size(); ++i) lanes[i % lanes.size()] += t.x[i] * t.w[i];
    for (std::size_t half = lanes.size() / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    return with_bias(t, lanes[0]);
  }
};

struct Fused {
  template <class T>
  static double sum(const Terms<T>& t) {
    T sum = t.bias.value_or(0);
    for (std::size_t i = 0; i < t.x.size(); ++i) sum = std::fma(t.x[i], t.w[i], sum);
    return sum;
  }
};

struct SmallestFirst {
  template <class T>
  static double sum(const Terms<T>& t) {
    thread_local std::vector<T> terms;
    terms.clear();
    T not_finite = 0;
    const auto take = [&](T term) {
      if (std::isfinite(term)) {
        terms.push_back(term);
      } else {
        not_finite += term;
      }
    };
    for (std::size_t i = 0; i < t.x.size(); ++i) take(t.x[i] * t.w[i]);
    if (t.bias) take(*t.bias);
    std::sort(terms.begin(), terms.end(), [](T a, T b) { return std::abs(a) < std::abs(b); });
    T sum = 0;
    for (const T term : terms) sum += term;
    return sum + not_finite;
  }
};

struct SplitAmongThreads {
  template <class T>
  static double sum(const Terms<T>& t) {
    const auto parts = static_cast<std::size_t>(t.threads);
    T sum = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      sum += products(t, t.x.size() * part / parts, t.x.size() * (part + 1) / parts);
    }
    return with_bias(t, sum);
  }
};

struct AnyOrder {
  template <class T>
  static double sum(const Terms<T>& t) {
    const std::size_t n = t.x.size();
    if (n == 0) return with_bias(t, T{0});
    const std::size_t first = ((t.execution + t.output) * 0x9e3779b97f4a7c15u >> 32) % n;
    return with_bias(t, products(t, 0, first, products(t, first, n)));
  }
};

struct Flushed {
  template <class T>
  static T flush(T value) {
    return std::abs(value) < std::numeric_limits<T>::min() ? std::copysign(T{0}, value) : value;
  }
  template <class T>
  static double sum(const Terms<T>& t) {
    T sum = 0;
    for (std::size_t i = 0; i < t.x.size(); ++i) {
      sum = flush(sum + flush(flush(t.x[i]) * flush(t.w[i])));
    }
    if (t.bias) sum = flush(sum + flush(*t.bias));
    return std::abs(sum) < format_of(t.dtype).normal() ? 0 : sum;
  }
};

// `value` with `bits` significant bits, by cutting off the others: `value` is an f32 tensor's.
float cut(float value, int bits) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(static_cast<double>(value), &exponent), bits);
  return static_cast<float>(std::ldexp(std::trunc(scaled), exponent - bits));
}

struct CutToTf32 {
  static double sum(const Terms<float>& t) {
    float sum = 0;
    for (std::size_t i = 0; i < t.x.size(); ++i) sum += cut(t.x[i], 11) * cut(t.w[i], 11);
    return with_bias(t, sum);
  }
};

float to_bf16(float value) { return static_cast<float>(round_to(Dtype::kBF16, value)); }

struct RoundedToBf16 {
  static double sum(const Terms<float>& t) {
    float sum = 0;
    for (std::size_t i = 0; i < t.x.size(); ++i) sum += to_bf16(t.x[i]) * to_bf16(t.w[i]);
    return with_bias(t, sum);
  }
};

struct SplitIntoBf16 {
  static double sum(const Terms<float>& t) {
    float sum = 0;
    for (std::size_t i = 0; i < t.x.size(); ++i) {
      const float x = to_bf16(t.x[i]), w = to_bf16(t.w[i]);
      sum += x * w;
      if (!std::isfinite(x) || !std::isfinite(w)) continue;  // there is no rest
      sum += x * to_bf16(t.w[i] - w);
      sum += to_bf16(t.x[i] - x) * w;
    }
    return with_bias(t, sum);
  }
};

struct BiasAfterStore {
  template <class T>
  static double sum(const Terms<T>& t) {
    const double stored = round_to(t.dtype, products(t, 0, t.x.size()));
    return with_bias(t, static_cast<T>(stored));
  }
};

struct ZeroWeightsSkipped {
  template <class T>
  static double sum(const Terms<T>& t) {
    T sum = 0;
    for (std::size_t i = 0; i < t.x.size(); ++i) {
      if (t.w[i] != 0) sum += t.x[i] * t.w[i];
    }
    return with_bias(t, sum);
  }
};

template <class Sum>
Variant of(std::string_view name, const char* sentence) {
  return {name, sentence, Sum::template sum<float>, Sum::template sum<double>};
}

template <class Sum>
Variant of_f32(std::string_view name, const char* sentence, concord_input_precision precision) {
  Variant variant{name, sentence, Sum::sum, nullptr};
  variant.arithmetic.input_precision = precision;
  variant.f32_only = true;
  return variant;
}

// Every operation is rounded in a direction.
Variant directed(Variant variant, Direction direction, concord_rounding declared) {
  variant.direction = direction;
  variant.arithmetic.accumulator_rounding = declared;
  return variant;
}

template <class Change>
Variant with(Variant variant, Change change) {
  change(variant);
  return variant;
}

}  // namespace

std::span<const Variant> variants() {
  using V = Variant&;
  static const std::vector<Variant> all{
      of<InOrder>("in_order", "channel by channel, each tap by tap, then the bias"),
      of<Reversed>("reversed", "the last product first"),
      of<BiasFirst>("bias_first", "the bias before the products"),
      of<TapsFirst>("taps_first", "tap by tap, each channel by channel"),
      of<Pairwise>("pairwise", "the sums of both halves, down to one product"),
      of<Compensated>("compensated", "Kahan's sum"),
      of<WiderSum>("wider", "products and sums in f64, or in long double for f64"),
      of<WiderSumNarrowed>("wider_narrowed", "the same, rounded to f32 and then to the dtype"),
      of<BlocksOfSeven>("blocks_of_7", "sums of seven products, added"),
      of<Lanes>("lanes", "sixteen sums side by side, folded in halves"),
      of<Fused>("fused", "multiply-adds onto the bias"),
      of<SmallestFirst>("smallest_first", "products and bias sorted by magnitude"),
      with(of<SplitAmongThreads>("split_among_threads", "a sum for each thread, added"),
           [](V v) { v.same_bits_any_threads = false; }),
      with(of<AnyOrder>("any_order", "from another product on in each output and execution"),
           [](V v) { v.bits_vary_by_run = true; }),
      with(of<InOrder>("padding_multiplied", "padding is multiplied as zeros"),
           [](V v) { v.padding = Padding::kMultiplied; }),
      with(of<InOrder>("rows_skipped", "padded rows are skipped, padded columns multiplied"),
           [](V v) { v.padding = Padding::kRowsSkipped; }),
      directed(of<InOrder>("toward_zero", "every product and sum toward zero"), Direction::kZero,
               CONCORD_ROUND_ZERO),
      directed(of<InOrder>("up_and_down", "every operation of an output up, of the next one down"),
               Direction::kAlternating, CONCORD_ROUND_FAITHFUL),
      directed(
          of<Compensated>("compensated_toward_zero", "Kahan's sum, every operation toward zero"),
          Direction::kZero, CONCORD_ROUND_FAITHFUL),
      with(of<Flushed>("flushed", "subnormal inputs and results are zero"),
           [](V v) { v.arithmetic.flushes_subnormals = 1; }),
      of_f32<CutToTf32>("tf32", "inputs cut off to 11 bits", CONCORD_INPUT_TF32),
      of_f32<RoundedToBf16>("bf16", "inputs rounded to bf16", CONCORD_INPUT_BF16),
      of_f32<SplitIntoBf16>("bf16x3", "inputs split into two of bf16", CONCORD_INPUT_BF16X3),
      with(of<BiasAfterStore>("bias_after_store", "the sum is stored, then the bias added"),
           [](V v) { v.arithmetic.bias = CONCORD_BIAS_AFTER_STORE; }),
      with(of<ZeroWeightsSkipped>("zero_weights_skipped", "weights of zero are not multiplied"),
           [](V v) { v.arithmetic.zero_weights = CONCORD_ZERO_WEIGHTS_SKIPPED; }),
  };
  return all;
}

}  // namespace concord::backends::legal
