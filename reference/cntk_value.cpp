// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_value.h"

#include "reference/sum.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

// The extents of a tensor, its first axis last, as a Grid counts it in memory order.
struct Shape {
  Extent e0, e1, e2, e3;
};
template <class Of>
Shape shape_of(const CntkGeometry& g, Of of) {
  return {of(g.axes[0]), of(g.axes[1]), of(g.axes[2]), of(g.axes[3])};
}

// One product: places in the input, the output and the weights.
struct Product {
  std::size_t in, out, weight;
};

// Calls `visit` for every product whose input cell exists, output by output, samples outermost;
// and `begin` before those of each output.
template <class Begin, class Visit>
void for_each_product(const CntkGeometry& g, Begin begin, Visit visit) {
  const Shape O = shape_of(g, [](const CntkAxis& x) { return x.output(); });
  const Shape I = shape_of(g, [](const CntkAxis& x) { return x.input; });
  const Shape K = shape_of(g, [](const CntkAxis& x) { return x.kernel; });
  const Grid<5> out_grid{{g.samples, O.e3, O.e2, O.e1, O.e0}};
  const Grid<5> in_grid{{g.samples, I.e3, I.e2, I.e1, I.e0}};
  const Grid<5> weights_grid{{g.kernel_count, K.e3, K.e2, K.e1, K.e0}};
  for (const auto [sample, o3, o2, o1, o0] : out_grid) {
    const CntkIndex out{o0, o1, o2, o3};
    const std::size_t place = out_grid.offset({sample, o3, o2, o1, o0});
    const Extent kernel = g.kernel_of(out);
    begin(place);
    for (const auto [k3, k2, k1, k0] : Grid<4>{{K.e3, K.e2, K.e1, K.e0}}) {
      CntkIndex x{k0, k1, k2, k3};
      bool inside = true;
      for (std::size_t axis = 0; axis < kCntkRank; ++axis) {
        const CntkAxis& a = g.axes[axis];
        x[axis] += g.position(axis, out) * a.stride - a.lower;
        inside = inside && x[axis] >= 0 && x[axis] < a.input;
      }
      if (!inside) continue;
      visit(Product{.in = in_grid.offset({sample, x[3], x[2], x[1], x[0]}),
                    .out = place,
                    .weight = weights_grid.offset({kernel, k3, k2, k1, k0})});
    }
  }
}

std::vector<Sum> sums_from(std::span<const double> preset) {
  std::vector<Sum> sums(preset.size());
  for (std::size_t i = 0; i < preset.size(); ++i) sums[i].add(preset[i]);
  return sums;
}

Oracle oracle_of(const std::vector<Sum>& sums) {
  Oracle oracle;
  for (const Sum& sum : sums) {
    oracle.value.push_back(sum.value);
    oracle.magnitude.push_back(sum.magnitude);
  }
  return oracle;
}

}  // namespace

Oracle evaluate_cntk(const CntkGeometry& g, std::span<const double> in,
                     std::span<const double> weights) {
  std::vector<Sum> sums;
  for_each_product(
      g, [&](std::size_t) { sums.emplace_back(); },
      [&](const Product& p) { sums[p.out].add(weights[p.weight] * in[p.in]); });
  return oracle_of(sums);
}

Oracle cntk_backward_data(const CntkGeometry& g, std::span<const double> grad,
                          std::span<const double> weights, std::span<const double> preset) {
  std::vector<Sum> sums = sums_from(preset);
  for_each_product(
      g, [](std::size_t) {},
      [&](const Product& p) { sums[p.in].add(weights[p.weight] * grad[p.out]); });
  return oracle_of(sums);
}

Oracle cntk_backward_kernel(const CntkGeometry& g, std::span<const double> grad,
                            std::span<const double> in, std::span<const double> preset) {
  std::vector<Sum> sums = sums_from(preset);
  for_each_product(
      g, [](std::size_t) {}, [&](const Product& p) { sums[p.weight].add(in[p.in] * grad[p.out]); });
  return oracle_of(sums);
}

}  // namespace concord::reference
