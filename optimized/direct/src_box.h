// SPDX-License-Identifier: Apache-2.0
// What a task of register tiles computes, and the part of src that it reads.
#ifndef CONCORD_OPTIMIZED_DIRECT_SRC_BOX_H_
#define CONCORD_OPTIMIZED_DIRECT_SRC_BOX_H_

#include "optimized/direct/plan.h"
#include "optimized/shape/view.h"

namespace concord::optimized {

/// Strips of one segment in one row of outputs, in the order in which tasks count them.
struct Strip {
  Extent n, od, oh, ow;
  std::size_t segment;
  Extent tiles;
};
Strip strip_at(const Tiling& tiling, Extent index);
/// Tiles of `strip`, which is strip `index`, and of those before strip `last` that go on where it
/// ends.
Extent tiles_from(const Tiling& tiling, const Strip& strip, Extent index, Extent last);

/// Consecutive strips: for each image and plane of a box of outputs, whole rows or a part of one.
struct Outputs {
  std::array<Extent, 4> first, count;  ///< images, planes, rows, strips of a row
  Extent first_strip, last_strip;
};
/// Those of a task; `index` is below strip_tasks().
Outputs outputs_of_task(const Tiling& tiling, Extent index);

/// Values of the view's axes in the order of the image's, or the other way round.
Spatial in_image(const Tiling& tiling, Spatial values);

/// The same box of some images of the view of src, for one group.
struct SrcBox {
  Extent first_image = 0, images = 0;
  Spatial begin{}, extents{};
  Extent pixel = 0;  ///< elements from one pixel to the next, where the box is staged

  Extent elements() const {
    return multiply(multiply(multiply(images, extents[0]), multiply(extents[1], extents[2])),
                    pixel);
  }
};
/// Of a box where it is staged: dense but for the pixels, in the order of the image, channels last.
Strides strides_of(const Tiling& tiling, const SrcBox& box);
/// What `outputs` read.
SrcBox src_box(const Tiling& tiling, const Outputs& outputs);
/// All of the view of src.
SrcBox whole_src(const Tiling& tiling);
/// At least as large as the box of every task.
SrcBox largest_box(const Tiling& tiling);

/// Copies a box of a group's channels to `to`: f32, or pairs of bf16 for a tiling that reads them.
void stage_box(const Context& context, const Tiling& t, const void* src, Extent g,
               const SrcBox& box, void* to);
/// Copies all of src, one group after the other, on all threads.
void stage_whole(const Context& context, const Tiling& t, const void* src, void* to);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_SRC_BOX_H_
