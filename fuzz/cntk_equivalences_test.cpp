// SPDX-License-Identifier: Apache-2.0
// What CNTK's Convolution is the same as: properties that hold for the engine and for the
// reference, and that reject evaluators which are wrong in the way that they are about.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>

#include "fuzz/cntk_runs.h"
#include "spec/grid.h"

namespace concord::fuzz {
namespace {

using optimized::CntkTensors;
using Values = std::vector<double>;

// Two axes, channels that one window covers, and samples; the documented reading.
struct Problem2d {
  CntkTensors tensors{};
  CntkConvolutionAttributes attributes{};
  CntkValues values{};
};
using Evaluator2d = std::function<Values(const Problem2d&)>;

Values by_engine(const Problem2d& p) {
  const auto shape = optimized::infer_cntk(p.tensors, p.attributes, Reading::kDocumented);
  CONCORD_CHECK(static_cast<bool>(shape)) << shape.why().detail;
  const auto plan = make_cntk_plan(*shape);
  CONCORD_CHECK(static_cast<bool>(plan)) << plan.why().detail;
  return run_cntk(*plan, p.values, true);
}

reference::CntkGeometry geometry_of(const Problem2d& p) {
  const auto g = resolve_cntk(operands_of(p.tensors), p.attributes, Reading::kDocumented);
  CONCORD_CHECK(static_cast<bool>(g)) << g.why().detail;
  return *g;
}

Values by_reference(const Problem2d& p) {
  return evaluate_cntk(geometry_of(p), p.values.src, p.values.weights).value;
}

Extent draw(Extent least, Extent end) { return *rc::gen::inRange<Extent>(least, end); }

// All weights shared.
Problem2d draw_problem(std::uint32_t seed) {
  Problem2d p;
  const Extent C = draw(1, 4);
  const Extent maps = draw(1, 4);
  p.tensors.src.dims = {draw(1, 9), draw(1, 9), C, draw(1, 6)};
  auto& a = p.attributes;
  a.kernel = {draw(1, 5), draw(1, 5), C};
  a.stride = {draw(1, 5), draw(1, 5), C};
  a.auto_padding = {1, 1, 0};
  a.map_count = {maps};
  a.max_temp_mem_size_in_samples = draw(0, 4);
  p.tensors.weights.dims = {maps, a.kernel[0] * a.kernel[1] * C};
  p.values = cntk_integers(p.tensors, seed);
  return p;
}

// Weights of their own at each place of some axes, all equal: a run for each place of the first
// unshared axis, then of the second, then for each map.
bool is_shared_if_weights_are_equal(const Problem2d& p, const Evaluator2d& evaluate) {
  for (const Extents& sharing : {Extents{0, 1, 1}, Extents{1, 0, 1}, Extents{0, 0, 1}}) {
    Problem2d own = p;
    own.attributes.sharing = sharing;
    const reference::CntkGeometry g = geometry_of(p);
    Extent places = 1;
    for (std::size_t at = 0; at < 2; ++at) places *= sharing[at] == 1 ? 1 : g.axes[at].positions;
    own.tensors.weights.dims[0] *= places;
    own.values.weights.clear();
    for (Extent run = 0; run < own.tensors.weights.dims[0]; ++run) {
      const auto from = p.values.weights.begin() + run / places * g.kernel_size;
      own.values.weights.insert(own.values.weights.end(), from, from + g.kernel_size);
    }
    if (evaluate(own) != evaluate(p)) return false;
  }
  return true;
}

// The window of place o begins at o stride - floor((K - 1) / 2) + floor(rest / 2), where rest are
// the cells that strides leave over: written as a loop over cells.
bool is_centred(const Problem2d& p, const Evaluator2d& evaluate) {
  const auto& a = p.attributes;
  const Extents& in = p.tensors.src.dims;
  const auto out = [&](std::size_t at) { return (in[at] - 1) / a.stride[at] + 1; };
  const auto begin = [&](std::size_t at, Extent o) {
    const Extent rest = in[at] - 1 - (out(at) - 1) * a.stride[at];
    return o * a.stride[at] - (a.kernel[at] - 1) / 2 + rest / 2;
  };
  const Grid<4> src{{in[3], in[2], in[1], in[0]}};
  const Grid<4> weights{{a.map_count[0], in[2], a.kernel[1], a.kernel[0]}};
  Values want;
  for (const auto [n, m, y, x] : Grid<4>{{in[3], a.map_count[0], out(1), out(0)}}) {
    double sum = 0;
    for (const auto [c, ky, kx] : Grid<3>{{in[2], a.kernel[1], a.kernel[0]}}) {
      const Extent iy = begin(1, y) + ky;
      const Extent ix = begin(0, x) + kx;
      if (iy < 0 || iy >= in[1] || ix < 0 || ix >= in[0]) continue;
      sum += p.values.src[src.offset({n, c, iy, ix})] *
             p.values.weights[weights.offset({m, c, ky, kx})];
    }
    want.push_back(sum);
  }
  return evaluate(p) == want;
}

bool ignores_the_sub_batch(const Problem2d& p, const Evaluator2d& evaluate) {
  Problem2d whole = p;
  whole.attributes.max_temp_mem_size_in_samples = 0;
  return evaluate(whole) == evaluate(p);
}

// mapCount m on the last axis is m on the first, with the maps of an output side by side.
bool carries_maps_on_any_axis(const Problem2d& p, const Evaluator2d& evaluate) {
  Problem2d first = p;
  const Extent maps = p.attributes.map_count[0];
  first.attributes.map_count = {maps, 1, 1};
  const reference::CntkGeometry g = geometry_of(p);
  const Extent W = g.axes[0].positions;
  const Extent H = g.axes[1].positions;
  const Values last = evaluate(p);
  const Grid<4> from{{g.samples, maps, H, W}};
  Values want;
  for (const auto [n, y, m, x] : Grid<4>{{g.samples, H, maps, W}}) {
    want.push_back(last[from.offset({n, m, y, x})]);
  }
  return evaluate(first) == want;
}

using Property2d = bool (*)(const Problem2d&, const Evaluator2d&);
struct Named {
  const char* name;
  Property2d property;
};
const Named kProperties[] = {
    {"IsSharedIfWeightsAreEqual", is_shared_if_weights_are_equal},
    {"IsCentred", is_centred},
    {"IgnoresTheSubBatch", ignores_the_sub_batch},
    {"CarriesMapsOnAnyAxis", carries_maps_on_any_axis},
};

class CntkConvolution : public testing::TestWithParam<Named> {};

TEST_P(CntkConvolution, HasTheProperty) {
  EXPECT_TRUE(rc::check(GetParam().name, [](std::uint32_t seed) {
    const Problem2d p = draw_problem(seed);
    RC_ASSERT(GetParam().property(p, by_engine));
    RC_ASSERT(GetParam().property(p, by_reference));
  }));
}

INSTANTIATE_TEST_SUITE_P(, CntkConvolution, testing::ValuesIn(kProperties),
                         [](const auto& test) { return test.param.name; });

int rejections(Property2d property, const Evaluator2d& evaluate) {
  int count = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const auto problems = rc::gen::exec([seed] { return draw_problem(seed); });
    if (!property(problems(rc::Random(seed), rc::kNominalSize).value(), evaluate)) ++count;
  }
  return count;
}

// Runs counted with the maps fastest, then the places.
Values with_maps_fastest(const Problem2d& p) {
  Problem2d changed = p;
  const reference::CntkGeometry g = geometry_of(p);
  const Extent maps = p.attributes.map_count.back();
  const Extent places = g.kernel_count / maps;
  for (const auto [m, place, cell] : Grid<3>{{maps, places, g.kernel_size}}) {
    changed.values.weights[static_cast<std::size_t>((m * places + place) * g.kernel_size + cell)] =
        p.values.weights[static_cast<std::size_t>((place * maps + m) * g.kernel_size + cell)];
  }
  return by_engine(changed);
}

// Places of unshared weights that are counted along the second axis only.
Values with_first_axis_shared(const Problem2d& p) {
  Problem2d changed = p;
  const auto& sharing = p.attributes.sharing;
  const reference::CntkGeometry g = geometry_of(p);
  const Extent W = g.axes[0].positions;
  if (sharing.size() != 3 || sharing[0] == 1) return by_engine(p);
  for (Extent run = 0; run < g.kernel_count; ++run) {
    const auto from = p.values.weights.begin() + run % W * g.kernel_size;
    std::copy(from, from + g.kernel_size, changed.values.weights.begin() + run * g.kernel_size);
  }
  return by_engine(changed);
}

// Padding as TensorFlow has it: from the first cell on, and never a crop.
Values from_the_first_cell(const Problem2d& p) {
  Problem2d changed = p;
  auto& a = changed.attributes;
  a.auto_padding = {0};
  a.lower_pad = a.upper_pad = {0, 0, 0};
  for (std::size_t at = 0; at < 2; ++at) {
    const Extent i = p.tensors.src.dims[at];
    const Extent out = (i - 1) / a.stride[at] + 1;
    const Extent total = std::max<Extent>((out - 1) * a.stride[at] + a.kernel[at] - i, 0);
    a.lower_pad[at] = total / 2;
    a.upper_pad[at] = total - total / 2;
  }
  return by_engine(changed);
}

Values without_the_last_sub_batch(const Problem2d& p) {
  Values values = by_engine(p);
  const Extent at_once = p.attributes.max_temp_mem_size_in_samples;
  const Extent samples = p.tensors.src.dims[3];
  if (at_once == 0 || samples % at_once == 0) return values;
  const auto lost = static_cast<std::ptrdiff_t>(values.size()) / samples * (samples % at_once);
  std::fill(values.end() - lost, values.end(), 0.0);
  return values;
}

// As if an output's maps were side by side, whichever axis they are on.
Values with_maps_before_places(const Problem2d& p) {
  const Values values = by_engine(p);
  const reference::CntkGeometry g = geometry_of(p);
  const auto& maps = p.attributes.map_count;
  if (maps.size() != 3) return values;
  Values changed;
  const Grid<4> from{{g.samples, g.axes[1].positions, maps[0], g.axes[0].positions}};
  for (const auto [n, y, x, m] :
       Grid<4>{{g.samples, g.axes[1].positions, g.axes[0].positions, maps[0]}}) {
    changed.push_back(values[from.offset({n, y, m, x})]);
  }
  return changed;
}

TEST(CntkMutants, EachIsRejectedByThePropertyOfItsFamily) {
  EXPECT_GE(rejections(is_shared_if_weights_are_equal, with_maps_fastest), 10);
  EXPECT_GE(rejections(is_shared_if_weights_are_equal, with_first_axis_shared), 10);
  EXPECT_GE(rejections(is_centred, from_the_first_cell), 10);
  EXPECT_GE(rejections(ignores_the_sub_batch, without_the_last_sub_batch), 10);
  EXPECT_GE(rejections(carries_maps_on_any_axis, with_maps_before_places), 10);
}

}  // namespace
}  // namespace concord::fuzz
