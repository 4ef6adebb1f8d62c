// SPDX-License-Identifier: Apache-2.0
// Any bytes as a problem line: parse() answers, what it read comes back from print(), the plugin
// plugin ABI takes it, resolve() answers, and on a small valid problem the formulas have a value
// for every element, of a discrete operation the scatter's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "conformance/fill/fill.h"
#include "fuzz/integer_data.h"
#include "plugin_codec/plugin_problem.h"
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
  double image = 1, filter = 1, plane = 1;
  for (std::size_t x = 0; x < reference::kSpatialRank; ++x) {
    if (g.I[x] > kMost || g.O[x] > kMost || g.K[x] > kMost) return false;
    image *= static_cast<double>(g.I[x]);
    filter *= static_cast<double>(g.K[x]);
    plane *= static_cast<double>(g.O[x]);
  }
  constexpr double kMostPlaces = 1 << 24;
  if (image > kMostPlaces || filter > kMostPlaces || plane > kMostPlaces) return false;
  return g.N <= kMost && g.IC <= kMost && g.OC <= kMost;
}

void check_values(const Problem& problem, const reference::Geometry& geometry) {
  const Data data = integer_data(problem, geometry, 1);
  const auto formulas = evaluate_discrete(problem, geometry, data.src, data.weights, data.bias);
  const auto scattered = scatter(geometry, data.src, data.weights, data.bias);
  CONCORD_CHECK(formulas.value == scattered.value) << print(problem);
  CONCORD_CHECK(formulas.magnitude == scattered.magnitude) << print(problem);
}

// As is_small(), of an operation that is no convolution with a discrete geometry.
bool is_small_too(const Problem& problem, const reference::Resolution& resolution) {
  constexpr Extent kMostElements = 256, kMostProducts = 4096;
  const auto small = [&](const Tensor& tensor) {
    // An empty tensor may still have large extents, and loops over them.
    return element_count(tensor.dims).value_or(kMostElements + 1) <= kMostElements &&
           std::all_of(tensor.dims.begin(), tensor.dims.end(),
                       [](Extent extent) { return extent <= kMostElements; });
  };
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr && !small(*tensor)) return false;
  }
  return small(resolution.dst) && resolution.products <= kMostProducts;
}

void check_composed_values(const Problem& problem, const reference::Resolution& resolution) {
  const auto in =
      conformance::fill_inputs(conformance::Fill::kIntegers, 1, problem, resolution, {});
  const auto oracle =
      reference::evaluate(problem, resolution, {in.src, in.weights, in.bias, in.diff_dst});
  const auto count = static_cast<std::size_t>(element_count(resolution.dst.dims).value());
  CONCORD_CHECK(oracle.value.size() == count && oracle.magnitude.size() == count) << print(problem);
}

void check_line(std::string_view line) {
  const auto problem = parse(line);
  if (!problem) {
    CONCORD_CHECK(problem.why().fault == Fault::kSyntax && !problem.why().detail.empty());
    return;
  }
  const auto again = parse(print(*problem));
  CONCORD_CHECK(again && *again == *problem) << print(*problem);
  const auto structs = PluginProblem::make(*problem);
  CONCORD_CHECK(structs || structs.why().fault == Fault::kRank) << print(*problem);
  const auto geometry = reference::resolve(*problem);
  if (!geometry) {
    CONCORD_CHECK(!geometry.why().detail.empty());
  } else if (is_discrete(problem->operation())) {
    if (is_small(*problem, geometry->discrete())) check_values(*problem, geometry->discrete());
  } else if (is_small_too(*problem, *geometry)) {
    check_composed_values(*problem, *geometry);
  }
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_line({reinterpret_cast<const char*>(data), size});
  return 0;
}
