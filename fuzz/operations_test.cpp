// SPDX-License-Identifier: Apache-2.0
// The engine's shape arithmetic and the reference's, which share no code, say the same of every
// problem of every operation: the same dst, or the same fault.
#include "fuzz/operations.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "conformance/catalog/listed.h"
#include "optimized/engine.h"
#include "optimized/shape/shape.h"
#include "reference/reference.h"

namespace concord::fuzz {
namespace {

/// What somebody says of a problem: the dims of dst.
using Infer = std::function<Result<Extents>(const Problem&)>;

Result<Extents> by_engine(const Problem& problem) {
  if (is_discrete(problem.operation())) {
    const auto shape = optimized::infer_shape(problem);
    if (!shape) return shape.why();
    return shape->dst_tensor.dims;
  }
  const auto plan = optimized::plan_problem(problem);
  if (!plan) return plan.why();
  return plan->dst_dims;
}

// Empty where both say the same; else what each of them says. The engine alone refuses, as a size,
// what no memory holds; and does so before it looks at a dst or diff_dst that is given.
std::string disagreement(const Problem& problem, const Infer& infer) {
  const auto said = [](const Result<Extents>& result) {
    return result ? "dst " + to_string(Tensor{*result, {}})
                  : std::string(to_string(result.why().fault));
  };
  const auto resolution = reference::resolve(problem);
  const Result<Extents> want =
      resolution ? Result<Extents>(resolution->dst.dims) : Result<Extents>(resolution.why());
  const Result<Extents> got = infer(problem);
  const bool no_memory =
      (want || want.why().fault >= Fault::kDiffDst) && !got && got.why().fault == Fault::kSize;
  if (said(want) == said(got) || no_memory) return {};
  return print(problem) + ": want " + said(want) + ", got " + said(got);
}

RC_GTEST_PROP(Operations, AreInferredAlikeByTheEngineAndTheReference, ()) {
  const Problem problem = *operation_problem();
  RC_ASSERT(disagreement(problem, by_engine) == "");
  RC_TAG(std::string(to_string(problem.operation())));
}

RC_GTEST_PROP(Operations, AreRefusedForTheSameFaultByTheEngineAndTheReference, ()) {
  RC_ASSERT(disagreement(*spoiled_operation_problem(), by_engine) == "");
}

TEST(Operations, OfTheCatalogThatAreInvalidAreRefusedForTheFaultInTheirName) {
  for (const conformance::Listed& each : conformance::listed("invalid")) {
    const std::string& name = each.name;
    const auto got = by_engine(each.problem);
    ASSERT_FALSE(got) << name;
    const std::string fault(to_string(got.why().fault));
    EXPECT_TRUE(name.starts_with(fault + "-")) << name << ": " << got.why().detail;
  }
}

// The generators reach what they are about: each operation, and each fault that it can have.
TEST(Generators, ReachEveryOperationAndEveryFault) {
  std::map<std::string, int> valid, faults;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const auto drawn = [&](const rc::Gen<Problem>& problems) {
      return problems(rc::Random(seed), rc::kNominalSize).value();
    };
    const Problem good = drawn(operation_problem());
    if (reference::resolve(good)) ++valid[std::string(to_string(good.operation()))];
    const auto spoiled = reference::resolve(drawn(spoiled_operation_problem()));
    if (!spoiled) ++faults[std::string(to_string(spoiled.why().fault))];
  }
  for (const Operation operation : kOperations) {
    EXPECT_GT(valid[std::string(to_string(operation))], 50) << to_string(operation);
  }
  for (const Fault fault :
       {Fault::kDtype,  Fault::kRank,      Fault::kSize,      Fault::kLayout,      Fault::kStrides,
        Fault::kScale,  Fault::kDilations, Fault::kBlockSize, Fault::kPads,        Fault::kPadding,
        Fault::kGroups, Fault::kMapCount,  Fault::kSharing,   Fault::kImageLayout, Fault::kChannels,
        Fault::kKernel, Fault::kWidths,    Fault::kTheta,     Fault::kDiffDst,     Fault::kDst}) {
    EXPECT_GT(faults[std::string(to_string(fault))], 0) << to_string(fault);
  }
}

Infer renaming(Fault from, Fault to) {
  return [=](const Problem& problem) {
    auto said = by_engine(problem);
    if (!said && said.why().fault == from) return Result<Extents>(Refusal{to, said.why().detail});
    return said;
  };
}

Infer deaf_to(Fault fault) {
  return [=](const Problem& problem) {
    auto said = by_engine(problem);
    if (!said && said.why().fault == fault) return Result<Extents>(problem.src.dims);
    return said;
  };
}

Result<Extents> with_one_output_more_than_auto_padding_has(const Problem& problem) {
  auto said = by_engine(problem);
  const auto* a = std::get_if<CntkConvolutionAttributes>(&problem.attributes);
  if (!said || a == nullptr || a->auto_padding[0] == 0) return said;
  Extents dims = *said;
  ++dims[0];
  return dims;
}

Result<Extents> with_scales_rounded_down(const Problem& problem) {
  auto said = by_engine(problem);
  const auto* a = std::get_if<ContinuousAttributes>(&problem.attributes);
  if (!said || a == nullptr || !a->size.empty()) return said;
  Extents dims = *said;
  dims[2] = (a->scale_h * problem.src.dims[2]).floor();
  return dims;
}

struct Mutant {
  const char* name;
  rc::Gen<Problem> problems;
  Infer infer;
};

class Mutation : public testing::TestWithParam<Mutant> {};

TEST_P(Mutation, IsNoticed) {
  int noticed = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    const Problem problem = GetParam().problems(rc::Random(seed), rc::kNominalSize).value();
    if (!disagreement(problem, GetParam().infer).empty()) ++noticed;
  }
  std::cout << GetParam().name << ": noticed on " << noticed << " of 1000 problems\n";
  EXPECT_GT(noticed, 0);
}

INSTANTIATE_TEST_SUITE_P(
    , Mutation,
    testing::Values(
        Mutant{"OneOutputTooMany", operation_problem(), with_one_output_more_than_auto_padding_has},
        Mutant{"ScalesRoundedDown", operation_problem(), with_scales_rounded_down},
        Mutant{"SharingTakenForMapCount", spoiled_operation_problem(),
               renaming(Fault::kSharing, Fault::kMapCount)},
        Mutant{"ThetaTakenForChannels", spoiled_operation_problem(),
               renaming(Fault::kTheta, Fault::kChannels)},
        Mutant{"AnyScaleAccepted", spoiled_operation_problem(), deaf_to(Fault::kScale)},
        Mutant{"AnyBlockSizeAccepted", spoiled_operation_problem(), deaf_to(Fault::kBlockSize)},
        Mutant{"AnyWidthsAccepted", spoiled_operation_problem(), deaf_to(Fault::kWidths)}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace concord::fuzz
