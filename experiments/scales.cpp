// SPDX-License-Identifier: Apache-2.0
#include "experiments/scales.h"

#include <cmath>

#include "spec/check.h"

namespace concord::experiments {

Rational float_scale(Random& random) {
  std::uniform_real_distribution<double> uniform(0.3, 1.3);
  return {static_cast<Extent>(uniform(random) * 10000), 10000};
}

Rational nearest_fraction(double value, Extent largest) {
  Rational best(std::llround(value));
  for (Extent denominator = 2; denominator <= largest; ++denominator) {
    const Rational tried(std::llround(value * static_cast<double>(denominator)), denominator);
    if (std::abs(tried.to_double() - value) < std::abs(best.to_double() - value)) best = tried;
  }
  return best;
}

std::vector<Rational> scale_sequence(int layers, const Rational& target, double deviation,
                                     Random& random) {
  CONCORD_CHECK(layers > 0) << "no layers";
  std::normal_distribution<double> normal(std::pow(target.to_double(), 1.0 / layers), deviation);
  std::vector<Rational> scales;
  for (int i = 0; i < layers; ++i) scales.push_back(nearest_fraction(normal(random), 10));
  std::uniform_int_distribution<std::size_t> any(0, scales.size() - 1);
  const std::size_t fixed = any(random);
  Rational others(1);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (i != fixed) others = others * scales[i];
  }
  scales[fixed] = target / others;
  return scales;
}

Extents sizes_by_equation_4(Extent in, const std::vector<Rational>& scales) {
  Extents sizes;
  Rational size(in);
  for (const Rational& scale : scales) {
    size = size * scale;
    sizes.push_back(size.ceil());
  }
  return sizes;
}

}  // namespace concord::experiments
