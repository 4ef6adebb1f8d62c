// SPDX-License-Identifier: Apache-2.0
// Suspects: libraries that compute otherwise than they declare, or just as they do.
#ifndef CONCORD_CONFORMANCE_POWER_SUSPECTS_H_
#define CONCORD_CONFORMANCE_POWER_SUSPECTS_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/fill/fill.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/power/simulated_arithmetic.h"

namespace concord::conformance {

struct Suspect {
  std::string name;
  Simulation simulation;
  /// What is stored in the place of what the simulation stores; null: that.
  std::function<double(double stored, double exact, Xoshiro& random)> spoil{};
  Extent tile = 0;       ///< m of Winograd's F(m x m, 3 x 3); 0: the sum as it is written
  bool fourier = false;  ///< the tile is transformed by Fourier, m + 2 a power of two
  int bias_bits = 0;     ///< to which the bias is rounded; 0: none is wanted
  double constant = 1;   ///< what one constant of Winograd's transform of src is multiplied by
};

/// Those of `dtype`: coarser inputs, accumulators and stores, small errors of every result or of
/// few, bilinear algorithms that are not declared, the last of them fft_suspect(); the first is
/// honest in the strict class.
std::vector<Suspect> suspects(Dtype dtype);

/// A library that transforms tiles of 8 x 8 by Fourier.
Suspect fft_suspect(Dtype dtype);

/// What `suspect` makes of a Convolution with data_format=NCX, weights_format=OIX, no padding, and
/// stride, dilation and groups of 1, in two spatial dimensions.
/// Shapes  as reference::Values; the result [N,OC,OH,OW]. A suspect with a tile has a 3 x 3 kernel
///         and src of tile + 2 rows and columns; one by Fourier also a 1 x 1 kernel and the same
///         src.
std::vector<double> compute(const Suspect& suspect, const reference::Geometry& geometry,
                            const Inputs& inputs, std::span<const double> exact,
                            std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SUSPECTS_H_
