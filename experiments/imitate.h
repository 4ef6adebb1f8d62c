// SPDX-License-Identifier: Apache-2.0
// A layer of one channel that learns to resize as a teacher does (section 6).
#ifndef CONCORD_EXPERIMENTS_IMITATE_H_
#define CONCORD_EXPERIMENTS_IMITATE_H_

#include <functional>
#include <vector>

#include "experiments/image.h"

namespace concord::experiments {

struct Lesson {
  Image image{}, target{};
  Sampling where{};
  int steps = 0;
  double rate = 0.01;  ///< of Adam; it falls to zero along half a cosine
};
/// Before each step, and once after the last one.
using Watch = std::function<void(int step, double error)>;

/// Trains `layer` on one image at one scale. Returns the mean square error at the end.
double imitate(Backend& backend, ContinuousLayer& layer, const Lesson& lesson,
               const Watch& watch = {});

/// What a layer of one channel makes of an image.
Image apply(Backend& backend, const ContinuousLayer& layer, const Image& image,
            const Sampling& where);

/// The layer's kernel at points_per_pixel points a pixel, both axes: its answer to an impulse,
/// sampled at that scale. It is `support` pixels wide.
Image sampled_kernel(Backend& backend, ContinuousLayer& layer, Extent points_per_pixel);
/// The same of a known kernel.
Image sampled_kernel(const Kernel& kernel, Extent support, Extent points_per_pixel);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_IMITATE_H_
