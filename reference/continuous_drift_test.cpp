// SPDX-License-Identifier: Apache-2.0
// Figure 6 of the paper: an image that is put through a layer of support 4 and scale 1 again and
// again. A convolution of four taps moves it by half a pixel each time; the continuous layer is
// said to leave it where it is.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reference/continuous.h"
#include "reference/worked_example.h"

namespace concord::reference {
namespace {

constexpr Extent kWidth = 61;
constexpr int kTimes = 4;

double gaussian(double distance, double sigma) {
  return std::exp(-distance * distance / (2 * sigma * sigma));
}

// An image of one row with its whole mass in the middle.
Values dot() {
  Values image(kWidth);
  image[kWidth / 2] = 1;
  return image;
}

double centroid(const Values& image) {
  double mass = 0, moment = 0;
  for (std::size_t at = 0; at < image.size(); ++at) {
    mass += image[at];
    moment += image[at] * static_cast<double>(at);
  }
  return moment / mass;
}

// How far one application moves the centroid, over kTimes of them.
template <class Apply>
double drift(Apply apply) {
  Values image = dot();
  for (int time = 0; time < kTimes; ++time) image = apply(image);
  return (centroid(image) - centroid(dot())) / kTimes;
}

// Of the layer whose kernel is a Gaussian of the horizontal distance.
double drift_of_layer(double sigma, Ties ties) {
  const ContinuousAttributes a{.kernel = {1, 4}, .function = KernelFunction::kKeys, .ties = ties};
  // An odd height of 1 has its one vertical neighbour at distance 0 whatever the policy.
  const ContinuousGeometry g = resolve_continuous({1, 1, 1, kWidth}, 0, a).value();
  const auto d = distances(g);  // [slots,2,1,W]
  Oracle weights;
  for (Extent k = 0; k < g.slots(); ++k) {
    for (Extent n = 0; n < kWidth; ++n) {
      const auto at = static_cast<std::size_t>((2 * k + 1) * kWidth + n);
      const auto row = neighbours(g.vertical, 0);
      const auto column = neighbours(g.horizontal, n);
      const Extent places = g.horizontal.slots();
      const bool there = k / places < static_cast<Extent>(row.size()) &&
                         k % places < static_cast<Extent>(column.size());
      weights.value.push_back(there ? gaussian(d[at], sigma) : 0);
      weights.magnitude.push_back(weights.value.back());
    }
  }
  return drift([&](const Values& image) { return apply_weights(g, image, weights).value; });
}

struct Row {
  double sigma, drift;
};
// Worked out: 2 w(2) / (w(0) + 2 w(1) + w(2)), to the digits shown.
constexpr Row kRows[] = {{.5, .0005}, {.7, .019}, {1, .115}, {1.5, .273}};

TEST(Figure6, TheHalfOpenLayerDriftsByWhatItsKernelHasAtItsBorder) {
  for (const auto& [sigma, expected] : kRows) {
    const double border = gaussian(2, sigma);
    const double exact = 2 * border / (1 + 2 * gaussian(1, sigma) + border);
    EXPECT_NEAR(drift_of_layer(sigma, Ties::kHalfOpen), exact, 1e-12) << sigma;
    EXPECT_NEAR(exact, expected, 5e-4) << sigma;
  }
}

TEST(Figure6, TheOpenAndTheClosedLayerRemainCentred) {
  for (const auto& [sigma, ignored] : kRows) {
    EXPECT_NEAR(drift_of_layer(sigma, Ties::kOpen), 0, 1e-12) << sigma;
    EXPECT_NEAR(drift_of_layer(sigma, Ties::kClosed), 0, 1e-12) << sigma;
  }
}

// The same Gaussian at the four taps of a convolution, whose middle is between two pixels.
TEST(Figure6, AConvolutionOfFourTapsDriftsByHalfAPixel) {
  for (const auto& [sigma, ignored] : kRows) {
    const Values taps{gaussian(1.5, sigma), gaussian(.5, sigma), gaussian(.5, sigma),
                      gaussian(1.5, sigma)};
    const std::string line = "Convolution f32 src=1x1x" + std::to_string(kWidth) +
                             " weights=1x1x4 auto_pad=same_upper data_format=NCX "
                             "weights_format=OIX";
    const double moved =
        drift([&](const Values& image) { return answer(line, image, taps).values; });
    EXPECT_NEAR(std::fabs(moved), .5, 1e-12) << sigma;
  }
}

}  // namespace
}  // namespace concord::reference
