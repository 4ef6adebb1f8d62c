// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_patch.h"

#include <algorithm>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"

namespace concord::optimized {

OutputBlock block_at(const ContinuousShape& shape, Extent first, Extent size) {
  const Extent width = shape.horizontal.out;
  OutputBlock block;
  block.size = size;
  for (Extent p = 0; p < size; ++p) {
    OutputPlace& at = block.places[static_cast<std::size_t>(p)];
    at.i = (first + p) / width;
    at.j = (first + p) % width;
    const bool same_row = p > 0 && at.j > 0;
    at.vertical = same_row ? block.places[static_cast<std::size_t>(p - 1)].vertical
                           : shape.vertical.support(at.i);
    at.horizontal = shape.horizontal.support(at.j);
  }
  return block;
}

void write_distances(const ContinuousShape& shape, const OutputBlock& block, MatrixMap* to) {
  const Extent inputs = shape.inputs();
  const Extent columns = shape.horizontal.slots();
  to->setZero();
  for (Extent p = 0; p < block.size; ++p) {
    const OutputPlace& at = block.places[static_cast<std::size_t>(p)];
    if (predicts_all(shape.function)) {
      (*to)(0, p) = at.vertical.offset(shape.function);
      (*to)(1, p) = at.horizontal.offset(shape.function);
      continue;
    }
    for (Extent k = 0; k < inputs; ++k) {
      const Extent a = k / columns;
      const Extent b = k % columns;
      if (a >= at.vertical.count || b >= at.horizontal.count) continue;
      (*to)(0, p * inputs + k) = at.vertical.distance(a);
      (*to)(1, p * inputs + k) = at.horizontal.distance(b);
    }
  }
}

Extent hidden_values(const ContinuousShape& shape) {
  return shape.function == KernelFunction::kKeys ? 1 : shape.net.w2 + 1;
}

Extent feature_count(const ContinuousShape& shape) {
  const bool all = predicts_all(shape.function);
  return hidden_values(shape) * shape.Cin * (all ? shape.slots() : 1);
}

Extent feature_at(const ContinuousShape& shape, Extent h, Extent k, Extent ci) {
  const bool all = predicts_all(shape.function);
  return all ? (h * shape.slots() + k) * shape.Cin + ci : h * shape.Cin + ci;
}

void gather_pixels(const ContinuousShape& shape, const OutputPlace& at, Extent n, const void* src,
                   float* to) {
  const Extents& strides = shape.src.strides;
  std::fill(to, to + shape.slots() * shape.Cin, 0.0F);
  for_each_pixel(shape, at, [&](Extent k, Extent row, Extent column) {
    const Extent from = n * strides[0] + row * strides[2] + column * strides[3];
    widen(shape.dtype, element_at(src, from, shape.dtype), strides[1], to + k * shape.Cin,
          shape.Cin);
  });
}

}  // namespace concord::optimized
