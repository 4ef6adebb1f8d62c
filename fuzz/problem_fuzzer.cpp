// SPDX-License-Identifier: Apache-2.0
// Any bytes as a problem line: parse() answers, what it read comes back from print(), resolve()
// answers, and on a small valid problem of a discrete operation the formulas and the scatter agree.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/integer_data.h"
#include "reference/reference.h"
#include "reference/scatter.h"
#include "spec/check.h"

namespace concord::fuzz {
namespace {

// Small enough for thousands of evaluations a second.
bool is_small(const Problem& problem, const reference::Geometry& g) {
  constexpr Extent kMost = 4096;
  for (const Tensor* tensor : {&problem.src, &problem.weights, &g.dst}) {
    if (element_count(tensor->dims).value() > kMost) return false;
  }
  // An empty tensor may still have large extents, and loops over them.
  for (std::size_t x = 0; x < 3; ++x) {
    if (g.I[x] > kMost || g.O[x] > kMost || g.K[x] > kMost) return false;
  }
  return g.N <= kMost && g.IC <= kMost && g.OC <= kMost;
}

void check_values(const Problem& problem, const reference::Geometry& geometry) {
  const Data data = integer_data(problem, geometry, 1);
  const auto formulas = evaluate_discrete(problem, geometry, data.src, data.weights, data.bias);
  const auto scattered = scatter(geometry, data.src, data.weights, data.bias);
  CONCORD_CHECK(formulas.value == scattered.value) << print(problem);
  CONCORD_CHECK(formulas.magnitude == scattered.magnitude) << print(problem);
}

void check_line(std::string_view line) {
  const auto problem = parse(line);
  if (!problem) {
    CONCORD_CHECK(problem.why().fault == Fault::kSyntax && !problem.why().detail.empty());
    return;
  }
  const auto again = parse(print(*problem));
  CONCORD_CHECK(again && *again == *problem) << print(*problem);
  const auto geometry = reference::resolve(*problem);
  if (!geometry) {
    CONCORD_CHECK(!geometry.why().detail.empty());
  } else if (is_discrete(problem->operation()) && is_small(*problem, geometry->discrete())) {
    check_values(*problem, geometry->discrete());
  }
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_line({reinterpret_cast<const char*>(data), size});
  return 0;
}
