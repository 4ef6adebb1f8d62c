// SPDX-License-Identifier: Apache-2.0
// The products of CNTK's N-dimensional Convolution: which input element meets which weight in which
// output element. The convolution and both gradients sum the same ones, by different places.
#ifndef CONCORD_REFERENCE_CNTK_PRODUCTS_H_
#define CONCORD_REFERENCE_CNTK_PRODUCTS_H_

#include <array>

#include "reference/cntk_geometry.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::reference {

/// One product: places in the input, the output and the weights, which lie as cntk_value.h has
/// them.
struct CntkProduct {
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

// The same of a convolution that has r axes.
template <std::size_t r, class Begin, class Visit>
void for_each_cntk_product_of(const CntkGeometry& g, Begin begin, Visit visit) {
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
      visit(CntkProduct{
          .in = in_grid.offset(in_memory_order<r>(o[0], [&](std::size_t axis) { return x[axis]; })),
          .out = place,
          .weight = weights_grid.offset(cell)});
    }
  }
}

/// Calls `visit` with every product, output by output, samples outermost; and `begin` with the
/// place of each output before its products, also if it has none.
template <class Begin, class Visit>
void for_each_cntk_product(const CntkGeometry& g, Begin begin, Visit visit) {
  switch (g.rank) {
    case 1:
      return for_each_cntk_product_of<1>(g, begin, visit);
    case 2:
      return for_each_cntk_product_of<2>(g, begin, visit);
    case 3:
      return for_each_cntk_product_of<3>(g, begin, visit);
    case 4:
      return for_each_cntk_product_of<4>(g, begin, visit);
    case 5:
      return for_each_cntk_product_of<5>(g, begin, visit);
    case 6:
      return for_each_cntk_product_of<6>(g, begin, visit);
    case 7:
      return for_each_cntk_product_of<7>(g, begin, visit);
    default:
      CONCORD_CHECK(false) << g.rank << " axes";
  }
}

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CNTK_PRODUCTS_H_
