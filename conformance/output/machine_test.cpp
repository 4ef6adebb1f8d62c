// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace concord::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Machine of(const std::string& text) {
  std::istringstream stream(text);
  return read_cpuinfo(stream);
}

TEST(Machine, HasTheNameAndTheVectorInstructionsOfTheFirstProcessor) {
  const Machine x86 =
      of("processor\t: 0\nmodel name\t: A processor: the first\nflags\t\t: fpu sse sse4_1 avx2 avx "
         "fma "
         "amx_bf16 vmx f16c avx512f\nvmx flags\t: vnmi avx_not_a_flag\n\nprocessor\t: 1\n"
         "model name\t: Another\nflags\t\t: avx9\n");
  EXPECT_EQ(x86.cpu, "A processor: the first");
  EXPECT_THAT(x86.features,
              ElementsAre("amx_bf16", "avx", "avx2", "avx512f", "f16c", "fma", "sse4_1"));
  const Machine arm = of("processor\t: 0\nFeatures\t: fp asimd evtstrm asimdhp sve bf16 i8mm\n");
  EXPECT_EQ(arm.cpu, "unknown");
  EXPECT_THAT(arm.features, ElementsAre("asimd", "asimdhp", "bf16", "i8mm", "sve"));
}

TEST(Machine, IsUnknownWhereNothingIsSaid) {
  for (const std::string text : {"", "flags\n", "model name\n\n", ": \n"}) {
    EXPECT_EQ(of(text).cpu, "unknown");
    EXPECT_THAT(of(text).features, IsEmpty());
  }
}

TEST(Machine, OfThisProcessHasCoresAndASystem) {
  const Machine here = this_machine();
  EXPECT_GE(here.cores, 1U);
  EXPECT_THAT(here.system, HasSubstr("Linux"));
}

}  // namespace
}  // namespace concord::conformance
