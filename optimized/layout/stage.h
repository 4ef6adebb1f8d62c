// SPDX-License-Identifier: Apache-2.0
// Staging: tensors that the kernels cannot read or write in place are copied to, or from, the type
// in which the engine computes (convert.h), with channels last.
#ifndef CONCORD_OPTIMIZED_LAYOUT_STAGE_H_
#define CONCORD_OPTIMIZED_LAYOUT_STAGE_H_

#include "optimized/context.h"

namespace concord::optimized {

/// Element `index` of a tensor's memory.
const std::byte* element_at(const void* tensor, Extent index, Dtype dtype);
std::byte* element_at(void* tensor, Extent index, Dtype dtype);

/// Pixels of a row, or of several rows, with their channels.
struct Pixels {
  Extent from;         ///< element of the first one's first channel
  Extent count, step;  ///< of a row, and elements from one to the next
  Extent channels, channel_step;
  Extent rows = 1, row_step = 0;  ///< and elements from one to the next
};
/// Copies pixels of src to `to`, row after row, channels side by side, pixels `to_pixel` elements
/// apart.
void widen_pixels(const Context& context, const void* src, const Pixels& pixels, void* to,
                  Extent to_pixel);

/// Copies src to `to`, [N, D, H, W, IC] dense.
void stage_src(const Context& context, const void* src, void* to);

/// True if a dst of this many elements should be written with non-temporal stores.
bool is_non_temporal(const Context& context, Extent elements);

/// Bytes of src and dst, which may be more than 64 bits count.
double bytes_of_tensors(const Shape& shape);

/// Reads a byte of each line, from the first to the last, so that the hardware prefetcher brings
/// them. It does not follow the many streams of a transposition, whose loads and stores would wait.
void read_ahead(const void* from, Extent bytes, Extent line_bytes);
/// The same for what is written next, all of it: spoils a byte of each line, since reading new
/// memory would map it twice.
void write_ahead(void* to, Extent bytes, Extent line_bytes);

/// Writes consecutive outputs of a row of dst, by `view`, its strides: `pixels` of them from `ow`,
/// for `channels` channels from `oc`.
/// Shapes  `from` has [pixels, channels] elements, pixels `from_pixel` apart
struct StagedRow {
  Extent n, od, oh, ow, pixels;
  Extent oc, channels;
  bool non_temporal = false;  ///< with non-temporal stores, where possible
};
void store_dst(const Context& context, const Strides& view, const StagedRow& row, const void* from,
               Extent from_pixel, void* dst);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_LAYOUT_STAGE_H_
