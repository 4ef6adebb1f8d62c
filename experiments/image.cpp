// SPDX-License-Identifier: Apache-2.0
#include "experiments/image.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "spec/check.h"

namespace concord::experiments {
namespace {

double keys(double d) {
  const double x = std::abs(d);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
}

}  // namespace

Values values_of(const Image& image) {
  Values values({1, 1, image.rows, image.columns});
  std::transform(image.at.begin(), image.at.end(), values.at.begin(),
                 [](double value) { return static_cast<float>(value); });
  return values;
}

Image image_of(const Values& values) {
  CONCORD_CHECK(values.dims.size() == 4 && values.dims[0] * values.dims[1] == 1) << "no image";
  Image image(values.dims[2], values.dims[3]);
  std::copy(values.at.begin(), values.at.end(), image.at.begin());
  return image;
}

double mean_square_error(const Image& a, const Image& b) {
  CONCORD_CHECK(a.rows == b.rows && a.columns == b.columns) << "images of different sizes";
  double sum = 0;
  for (std::size_t i = 0; i < a.at.size(); ++i) sum += (a.at[i] - b.at[i]) * (a.at[i] - b.at[i]);
  return sum / static_cast<double>(a.at.size());
}

Image scene(Extent side, Random& random) {
  std::uniform_real_distribution<double> noise(-0.25, 0.25);
  Image image(side, side);
  for (Extent i = 0; i < side; ++i) {
    for (Extent j = 0; j < side; ++j) {
      const double y = (static_cast<double>(i) + 0.5) / static_cast<double>(side);
      const double x = (static_cast<double>(j) + 0.5) / static_cast<double>(side);
      double value = 0.2 + 0.3 * x;
      if (std::hypot(y - 0.35, x - 0.4) < 0.22) value = 0.9;
      if (std::abs(y + x - 1.4) < 0.08) value = 0.1;
      image(i, j) = std::clamp(value + noise(random), 0.0, 1.0);
    }
  }
  return image;
}

double bicubic(double dy, double dx) { return keys(dy) * keys(dx); }

double rotated_gaussian(double dy, double dx) {
  constexpr double kAlong = 1, kAcross = 0.45;
  if (std::abs(dy) >= 2 || std::abs(dx) >= 2) return 0;
  const double along = (dy + dx) / std::numbers::sqrt2 / kAlong;
  const double across = (dy - dx) / std::numbers::sqrt2 / kAcross;
  return std::exp(-0.5 * (along * along + across * across)) /
         (2 * std::numbers::pi * kAlong * kAcross);
}

std::vector<Rational> projected_grid(Extent in, Extent out, const Rational& scale) {
  std::vector<Rational> grid;
  for (Extent n = 0; n < out; ++n) {
    grid.push_back(Rational(n) / scale + Rational(in - 1, 2) - Rational(out - 1) / (scale * 2));
  }
  return grid;
}

std::vector<Rational> unrounded_grid(Extent out, const Rational& scale) {
  std::vector<Rational> grid;
  for (Extent n = 0; n < out; ++n) {
    grid.push_back(Rational(n) / scale + (Rational(1) / scale - 1) / 2);
  }
  return grid;
}

Image resize(const Image& image, const std::vector<Rational>& grid_h,
             const std::vector<Rational>& grid_w, Extent support, const Kernel& kernel) {
  Image out(static_cast<Extent>(grid_h.size()), static_cast<Extent>(grid_w.size()));
  for (Extent i = 0; i < out.rows; ++i) {
    const Rational& y = grid_h[static_cast<std::size_t>(i)];
    const Extent top = (y - Rational(support, 2)).ceil();
    for (Extent j = 0; j < out.columns; ++j) {
      const Rational& x = grid_w[static_cast<std::size_t>(j)];
      const Extent left = (x - Rational(support, 2)).ceil();
      double sum = 0;
      for (Extent row = std::max<Extent>(top, 0); row < std::min(top + support, image.rows);
           ++row) {
        for (Extent column = std::max<Extent>(left, 0);
             column < std::min(left + support, image.columns); ++column) {
          sum += image(row, column) * kernel((y - row).to_double(), (x - column).to_double());
        }
      }
      out(i, j) = sum;
    }
  }
  return out;
}

Image resize(const Image& image, const Rational& scale_h, const Rational& scale_w, Extent support,
             const Kernel& kernel) {
  return resize(image, projected_grid(image.rows, (scale_h * image.rows).ceil(), scale_h),
                projected_grid(image.columns, (scale_w * image.columns).ceil(), scale_w), support,
                kernel);
}

}  // namespace concord::experiments
