// SPDX-License-Identifier: Apache-2.0
// f64 from both sides: honest sums pass whatever their order, fused or not; sums and inputs that
// lost precision are found, by the tier that is meant to find them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/judge_lone.h"
#include "conformance/judge/judge_statistical.h"
#include "reference/sum.h"

namespace concord::conformance {
namespace {

constexpr concord_arithmetic kStrict{};

using Values = std::vector<double>;
using Dot = std::function<double(const Values& x, const Values& w)>;

struct Outputs {
  Extent products;
  Values got{};
  reference::Oracle oracle{};
};

Outputs compute(const Dot& dot, Extent products, std::size_t count) {
  Outputs o{products};
  Xoshiro random(1, static_cast<std::uint64_t>(products));
  Values x(static_cast<std::size_t>(products)), w(x.size());
  for (std::size_t i = 0; i < count; ++i) {
    reference::Sum sum;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = 2 * random.unit() - 1;
      w[k] = 2 * random.unit() - 1;
      sum.add_product(x[k], w[k]);
    }
    sum.append_to(o.oracle);
    o.got.push_back(dot(x, w));
  }
  o.oracle = oracle_of(Dtype::kF64, std::move(o.oracle));
  return o;
}

bool passes_interval(const Outputs& o, const char* arithmetic = "strict") {
  return judge_interval(Dtype::kF64, *parse_arithmetic(arithmetic), o.products, o.got,
                        o.oracle.value, o.oracle.magnitude, {}, o.oracle.low)
      .passed();
}

bool passes_statistics(const Outputs& o, const char* arithmetic = "strict") {
  const concord_arithmetic declared = *parse_arithmetic(arithmetic);
  ErrorModel model{Dtype::kF64, declared, o.products, 1};
  model.channels = accumulator_of(Dtype::kF64, declared).faithful ? 0 : o.got.size();
  const ErrorSums sums = sum_errors(model, o.got, o.oracle.value, o.oracle.magnitude, o.oracle.low);
  return judge_statistical(Dtype::kF64, declared, sums).passed();
}

double chain(const Values& x, const Values& w) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * w[k];
  return sum;
}

double fused_chain(const Values& x, const Values& w) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum = std::fma(x[k], w[k], sum);
  return sum;
}

double backward(const Values& x, const Values& w) {
  return chain({x.rbegin(), x.rend()}, {w.rbegin(), w.rend()});
}

double eight_sums(const Values& x, const Values& w) {
  double sums[8] = {}, sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sums[k % 8] = std::fma(x[k], w[k], sums[k % 8]);
  for (const double one : sums) sum += one;
  return sum;
}

// As exact as the oracle, then rounded once.
double exact(const Values& x, const Values& w) {
  reference::Sum sum;
  for (std::size_t k = 0; k < x.size(); ++k) sum.add_product(x[k], w[k]);
  return sum.value + sum.low;
}

double toward_zero(double rounded, double low) {
  const bool is_beyond = low != 0 && std::signbit(low) != std::signbit(rounded);
  return is_beyond ? std::nextafter(rounded, 0) : rounded;
}

double chain_toward_zero(const Values& x, const Values& w) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double product = toward_zero(x[k] * w[k], std::fma(x[k], w[k], -(x[k] * w[k])));
    const reference::TwoSum added(sum, product);
    sum = toward_zero(added.sum, added.lost);
  }
  return sum;
}

double through_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

double without_low_bits(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & ~std::uint64_t{0xFF});
}

double chain_in_f32(const Values& x, const Values& w) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum = through_f32(sum + x[k] * w[k]);
  return sum;
}

template <double (*kChange)(double)>
double chain_of_changed_weights(const Values& x, const Values& w) {
  Values changed(w.size());
  std::transform(w.begin(), w.end(), changed.begin(), kChange);
  return chain(x, changed);
}

constexpr Extent kLengths[] = {1, 2, 3, 9, 100, 2304};

TEST(F64, PassesInAnyOrderFusedOrNot) {
  for (const Dot& dot :
       {Dot(chain), Dot(fused_chain), Dot(backward), Dot(eight_sums), Dot(exact)}) {
    for (const Extent products : kLengths) {
      const Outputs o = compute(dot, products, products > 1000 ? 2000 : 20'000);
      EXPECT_TRUE(passes_interval(o)) << products;
      EXPECT_TRUE(passes_statistics(o)) << products;
      // A word for a narrower accumulator changes nothing.
      EXPECT_TRUE(passes_interval(o, "f16-accumulate")) << products;
    }
  }
}

TEST(F64, TowardZeroPassesAsItselfAlone) {
  for (const Extent products : kLengths) {
    const Outputs o = compute(chain_toward_zero, products, products > 1000 ? 2000 : 20'000);
    for (const char* own : {"accumulator_rounding=zero", "accumulator_rounding=faithful"}) {
      EXPECT_TRUE(passes_interval(o, own)) << products << " " << own;
      EXPECT_TRUE(passes_statistics(o, own)) << products << " " << own;
    }
    EXPECT_FALSE(passes_statistics(o) && passes_interval(o)) << products;
  }
}

TEST(F64, InF32IsFoundByIntervalsAndStatistics) {
  for (const Dot& dot : {Dot(chain_in_f32), Dot(chain_of_changed_weights<through_f32>)}) {
    for (const Extent products : kLengths) {
      const Outputs o = compute(dot, products, 500);
      EXPECT_FALSE(passes_interval(o)) << products;
      EXPECT_FALSE(passes_statistics(o)) << products;
    }
  }
}

TEST(F64, WithoutItsLowBitsIsFound) {
  for (const Extent products : {1, 2, 3, 9, 100}) {
    const Outputs o = compute(chain_of_changed_weights<without_low_bits>, products, 2000);
    EXPECT_FALSE(passes_statistics(o)) << products;
    EXPECT_EQ(passes_interval(o), products == 100) << products;
  }
}

// What a plain sum in f64 would accept or not depends on its own errors: judged by one, the exact
// results of long sums have errors of the size of anyone's.
TEST(F64, IsMeasuredMoreFinelyThanByAPlainSum) {
  const Outputs o = compute(exact, 2304, 2000);
  Outputs plain = o;
  plain.oracle.value = compute(chain, 2304, 2000).got;
  plain.oracle.low.clear();
  const auto bits = [](const Outputs& judged) {
    return judge_statistical(
               Dtype::kF64, kStrict,
               sum_errors({Dtype::kF64, kStrict, 2304, 1}, judged.got, judged.oracle.value,
                          judged.oracle.magnitude, judged.oracle.low))
        .mean_square;
  };
  EXPECT_LT(bits(o), bits(plain) / 10);
}

// Of 1 + low the interval's ends move with low.
TEST(F64, IsJudgedByTheSumAndItsLowPart) {
  const Acceptance accepted(Dtype::kF64, kStrict, {.relative = 1.3 * 0x1p-52});
  EXPECT_TRUE(accepted.accepts(1 + 2 * 0x1p-52, {1, 0x1p-54}, 1));
  EXPECT_FALSE(accepted.accepts(1 + 2 * 0x1p-52, {1, -0x1p-54}, 1));
  EXPECT_TRUE(accepted.accepts(1 + 0x1p-52, {1, -0x1p-54}, 1));
  EXPECT_FALSE(accepted.accepts(1 + 3 * 0x1p-52, {1, 0x1p-54}, 1));
  EXPECT_TRUE(accepted.accepts(1 - 3 * 0x1p-53, {1, -0x1p-54}, 1));
  EXPECT_FALSE(accepted.accepts(1 - 3 * 0x1p-53, {1, 0x1p-54}, 1));
  EXPECT_FALSE(accepted.accepts(std::nan(""), {1, 0}, 1));
}

TEST(F64, OfOneProductIsRoundedAsTheClassSays) {
  const Wanted over(1, -0x1p-60), below(1, 0x1p-60);
  const double up = 1 + 0x1p-52, down = 1 - 0x1p-53;
  const auto accepts = [](const char* arithmetic, double got, Wanted want) {
    return LoneProducts(Dtype::kF64, *parse_arithmetic(arithmetic), 2, 1)
        .accepts(got, want, want.value);
  };
  for (const Wanted want : {over, below}) {
    for (const char* any :
         {"strict", "accumulator_rounding=zero", "accumulator_rounding=faithful"}) {
      EXPECT_TRUE(accepts(any, 1, want)) << any;
    }
    for (const double got : {up, down, 0.0, std::nan("")}) {
      EXPECT_FALSE(accepts("strict", got, want)) << got;
    }
  }
  EXPECT_TRUE(accepts("accumulator_rounding=zero", down, over));
  EXPECT_FALSE(accepts("accumulator_rounding=zero", down, below));
  EXPECT_FALSE(accepts("accumulator_rounding=zero", up, below));
  EXPECT_TRUE(accepts("accumulator_rounding=faithful", down, over));
  EXPECT_TRUE(accepts("accumulator_rounding=faithful", up, below));
  EXPECT_FALSE(accepts("accumulator_rounding=faithful", up, over));
  EXPECT_TRUE(accepts("output_rounding=zero", down, over));
}

// An accumulator of 64 bits, as the x87 has, takes it to a tie of the store.
TEST(F64, OfOneProductMayBeRoundedByWayOf64Bits) {
  const LoneProducts judge(Dtype::kF64, kStrict, 2, 1);
  const double tie = 0x1p-53, up = 1 + 0x1p-52, down = 1 - 0x1p-53;
  EXPECT_TRUE(judge.accepts(up, {1, tie - 0x1p-66}, 1));
  EXPECT_FALSE(judge.accepts(up, {1, tie - 0x1p-63}, 1));
  EXPECT_TRUE(judge.accepts(down, {1, -tie / 2 + 0x1p-66}, 1));
  EXPECT_FALSE(judge.accepts(down, {1, -tie / 2 + 0x1p-63}, 1));
  EXPECT_FALSE(judge.accepts(down, {1, tie - 0x1p-66}, 1));
}

}  // namespace
}  // namespace concord::conformance
