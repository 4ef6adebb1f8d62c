// SPDX-License-Identifier: Apache-2.0
// The other ways to compute atrous_conv2d that its document offers:
// docs/spec.md#atrous_conv2d. The first way is tf_atrous.h.
#ifndef CONCORD_REFERENCE_TF_ATROUS_FORMS_H_
#define CONCORD_REFERENCE_TF_ATROUS_FORMS_H_

#include "reference/discrete.h"

namespace concord::reference {

/// A dense tensor in the document's own axis order, the last axis fastest.
struct TfTensor {
  Extents dims{};
  std::vector<double> values{};
  bool operator==(const TfTensor&) const = default;
};

/// Puts rate - 1 zeros between neighbours of `filters` along height and width.
/// Shapes  filters [kh,kw,Cin,Cout] with kh, kw >= 1, result [(kh-1)rate+1,(kw-1)rate+1,Cin,Cout]
/// Errors  none: `rate` is at least 1 and the result is countable
TfTensor zero_stuffed(const TfTensor& filters, Extent rate);

/// Computes atrous_conv2d as a dense convolution with zero-stuffed filters.
/// Shapes  value [B,H,W,Cin], filters [kh,kw,Cin,Cout], oracle as dst [B,H',W',Cout]
/// Numeric f64, in the order dheight, dwidth, in_channel
/// Errors  as resolve_discrete() of the AtrousConv2d
Result<Oracle> atrous_by_zero_stuffing(const TfTensor& value, const TfTensor& filters,
                                       const AtrousConv2dAttributes& a);

/// Computes atrous_conv2d as space_to_batch, a dense VALID convolution and batch_to_space, with the
/// paddings and crops of required_block_paddings().
/// Shapes, Numeric, Errors  as atrous_by_zero_stuffing()
Result<Oracle> atrous_by_space_to_batch(const TfTensor& value, const TfTensor& filters,
                                        const AtrousConv2dAttributes& a);

/// Computes a chain of SAME atrous_conv2d as the document suggests: one space_to_batch, dense SAME
/// convolutions, one batch_to_space. It is the chain only where rate divides height and width and
/// all filters are odd: otherwise the padding of the phases becomes part of the image.
/// Errors  as resolve_discrete() of each AtrousConv2d in turn
Result<TfTensor> atrous_chain_documented(const TfTensor& value,
                                         const std::vector<TfTensor>& filters, Extent rate);

/// The same with the padding of the phases set to zero again after each convolution, which makes it
/// the chain for every height and width.
/// Errors  the same; and kKernel if a filter is even and rate above 1, for the phases' own SAME
///         then pads elsewhere
Result<TfTensor> atrous_chain_corrected(const TfTensor& value, const std::vector<TfTensor>& filters,
                                        Extent rate);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_TF_ATROUS_FORMS_H_
