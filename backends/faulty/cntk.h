// SPDX-License-Identifier: Apache-2.0
// CNTK's convolutions as plain loops that can be made wrong, both forms in one: the 2-D form is an
// N-D one whose elements lie in another order. With no hook set, they are right.
#ifndef CONCORD_BACKENDS_FAULTY_CNTK_H_
#define CONCORD_BACKENDS_FAULTY_CNTK_H_

#include <array>
#include <vector>

#include "backends/adapter/adapter.h"
#include "reference/reference.h"

namespace concord::backends::faulty {

using reference::CntkGeometry;
using reference::CntkIndex;

/// Where samples, or weights' runs, stand behind the axes.
inline constexpr std::size_t kBehind = reference::kCntkRank;

/// The geometry, and how far apart elements lie that are neighbours along each of the axes; the
/// last, at kBehind, is that of samples, or of weights' runs.
struct CntkNest {
  using Strides = std::array<Extent, kBehind + 1>;
  CntkGeometry g;
  Strides src, weights, dst;
};

/// An output element: which window it is of, which map, and which run of weights computes it.
struct CntkPlace {
  Extent sample;
  CntkIndex out, position, map;
  Extent run;
};

/// One product: input element `x` by cell `k` of the place's run.
struct CntkTap {
  CntkPlace at;
  CntkIndex k, x;
  CntkIndex w_k;
  bool counts;  ///< the input element exists
};

struct CntkRun {
  const Problem& problem;
  CntkNest nest;
  /// In memory's order where that is dense, the first axis fastest.
  std::vector<double> src{}, weights{}, dst{}, diff_dst{};
  bool by_weights = false;  ///< of a gradient
};

/// In the order in which they are called.
struct CntkHooks {
  void (*nest)(const Problem&, CntkNest&) = nullptr;
  void (*inputs)(CntkRun&) = nullptr;
  void (*place)(const CntkNest&, CntkPlace&) = nullptr;
  void (*tap)(const CntkNest&, CntkTap&) = nullptr;
  double (*product)(double x, double w) = nullptr;
  void (*outputs)(CntkRun&) = nullptr;
};

/// Of the gradients; in the order in which they are called.
struct CntkGradientHooks {
  bool keeps_dst = false;  ///< adds to what dst holds
  void (*nest)(CntkRun&) = nullptr;
  void (*place)(const CntkRun&, CntkPlace&) = nullptr;
  void (*tap)(const CntkRun&, CntkTap&) = nullptr;
  void (*add)(const CntkRun&, double& sum, double product) = nullptr;
  void (*outputs)(CntkRun&) = nullptr;
};

/// The run of weights at a place, by the rule of CntkGeometry::kernel_of().
Extent run_of(const CntkGeometry& g, const CntkPlace& place);

/// Where an element lies; `last` is its sample or run.
std::size_t place_of(const CntkNest::Strides& strides, const CntkIndex& index, Extent last);

/// The right nest of a problem that the reference has resolved.
CntkNest nest_of(const reference::Resolution& resolution);

/// Fills run.dst from run.src and run.weights.
/// Numeric  f64
void convolve(const CntkHooks& hooks, CntkRun& run);

/// Adds the gradient by the input or, if run.by_weights, by the weights to run.dst.
/// Numeric  f64
void differentiate(const CntkGradientHooks& hooks, CntkRun& run);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_CNTK_H_
