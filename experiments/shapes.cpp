// SPDX-License-Identifier: Apache-2.0
#include "experiments/shapes.h"

#include <algorithm>
#include <cmath>

namespace concord::experiments {
namespace {

void standardise(float* pixels, Extent count) {
  double sum = 0, square = 0;
  for (Extent i = 0; i < count; ++i) {
    const double value = static_cast<double>(pixels[i]);
    sum += value;
    square += value * value;
  }
  const double mean = sum / static_cast<double>(count);
  const double deviation = std::sqrt(square / static_cast<double>(count) - mean * mean);
  for (Extent i = 0; i < count; ++i) {
    pixels[i] = static_cast<float>((static_cast<double>(pixels[i]) - mean) / deviation);
  }
}

void draw(Shape shape, Extent side, Random& random, float* pixels) {
  const double extent = static_cast<double>(side);
  std::uniform_real_distribution<double> radii(extent * 5 / 32, extent * 10 / 32);
  std::uniform_real_distribution<double> contrasts(0.5, 1);
  std::normal_distribution<double> noise(0, 0.3);
  const double radius = radii(random);
  std::uniform_real_distribution<double> place(radius, extent - radius);
  const double y = place(random), x = place(random);
  const double contrast = contrasts(random);
  for (Extent i = 0; i < side; ++i) {
    for (Extent j = 0; j < side; ++j) {
      const double down = (static_cast<double>(i) + 0.5 - y) / radius;
      const double right = (static_cast<double>(j) + 0.5 - x) / radius;
      const double value = (is_inside(shape, down, right) ? contrast : 0) + noise(random);
      pixels[i * side + j] = static_cast<float>(value);
    }
  }
  standardise(pixels, side * side);
}

}  // namespace

bool is_inside(Shape shape, double y, double x) {
  const double down = std::abs(y), right = std::abs(x);
  switch (shape) {
    case Shape::kDisk:
      return std::hypot(y, x) <= 1;
    case Shape::kSquare:
      return std::max(down, right) <= 0.85;
    case Shape::kCross:
      return std::max(down, right) <= 1 && std::min(down, right) <= 0.3;
    case Shape::kTriangle:
      return down <= 1 && right <= (1 + y) / 2;
  }
  return false;
}

Labelled shapes(int count, Extent side, Random& random) {
  Labelled result{Values({count, 1, side, side}), {}};
  for (int i = 0; i < count; ++i) {
    result.labels.push_back(i % kShapes);
    draw(static_cast<Shape>(i % kShapes), side, random,
         &result.images.at[static_cast<std::size_t>(i * side * side)]);
  }
  return result;
}

}  // namespace concord::experiments
