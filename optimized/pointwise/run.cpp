// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "optimized/layout/convert.h"
#include "optimized/pointwise/plan.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// The initial value of sums. A bias is added to -0, which leaves every bias unchanged, zeros of
// either sign too.
template <class T>
struct Zeros {
  T elements[kMaxVectors * kMaxLanes];
};
template <class T>
constexpr Zeros<T> filled(T value) {
  Zeros<T> zeros{};
  for (T& element : zeros.elements) element = value;
  return zeros;
}
template <class T>
constexpr Zeros<T> kZeros = filled(T{0});
template <class T>
constexpr Zeros<T> kNegativeZeros = filled(-T{0});

template <class T>
class PointwiseRunner {
 public:
  PointwiseRunner(const Context& context, const PointwiseNcx& plan, const T* packed, const T* src,
                  T* dst, T* workspace)
      : reorders_(*context.reorders),
        p_(plan),
        v_(plan.view),
        packed_(packed),
        src_(src),
        dst_(dst),
        workspace_(workspace),
        is_dense_(v_.O[0] == 1 && v_.O[1] == 1 && (v_.S[2] == 1 || v_.O[2] == 1)) {}

  void run(Extent task, int slot) const {
    Work work;
    work.first_channel = task % p_.channel_tasks() * p_.channels_per_task;
    task /= p_.channel_tasks();
    work.first_panel = task % p_.panel_tasks() * p_.panels_per_task;
    task /= p_.panel_tasks();
    work.g = task % v_.G;
    work.n = task / v_.G;
    work.last_panel = std::min(work.first_panel + p_.panels_per_task, p_.panels);
    work.last_channel = std::min(work.first_channel + p_.channels_per_task, v_.OCG());
    T* panel = workspace_ + slot * p_.staged_dst();
    for (Extent p = work.first_panel; p < work.last_panel; ++p) {
      bring(work, p, panel);
      run_panel(work, p, panel);
    }
  }

 private:
  struct Work {
    Extent n, g, first_panel, last_panel, first_channel, last_channel;
  };

  Extent first_pixel(Extent p) const { return p_.vectors_before(p) * p_.lanes(); }

  // Copies what a panel needs of src, and prefetches what the task's next one does: neighbours in
  // each channel, which are too few for the processor to see what follows.
  void bring(const Work& work, Extent p, T* to) const {
    const Extent first = first_pixel(p);
    const Extent width = first_pixel(p + 1) - first;
    const Extent count = std::min(width, p_.pixels - first);
    if (v_.has_bias) {
      std::fill_n(to, width, T{1});
      to += width;
    }
    const T* src =
        src_ + sum_of_products({{work.n, v_.src.outer}, {work.g * v_.ICG(), v_.src.channel}});
    if (is_dense_) {
      const Extent ahead = p + 1 < work.last_panel ? width : 0;
      reorders_.copy_rows(src + first, v_.src.channel, to, width, v_.ICG(), count, ahead);
    }
    if (is_dense_ && count == width) return;
    for (Extent channel = 0; channel < v_.ICG(); ++channel, to += width) {
      if (!is_dense_) copy_pixels(src + multiply(channel, v_.src.channel), first, count, to);
      std::fill(to + count, to + width, T{0});
    }
  }

  // Copies the pixels that `count` outputs from number `first` on read.
  void copy_pixels(const T* plane, Extent first, Extent count, T* to) const {
    const Extent step = v_.S[2];
    while (count > 0) {
      const Extent row = first / v_.O[2];
      const Extent column = first % v_.O[2];
      const Extent pixels = std::min(count, v_.O[2] - column);
      const T* from = plane + sum_of_products({{row / v_.O[1] * v_.S[0], v_.src.spatial[0]},
                                               {row % v_.O[1] * v_.S[1], v_.src.spatial[1]},
                                               {column, step}});
      if (step == 2) {  // the usual one, by which compilers know how to shuffle vectors
        for (Extent i = 0; i < pixels; ++i) to[i] = from[2 * i];
      } else {
        for (Extent i = 0; i < pixels; ++i) to[i] = from[i * step];
      }
      to += pixels;
      first += pixels;
      count -= pixels;
    }
  }

  void run_panel(const Work& work, Extent p, const T* panel) const {
    const Extent first = first_pixel(p);
    const auto vectors = static_cast<std::size_t>(p_.vectors_before(p + 1) - p_.vectors_before(p));
    const Run run = {.src = 0, .weights = 0, .length = p_.products(), .left_out = 0};
    TileCall call{};
    call.src_pixel = p_.packed_row;
    call.depth_taps = 1;
    call.row_taps = 1;
    call.runs = &run;
    call.run_count = 1;
    call.weights = panel;
    call.bias = v_.has_bias ? kNegativeZeros<T>.elements : kZeros<T>.elements;
    call.dst_pixel = v_.dst.channel;
    call.channels = std::min(static_cast<Extent>(vectors) * p_.lanes(), p_.pixels - first);
    // Tiles of output channels as equal as can be, the larger ones first.
    const Extent all = work.last_channel - work.first_channel;
    const Extent most = p_.most_channels(static_cast<Extent>(vectors));
    const Extent tiles = (all + most - 1) / most;
    Extent oc = work.g * v_.OCG() + work.first_channel;
    for (const Extent larger : {1, 0}) {
      const Extent rows = all / tiles + larger;
      call.tiles = larger == 1 ? all % tiles : tiles - all % tiles;
      call.src = packed_ + oc * p_.packed_row;
      call.src_tile = rows * p_.packed_row;
      call.dst = dst_ + sum_of_products({{work.n, v_.dst.outer}, {oc, v_.dst.channel}, {first, 1}});
      call.dst_tile = rows * v_.dst.channel;
      if (call.tiles > 0) p_.family->kernels[vectors][rows](call);
      oc += call.tiles * rows;
    }
  }

  const ReorderFamily& reorders_;
  const PointwiseNcx& p_;
  const Shape& v_;
  const T* packed_;
  const T* src_;
  T* dst_;
  T* workspace_;
  bool is_dense_;  // the pixels of a plane's outputs follow one another in src
};

template <class T>
void pack_as(const Context& context, const PointwiseNcx& p, const T* weights, const T* bias,
             T* to) {
  const Shape& s = context.shape;
  const Extent ones = s.has_bias ? 1 : 0;
  // Rows of output channels that lie side by side are turned.
  const bool turns = s.weights.outer == 1 && s.ICG() > 1;
  if (turns) {
    context.reorders->transpose(weights, s.weights.channel, to + ones, p.packed_row, s.ICG(), s.OC);
  }
  for (Extent oc = 0; oc < s.OC; ++oc, to += p.packed_row) {
    std::fill(to + p.products(), to + p.packed_row, T{0});
    if (ones == 1) *to = bias[oc * s.bias_stride];
    if (turns) continue;
    widen(s.dtype, weights + oc * s.weights.outer, s.weights.channel, to + ones, s.ICG());
  }
}

}  // namespace

void pack(const Context& context, const PointwiseNcx& p, const void* weights, const void* bias,
          void* to) {
  with_computed(context.shape.dtype, [&](auto number) {
    using T = decltype(number);
    pack_as(context, p, static_cast<const T*>(weights), static_cast<const T*>(bias),
            static_cast<T*>(to));
  });
}

void run(const Context& context, const PointwiseNcx& p, const void* packed, const void* src,
         void* dst, void* workspace) {
  with_computed(context.shape.dtype, [&](auto number) {
    using T = decltype(number);
    const PointwiseRunner runner(context, p, static_cast<const T*>(packed),
                                 static_cast<const T*>(src), static_cast<T*>(dst),
                                 static_cast<T*>(workspace));
    context.thread_pool->run(p.tasks(), [&](Extent task, int slot) { runner.run(task, slot); });
  });
}

}  // namespace concord::optimized
