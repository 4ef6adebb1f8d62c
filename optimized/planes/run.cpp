// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "optimized/direct/row_tiles.h"
#include "optimized/layout/convert.h"
#include "optimized/planes/plan.h"
#include "optimized/runtime/arena.h"
#include "optimized/shape/view.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

// Places a step apart in src: those before, in and after it.
struct Part {
  Extent before, inside, after;
};
Part part_of(Extent first, Extent step, Extent count, Extent extent) {
  const auto places_before = [&](Extent end) {
    return first >= end ? 0 : std::min(count, (end - first - 1) / step + 1);
  };
  const Extent before = places_before(0), end = places_before(extent);
  return {before, end - before, count - end};
}

// A band of outputs, and what it sees of src, the same of every plane.
struct Band {
  Extent od, oh, ow, rows, columns;
  Axis::Range depth;  ///< the taps that meet src
  /// For each remainder of rows and of columns, from a plane of src and to a staged one, without
  /// their addresses.
  struct Piece {
    StagedPlane plane;
    Extent from, to;
  };
  std::array<Piece, PlanesNcx::kMostPhases * PlanesNcx::kMostPhases> pieces;
  std::size_t piece_count;
};

Band::Piece piece_of(const PlanesNcx& p, const Band& band, std::size_t r, std::size_t c) {
  const Shape& v = p.view;
  const Extent lanes = p.family->lanes;
  const Extent top = band.oh * v.S[1] - v.P[1] + p.row_phases[r];
  const Extent left = band.ow * v.S[2] - v.P[2] + p.column_phases[c];
  const Extent columns = p.is_flat ? band.columns : (band.columns + lanes - 1) / lanes * lanes;
  const Part in_rows = part_of(top, v.S[1], band.rows + (v.K[1] - 1) * v.D[1] / v.S[1], v.I[1]);
  const Part in_columns = part_of(left, v.S[2], columns + (v.K[2] - 1) * v.D[2] / v.S[2], v.I[2]);
  const bool is_seen = in_rows.inside > 0 && in_columns.inside > 0;
  const Extent from = sum_of_products(
      {{top + in_rows.before * v.S[1], v.src.spatial[1]}, {left + in_columns.before * v.S[2], 1}});
  const auto piece = static_cast<Extent>(r * p.column_phases.size() + c);
  return {.plane = {.src = nullptr,
                    .src_row = multiply(v.S[1], v.src.spatial[1]),
                    .step = v.S[2],
                    .to = nullptr,
                    .to_row = p.pitch,
                    .rows_before = in_rows.before,
                    .rows = in_rows.inside,
                    .rows_after = in_rows.after,
                    .before = in_columns.before,
                    .count = in_columns.inside,
                    .after = in_columns.after},
          .from = is_seen ? from : 0,
          .to = piece * p.plane_rows * p.pitch};
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
  band->piece_count = 0;
  for (std::size_t r = 0; r < p.row_phases.size(); ++r) {
    for (std::size_t c = 0; c < p.column_phases.size(); ++c) {
      band->pieces[band->piece_count++] = piece_of(p, *band, r, c);
    }
  }
}

// A group of an image.
struct Group {
  Extent n, g;
};

// Computes a band of the planes of groups. What all of them have in common is worked out once.
template <class T>
class BandRunner {
 public:
  BandRunner(const PlanesNcx& plan, Extent band, const T* packed, const T* src, T* dst, T* memory)
      : p_(plan),
        v_(plan.view),
        packed_(packed),
        src_(src),
        dst_(dst),
        in_channels_(v_.ICG()),
        out_channels_(v_.OCG()),
        staged_(memory),
        other_staged_(memory + plan.band_elements()) {
    set_band(plan, band, &band_);
    first_product_ = band_.depth.begin * p_.depth_products();
    dst_offset_ = sum_of_products(
        {{band_.od, v_.dst.spatial[0]}, {band_.oh, v_.dst.spatial[1]}, {band_.ow, 1}});
    PlaneCall call{};
    call.products = p_.products.data();
    call.product_count = (band_.depth.end - band_.depth.begin) * p_.depth_products();
    (p_.is_flat ? set_flat_call(call, memory) : set_calls(call));
  }

  // Groups are staged one before they are computed: loads of what has just been stored would wait.
  void run(Extent first, Extent last) {
    Group next{first / v_.G, first % v_.G};
    stage(next, staged_);
    for (Extent at = first; at < last; ++at) {
      const Group group = next;
      if (++next.g == v_.G) next = {next.n + 1, 0};
      if (at + 1 < last) stage(next, other_staged_);
      compute(group, staged_);
      std::swap(staged_, other_staged_);
    }
    flush();
  }

 private:
  void set_calls(PlaneCall call) {
    const Extent lanes = p_.family->lanes;
    call.dst_channel = v_.dst.channel;
    call.vectors = band_.rows;
    call.src_step = p_.pitch;
    call.dst_step = v_.dst.spatial[1];
    whole_ = rest_ = call;
    whole_.lanes = lanes;
    lines_ = band_.columns / lanes;
    src_line_ = dst_line_ = lanes;
    // Vectors of a row one after the other, or those of a column, of which there are more.
    if (lines_ > band_.rows) {
      std::swap(lines_, whole_.vectors);
      std::swap(src_line_, whole_.src_step);
      std::swap(dst_line_, whole_.dst_step);
    }
    rest_.lanes = band_.columns % lanes;
  }

  void set_flat_call(PlaneCall call, T* memory) {
    const Extent lanes = p_.family->lanes;
    call.vectors = p_.flat_vectors();
    call.dst_channel = call.vectors * lanes;
    call.src_step = call.dst_step = call.lanes = lanes;
    whole_ = call;
    unstaged_ = memory + 2 * p_.band_elements();
    other_unstaged_ = unstaged_ + p_.unstaged_elements();
    finished_.from_row = p_.pitch;
    finished_.to_row = v_.dst.spatial[1];
    finished_.rows = v_.O[1];
    finished_.count = v_.O[2];
  }

  void stage(Group group, T* to) {
    for (Extent kd = band_.depth.begin; kd < band_.depth.end; ++kd) {
      const Extent depth = band_.od * v_.S[0] + kd * v_.D[0] - v_.P[0];
      const T* plane = src_ + sum_of_products({{group.n, v_.src.outer},
                                               {group.g * in_channels_, v_.src.channel},
                                               {depth, v_.src.spatial[0]}});
      for (Extent ic = 0; ic < in_channels_; ++ic) {
        for (std::size_t i = 0; i < band_.piece_count; ++i) {
          Band::Piece& piece = band_.pieces[i];
          piece.plane.src = plane + piece.from;
          piece.plane.to = to + piece.to;
          p_.family->stage(piece.plane);
        }
        plane += v_.src.channel;
        to += p_.plane_elements();
      }
    }
  }

  void compute(Group group, const T* staged) {
    const auto all_products = static_cast<Extent>(p_.products.size());
    Extent oc = group.g * out_channels_;
    T* dst = dst_ + sum_of_products({{group.n, v_.dst.outer}, {oc, v_.dst.channel}}) + dst_offset_;
    for (Extent left = out_channels_, channels = 0; left > 0; left -= channels) {
      channels = plane_channels(left);
      whole_.weights = rest_.weights = packed_ + oc * all_products + first_product_ * channels;
      whole_.bias = rest_.bias = packed_ + p_.packed_weights() + oc;
      const int index = std::countr_zero(static_cast<std::uint64_t>(channels));
      const PlaneKernel kernel = p_.family->kernels[index];
      (p_.is_flat ? run_flat(kernel, staged, dst, channels) : run_band(kernel, staged, dst));
      oc += channels;
      dst += multiply(channels, v_.dst.channel);
    }
  }

  void run_band(PlaneKernel kernel, const T* staged, T* dst) {
    for (Extent i = 0; i < lines_; ++i) {
      whole_.src = staged + i * src_line_;
      whole_.dst = dst + multiply(i, dst_line_);
      kernel(whole_);
    }
    if (rest_.lanes == 0) return;
    const Extent whole = band_.columns - rest_.lanes;
    rest_.src = staged + whole;
    rest_.dst = dst + whole;
    kernel(rest_);
  }

  // Outputs are taken to dst after the next ones have been computed, for the same reason.
  void run_flat(PlaneKernel kernel, const T* staged, T* dst, Extent channels) {
    whole_.src = staged;
    whole_.dst = unstaged_;
    kernel(whole_);
    flush();
    finished_.from = unstaged_;
    finished_.to = dst;
    finished_channels_ = channels;
    std::swap(unstaged_, other_unstaged_);
  }

  void flush() {
    for (; finished_channels_ > 0; --finished_channels_) {
      p_.family->unstage(finished_);
      finished_.from = static_cast<const T*>(finished_.from) + whole_.dst_channel;
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
  Band band_;
  Extent first_product_ = 0, dst_offset_ = 0;
  PlaneCall whole_{}, rest_{};  // of whole vectors, and of the last one of each row
  Extent lines_ = 0, src_line_ = 0, dst_line_ = 0;  // calls of whole vectors
  // Of flat planes:
  T *unstaged_ = nullptr, *other_unstaged_ = nullptr;
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
      for (const auto [kd, ic, kh, kw] : Grid<4>{{s.K[0], s.ICG(), s.K[1], s.K[2]}}) {
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
      BandRunner<T> runner(p, task / p.group_tasks(), static_cast<const T*>(packed),
                           static_cast<const T*>(src), static_cast<T*>(dst),
                           Arena(memory + slot * p.staged_dst()).template take<T>(0));
      const Extent first = task % p.group_tasks() * p.groups_per_task;
      runner.run(first, std::min(first + p.groups_per_task, p.groups()));
    });
  });
}

}  // namespace concord::optimized
