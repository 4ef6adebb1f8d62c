// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/cntk_parts.h"

#include <algorithm>

#include "optimized/layout/stage.h"

namespace concord::optimized {
namespace {

// Spatial axes of the fast convolution.
constexpr std::size_t kSpatial = 3;

// The role of each axis in the fast convolution, which has input and output channels and three
// spatial axes.
struct Roles {
  std::optional<std::size_t> channel{};  // walked place by place, its cells being input channels
  std::size_t maps = 0;                  // whose maps are the output channels
  std::vector<std::size_t> spatial{};    // width, height, depth
};

// True for an axis without which the windows see the same.
bool is_trivial(const CntkAxis& x) {
  return x.input == 1 && x.kernel == 1 && x.positions == 1 && x.lower == 0;
}

Roles roles_of(const CntkShape& shape) {
  Roles roles;
  // An axis beyond the rank has one map: it stands for the output channel of problems without maps.
  for (std::size_t at = 0; at < std::max<std::size_t>(shape.rank, kSpatial + 1); ++at) {
    const CntkAxis& x = shape.axes[at];
    if (x.maps >= shape.axes[roles.maps].maps) roles.maps = at;
    if (is_trivial(x)) continue;
    roles.spatial.push_back(at);
    // Of the axes that one window covers the last: CNTK's channels.
    if (x.positions == 1) roles.channel = at;
  }
  if (!roles.channel && roles.spatial.size() > kSpatial) {
    roles.channel = *std::min_element(roles.spatial.begin(), roles.spatial.end(),
                                      [&](std::size_t a, std::size_t b) {
                                        return shape.axes[a].positions < shape.axes[b].positions;
                                      });
  }
  if (roles.channel) std::erase(roles.spatial, *roles.channel);
  return roles;  // of more than kSpatial axes, no fast convolution
}

// A part's maps along all axes but the one of the output channels, and its place along the axis of
// the input channels.
struct Choice {
  std::array<Extent, kCntkAxes> map{};
  Extent position = 0;
};

void place_spatial(const CntkAxis& x, std::size_t at, Shape* s, CntkPart* part) {
  const Extent crop = std::max<Extent>(-x.lower, 0);
  s->I[at] = x.input - crop;
  s->O[at] = x.positions;
  s->K[at] = x.kernel;
  s->S[at] = x.stride;
  s->P[at] = x.lower + crop;
  s->src.spatial[at] = x.src_step;
  s->weights.spatial[at] = x.cell_step;
  s->dst.spatial[at] = x.dst_step;
  part->src += crop * x.src_step;
}

Shape shape_of(const CntkShape& cntk, const Roles& roles, const Choice& choice, CntkPart* part) {
  Shape s;
  s.dtype = cntk.dtype;
  s.N = 1;
  s.IC = 1;
  s.src.outer = cntk.src_sample;
  s.dst.outer = cntk.dst_sample;
  if (roles.channel) {
    const CntkAxis& x = cntk.axes[*roles.channel];
    const Extent window = choice.position * x.stride - x.lower;  // its first cell
    const Extent first = std::clamp<Extent>(-window, 0, x.kernel);
    s.IC = std::clamp<Extent>(x.input - window, first, x.kernel) - first;
    s.src.channel = x.src_step;
    s.weights.channel = x.cell_step;
    part->src += s.IC == 0 ? 0 : (window + first) * x.src_step;
    part->weights += first * x.cell_step;
    part->dst += choice.position * x.dst_step;
  }
  std::size_t at = kSpatial;
  for (const std::size_t axis : roles.spatial) place_spatial(cntk.axes[axis], --at, &s, part);
  const CntkAxis& maps = cntk.axes[roles.maps];
  s.OC = maps.maps;
  s.weights.outer = maps.map_run;
  s.dst.channel = maps.positions * maps.dst_step;
  for (std::size_t axis = 0; axis < cntk.rank; ++axis) {
    const CntkAxis& x = cntk.axes[axis];
    part->weights += choice.map[axis] * x.map_run;
    part->dst += choice.map[axis] * x.positions * x.dst_step;
  }
  s.dst_tensor.dims = {1, s.OC, s.O[0], s.O[1], s.O[2]};
  return s;
}

// The next choice in turn; false after the last one.
bool advance(const CntkShape& shape, const Roles& roles, Choice* choice) {
  for (std::size_t axis = 0; axis < shape.rank; ++axis) {
    if (axis == roles.maps) continue;
    if (++choice->map[axis] < shape.axes[axis].maps) return true;
    choice->map[axis] = 0;
  }
  return roles.channel && ++choice->position < shape.axes[*roles.channel].positions;
}

}  // namespace

std::optional<Extent> cntk_parts_of(const CntkShape& shape) {
  const Roles roles = roles_of(shape);
  if (roles.spatial.size() > kSpatial) return std::nullopt;
  Extent parts = roles.channel ? shape.axes[*roles.channel].positions : 1;
  for (std::size_t at = 0; at < shape.rank; ++at) {
    if (at != roles.maps) parts *= shape.axes[at].maps;
  }
  return parts;
}

std::optional<Refusal> make_cntk_parts(const Options& options, CntkPlan* plan) {
  const Roles roles = roles_of(plan->shape);
  Choice choice;
  std::size_t packed = 0;
  do {
    CntkPart part;
    const Shape shape = shape_of(plan->shape, roles, choice, &part);
    auto made = make_plan(shape, options);
    if (!made) return made.why();
    part.plan = *std::move(made);
    part.packed = packed;
    packed += part.plan.packed_bytes;
    plan->sample_bytes = std::max(plan->sample_bytes, part.plan.workspace_bytes);
    plan->parts.push_back(std::move(part));
  } while (advance(plan->shape, roles, &choice));
  plan->packed_bytes = packed;
  return std::nullopt;
}

void run_cntk_parts(const CntkPlan& plan, const void* packed, const void* src, void* dst,
                    void* workspace) {
  const Dtype dtype = plan.shape.dtype;
  for (const CntkPart& part : plan.parts) {
    run_packed(part.plan, static_cast<const std::byte*>(packed) + part.packed,
               element_at(src, part.src, dtype), element_at(dst, part.dst, dtype), workspace);
  }
}

}  // namespace concord::optimized
