// SPDX-License-Identifier: Apache-2.0
// Grey images, and resizing them by a known kernel: the teachers of the experiments, written
// without the layer.
#ifndef CONCORD_EXPERIMENTS_IMAGE_H_
#define CONCORD_EXPERIMENTS_IMAGE_H_

#include <functional>
#include <vector>

#include "experiments/layer.h"

namespace concord::experiments {

struct Image {
  Extent rows = 0, columns = 0;
  std::vector<double> at{};

  Image() = default;
  Image(Extent height, Extent width)
      : rows(height), columns(width), at(static_cast<std::size_t>(height * width)) {}
  double& operator()(Extent row, Extent column) {
    return at[static_cast<std::size_t>(row * columns + column)];
  }
  double operator()(Extent row, Extent column) const {
    return at[static_cast<std::size_t>(row * columns + column)];
  }
};

/// One image as [1,1,H,W], and back.
Values values_of(const Image& image);
Image image_of(const Values& values);

double mean_square_error(const Image& a, const Image& b);

/// A bright disk, a bar and a slope under noise, in [0, 1]: with edges in all directions and full
/// rank, so that it determines the kernel.
Image scene(Extent side, Random& random);

/// A kernel, of the vertical and the horizontal distance.
using Kernel = std::function<double(double, double)>;
/// Keys' cubic with a = -1/2 in both axes: bicubic interpolation. Its support is 4.
double bicubic(double dy, double dx);
/// A Gaussian of deviations 1 along the diagonal and 0.45 across it, of sum near 1: the rotated
/// teacher of Figure 3. Cut off at a support of 4.
double rotated_gaussian(double dy, double dx);

/// Where the outputs of one axis lie in the input (Eq. 2).
std::vector<Rational> projected_grid(Extent in, Extent out, const Rational& scale);
/// The same without the rounded size: n/s + (1/s - 1)/2.
std::vector<Rational> unrounded_grid(Extent out, const Rational& scale);

/// Eq. 1 as it stands, in f64: each output sums the pixels within the support, the left one of a
/// tie; outside the image is 0.
Image resize(const Image& image, const std::vector<Rational>& grid_h,
             const std::vector<Rational>& grid_w, Extent support, const Kernel& kernel);
/// On the grid of Eq. 2, with sizes rounded up.
Image resize(const Image& image, const Rational& scale_h, const Rational& scale_w, Extent support,
             const Kernel& kernel);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_IMAGE_H_
