// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_value.h"

#include "reference/cntk_products.h"
#include "reference/sum.h"

namespace concord::reference {
namespace {

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
  for_each_cntk_product(
      g, [&](std::size_t) { sums.emplace_back(); },
      [&](const CntkProduct& p) { sums[p.out].add_product(weights[p.weight], in[p.in]); });
  return values_of(sums);
}

Oracle cntk_backward_data(const CntkGeometry& g, std::span<const double> grad,
                          std::span<const double> weights, std::span<const double> preset) {
  std::vector<Sum> sums = sums_from(preset);
  for_each_cntk_product(
      g, [](std::size_t) {},
      [&](const CntkProduct& p) { sums[p.in].add_product(weights[p.weight], grad[p.out]); });
  return values_of(sums);
}

Oracle cntk_backward_kernel(const CntkGeometry& g, std::span<const double> grad,
                            std::span<const double> in, std::span<const double> preset) {
  std::vector<Sum> sums = sums_from(preset);
  for_each_cntk_product(
      g, [](std::size_t) {},
      [&](const CntkProduct& p) { sums[p.weight].add_product(in[p.in], grad[p.out]); });
  return values_of(sums);
}

}  // namespace concord::reference
