// SPDX-License-Identifier: Apache-2.0
// The continuous convolution layer, its gradients and chains of layers as plain loops that can be
// made wrong. With no hook set, they are right. The kernel K_theta itself is the reference's.
#ifndef CONCORD_BACKENDS_FAULTY_CONTINUOUS_H_
#define CONCORD_BACKENDS_FAULTY_CONTINUOUS_H_

#include <optional>
#include <vector>

#include "reference/continuous_chain.h"
#include "spec/problem.h"

namespace concord::backends::faulty {

using reference::ContinuousAxis;
using reference::ContinuousChainGeometry;
using reference::ContinuousGeometry;
using reference::Distance;

/// A pixel within the support of an output along one axis.
struct Near {
  Extent m;
  double distance;
  std::optional<Extent> source{};  ///< the pixel that stands there; none: a zero
};
using Nears = std::vector<Near>;

/// An output [i,j] of image b, and its k-th neighbour in channel ci; `row` and `column` are the
/// pixel that it reads or, in the gradient, that its share goes to.
struct NearTap {
  Extent b, co, ci, k, i, j;
  Extent row, column;
  std::size_t weight;  ///< the place in [Cout,Cin,K,H',W']
  bool counts;         ///< the pixel exists
};

struct ContinuousRun {
  const Problem& problem;
  ContinuousGeometry g;
  std::vector<double> src{}, theta{}, delta{}, dst{};
  std::vector<Nears> rows{}, columns{};  ///< of each output row, of each output column
  std::vector<double> distances{};       ///< [inputs,2,H',W'], what K_theta is asked for
  std::vector<double> weights{};         ///< [Cout,Cin,K,H',W']
};

/// In the order in which they are called.
struct ContinuousHooks {
  void (*geometry)(const Problem&, ContinuousGeometry&) = nullptr;
  void (*inputs)(ContinuousRun&) = nullptr;
  /// The neighbours of output n along one axis.
  void (*nears)(const ContinuousAxis&, Extent n, Nears&) = nullptr;
  void (*distances)(ContinuousRun&) = nullptr;
  void (*weights)(ContinuousRun&) = nullptr;
  void (*tap)(const ContinuousRun&, NearTap&) = nullptr;
  bool gradient_overwrites = false;  ///< a pixel's gradient is the last share, not the sum
  /// Before the gradient of K_theta is taken.
  void (*net)(reference::InternalNet&) = nullptr;
  void (*outputs)(ContinuousRun&) = nullptr;
  /// Of a chain, before its layers are computed by the hooks above.
  void (*chain)(ContinuousChainGeometry&) = nullptr;
  /// The row of theta that `layer` takes.
  std::size_t (*theta_of)(const ContinuousChainGeometry&, std::size_t layer) = nullptr;
  /// What a layer of a chain hands to the next one.
  void (*between)(std::vector<double>&) = nullptr;
};

/// Fills run.dst.
/// Numeric  f64
void compute(const ContinuousHooks& hooks, ContinuousRun& run);

/// The result of a chain on src and the rows of theta.
std::vector<double> compute_chain(const ContinuousHooks& hooks, const Problem& problem,
                                  ContinuousChainGeometry chain, std::vector<double> src,
                                  const std::vector<double>& theta);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_CONTINUOUS_H_
