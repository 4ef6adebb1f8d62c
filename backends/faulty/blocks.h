// SPDX-License-Identifier: Apache-2.0
// space_to_batch and batch_to_space as plain loops that can be made wrong. With no hook set, they
// are right.
#ifndef CONCORD_BACKENDS_FAULTY_BLOCKS_H_
#define CONCORD_BACKENDS_FAULTY_BLOCKS_H_

#include <vector>

#include "spec/problem.h"

namespace concord::backends::faulty {

/// What the loops read: `space` is the image whole, `batch` its phases. Of space_to_batch, space is
/// src; of batch_to_space it is dst, and what is padded there is cropped here.
struct BlockNest {
  struct Images {
    Extent N, H, W, C;
  };
  bool to_batch;
  Images space, batch;
  Extent block, top, bottom, left, right;
  const Images& src() const { return to_batch ? space : batch; }
  const Images& dst() const { return to_batch ? batch : space; }
};

/// One element of dst, and the element of src that is moved there.
struct Move {
  struct Place {
    Extent n, h, w, c;
  };
  Place to, from;
  bool inside;          ///< src has that element; else dst gets a zero
  bool written = true;  ///< else dst keeps what was there
};

/// The phase of a place in the padded image and the place's image, in the axis of batches.
struct Phase {
  Extent row, column, image;
};

/// In the order in which they are called.
struct BlockHooks {
  void (*nest)(BlockNest&) = nullptr;
  /// The phases' order in the axis of batches, if another than (row * block + column) * N + image.
  Extent (*batch_of)(const BlockNest&, const Phase&) = nullptr;
  void (*move)(const BlockNest&, Move&) = nullptr;
};

/// The right nest of a valid problem. `dst` is its shape.
BlockNest nest_of(const Problem& problem, const Extents& dst);

/// Moves the elements of `src` to `dst`, both dense.
void rearrange(const BlockHooks& hooks, const BlockNest& nest, const std::vector<double>& src,
               std::vector<double>& dst);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_BLOCKS_H_
