// SPDX-License-Identifier: Apache-2.0
// Shared by blocks 3 and 4 and their gradients: the neighbour in each slot of each output
// n = (i, j), and the kernel K_theta, whichever function it is.
#ifndef CONCORD_REFERENCE_CONTINUOUS_KERNEL_H_
#define CONCORD_REFERENCE_CONTINUOUS_KERNEL_H_

#include <optional>
#include <span>
#include <vector>

#include "reference/continuous.h"
#include "spec/grid.h"

namespace concord::reference {

/// The neighbours of both axes, found once.
class Places {
 public:
  explicit Places(const ContinuousGeometry& geometry);

  struct Pair {
    const Neighbour& row;
    const Neighbour& column;
  };
  /// The neighbour at place k of output (i, j), if there is one.
  std::optional<Pair> at(Extent i, Extent j, Extent k) const;

  struct Pixel {
    Extent row, column;
  };
  /// The pixel there; none if there is no neighbour, or a zero.
  std::optional<Pixel> pixel(Extent i, Extent j, Extent k) const;

 private:
  Extent columns_;
  std::vector<std::vector<Neighbour>> vertical_{}, horizontal_{};
};

/// The index space of the weights, [Cout,Cin,K,H',W'].
Grid<5> weights_grid(const ContinuousGeometry& geometry);

/// distances[input,:,i,j] of a tensor [inputs,2,H',W'].
Distance distance_at(const ContinuousGeometry& geometry, std::span<const double> distances,
                     Extent input, Extent i, Extent j);

/// The index of weight [co,ci,k] among the kernel's values at `input`; none if at another input.
std::optional<std::size_t> kernel_output(const ContinuousGeometry& geometry, Extent input,
                                         Extent co, Extent ci, Extent k);

/// K_theta at `d`: C_final values, for kKeys Cout * Cin.
Oracle evaluate_kernel(const ContinuousGeometry& geometry, std::span<const double> theta,
                       const Distance& d);

/// Adds the gradient of `G . K_theta(d)` to `gradient` and returns that with respect to d.
Distance backpropagate_kernel(const ContinuousGeometry& geometry, std::span<const double> theta,
                              const Distance& d, std::span<const double> G,
                              std::span<double> gradient);

/// Adds the sums of the magnitudes that go into that gradient to `magnitude`, as
/// add_gradient_magnitudes(), and returns those of the gradient with respect to d.
Distance add_kernel_magnitudes(const ContinuousGeometry& geometry, std::span<const double> theta,
                               const Distance& d, std::span<const double> G_magnitude,
                               std::span<double> magnitude);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CONTINUOUS_KERNEL_H_
