// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "optimized/direct/row_tiles.h"
#include "optimized/layout/convert.h"
#include "optimized/planes/plan.h"
#include "optimized/runtime/arena.h"
#include "optimized/shape/view.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

// A band of outputs, and what it sees of src, the same of every plane.
struct Band {
  Extent od, oh, ow, rows, columns;
  Axis::Range depth;  ///< the taps that meet src
  StagedPlane plane;
  std::array<StagedPlane::Rows, PlanesNcx::kMostPhases> staged_rows;
};

// `count` rows from `first` on, a stride apart, and from column `left` on.
StagedPlane::Rows rows_of(const Shape& v, Extent first, Extent count, Extent left) {
  const auto rows_before = [&](Extent end) {
    return first >= end ? 0 : std::min(count, (end - first - 1) / v.S[1] + 1);
  };
  const Extent before = rows_before(0), end = rows_before(v.I[1]);
  const Extent from =
      sum_of_products({{first + before * v.S[1], v.src.spatial[1]}, {left, v.src.spatial[2]}});
  return {.before = before, .from = from, .inside = end - before, .after = count - end};
}

void set_plane(const PlanesNcx& p, Band* band) {
  const Shape& v = p.view;
  const Extent lanes = p.family->lanes;
  StagedPlane& plane = band->plane;
  plane.to_row = p.pitch;
  plane.to_part = p.part_elements();
  plane.src_rows = multiply(v.S[1], v.src.spatial[1]);
  plane.row_phase_count = std::ssize(p.row_phases);
  const Extent top = band->oh * v.S[1] - v.P[1];
  const Extent rows = band->rows + (v.K[1] - 1) * v.D[1] / v.S[1];
  const Extent left = band->ow * v.S[2] - v.P[2];
  for (std::size_t i = 0; i < p.row_phases.size(); ++i) {
    band->staged_rows[i] = rows_of(v, top + p.row_phases[i], rows, left);
  }
  plane.column_stride = v.S[2];
  plane.column_phase_count = std::ssize(p.column_phases);
  plane.column_phases = p.column_phases.data();
  const Extent columns = p.is_flat ? band->columns : (band->columns + lanes - 1) / lanes * lanes;
  plane.columns = columns + (v.K[2] - 1) * v.D[2] / v.S[2];
  plane.begin = -left;
  plane.end = v.I[2] - left;
  plane.is_in_order = p.reads_in_order ? 1 : 0;
}

void set_band(const PlanesNcx& p, Extent index, Band* band) {
  const Shape& v = p.view;
  const Extent column = index % p.column_bands();
  const Extent row = index / p.column_bands() % p.row_bands();
  band->od = index / p.column_bands() / p.row_bands();
  band->ow = column * p.columns;
  band->columns = std::min(p.columns, v.O[2] - band->ow);
  // Of rows, bands as equal as can be.
  band->oh = v.O[1] * row / p.row_bands();
  band->rows = v.O[1] * (row + 1) / p.row_bands() - band->oh;
  band->depth = axis_of(v, 0).taps_of(band->od);
  set_plane(p, band);
}

// What the kernels are called with in a band, but for what differs from group to group.
struct BandCalls {
  Band band;
  Extent first_product, dst_offset;
  std::array<Extent, kPlaneChannels> run_counts;  // that meet src, for each kernel
  PlaneCall whole, rest;                          // of whole vectors, and of the last of each row
  Extent lines, src_line, dst_line;               // calls of whole vectors
};

void set_calls(const PlanesNcx& p, BandCalls* calls) {
  const Extent lanes = p.family->lanes;
  PlaneCall whole{};
  whole.dst_channel = p.copies_dst ? p.copied_channel() : p.view.dst.channel;
  whole.vectors = calls->band.rows;
  whole.src_step = p.pitch;
  whole.dst_step = p.view.dst.spatial[1];
  whole.expects_dst = p.expects_dst ? 1 : 0;
  calls->rest = whole;
  calls->rest.lanes = calls->band.columns % lanes;
  whole.lanes = lanes;
  calls->lines = calls->band.columns / lanes;
  calls->src_line = calls->dst_line = lanes;
  if (!p.goes_down) {
    std::swap(calls->lines, whole.vectors);
    std::swap(calls->src_line, whole.src_step);
    std::swap(calls->dst_line, whole.dst_step);
  }
  calls->whole = whole;
}

void set_flat_call(const PlanesNcx& p, BandCalls* calls) {
  const Extent lanes = p.family->lanes;
  calls->whole = {};
  calls->whole.vectors = p.flat_vectors();
  calls->whole.dst_channel = p.flat_vectors() * lanes;
  calls->whole.src_step = calls->whole.dst_step = calls->whole.lanes = lanes;
}

void set_band_calls(const PlanesNcx& p, Extent index, BandCalls* calls) {
  const Shape& v = p.view;
  Band& band = calls->band;
  set_band(p, index, &band);
  calls->first_product = band.depth.begin * p.depth_products();
  calls->dst_offset =
      sum_of_products({{band.od, v.dst.spatial[0]}, {band.oh, v.dst.spatial[1]}, {band.ow, 1}});
  for (std::size_t i = 0; i < p.runs.size(); ++i) {
    const Extent of_depth_tap = std::ssize(p.runs[i]) / v.K[0];
    calls->run_counts[i] = of_depth_tap * (band.depth.end - band.depth.begin);
  }
  (p.is_flat ? set_flat_call : set_calls)(p, calls);
}

// Computes bands of the planes of groups. What all groups have in common is worked out once.
template <class T>
class BandRunner {
 public:
  BandRunner(const PlanesNcx& plan, const T* packed, const T* src, T* dst, Arena memory)
      : p_(plan),
        v_(plan.view),
        packed_(packed),
        src_(src),
        dst_(dst),
        in_channels_(v_.ICG()),
        out_channels_(v_.OCG()),
        staged_(memory.take<T>(plan.band_elements())),
        other_staged_(memory.take<T>(plan.band_elements())),
        unstaged_(memory.take<T>(plan.unstaged_elements())),
        other_unstaged_(memory.take<T>(plan.unstaged_elements())) {
    finished_.from_row = p_.pitch;
    finished_.to_row = v_.dst.spatial[1];
    finished_.rows = v_.O[1];
    finished_.count = v_.O[2];
  }

  // Bands are staged one before they are computed: loads of what has just been stored would wait.
  void run(Extent first_band, Extent last_band, Extent first_group, Extent last_group) {
    for (Extent i = first_band; i < last_band; ++i) {
      set_band_calls(p_, i, &bands_[static_cast<std::size_t>(i - first_band)]);
    }
    bands_end_ = bands_.data() + (last_band - first_band);
    Place next{first_group / v_.G, first_group % v_.G, bands_.data()};
    stage(next, staged_);
    for (Extent left = (last_band - first_band) * (last_group - first_group); left > 0; --left) {
      const Place place = next;
      go_on(&next);
      if (left > 1) stage(next, other_staged_);
      compute(place, staged_);
      std::swap(staged_, other_staged_);
    }
    flush();
    if (p_.copies_dst) p_.family->fence_non_temporal();
  }

 private:
  // A band of a group of an image.
  struct Place {
    Extent n, g;
    BandCalls* calls;
  };

  void go_on(Place* place) {
    if (++place->calls != bands_end_) return;
    place->calls = bands_.data();
    if (++place->g == v_.G) *place = {place->n + 1, 0, place->calls};
  }

  void stage(const Place& place, T* to) {
    Band& band = place.calls->band;
    for (Extent kd = band.depth.begin; kd < band.depth.end; ++kd) {
      const Extent depth = band.od * v_.S[0] + kd * v_.D[0] - v_.P[0];
      const T* plane = src_ + sum_of_products({{place.n, v_.src.outer},
                                               {place.g * in_channels_, v_.src.channel},
                                               {depth, v_.src.spatial[0]}});
      for (Extent ic = 0; ic < in_channels_; ++ic) {
        band.plane.rows = band.staged_rows.data();
        band.plane.src = plane;
        band.plane.to = to;
        p_.family->stage(band.plane);
        plane += v_.src.channel;
        to += p_.plane_elements();
      }
    }
  }

  void compute(const Place& place, const T* staged) {
    BandCalls& calls = *place.calls;
    Extent oc = place.g * out_channels_;
    T* dst =
        dst_ + calls.dst_offset + sum_of_products({{place.n, v_.dst.outer}, {oc, v_.dst.channel}});
    for (Extent left = out_channels_, channels = 0; left > 0; left -= channels) {
      channels = plane_channels(left);
      const std::size_t index = plane_kernel(channels);
      for (PlaneCall* call : {&calls.whole, &calls.rest}) {
        call->weights = packed_ + oc * p_.products() + calls.first_product * channels;
        call->bias = packed_ + p_.packed_weights() + oc;
        call->runs = p_.runs[index].data();
        call->run_count = calls.run_counts[index];
      }
      const PlaneKernel kernel = p_.family->kernels[index];
      if (p_.is_flat) {
        run_flat(kernel, &calls.whole, staged, dst, channels);
      } else if (p_.copies_dst) {
        run_and_copy(kernel, &calls, staged, dst, channels);
      } else {
        run_band(kernel, &calls, staged, dst);
      }
      oc += channels;
      dst += multiply(channels, v_.dst.channel);
    }
  }

  static void run_band(PlaneKernel kernel, BandCalls* calls, const T* staged, T* dst) {
    for (Extent i = 0; i < calls->lines; ++i) {
      calls->whole.src = staged + i * calls->src_line;
      calls->whole.dst = dst + multiply(i, calls->dst_line);
      kernel(calls->whole);
    }
    if (calls->rest.lanes == 0) return;
    const Extent whole = calls->band.columns - calls->rest.lanes;
    calls->rest.src = staged + whole;
    calls->rest.dst = dst + whole;
    kernel(calls->rest);
  }

  void run_and_copy(PlaneKernel kernel, BandCalls* calls, const T* staged, T* dst,
                    Extent channels) {
    const auto from_line = reinterpret_cast<std::uintptr_t>(dst) % Arena::kAlignment / sizeof(T);
    const T* from = unstaged_ + from_line;
    run_band(kernel, calls, staged, unstaged_ + from_line);
    for (Extent channel = 0; channel < channels; ++channel) {
      p_.family->copy_out(from, dst, calls->band.rows * v_.O[2]);
      from += p_.copied_channel();
      dst += v_.dst.channel;
    }
  }

  // Outputs are taken to dst after the next ones have been computed, for the same reason.
  void run_flat(PlaneKernel kernel, PlaneCall* call, const T* staged, T* dst, Extent channels) {
    call->src = staged;
    call->dst = unstaged_;
    kernel(*call);
    flush();
    finished_.from = unstaged_;
    finished_.to = dst;
    finished_channels_ = channels;
    std::swap(unstaged_, other_unstaged_);
  }

  void flush() {
    for (; finished_channels_ > 0; --finished_channels_) {
      p_.family->unstage(finished_);
      finished_.from = static_cast<const T*>(finished_.from) + p_.flat_vectors() * p_.family->lanes;
      finished_.to = static_cast<T*>(finished_.to) + v_.dst.channel;
    }
  }

  const PlanesNcx& p_;
  const Shape& v_;
  const T* packed_;
  const T* src_;
  T* dst_;
  Extent in_channels_, out_channels_;  // of a group
  T *staged_, *other_staged_;
  std::array<BandCalls, PlanesNcx::kMostBands> bands_;  // of the task
  const BandCalls* bands_end_ = nullptr;
  // Of outputs that are computed in the workspace:
  T *unstaged_, *other_unstaged_;
  UnstagedRows finished_{};
  Extent finished_channels_ = 0;
};

template <class T>
void pack_as(const Shape& s, const PlanesNcx& p, const T* weights, const T* bias, T* to) {
  T* const packed_bias = to + p.packed_weights();
  for (Extent g = 0; g < s.G; ++g) {
    const Extent end = (g + 1) * s.OCG();
    for (Extent oc = end - s.OCG(), channels = 0; oc < end; oc += channels) {
      channels = plane_channels(end - oc);
      for (const auto [kd, ic, tap] : Grid<3>{{s.K[0], s.ICG(), std::ssize(p.taps)}}) {
        const auto [kh, kw] = p.taps[static_cast<std::size_t>(tap)];
        for (Extent c = 0; c < channels; ++c) {
          *to++ = weights[sum_of_products({{oc + c, s.weights.outer},
                                           {ic, s.weights.channel},
                                           {kd, s.weights.spatial[0]},
                                           {kh, s.weights.spatial[1]},
                                           {kw, s.weights.spatial[2]}})];
        }
      }
    }
  }
  for (Extent oc = 0; oc < s.OC; ++oc) {
    packed_bias[oc] = s.has_bias ? bias[oc * s.bias_stride] : T{0};
  }
}

}  // namespace

void pack(const Context& context, const PlanesNcx& p, const void* weights, const void* bias,
          void* to) {
  with_computed(context.shape.dtype, [&](auto number) {
    using T = decltype(number);
    pack_as(context.shape, p, static_cast<const T*>(weights), static_cast<const T*>(bias),
            static_cast<T*>(to));
  });
}

void run(const Context& context, const PlanesNcx& p, const void* packed, const void* src, void* dst,
         void* workspace) {
  with_computed(context.shape.dtype, [&](auto number) {
    using T = decltype(number);
    auto* const memory = static_cast<T*>(workspace);
    context.thread_pool->run(p.tasks(), [&](Extent task, int slot) {
      BandRunner<T> runner(p, static_cast<const T*>(packed), static_cast<const T*>(src),
                           static_cast<T*>(dst), Arena(memory + slot * p.staged_dst()));
      const Extent band = task / p.group_tasks() * p.bands_per_task;
      const Extent group = task % p.group_tasks() * p.groups_per_task;
      runner.run(band, std::min(band + p.bands_per_task, p.bands()), group,
                 std::min(group + p.groups_per_task, p.groups()));
    });
  });
}

}  // namespace concord::optimized
