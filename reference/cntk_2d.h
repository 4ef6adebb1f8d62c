// SPDX-License-Identifier: Apache-2.0
// CNTK's simplified 2-D Convolution: docs/spec.md#cntk-convolution.
#ifndef CONCORD_REFERENCE_CNTK_2D_H_
#define CONCORD_REFERENCE_CNTK_2D_H_

#include "reference/cntk_geometry.h"
#include "reference/oracle.h"

namespace concord::reference {

/// The 2-D form with every field set: an N-D geometry whose axes are width, height and channels,
/// and the order of elements in memory.
struct Cntk2dGeometry {
  CntkGeometry axes{};
  CntkLayout layout = CntkLayout::kCudnn;
  Reading reading = Reading::kImplemented;
  Extents dst{};  ///< cudnn [W',H',maps,samples], HWC [maps,W',H',samples]
};

/// Checks a 2-D Convolution and fixes its geometry.
/// Shapes  src cudnn [W,H,C,samples], HWC [C,W,H,samples]; weights [maps, kW*kH*C]
/// Numeric zeroPadding, by the reading:
///           documented     both layouts: autoPadding of the N-D form, since the text has one
///                          meaning
///           implemented    cudnn: the same; HWC: floor(kernel / 2) cells before the first window,
///                          ceil(i / s) windows
///           first version  both: floor(kernel / 2) cells on either side, floor((i - kernel mod 2)
///                          / s) + 1 windows
/// Errors  as resolve_cntk(), with kernelWidth, kernelHeight and the strides as its lists; kRank if
///         src is not three axes and samples; kPadding: zeroPadding is not a flag, or imageLayout
///         is neither of the two
/// Source  docs/spec.md#cntk-convolution
Result<Cntk2dGeometry> resolve_cntk_2d(const CntkOperands& operands,
                                       const CntkConvolution2dAttributes& a, Reading reading);

/// Evaluates a 2-D Convolution.
///
///   out[w',h',m] = sum over c, kh, kw of
///                     w[m][kw,kh,c] * in[w' * sW + kw - pW, h' * sH + kh - pH, c]
///
///                     place of in[w,h,c]   place of w[m][kw,kh,c]
///   cudnn             w + W(h + H c)       kW kH C m + kw + kW(kh + kH c)
///   HWC, documented   c + C(w + W h)       m + maps(kw + kW(kh + kH c))
///   HWC, implemented  c + C(h + H w)       m + maps(kh + kH(kw + kW c))
///   out as in, with maps for channels
///
/// Numeric  f64, the order of kw, kh, c with kw fastest
/// Errors   none: `g` came from resolve_cntk_2d()
Oracle evaluate_cntk_2d(const Cntk2dGeometry& g, std::span<const double> in,
                        std::span<const double> weights);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CNTK_2D_H_
