// SPDX-License-Identifier: Apache-2.0
#include "optimized/shape/view.h"

#include <cstdint>

namespace concord::optimized {
namespace {

// Whether some output of the axis reads input by tap `k`.
bool reads_input(const Shape& s, std::size_t axis, Extent k) {
  const Extent at = k * s.D[axis] - s.P[axis];
  // The first output whose tap is not in the padding before the input.
  const Extent o = at >= 0 ? 0 : (-at - 1) / s.S[axis] + 1;
  return o < s.O[axis] && o * s.S[axis] + at < s.I[axis];
}

// Whether a row is one pixel, so that the stride to the next one means nothing.
bool is_single_pixel(const Shape& s) { return s.I[2] == 1 && s.O[2] == 1; }

// Joins `axis` into the last one, where a walk along the last axis goes on in the next `axis`.
void join_axis(Shape* s, std::size_t axis) {
  const bool single = s->O[axis] == 1;
  if (single || !is_pointwise(*s, axis) || !is_pointwise(*s, 2)) return;
  if (is_single_pixel(*s) && (axis == 1 || s->I[1] == 1)) {
    s->I[2] = s->I[axis];
    s->S[2] = s->S[axis];
    s->src.spatial[2] = s->src.spatial[axis];
    s->dst.spatial[2] = s->dst.spatial[axis];
  } else {
    const Extent src_row = multiply(s->O[2] * s->S[2], s->src.spatial[2]);
    const Extent dst_row = multiply(s->O[2], s->dst.spatial[2]);
    if (multiply(s->S[axis], s->src.spatial[axis]) != src_row) return;
    if (s->dst.spatial[axis] != dst_row) return;
    s->I[2] = s->O[axis] * s->O[2] * s->S[2];
  }
  s->O[2] *= s->O[axis];
  s->I[axis] = s->O[axis] = s->S[axis] = 1;
}

void join_images(Shape* s) {
  if (s->N == 1 || s->O[0] != 1 || s->O[1] != 1 || !is_pointwise(*s, 2)) return;
  if (!is_pointwise(*s, 0) || !is_pointwise(*s, 1)) return;
  if (is_single_pixel(*s) && s->I[0] == 1 && s->I[1] == 1) {
    s->src.spatial[2] = s->src.outer;
    s->dst.spatial[2] = s->dst.outer;
  } else {
    if (s->src.outer != multiply(s->O[2] * s->S[2], s->src.spatial[2])) return;
    if (s->dst.outer != multiply(s->O[2], s->dst.spatial[2])) return;
  }
  s->I[2] = s->N * s->O[2] * s->S[2];
  s->O[2] *= s->N;
  s->N = 1;
}

}  // namespace

bool meets_padding(const Shape& s) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Extent last = (s.O[axis] - 1) * s.S[axis] + (s.K[axis] - 1) * s.D[axis] - s.P[axis];
    if (s.P[axis] > 0 || last >= s.I[axis]) return true;
  }
  return false;
}

Extent drop_padded_taps(Shape* s) {
  Extent dropped = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Extent begin = 0;
    Extent end = s->K[axis];
    while (end > 1 && !reads_input(*s, axis, end - 1)) --end;
    // A dropped tap takes its step of the padding with it.
    while (end - begin > 1 && s->P[axis] / s->D[axis] > begin && !reads_input(*s, axis, begin)) {
      ++begin;
    }
    s->K[axis] = end - begin;
    s->P[axis] -= begin * s->D[axis];
    dropped += begin * s->weights.spatial[axis];
    if (s->K[axis] == 1) s->D[axis] = 1;
    // Input behind that of the last output, which none reads, would come between rows and images
    // that a walk along the outputs takes for neighbours.
    const bool has_steps_of_one = s->S[axis] == 1 || s->O[axis] == 1;
    if (has_steps_of_one && is_pointwise(*s, axis)) s->I[axis] = s->O[axis];
  }
  return dropped;
}

bool is_pointwise(const Shape& s, std::size_t axis) {
  return s.K[axis] == 1 && s.P[axis] == 0 && (s.O[axis] - 1) * s.S[axis] < s.I[axis];
}

std::optional<Extent> tap_step(const Shape& s) {
  const Extent before_rows = s.K[2] > 1 ? s.weights.spatial[2] : s.weights.spatial[1];
  const Extent step = s.K[2] > 1 || s.K[1] > 1 ? before_rows : s.weights.spatial[0];
  if (s.K[1] > 1 && s.weights.spatial[1] != step * s.K[2]) return std::nullopt;
  if (s.K[0] > 1 && s.weights.spatial[0] != step * s.K[1] * s.K[2]) return std::nullopt;
  return step;
}

void use_staged_src(Extent pixel, Shape* shape) {
  shape->src.channel = 1;
  shape->src.spatial[2] = pixel;
  shape->src.spatial[1] = sum_of_products({{shape->I[2], shape->src.spatial[2]}});
  shape->src.spatial[0] = sum_of_products({{shape->I[1], shape->src.spatial[1]}});
  shape->src.outer = sum_of_products({{shape->I[0], shape->src.spatial[0]}});
}

void clear_unused_strides(Shape* s) {
  if (s->N == 1) s->src.outer = s->dst.outer = 0;
  if (s->ICG() == 1 && s->G == 1) s->src.channel = 1;
  if (s->OC == 1) s->dst.channel = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (s->I[axis] == 1) s->src.spatial[axis] = 0;
    if (s->O[axis] == 1) s->dst.spatial[axis] = 0;
    if (s->K[axis] == 1) s->D[axis] = 1;
    if (s->O[axis] == 1) s->S[axis] = 1;
  }
}

void join_windows(Shape* s) {
  const std::size_t axis = s->O[1] == 1 && is_pointwise(*s, 1) ? 0 : 1;
  const Extent row = s->I[2];
  const bool is_plain_row = is_pointwise(*s, 2) && s->S[2] == 1 && s->O[2] == row;
  if (!is_plain_row || s->K[axis] == 1 || s->O[axis] == 1 || s->S[axis] != 1) return;
  if (s->src.spatial[axis] != multiply(row, s->src.spatial[2])) return;
  if (s->dst.spatial[axis] != multiply(row, s->dst.spatial[2])) return;
  // Of a plan, whose zones each list their taps, and of 64 bits, which the reach must not leave.
  constexpr Extent kMostTaps = 64;
  constexpr double kMostReach = 0x1p40;
  const double reach = static_cast<double>(s->K[axis]) * static_cast<double>(s->D[axis]) +
                       static_cast<double>(s->P[axis]);
  if (s->K[axis] > kMostTaps || reach * static_cast<double>(row) > kMostReach) return;
  s->I[2] *= s->I[axis];
  s->O[2] *= s->O[axis];
  s->K[2] = s->K[axis];
  s->D[2] = s->D[axis] * row;
  s->P[2] = s->P[axis] * row;
  s->weights.spatial[2] = s->weights.spatial[axis];
  s->I[axis] = s->O[axis] = s->K[axis] = s->D[axis] = 1;
  s->P[axis] = 0;
}

bool has_rows_of_patches(const Shape& s) {
  constexpr Extent kLongRow = 4;
  return s.D[2] == 1 && s.K[2] >= kLongRow && s.S[2] >= s.K[2];
}

void view_channels_as_depth(Shape* s) {
  const bool is_of_planes = s->G == 1 && s->IC > 1 && s->src.channel != 1 && s->outer.empty() &&
                            (s->src.spatial[2] == 1 || s->I[2] == 1);
  const bool has_depth = s->O[0] != 1 || !is_pointwise(*s, 0);
  if (!is_of_planes || has_depth || !has_rows_of_patches(*s)) return;
  // Runs of an input, since rows may overlap along the height; outputs whose panels begin each; and
  // both, since many channels are brought together in whole vectors. For each tap of a run.
  constexpr Extent kMostRuns = 4, kMostOutputs = 48, kMostOfBoth = 512;
  const Extent overlaps = parts_of(s->K[1], s->S[1]);
  const auto is_too_many = [&](double runs, Extent most) {
    return runs > static_cast<double>(most) * static_cast<double>(s->K[2]);
  };
  const auto channels = static_cast<double>(s->IC), outputs = static_cast<double>(s->OC);
  if (is_too_many(channels * static_cast<double>(overlaps), kMostRuns)) return;
  if (is_too_many(outputs, kMostOutputs) || is_too_many(channels * outputs, kMostOfBoth)) return;
  s->I[0] = s->K[0] = s->IC;
  s->S[0] = s->D[0] = 1;
  s->IC = 1;
  s->src.spatial[0] = s->src.channel;
  s->weights.spatial[0] = s->weights.channel;
  s->src.channel = s->weights.channel = 1;
}

void join_axes(Shape* s) {
  join_axis(s, 1);
  if (s->O[1] == 1 && is_pointwise(*s, 1)) join_axis(s, 0);
  join_images(s);
}

}  // namespace concord::optimized
