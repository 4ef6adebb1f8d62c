// SPDX-License-Identifier: Apache-2.0
// The continuous convolution (CC) layer in the paper's blocks: projected grid and neighbours
// (continuous_grid.h), distances, weights, and their application; and its gradients.
#ifndef CONCORD_REFERENCE_CONTINUOUS_H_
#define CONCORD_REFERENCE_CONTINUOUS_H_

#include <span>
#include <vector>

#include "reference/continuous_grid.h"
#include "reference/internal_net.h"
#include "reference/oracle.h"

namespace concord::reference {

/// A layer as its formulas read it. Only resolve_continuous() makes one.
struct ContinuousGeometry {
  Extent N = 0, Cin = 0, Cout = 0;
  ContinuousAxis vertical{}, horizontal{};
  KernelFunction function = KernelFunction::kNet;
  InternalNet net{};      ///< unused by kKeys
  Extent parameters = 0;  ///< of theta

  /// The slots for neighbours of one output; slot k is in row k / horizontal.slots().
  Extent slots() const { return vertical.slots() * horizontal.slots(); }
  /// How many distances the kernel is evaluated at per output: one per slot, or one for all.
  Extent inputs() const { return predicts_all(function) ? 1 : slots(); }
  Extents dst() const { return {N, Cout, vertical.out, horizontal.out}; }
};

/// How many parameters the kernel of a layer on `Cin` channels has: elements of theta. Nothing if
/// 64 bits do not count them. Needs  two extents of the kernel and two widths
std::optional<Extent> parameters_of(Extent Cin, const ContinuousAttributes& attributes);

/// Checks a layer and fixes its geometry. `parameters` is the number of elements of theta.
/// Shapes  src [N,Cin,H,W]
/// Errors  in the order of the enumeration: kRank: src is not four-dimensional; kSize: an extent is
///         negative, size is neither empty nor two extents, a tensor has too many elements, or as
///         resolve_continuous_axis(); kScale, kKernel: as resolve_continuous_axis(), or not two
///         extents; kWidths: not two positive ones; kTheta: theta has another number of
///         parameters than the kernel
/// Source  docs/spec.md#continuous-convolution
Result<ContinuousGeometry> resolve_continuous(const Extents& src, Extent parameters,
                                              const ContinuousAttributes& attributes);

/// What the net of a variant that predicts all weights of output n is asked at, along one axis: g_n
/// less the first neighbour (kNetK), less the closest pixel, the left one of two (kNetKNearest), or
/// less nothing (kNetKGrid). Pixels are where an endless image would have them.
Rational net_input(KernelFunction function, const ContinuousAxis& axis, Extent n);

/// Block 2: the inputs of the kernel, [inputs,2,H',W'], vertical and horizontal: the distances
/// g_n - m of the neighbours, or net_input(). Places without a neighbour hold 0.
/// Numeric  exact, then rounded to f64
std::vector<double> distances(const ContinuousGeometry& geometry);

/// Block 3: the weights [1,Cout,Cin,K,H',W'], K = slots, with the magnitudes of evaluate_net().
///
///   kNet:  W[co,ci,k,n] = K_theta(d[k,n])[co * Cin + ci]
///   kNetK and its like: W[co,ci,k,n] = K_theta(d[0,n])[(co * Cin + ci) * K + k]
///   kKeys: W[co,ci,k,n] = keys(vertical d[k,n]) * keys(horizontal d[k,n]) if co == ci, else 0
///
/// Places without a neighbour hold 0.
Oracle continuous_weights(const ContinuousGeometry& geometry, std::span<const double> theta,
                          std::span<const double> distances);

/// Block 4: the output [N,Cout,H',W'] (Eq. 3).
///
///   I'[b,co,n] = sum over ci, k of I[b,ci,m(n,k)] * W[co,ci,k,n];  magnitude: of |I| and W's
///
/// Shapes   src [N,Cin,H,W], dense
/// Numeric  products and sums in f64, in the order ci, k; zeros of the boundary are not added
Oracle apply_weights(const ContinuousGeometry& geometry, std::span<const double> src,
                     const Oracle& weights);

/// All blocks.
Oracle evaluate_continuous(const ContinuousGeometry& geometry, std::span<const double> src,
                           std::span<const double> theta);

/// The gradients of a loss whose gradient with respect to the output is delta.
struct ContinuousGradients {
  Oracle src;      ///< [N,Cin,H,W]
  Oracle weights;  ///< [1,Cout,Cin,K,H',W']
  Oracle theta;    ///< [parameters]
  Oracle grid;     ///< [2,H',W'], the neighbours held fixed
};

///   dW[co,ci,k,n] = sum over b of delta[b,co,n] I[b,ci,m(n,k)]
///   dI[b,ci,m] = sum over n, k with m(n,k) = m and co of W[co,ci,k,n] delta[b,co,n]
///   theta as backpropagate_net(), summed over k, n;  dg_n = sum over k of d K_theta / d d[k,n]
///
/// Shapes   src [N,Cin,H,W], theta [parameters], delta [N,Cout,H',W'], dense
/// Numeric  f64, outputs in rising order
ContinuousGradients continuous_gradients(const ContinuousGeometry& geometry,
                                         std::span<const double> src, std::span<const double> theta,
                                         std::span<const double> delta);

/// How many roundings of f32 lie between an input and an output element, where each operation of
/// the formulas is one, and each distance is rounded once from its exact value; or thrice, where
/// numbers of grid points have more bits than f64.
///
///   kernel:      1 or 3 (d) + 4 + 2 (phi) + w1 + 2 + 2 (phi) + w2 + 2, 16 for kKeys
///   output:      kernel + Cin * slots; or, if pixels are summed before the last layer is applied,
///                11 + w1 + 2 + slots + Cin (w2 + 1); the larger of the two
///   input:       kernel + Cout * how many neighbours one pixel is at most
///   theta:       kernel twice, forth and back, + (N + 1) * H' * W' * slots + C_final
///   grid:        the same for H' * W' = 1
Extent forward_roundings(const ContinuousGeometry& geometry);
Extent backward_data_roundings(const ContinuousGeometry& geometry);
Extent backward_weights_roundings(const ContinuousGeometry& geometry);
Extent backward_grid_roundings(const ContinuousGeometry& geometry);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CONTINUOUS_H_
