// SPDX-License-Identifier: Apache-2.0
// Scales as the paper samples them: one for a layer (section 6), or a sequence whose product is
// exact (appendix A.2).
#ifndef CONCORD_EXPERIMENTS_SCALES_H_
#define CONCORD_EXPERIMENTS_SCALES_H_

#include <vector>

#include "experiments/layer.h"

namespace concord::experiments {

/// A float scale, uniform in [0.3, 1.3], as the decimal of four digits below it.
Rational float_scale(Random& random);

/// The fraction nearest to `value` whose denominator is at most `largest`; of two, the one with the
/// smaller denominator.
Rational nearest_fraction(double value, Extent largest);

/// Appendix A.2 for one axis: `layers` scales from a normal distribution of mean
/// target^(1/layers) and the given deviation, each rounded to the nearest fraction with denominator
/// at most 10; then one of them, chosen at random, is set so that the product is `target` exactly.
std::vector<Rational> scale_sequence(int layers, const Rational& target, double deviation,
                                     Random& random);

/// Eq. 4 for one axis: the sizes behind the layers, each ceil(in * product so far).
Extents sizes_by_equation_4(Extent in, const std::vector<Rational>& scales);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_SCALES_H_
