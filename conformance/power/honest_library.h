// SPDX-License-Identifier: Apache-2.0
// Libraries drawn at random, each of which computes what its class of arithmetic allows. The judge
// must never fail one.
#ifndef CONCORD_CONFORMANCE_POWER_HONEST_LIBRARY_H_
#define CONCORD_CONFORMANCE_POWER_HONEST_LIBRARY_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/fill/fill.h"
#include "conformance/judge/judge_special.h"
#include "conformance/power/rounding_unit.h"
#include "conformance/power/search.h"

namespace concord::conformance {

/// A class, and what it leaves to a library, which declares the class. The store, where it is
/// flushed and whether a product by a weight of zero is left out are drawn for each element.
struct HonestLibrary {
  Dtype dtype = Dtype::kF32;
  concord_arithmetic computed{}, declared{};  ///< the same in an honest library
  Summation summation = Summation::kLanes;
  std::size_t block = 1;  ///< terms of a run, tile or block; lanes
  bool fused = false;     ///< products are not rounded before they are added
  bool bias_first = true;
  bool balanced = false;                     ///< a tree halves its terms
  bool backwards = false, shuffled = false;  ///< the order of taps
  bool parts_apart = false;                  ///< of bf16x3: first all products of high parts
  UnitFormat unit{};
  Rounding demotion = Rounding::kNearest;
  bool flushes_inputs = false;
  SpatialChoice multiplies{};  ///< padding along these axes is multiplied as zeros
  Extent tile = 0;       ///< m of Winograd's F(m, tile_taps) in each of `tile_axes` axes; 0: sums
  bool fourier = false;  ///< instead, a tile has m + tile_taps - 1 elements, a power of two
  Extent tile_taps = 3;
  std::size_t tile_axes = 2;
  /// What is stored in the place of what the library stores; null: that.
  std::function<double(double stored, double exact, Xoshiro& random)> spoil{};
};

/// Any class that can be declared, and any choice within it. What is not derived is left out:
/// Winograd's tiles of more than 6, and Fourier transforms, of demoted inputs or of 16-bit
/// accumulators.
HonestLibrary draw_library(Xoshiro& random);

/// Its class and its choices, in words.
std::string describe(const HonestLibrary& library);

/// What it makes of a Convolution.
/// Shapes  as reference::Values; the result [N,OC,O]. A library with tiles has a kernel of as many
///         taps as they have along as many of the last axes as it transforms and of 1 along others,
///         stride and dilation 1, at most two spatial axes
std::vector<double> compute(const HonestLibrary& library, const reference::Geometry& geometry,
                            const Inputs& inputs, std::span<const double> exact, Xoshiro& random);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_HONEST_LIBRARY_H_
