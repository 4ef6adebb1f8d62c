// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/power.h"

#include <gtest/gtest.h>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/power/simulated_fft.h"

namespace concord::conformance {
namespace {

Suspect suspect(Dtype dtype, const std::string& name) {
  for (Suspect& each : suspects(dtype)) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << name;
  return suspects(dtype).front();
}

PowerOptions options_of(Dtype dtype, const char* declared = "strict") {
  PowerOptions options;
  options.dtype = dtype;
  options.declared = *parse_arithmetic(declared);
  return options;
}

TEST(Power, HasNoLengthInF32ThatHidesACoarserArithmetic) {
  const PowerOptions options = options_of(Dtype::kF32);
  for (const char* name : {"TF32 inputs", "bf16x3", "20-bit accumulator", "22-bit accumulator",
                           "sums toward zero, a chain", "+0.5 step", "times 1 + 2^-12"}) {
    for (const Extent length : {1, 9, 576, 65536}) {
      const auto seen = find_power(suspect(Dtype::kF32, name), length, options);
      ASSERT_TRUE(seen) << name << ", " << length;
      EXPECT_LE(seen->outputs, 7) << name << ", " << length;
    }
  }
}

TEST(Power, HasNoLengthThatHidesTheAccumulatorBehindAStoreOf16Bits) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (const char* name : {"22-bit accumulator", "sums toward zero, a chain"}) {
      for (const Extent length : {2, 3, 9, 576, 65536}) {
        const auto seen = find_power(suspect(dtype, name), length, options_of(dtype));
        EXPECT_TRUE(seen) << to_string(dtype) << " " << name << ", " << length;
      }
    }
  }
}

TEST(Power, HasNoLengthThatHidesAnFftThatIsNotDeclared) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
    for (const Extent length : {1, 9, 576, 16384}) {
      const auto seen = find_power(fft_suspect(dtype), length, options_of(dtype));
      EXPECT_TRUE(seen) << to_string(dtype) << ", " << length;
    }
  }
  for (const Extent length : {1, 2, 3, 5, 8, 27, 65536}) {
    const auto seen = find_power(fft_suspect(Dtype::kF32), length, options_of(Dtype::kF32));
    ASSERT_TRUE(seen) << length;
    EXPECT_LE(seen->outputs, 3) << length;
  }
}

TEST(Fft, ComputesTheConvolution) {
  Xoshiro random(1, 1);
  const auto drawn = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = round_to(Dtype::kF32, 2 * random.unit() - 1);
    return values;
  };
  const std::vector<std::vector<double>> src{drawn(64), drawn(64)}, weights{drawn(9), drawn(9)};
  const auto got = fft_outputs(8, 3, src, weights, {});
  ASSERT_EQ(got.size(), 36U);
  for (std::size_t i = 0; i < got.size(); ++i) {
    double want = 0;
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t tap = 0; tap < 9; ++tap) {
        want += weights[c][tap] * src[c][(i / 6 + tap / 3) * 8 + i % 6 + tap % 3];
      }
    }
    EXPECT_NEAR(got[i], want, 1e-5) << i;
  }
}

TEST(Power, SeesWhatIsNotWinogradBehindADeclaredBilinearClass) {
  const PowerOptions options = options_of(Dtype::kF32, "bilinear");
  for (const char* name : {"Winograd F(4), bf16 inputs", "Winograd F(4), f16 accumulator"}) {
    EXPECT_TRUE(find_power(suspect(Dtype::kF32, name), 576, options)) << name;
  }
  for (const char* name : {"Winograd F(2)", "Winograd F(4)", "Winograd F(6)"}) {
    EXPECT_FALSE(find_power(suspect(Dtype::kF32, name), 576, options)) << name;
    EXPECT_TRUE(find_power(suspect(Dtype::kF32, name), 576, options_of(Dtype::kF32))) << name;
  }
}

TEST(Power, SeesNothingInAnHonestLibrary) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
    for (const Extent length : {1, 9, 576}) {
      EXPECT_FALSE(find_power(suspect(dtype, "honest"), length, options_of(dtype)));
    }
  }
}

}  // namespace
}  // namespace concord::conformance
