// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_value.h"

#include <array>

#include "reference/sum.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

// One product: places in the input, the output and the weights.
struct Product {
  std::size_t in, out, weight;
};

// The extents, or an index, of r axes and of what comes behind them (samples, or kernels), the
// first axis last, as a Grid counts them in memory order.
template <std::size_t r, class Of>
std::array<Extent, r + 1> in_memory_order(Extent behind, Of of) {
  std::array<Extent, r + 1> reversed;
  reversed[0] = behind;
  for (std::size_t axis = 0; axis < r; ++axis) reversed[r - axis] = of(axis);
  return reversed;
}

// Calls `visit` for every product whose input cell exists, output by output, samples outermost;
// and `begin` before those of each output. The convolution has r axes.
template <std::size_t r, class Begin, class Visit>
void for_each_product_of(const CntkGeometry& g, Begin begin, Visit visit) {
  const auto input = [&](std::size_t axis) { return g.axes[axis].input; };
  const auto output = [&](std::size_t axis) { return g.axes[axis].output(); };
  const auto kernel_extent = [&](std::size_t axis) { return g.axes[axis].kernel; };
  const Grid<r + 1> in_grid{in_memory_order<r>(g.samples, input)};
  const Grid<r + 1> out_grid{in_memory_order<r>(g.samples, output)};
  const Grid<r + 1> weights_grid{in_memory_order<r>(g.kernel_count, kernel_extent)};
  const Grid<r + 1> cells{in_memory_order<r>(1, kernel_extent)};
  for (const auto& o : out_grid) {
    CntkIndex out{};
    for (std::size_t axis = 0; axis < r; ++axis) out[axis] = o[r - axis];
    const std::size_t place = out_grid.offset(o);
    const Extent kernel = g.kernel_of(out);
    begin(place);
    for (const auto& k : cells) {
      CntkIndex x{};
      bool inside = true;
      for (std::size_t axis = 0; axis < r; ++axis) {
        const CntkAxis& a = g.axes[axis];
        x[axis] = g.position(axis, out) * a.stride + k[r - axis] - a.lower;
        inside = inside && x[axis] >= 0 && x[axis] < a.input;
      }
      if (!inside) continue;
      auto cell = k;
      cell[0] = kernel;
      visit(Product{
          .in = in_grid.offset(in_memory_order<r>(o[0], [&](std::size_t axis) { return x[axis]; })),
          .out = place,
          .weight = weights_grid.offset(cell)});
    }
  }
}

template <class Begin, class Visit>
void for_each_product(const CntkGeometry& g, Begin begin, Visit visit) {
  switch (g.rank) {
    case 1:
      return for_each_product_of<1>(g, begin, visit);
    case 2:
      return for_each_product_of<2>(g, begin, visit);
    case 3:
      return for_each_product_of<3>(g, begin, visit);
    case 4:
      return for_each_product_of<4>(g, begin, visit);
    case 5:
      return for_each_product_of<5>(g, begin, visit);
    case 6:
      return for_each_product_of<6>(g, begin, visit);
    case 7:
      return for_each_product_of<7>(g, begin, visit);
    default:
      CONCORD_CHECK(false) << g.rank << " axes";
  }
}

std::vector<Sum> sums_from(std::span<const double> preset) {
  std::vector<Sum> sums(preset.size());
  for (std::size_t i = 0; i < preset.size(); ++i) sums[i].add(preset[i]);
  return sums;
}

Oracle values_of(const std::vector<Sum>& sums) {
  Oracle oracle;
  for (const Sum& sum : sums) sum.append_to(oracle);
  return oracle;
}

}  // namespace

Oracle evaluate_cntk(const CntkGeometry& g, std::span<const double> in,
                     std::span<const double> weights) {
  std::vector<Sum> sums;
  for_each_product(
      g, [&](std::size_t) { sums.emplace_back(); },
      [&](const Product& p) { sums[p.out].add_product(weights[p.weight], in[p.in]); });
  return values_of(sums);
}

Oracle cntk_backward_data(const CntkGeometry& g, std::span<const double> grad,
                          std::span<const double> weights, std::span<const double> preset) {
  std::vector<Sum> sums = sums_from(preset);
  for_each_product(
      g, [](std::size_t) {},
      [&](const Product& p) { sums[p.in].add_product(weights[p.weight], grad[p.out]); });
  return values_of(sums);
}

Oracle cntk_backward_kernel(const CntkGeometry& g, std::span<const double> grad,
                            std::span<const double> in, std::span<const double> preset) {
  std::vector<Sum> sums = sums_from(preset);
  for_each_product(
      g, [](std::size_t) {},
      [&](const Product& p) { sums[p.weight].add_product(in[p.in], grad[p.out]); });
  return values_of(sums);
}

}  // namespace concord::reference
