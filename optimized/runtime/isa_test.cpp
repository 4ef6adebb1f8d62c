// SPDX-License-Identifier: Apache-2.0
#include "optimized/runtime/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "optimized/runtime/kernel_table.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

// Sets an environment variable, and takes it away at the end of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

Problem small_problem(const std::string& dtype = "f32") {
  return testing::problem_of("Convolution " + dtype +
                             " src=1x5x6x7 weights=3x3x7x20 data_format=NXC weights_format=XIO");
}

TEST(Isa, IsTheOneThatTheOptionForces) {
  for (const Isa isa : kIsas) {
    const auto plan = make_plan(small_problem(), {.isa = isa});
    ASSERT_EQ(static_cast<bool>(plan), is_supported(isa));
    if (!plan) continue;
    EXPECT_EQ(plan->isa, isa);
    EXPECT_EQ(to_string(plan->isa), to_string(isa));
    EXPECT_EQ(testing::try_integers(small_problem(), {.isa = isa}, 1), "");
    const Problem bf16 = small_problem("bf16");
    EXPECT_EQ(testing::try_integers(bf16, {.isa = isa}, 1), "");
    const std::string kernel = make_plan(bf16, {.isa = isa})->kernel();
    EXPECT_EQ(kernel.substr(kernel.rfind('_') + 1), to_string(isa)) << kernel;
  }
}

TEST(Isa, OfBf16AloneRunsTheKernelsOfThePoorerOneOnOtherTypes) {
  for (const char* dtype : {"f32", "f16"}) {
    const auto plan = make_plan(small_problem(dtype));
    ASSERT_TRUE(plan);
    if (!is_supported(Isa::kAvx512)) continue;
    EXPECT_EQ(plan->kernel(), make_plan(small_problem(dtype), {.isa = Isa::kAvx512})->kernel());
  }
}

TEST(Isa, IsTheOneThatTheEnvironmentForces) {
  for (const Isa isa : kIsas) {
    const Variable variable("CONCORD_ISA", std::string(to_string(isa)).c_str());
    const auto plan = make_plan(small_problem());
    ASSERT_EQ(static_cast<bool>(plan), is_supported(isa));
    EXPECT_TRUE(!plan || plan->isa == isa);
  }
}

TEST(Isa, IsTheRichestOtherwise) {
  const auto plan = make_plan(small_problem());
  ASSERT_TRUE(plan);
  for (const Isa isa : kIsas) EXPECT_EQ(includes(plan->isa, isa), is_supported(isa));
}

// A processor may have extensions in any combination: kernels need theirs alone.
TEST(Isa, IsASetThatNeedNotHaveAName) {
  const auto with_tiles = static_cast<Isa>(static_cast<unsigned>(Isa::kAvx2) | 8U);
  EXPECT_TRUE(includes(with_tiles, Isa::kAvx2));
  EXPECT_FALSE(includes(with_tiles, Isa::kAmx));
  EXPECT_EQ(to_string(with_tiles), "avx2");
  if (!is_supported(Isa::kAmx)) return;
  EXPECT_STREQ(tiles_for(with_tiles, Dtype::kBF16).name, "tiles_f32_avx2");
  EXPECT_EQ(amx_for(with_tiles, Dtype::kBF16), nullptr);
}

TEST(Isa, RefusesANameItDoesNotKnow) {
  const Variable variable("CONCORD_ISA", "avx9");
  const auto plan = make_plan(small_problem());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.why().detail,
            "CONCORD_ISA is 'avx9', which is none of generic, avx2, avx512, avx512bf16, amx, neon");
}

}  // namespace
}  // namespace concord::optimized
