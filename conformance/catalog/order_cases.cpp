// SPDX-License-Identifier: Apache-2.0
// Every order in which the axes of a tensor can lie in memory, dense and with a gap at each level.
// Such are the views of frameworks: NCX tensors in the memory of NXC, transposed and cut out ones.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "conformance/case/seed.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/memory.h"
#include "conformance/catalog/window_kinds.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

struct OrderedKernel {
  std::string_view word;
  bool is_point;
  Extent G, ICG, OCG;
};
// No two axes of a tensor have the same extent, but for those of one element: exchanged, they show.
constexpr std::array kOrderedKernels = {OrderedKernel{"dense", false, 1, 3, 7},
                                        OrderedKernel{"pointwise", true, 1, 3, 7},
                                        OrderedKernel{"depthwise", false, 3, 1, 1}};

/// Which tensors lie in the order.
struct Ordered {
  std::string_view word;
  bool src, weights, dst;
};
constexpr std::array kOrdered = {
    Ordered{"src", true, false, false}, Ordered{"weights", false, true, false},
    Ordered{"dst", false, false, true}, Ordered{"src-and-dst", true, false, true},
    Ordered{"all", true, true, true}};

Problem dense_problem(const OrderedKernel& kernel, const Ordered& place, std::size_t axes,
                      std::uint64_t number) {
  Random random(number);
  const WindowVariant& variant = kSweptVariants[random.below(kSweptVariants.size())];
  Surrounds surrounds = surrounds_by_turns(random.next(), axes, variant, AutoPad::kNone);
  surrounds.N = 2;
  surrounds.G = kernel.G;
  surrounds.ICG = kernel.ICG;
  surrounds.OCG = kernel.OCG;
  constexpr Extent kExtents[] = {4, 9, 6}, kTaps[] = {2, 4, 5};
  std::vector<Window> windows;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Extent K = kernel.is_point ? 1 : kTaps[axis];
    windows.push_back({.I = kExtents[axis], .K = K, .begin = K - 1});
  }
  // Axes of one element, whose strides have no meaning; with them an order is not told from others.
  if (kernel.is_point && place.src && place.weights) windows.front().I = 1;
  return problem_of(surrounds, windows);
}

std::string name_of(const Ordered& place, const OrderedKernel& kernel,
                    const std::vector<std::size_t>& order, const std::optional<Gap>& gap) {
  std::string name = fmt::format("{}-{}-", place.word, kernel.word);
  for (const std::size_t axis : order) name += std::to_string(axis);
  return gap ? fmt::format("{}-gap-{}", name, gap->place) : name;
}

Source source_of(Problem problem, const Ordered& place, const std::string& name,
                 const std::vector<std::size_t>& order, const std::optional<Gap>& gap) {
  const Extents dst = reference::resolve(problem).value().dst.dims;
  if (place.src) problem.src = in_order(problem.src.dims, order, gap);
  if (place.weights) problem.weights = in_order(problem.weights.dims, order, gap);
  if (place.dst) problem.dst = in_order(dst, order, gap);
  return {"orders", name, problem, "every order of a tensor's axes in memory", ""};
}

// Full has every kernel and gap of one and two axes; of three, whose orders are many, one gap by
// turns. Smoke has one kernel and gap of each order by turns.
void add_orders_of(std::size_t axes, Collector& collector, Suite suite) {
  const std::size_t rank = axes + 2;
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::size_t turn = 0;
  do {
    ++turn;
    for (std::size_t p = 0; p < kOrdered.size(); ++p) {
      for (std::size_t k = 0; k < kOrderedKernels.size(); ++k) {
        for (std::size_t gap = 0; gap <= rank; ++gap) {  // the last one is none
          const bool is_in_turn = gap == (turn + 2 * p + (axes == 3 ? k : 0)) % (rank + 1);
          // Of dense weights alone all axes have several elements.
          const std::size_t kernel_of_smoke =
              kOrdered[p].weights ? 0 : turn % kOrderedKernels.size();
          const bool is_of_smoke =
              axes < 3 && p + 1 < kOrdered.size() && k == kernel_of_smoke && is_in_turn;
          if (is_of_smoke != (suite == Suite::kSmoke) || (axes == 3 && !is_in_turn)) continue;
          const Extent elements = gap > 0 && (turn + p + k) % 2 == 0 ? 3 : 1;
          const auto gap_at = gap < rank ? std::optional(Gap{gap, elements}) : std::nullopt;
          const std::string name = name_of(kOrdered[p], kOrderedKernels[k], order, gap_at);
          collector.add(source_of(dense_problem(kOrderedKernels[k], kOrdered[p], axes, fnv1a(name)),
                                  kOrdered[p], name, order, gap_at),
                        Fill::kIntegers);
        }
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace

void add_orders(Collector& collector, Suite suite) {
  for (const std::size_t axes : {1U, 2U, 3U}) add_orders_of(axes, collector, suite);
}

}  // namespace concord::conformance
