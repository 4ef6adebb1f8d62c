// SPDX-License-Identifier: Apache-2.0
#include "fuzz/continuous_runs.h"
#include "fuzz/sweep/tally.h"
#include "spec/grid.h"

namespace concord::fuzz {
namespace {

using optimized::ContinuousWay;

// Numerators are powers of two: distances are then dyadic, and sums exact.
struct Setting {
  Extent in, K, k, l;
};
std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const auto [in, K, k, l] : Grid<4>{{5, 3, 3, 4}}) {
    all.push_back({in + 1, K + 1, Extent{1} << k, l + 1});
  }
  return all;
}

std::string text_of(const Layer& layer, ContinuousWay way) {
  const ContinuousAttributes& a = layer.attributes;
  return "ContinuousConvolution src=" + to_string(layer.tensors.src) +
         " scale=" + to_string(a.scale_h) + "," + to_string(a.scale_w) +
         " kernel=" + to_string(Tensor{a.kernel, {}}) + " ties=" + std::string(to_string(a.ties)) +
         " boundary=" + std::string(to_string(a.boundary)) + " by " + std::string(to_string(way));
}

void compare(const Setting& y, const Setting& x, Ties ties, Boundary boundary, Tally* tally) {
  if (!tally->takes()) return;
  Layer layer;
  ContinuousAttributes& a = layer.attributes;
  a.scale_h = Rational(y.k, y.l);
  a.scale_w = Rational(x.k, x.l);
  a.kernel = {y.K, x.K};
  a.channels = 2;
  a.widths = {2, 2};
  a.slope = Rational(1, 2);
  a.ties = ties;
  a.boundary = boundary;
  layer.tensors.src.dims = {1, 2, y.in, x.in};
  layer.tensors.theta.dims = {parameters_of(layer.tensors.src.dims, a)};
  layer.src = integers(2 * y.in * x.in, 1);
  for (const double value : integers(layer.tensors.theta.dims[0], 2)) {
    layer.theta.push_back(value < -3 ? -1 : value > 3 ? 1 : 0);
  }
  const auto want = evaluate_continuous(geometry_of(layer), layer.src, layer.theta).value;
  for (const ContinuousWay way : {ContinuousWay::kTiles, ContinuousWay::kPhases}) {
    optimized::ContinuousOptions options;
    options.way = way;
    if (run_layer(layer, options) == want) {
      tally->agree(false);
    } else {
      tally->differ(text_of(layer, way));
    }
  }
}

}  // namespace

bool sweep_continuous(std::int64_t every) {
  Tally tally("continuous layer", every);
  const auto all = settings();
  for (const Ties ties : {Ties::kHalfOpen, Ties::kOpen, Ties::kClosed}) {
    for (const Boundary boundary :
         {Boundary::kZero, Boundary::kReplicate, Boundary::kReflect, Boundary::kSymmetric}) {
      for (const Setting& y : all) {
        for (const Setting& x : all) compare(y, x, ties, boundary, &tally);
      }
    }
  }
  return tally.report();
}

}  // namespace concord::fuzz
