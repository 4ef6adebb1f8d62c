// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/cut.h"

#include <algorithm>
#include <vector>

#include "conformance/catalog/extents.h"
#include "reference/discrete.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr Extent kInteriorOutputs = 2;

Extent ceil_divide(Extent a, Extent b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

std::vector<Axis> axes_of(const reference::Geometry& g) {
  std::vector<Axis> axes;
  for (std::size_t a = reference::kSpatialRank - g.spatial_rank; a < reference::kSpatialRank; ++a) {
    axes.push_back({g.I[a], g.K[a], g.S[a], g.D[a], g.P_begin[a], g.P_end[a]});
  }
  return axes;
}

// Works on the extents alone: with the residue of an axis its padding stays the same.
class Cutter {
 public:
  Cutter(Shape shape, std::vector<Axis> axes, Extent max_macs)
      : shape_(std::move(shape)), axes_(std::move(axes)), max_macs_(max_macs) {
    for (const Axis& axis : axes_) smallest_.push_back(smallest_extent(axis));
  }

  Shape run() {
    if (too_much()) shape_.N = 1;
    while (too_much() && shrink_axis()) {
    }
    make_axes_different();
    while (too_much() && shrink_channels()) {
    }
    for (std::size_t a = 0; a < axes_.size(); ++a) shape_.I[a] = axes_[a].I;
    return shape_;
  }

 private:
  bool too_much() const {
    Extent macs = shape_.N * shape_.G * shape_.ICG * shape_.OCG;
    for (const Axis& axis : axes_) macs *= axis.outputs() * axis.K;
    return macs > max_macs_;
  }

  bool can_shrink(std::size_t a) const { return axes_[a].I - axes_[a].S >= smallest_[a]; }

  // One stride off the axis with most outputs, the first of equals.
  bool shrink_axis() {
    std::size_t chosen = axes_.size();
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (!can_shrink(a)) continue;
      if (chosen == axes_.size() || axes_[a].outputs() > axes_[chosen].outputs()) chosen = a;
    }
    if (chosen == axes_.size()) return false;
    axes_[chosen].I -= axes_[chosen].S;
    return true;
  }

  bool is_different(std::size_t a, Extent extent) const {
    for (std::size_t b = a + 1; b < axes_.size(); ++b) {
      if (axes_[b].I == extent) return false;
    }
    return true;
  }

  // Of axes that were cut to the same extent, shrinks the earlier one further, or lets it have some
  // strides back, until they differ.
  void make_axes_different() {
    for (std::size_t a = axes_.size(); a-- > 0;) {
      if (axes_[a].I == shape_.I[a]) continue;
      Extent smaller = axes_[a].I, larger = axes_[a].I;
      while (smaller >= smallest_[a] && !is_different(a, smaller)) smaller -= axes_[a].S;
      while (larger <= shape_.I[a] && !is_different(a, larger)) larger += axes_[a].S;
      if (smaller >= smallest_[a]) {
        axes_[a].I = smaller;
      } else if (larger <= shape_.I[a]) {
        axes_[a].I = larger;
      }
    }
  }

  static bool shrink(Extent& channels) {
    const Extent step = channels > 32 ? 16 : 8;
    if (channels <= step) return false;
    channels -= step;
    return true;
  }

  bool shrink_channels() {
    if (shape_.ICG == 1 && shape_.G > 1) return shrink(shape_.G);
    Extent& larger = shape_.ICG > shape_.OCG ? shape_.ICG : shape_.OCG;
    Extent& smaller = shape_.ICG > shape_.OCG ? shape_.OCG : shape_.ICG;
    return shrink(larger) || shrink(smaller);
  }

  Shape shape_;
  std::vector<Axis> axes_;
  std::vector<Extent> smallest_{};
  Extent max_macs_;
};

void describe(std::string& note, const std::string& name, Extent before, Extent after) {
  if (before == after) return;
  note += note.empty() ? name + " cut" : ", " + name;
  note += " from " + std::to_string(before) + " to " + std::to_string(after);
}

std::string describe(const Shape& before, const Shape& after) {
  std::string note;
  describe(note, "N", before.N, after.N);
  const std::size_t rank = before.I.size();
  for (std::size_t a = 0; a < rank; ++a) {
    const std::string name = reference::axis_name(reference::kSpatialRank - rank + a, rank);
    describe(note, name, before.I[a], after.I[a]);
  }
  describe(note, "groups", before.G, after.G);
  describe(note, "IC", before.G * before.ICG, after.G * after.ICG);
  describe(note, "OC", before.G * before.OCG, after.G * after.OCG);
  return note;
}

}  // namespace

std::map<TapRange, Extent> border_classes(const Axis& axis) {
  std::map<TapRange, Extent> classes;
  for (Extent o = 0; o < axis.outputs(); ++o) {
    const Extent start = o * axis.S - axis.P_begin;  // where tap 0 falls
    const Extent first = std::clamp<Extent>(ceil_divide(-start, axis.D), 0, axis.K);
    const Extent last = std::clamp<Extent>(ceil_divide(axis.I - start, axis.D), 0, axis.K);
    ++classes[first < last ? TapRange{first, last} : TapRange{0, 0}];
  }
  return classes;
}

bool sees_input(const Axis& axis) {
  const auto classes = border_classes(axis);
  return classes.size() > 1 || !classes.contains({0, 0});
}

Extent smallest_extent(const Axis& axis) {
  if (axis.dilated_kernel() > axis.I) return axis.I;
  const auto wanted = border_classes(axis);
  const auto interior = [&](const std::map<TapRange, Extent>& classes) {
    const auto found = classes.find({0, axis.K});
    return found == classes.end() ? 0 : found->second;
  };
  const Extent enough = std::min(interior(wanted), kInteriorOutputs);
  const auto keeps = [&](const std::map<TapRange, Extent>& classes) {
    return classes.size() == wanted.size() && interior(classes) >= enough &&
           std::equal(classes.begin(), classes.end(), wanted.begin(),
                      [](const auto& a, const auto& b) { return a.first == b.first; });
  };
  Axis cut = axis;
  cut.I = axis.dilated_kernel();
  cut.I += (axis.I - cut.I) % axis.S;
  while (cut.I < axis.I && !keeps(border_classes(cut))) cut.I += axis.S;
  return cut.I;
}

Cut cut_to_budget(const Problem& problem, Extent max_macs) {
  CONCORD_CHECK(problem.src.strides.empty() && problem.weights.strides.empty() && !problem.dst)
      << "a layer with strides or a dst: " << print(problem);
  const auto geometry = reference::resolve_discrete(problem);
  CONCORD_CHECK(geometry) << print(problem) << ": " << geometry.why().detail;
  const Shape before = shape_of(problem);
  const Shape after = Cutter(before, axes_of(*geometry), max_macs).run();
  Cut cut{problem, describe(before, after)};
  if (after != before) set_shape(cut.problem, after);
  return cut;
}

}  // namespace concord::conformance
