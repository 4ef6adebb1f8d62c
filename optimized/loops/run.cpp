// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <vector>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "optimized/loops/plan.h"

namespace concord::optimized {
namespace {

using Axes = std::vector<OuterAxis>;
using Index = std::vector<Extent>;

// All axes but the width, outermost first.
Axes axes_of(const Shape& s) {
  Axes axes = s.outer;
  for (std::size_t at = 0; at < 2; ++at) {
    axes.push_back({s.I[at], s.O[at], s.K[at], s.S[at], s.D[at], s.P[at], s.src.spatial[at],
                    s.weights.spatial[at], s.dst.spatial[at]});
  }
  return axes;
}

Extent product_of(const Axes& axes, Extent OuterAxis::*extent) {
  Extent product = 1;
  for (const OuterAxis& x : axes) product *= x.*extent;
  return product;
}

// The index of place `number` of a box, the last axis fastest.
Index index_of(const Axes& axes, Extent OuterAxis::*extent, Extent number) {
  Index index(axes.size());
  for (std::size_t at = axes.size(); at-- > 0;) {
    index[at] = number % (axes[at].*extent);
    number /= axes[at].*extent;
  }
  return index;
}

// What the loops over rows of taps read.
struct Rows {
  const Shape& shape;
  Axes axes;
  Extent taps;  // rows of a channel's taps
};

// Where the row of src begins that taps `k` meet from outputs `o`, beyond sample and channel; below
// 0 if there is none.
Extent src_row(const Axes& axes, const Index& o, const Index& k) {
  Extent offset = 0;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    const OuterAxis& x = axes[at];
    const Extent i = o[at] * x.S + k[at] * x.D - x.P;
    if (i < 0 || i >= x.I) return -1;
    offset += i * x.src_step;
  }
  return offset;
}

// Adds a row of inputs times a row of taps to a row of outputs.
template <class T>
void add_row(const Shape& s, const T* taps, const T* inputs, T* sums) {
  const Extent S = s.S[2];
  for (Extent k = 0; k < s.K[2]; ++k) {
    const Extent first = k * s.D[2] - s.P[2];  // what output 0 reads
    const Extent begin = first < 0 ? std::min((S - 1 - first) / S, s.O[2]) : 0;
    const Extent room = s.I[2] - first;  // inputs from there on
    const Extent end = room <= 0 ? begin : std::clamp((room + S - 1) / S, begin, s.O[2]);
    for (Extent o = begin; o < end; ++o) sums[o] += taps[k] * inputs[first + o * S];
  }
}

template <class T>
void run_row(const Rows& rows, const T* packed, const void* src, void* dst, Extent row, T* room) {
  const Shape& s = rows.shape;
  const Extent places = product_of(rows.axes, &OuterAxis::O);
  const Index o = index_of(rows.axes, &OuterAxis::O, row % places);
  const Extent oc = row / places % s.OC;
  const Extent n = row / places / s.OC;
  const Extent products = s.ICG() * rows.taps * s.K[2];
  T* const sums = room;
  T* const inputs = room + s.O[2];
  std::fill_n(sums, s.O[2], packed[s.OC * products + oc]);
  const T* taps = packed + oc * products;
  for (Extent ic = 0; ic < s.ICG(); ++ic) {
    const Extent channel = n * s.src.outer + (oc / s.OCG() * s.ICG() + ic) * s.src.channel;
    for (Extent tap = 0; tap < rows.taps; ++tap, taps += s.K[2]) {
      const Extent from = src_row(rows.axes, o, index_of(rows.axes, &OuterAxis::K, tap));
      if (from < 0 || s.I[2] == 0) continue;
      widen(s.dtype, element_at(src, channel + from, s.dtype), s.src.spatial[2], inputs, s.I[2]);
      add_row(s, taps, inputs, sums);
    }
  }
  Extent to = n * s.dst.outer + oc * s.dst.channel;
  for (std::size_t at = 0; at < o.size(); ++at) to += o[at] * rows.axes[at].dst_step;
  const auto size = static_cast<Extent>(size_of(s.dtype));
  narrow(s.dtype, sums, static_cast<std::byte*>(dst) + to * size, s.dst.spatial[2], s.O[2]);
}

}  // namespace

std::optional<Loops> Loops::make(const Context& context, const Options&) {
  const Shape& s = context.shape;
  if (s.outer.empty()) return std::nullopt;
  const Extent taps = product_of(axes_of(s), &OuterAxis::K) * s.K[2];
  return Loops{.packed = s.OC * s.ICG() * taps + s.OC, .room = s.O[2] + s.I[2]};
}

void pack(const Context& context, const Loops&, const void* weights, const void* bias, void* to) {
  const Shape& s = context.shape;
  const Axes axes = axes_of(s);
  const Extent taps = product_of(axes, &OuterAxis::K);
  auto* at = static_cast<std::byte*>(to);
  for (Extent oc = 0; oc < s.OC; ++oc) {
    for (Extent ic = 0; ic < s.ICG(); ++ic) {
      for (Extent tap = 0; tap < taps; ++tap) {
        const Index k = index_of(axes, &OuterAxis::K, tap);
        Extent from = oc * s.weights.outer + ic * s.weights.channel;
        for (std::size_t x = 0; x < axes.size(); ++x) from += k[x] * axes[x].weights_step;
        widen(s.dtype, element_at(weights, from, s.dtype), s.weights.spatial[2], at, s.K[2]);
        at += s.K[2] * context.element_bytes();
      }
    }
  }
  std::fill_n(at, s.OC * context.element_bytes(), std::byte{0});
  if (s.has_bias) widen(s.dtype, bias, s.bias_stride, at, s.OC);
}

void run(const Context& context, const Loops& loops, const void* packed, const void* src, void* dst,
         void* workspace) {
  const Shape& s = context.shape;
  Rows rows{s, axes_of(s), 0};
  rows.taps = product_of(rows.axes, &OuterAxis::K);
  const Extent count = s.N * s.OC * product_of(rows.axes, &OuterAxis::O);
  with_computed(s.dtype, [&](auto number) {
    using T = decltype(number);
    context.thread_pool->run(count, [&](Extent row, int slot) {
      run_row(rows, static_cast<const T*>(packed), src, dst, row,
              static_cast<T*>(workspace) + slot * loops.room);
    });
  });
}

void describe(const Context& context, const Loops&, std::ostream& out) {
  const Shape& s = context.shape;
  Extent taps = s.ICG() * s.K[0] * s.K[1] * s.K[2];
  for (const OuterAxis& x : s.outer) taps *= x.K;
  out << "axes      " << s.outer.size() + 3 << " that mean something; rows of " << s.O[2]
      << " outputs, one task each, " << taps << " products an output\n";
  out << "packing   [output channel][" << taps << " products], " << to_string(computed_in(s.dtype))
      << "\n";
}

}  // namespace concord::optimized
