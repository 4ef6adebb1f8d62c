// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_stage.h"

#include <algorithm>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/kernel_table.h"

namespace concord::optimized {
namespace {

void stage_pixel(const ContinuousShape& s, const void* src, Extent n, Extent row, Extent m,
                 float* to) {
  const Extent column = s.horizontal.pixel(m);
  if (column < 0) return std::fill_n(to, s.Cin, 0.0F), void();
  const Extents& strides = s.src.strides;
  const Extent from = n * strides[0] + row * strides[2] + column * strides[3];
  widen(s.dtype, element_at(src, from, s.dtype), strides[1], to, s.Cin);
}

}  // namespace

Extent outputs_of_phase(Extent out, Extent p, Extent k) {
  return p < out ? (out - p + k - 1) / k : 0;
}

Extent phase_offset(const ContinuousAxis& x, Extent p) {
  return x.support(p).left - x.support(0).left;
}

Extent staged_extent(const ContinuousAxis& x, Extent out) {
  Extent extent = 0;
  for (Extent p = 0; p < std::min(x.k, out); ++p) {
    const Extent last = (outputs_of_phase(out, p, x.k) - 1) * x.l + x.support(p).count;
    extent = std::max(extent, phase_offset(x, p) + last);
  }
  return extent;
}

Context continuous_reorders(const ContinuousShape& s, Isa isa) {
  Context io;
  io.shape.dtype = s.dtype;
  io.shape.N = 1;
  io.shape.IC = s.Cin;
  io.shape.src = {.outer = s.src.strides[0],
                  .channel = s.src.strides[1],
                  .spatial = {0, s.src.strides[2], s.src.strides[3]}};
  io.reorders = &reorders_for(isa, s.dtype);
  io.thread_pool = std::make_shared<const ThreadPool>(1);
  return io;
}

void stage_row(const ContinuousShape& s, const Context& io, Extent pitch, const void* src, Extent n,
               Extent m, float* to) {
  const Extent row = s.vertical.pixel(m);
  if (row < 0) return std::fill_n(to, pitch * s.Cin, 0.0F), void();
  const Extent left = s.horizontal.support(0).left;
  const Extent begin = std::clamp<Extent>(-left, 0, pitch);
  const Extent end = std::clamp<Extent>(s.horizontal.in - left, begin, pitch);
  for (Extent x = 0; x < begin; ++x) stage_pixel(s, src, n, row, left + x, to + x * s.Cin);
  for (Extent x = end; x < pitch; ++x) stage_pixel(s, src, n, row, left + x, to + x * s.Cin);
  if (begin == end) return;
  Context one_row = io;
  one_row.shape.I = {1, 1, end - begin};
  const Extents& strides = s.src.strides;
  const Extent from = n * strides[0] + row * strides[2] + (left + begin) * strides[3];
  stage_src(one_row, element_at(src, from, s.dtype), to + begin * s.Cin);
}

}  // namespace concord::optimized
