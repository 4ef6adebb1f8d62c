// SPDX-License-Identifier: Apache-2.0
#include "experiments/nets.h"

#include <algorithm>

#include "experiments/scales.h"

namespace concord::experiments {
namespace {

std::vector<Rational> scales(Random& random, int layers, double deviation) {
  auto result = scale_sequence(layers - 1, {1, 4}, deviation, random);
  result.insert(result.begin(), Rational(1));
  return result;
}

}  // namespace

void relu(Values& values) {
  for (float& value : values.at) value = std::max(value, 0.0F);
}

Path random_path(Extent side, Random& random, int layers, double deviation) {
  const auto scales_h = scales(random, layers, deviation);
  const auto scales_w = scales(random, layers, deviation);
  const Extents rows = sizes_by_equation_4(side, scales_h);
  const Extents columns = sizes_by_equation_4(side, scales_w);
  Path path;
  for (std::size_t i = 0; i < scales_h.size(); ++i) {
    path.push_back({scales_h[i], scales_w[i], {rows[i], columns[i]}});
  }
  return path;
}

}  // namespace concord::experiments
