// SPDX-License-Identifier: Apache-2.0
#include "conformance/huge/probes.h"

#include <algorithm>

#include "conformance/fill/xoshiro.h"
#include "conformance/huge/local_data.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

using reference::kSpatialRank;

// A window of no more taps is filled as a whole.
constexpr Extent kWholeWindow = 256;
// Of a larger one, so many taps anywhere besides the first, the last and the one that is meant.
constexpr int kTapsAnywhere = 12;
// No more weights are all filled.
constexpr Extent kAllWeights = Extent{1} << 16;

// An index of all axes of a tensor, as `Index` has it.
template <class Index>
Extents joined(Extent first, Extent second, const Index& spatial, std::size_t rank) {
  Extents index{first, second};
  index.insert(index.end(), spatial.end() - static_cast<std::ptrdiff_t>(rank - 2), spatial.end());
  return index;
}

Extent place_in(const Tensor& tensor, const Extents& index) {
  const Extents strides = strides_of(tensor);
  Extent place = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides[axis];
  return place;
}

Spatial spatial_of(const Extents& index) {
  Spatial spatial{};
  std::copy_backward(index.begin() + 2, index.end(), spatial.end());
  return spatial;
}

// Of one axis an output and a tap that meet input i; the nearest output, and no tap, if none do.
struct Meeting {
  Extent o;
  std::optional<Extent> k;
};
Meeting meeting_at(const Geometry& g, std::size_t axis, Extent i) {
  const Extent from = i + g.P_begin[axis];
  for (Extent k = 0; k < g.K[axis]; ++k) {
    const Extent at = from - k * g.D[axis];
    if (at < 0) break;
    if (at % g.S[axis] == 0 && at / g.S[axis] < g.O[axis]) return {at / g.S[axis], k};
  }
  return {std::clamp(from / g.S[axis], Extent{0}, g.O[axis] - 1), std::nullopt};
}

/// Collects what chosen outputs see.
class Choice {
 public:
  Choice(const Geometry& geometry, std::uint64_t seed) : g_(geometry), random_(seed) {}

  void around_src(const Extents& index) {
    Position at{index[0], index[1] / g_.ICG(), {}};
    Tap meant{index[1] % g_.ICG(), {}};
    const Spatial i = spatial_of(index);
    bool meets = true;
    for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
      const Meeting meeting = meeting_at(g_, axis, i[axis]);
      at.o[axis] = meeting.o;
      meets = meets && meeting.k.has_value();
      meant.k[axis] = meeting.k.value_or(0);
    }
    see(at, meets ? std::optional(meant) : std::nullopt, anywhere_in(at.g));
  }

  void around_weights(const Extents& index) {
    Position at{random_.below(g_.N), index[0] / g_.OCG(), {}};
    const Tap meant{index[1], spatial_of(index)};
    for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
      const Extent before = g_.P_begin[axis] - meant.k[axis] * g_.D[axis];  // i = o * S - before
      const Extent first = before <= 0 ? 0 : (before + g_.S[axis] - 1) / g_.S[axis];
      at.o[axis] = std::min(first, g_.O[axis] - 1);
    }
    see(at, meant, index[0]);
  }

  void around_dst(const Extents& index) {
    see({index[0], index[1] / g_.OCG(), spatial_of(index)}, std::nullopt, index[1]);
  }

  Probes take() { return std::move(probes_); }

 private:
  Extent anywhere_in(Extent group) { return group * g_.OCG() + random_.below(g_.OCG()); }

  Tap tap_anywhere() {
    Tap tap{random_.below(g_.ICG()), {}};
    for (std::size_t axis = 0; axis < kSpatialRank; ++axis) tap.k[axis] = random_.below(g_.K[axis]);
    return tap;
  }

  std::vector<Tap> taps_of_window() {
    std::vector<Tap> taps;
    if (g_.products() <= kWholeWindow) {
      for (Extent ic = 0; ic < g_.ICG(); ++ic) {
        for (const Spatial& k : Grid(g_.K)) taps.push_back({ic, k});
      }
      return taps;
    }
    Spatial last = g_.K;
    for (Extent& k : last) --k;
    taps = {{0, {}}, {g_.ICG() - 1, last}};
    for (int i = 0; i < kTapsAnywhere; ++i) taps.push_back(tap_anywhere());
    return taps;
  }

  void see(const Position& at, const std::optional<Tap>& meant, Extent oc) {
    auto taps = taps_of_window();
    if (meant) taps.push_back(*meant);
    const Extent first = at.g * g_.OCG();
    for (const Tap& tap : taps) {
      const auto src = met_by(g_, at, tap);
      if (!src) continue;
      probes_.src.insert(*src);
      if (g_.OC * g_.products() <= kAllWeights) continue;
      for (const Extent each : {oc, first, first + g_.OCG() - 1, anywhere_in(at.g)}) {
        probes_.weights.insert({each, tap.ic, tap.k});
      }
    }
  }

  const Geometry& g_;
  Xoshiro random_;
  Probes probes_{};
};

}  // namespace

// The axes by their strides, the largest first.
Extents index_at(const Tensor& tensor, Extent place) {
  const Extents strides = strides_of(tensor);
  std::vector<std::size_t> axes(tensor.rank());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  std::sort(axes.begin(), axes.end(), [&](auto a, auto b) { return strides[a] > strides[b]; });
  Extents index(tensor.rank());
  for (const std::size_t axis : axes) {
    if (strides[axis] == 0) continue;
    index[axis] = std::min(tensor.dims[axis] - 1, place / strides[axis]);
    place -= index[axis] * strides[axis];
  }
  return index;
}

std::optional<SrcIndex> met_by(const Geometry& g, const Position& at, const Tap& tap) {
  SrcIndex met{at.n, at.g * g.ICG() + tap.ic, {}};
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    met.i[axis] = at.o[axis] * g.S[axis] + tap.k[axis] * g.D[axis] - g.P_begin[axis];
    if (met.i[axis] < 0 || met.i[axis] >= g.I[axis]) return std::nullopt;
  }
  return met;
}

Layout::Layout(const Problem& problem, const Geometry& geometry)
    : src(in_reading_order(problem, Input::kSrc)),
      weights(in_reading_order(problem, Input::kWeights)),
      dst(dst_in_reading_order(problem, geometry.dst)) {}

Extent Layout::place_of(const SrcIndex& index) const {
  return place_in(src, joined(index.n, index.c, index.i, src.rank()));
}
Extent Layout::place_of(const WeightIndex& index) const {
  return place_in(weights, joined(index.oc, index.ic, index.k, weights.rank()));
}
Extent Layout::place_of_output(const Position& at, Extent oc) const {
  return place_in(dst, joined(at.n, oc, at.o, dst.rank()));
}

std::vector<Extent> marks_of(Extent span, Extent element_bytes, std::uint64_t seed) {
  constexpr int kAnywhere = 4;
  std::vector<Extent> marks{0, span - 1};
  for (const Extent limit : {Extent{1} << 31, Extent{1} << 32}) {
    for (const Extent place : {limit, limit / element_bytes}) {
      if (place >= span) continue;
      marks.push_back(place - 1);
      marks.push_back(place);
    }
  }
  Xoshiro random(seed);
  for (int i = 0; i < kAnywhere; ++i) marks.push_back(random.below(span));
  return marks;
}

Probes choose_probes(const Problem& problem, const Geometry& geometry, std::uint64_t seed) {
  const Layout layout(problem, geometry);
  const auto bytes = static_cast<Extent>(size_of(problem.dtype));
  Choice choice(geometry, seed);
  const auto marks = [&](const Tensor& tensor, std::uint64_t stream) {
    std::vector<Extents> indices;
    for (const Extent mark : marks_of(element_span(tensor).value(), bytes, seed + stream)) {
      indices.push_back(index_at(tensor, mark));
    }
    return indices;
  };
  for (const Extents& index : marks(layout.src, 1)) choice.around_src(index);
  for (const Extents& index : marks(layout.weights, 2)) choice.around_weights(index);
  for (const Extents& index : marks(layout.dst, 3)) choice.around_dst(index);
  return choice.take();
}

std::map<Position, std::vector<Tap>> reached_by(const Geometry& g,
                                                const std::set<SrcIndex>& elements) {
  std::map<Position, std::vector<Tap>> reached;
  for (const SrcIndex& element : elements) {
    // Of each axis the outputs that meet the element, and by which tap.
    std::array<std::vector<std::pair<Extent, Extent>>, kSpatialRank> meetings;
    Spatial counts{};
    for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
      for (Extent k = 0; k < g.K[axis]; ++k) {
        const Extent at = element.i[axis] + g.P_begin[axis] - k * g.D[axis];
        if (at < 0) break;
        if (at % g.S[axis] != 0 || at / g.S[axis] >= g.O[axis]) continue;
        meetings[axis].emplace_back(at / g.S[axis], k);
      }
      counts[axis] = static_cast<Extent>(meetings[axis].size());
    }
    for (const Spatial& which : Grid(counts)) {
      Position at{element.n, element.c / g.ICG(), {}};
      Tap tap{element.c % g.ICG(), {}};
      for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
        const auto& [o, k] = meetings[axis][static_cast<std::size_t>(which[axis])];
        at.o[axis] = o;
        tap.k[axis] = k;
      }
      reached[at].push_back(tap);
    }
  }
  return reached;
}

}  // namespace concord::conformance
