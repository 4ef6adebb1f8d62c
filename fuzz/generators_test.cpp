// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace concord::fuzz {
namespace {

RC_GTEST_PROP(Generators, SmallProblemsAreValidAndSmall, ()) {
  const Problem problem = *small_problem();
  const auto geometry = reference::resolve_discrete(problem);
  RC_ASSERT(geometry);
  RC_ASSERT(element_count(geometry->dst.dims) <= 2 * 9 * 20 * 20 * 20);
  RC_CLASSIFY(element_count(geometry->dst.dims) == 0, "empty output");
  RC_CLASSIFY(problem.dst.has_value(), "dst given");
  RC_TAG(std::string(to_string(problem.operation())));
}

RC_GTEST_PROP(Generators, AnyProblemComesBackFromItsText, ()) {
  const Problem problem = *any_problem();
  const std::string line = print(problem);
  const auto parsed = parse(line);
  RC_ASSERT(parsed);
  RC_ASSERT(*parsed == problem);
  RC_ASSERT(print(*parsed) == line);
}

RC_GTEST_PROP(Generators, SmallProblemsComeBackFromTheirText, ()) {
  const Problem problem = *small_problem();
  const auto parsed = parse(print(problem));
  RC_ASSERT(parsed);
  RC_ASSERT(*parsed == problem);
}

RC_GTEST_PROP(Generators, DataAreSmallIntegersOfTheProblemsSizes, (std::uint32_t seed)) {
  const Problem problem = *small_problem();
  const auto geometry = reference::resolve_discrete(problem);
  const Data data = integer_data(problem, *geometry, seed);
  RC_ASSERT(static_cast<Extent>(data.src.size()) == element_count(problem.src.dims));
  RC_ASSERT(static_cast<Extent>(data.weights.size()) == element_count(problem.weights.dims));
  RC_ASSERT(data.bias.size() == static_cast<std::size_t>(problem.bias ? geometry->OC : 0));
  RC_ASSERT(std::all_of(data.src.begin(), data.src.end(),
                        [](double x) { return std::fabs(x) <= 9 && std::trunc(x) == x; }));
}

// Whatever resolve() is given, it answers; a refusal says which of the words of the line is wrong.
RC_GTEST_PROP(Resolve, AnswersWhateverItIsAsked, ()) {
  const Problem problem = *rc::gen::oneOf(any_problem(), spoiled_problem());
  const auto geometry = reference::resolve_discrete(problem);
  if (!geometry) {
    RC_ASSERT(!geometry.why().detail.empty());
    RC_TAG(std::string(to_string(geometry.why().fault)));
  } else {
    RC_ASSERT(geometry->products() >= 0);
    RC_TAG("valid");
  }
}

}  // namespace
}  // namespace concord::fuzz
