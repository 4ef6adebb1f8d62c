// SPDX-License-Identifier: Apache-2.0
// Synthetic images to classify, in place of CIFAR-10.
#ifndef CONCORD_EXPERIMENTS_SHAPES_H_
#define CONCORD_EXPERIMENTS_SHAPES_H_

#include <vector>

#include "experiments/layer.h"

namespace concord::experiments {

enum class Shape { kDisk, kSquare, kCross, kTriangle };
inline constexpr int kShapes = 4;

struct Labelled {
  Values images{};            ///< [N,1,side,side]
  std::vector<int> labels{};  ///< of enum Shape
};

/// Whether a point lies in the shape around 0 that fits a square of 2 x 2.
bool is_inside(Shape shape, double y, double x);

/// One shape in each image, at a random place, from 10/32 to 20/32 of its side wide, brighter than
/// the rest by 0.5 to 1, under normal noise of deviation 0.3; then each image is standardised to
/// mean 0 and variance 1. The kinds take turns.
Labelled shapes(int count, Extent side, Random& random);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_SHAPES_H_
