// SPDX-License-Identifier: Apache-2.0
#include "experiments/imitate.h"

#include <cmath>
#include <numbers>

namespace concord::experiments {
namespace {

// The mean square error, and its gradient.
double compare(const Values& got, const Image& want, Values& gradient) {
  gradient = Values(got.dims);
  const double count = static_cast<double>(want.at.size());
  double sum = 0;
  for (std::size_t i = 0; i < want.at.size(); ++i) {
    const double difference = static_cast<double>(got.at[i]) - want.at[i];
    sum += difference * difference;
    gradient.at[i] = static_cast<float>(2 * difference / count);
  }
  return sum / count;
}

}  // namespace

double imitate(Backend& backend, ContinuousLayer& layer, const Lesson& lesson, const Watch& watch) {
  const Values src = values_of(lesson.image);
  for (int step = 0;; ++step) {
    const Values got = layer.forward(backend, src, lesson.where);
    Values gradient;
    const double error = compare(got, lesson.target, gradient);
    if (watch) watch(step, error);
    if (step == lesson.steps) return error;
    const double part = static_cast<double>(step) / lesson.steps;
    const double rate = lesson.rate * 0.5 * (1 + std::cos(std::numbers::pi * part));
    layer.step(layer.backward_weights(backend, src, gradient, lesson.where), rate);
  }
}

Image apply(Backend& backend, const ContinuousLayer& layer, const Image& image,
            const Sampling& where) {
  return image_of(layer.forward(backend, values_of(image), where));
}

Image sampled_kernel(Backend& backend, ContinuousLayer& layer, Extent points_per_pixel) {
  const Extent support = layer.attributes().kernel[0];
  const Extent side = support % 2 == 0 ? support + 1 : support + 2;  // odd, and wider
  Image impulse(side, side);
  impulse(side / 2, side / 2) = 1;
  const Extent points = support * points_per_pixel;  // in the middle, as Eq. 2 centres any size
  return apply(backend, layer, impulse, {points_per_pixel, points_per_pixel, {points, points}});
}

Image sampled_kernel(const Kernel& kernel, Extent support, Extent points_per_pixel) {
  Image image(support * points_per_pixel, support * points_per_pixel);
  const auto distance = [&](Extent n) {
    return (static_cast<double>(n) + 0.5) / static_cast<double>(points_per_pixel) -
           static_cast<double>(support) / 2;
  };
  for (Extent i = 0; i < image.rows; ++i) {
    for (Extent j = 0; j < image.columns; ++j) image(i, j) = kernel(distance(i), distance(j));
  }
  return image;
}

}  // namespace concord::experiments
