// SPDX-License-Identifier: Apache-2.0
// The continuous layer: the engine and the reference agree, whichever way the engine takes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "fuzz/continuous_runs.h"

namespace concord::fuzz {
namespace {

using optimized::ContinuousOptions;
using optimized::ContinuousWay;
using optimized::Isa;

ContinuousOptions some_options(ContinuousWay way) {
  ContinuousOptions options;
  options.threads = *rc::gen::inRange(1, 4);
  std::vector<Isa> isas;
  std::copy_if(std::begin(optimized::kIsas), std::end(optimized::kIsas), std::back_inserter(isas),
               optimized::is_supported);
  options.isa = *rc::gen::elementOf(isas);
  options.way = way;
  options.tile = *rc::gen::element<Extent>(1, 64, 100, 1024);
  return options;
}

bool coin() { return *rc::gen::arbitrary<bool>(); }

RC_GTEST_PROP(ContinuousEngine, AgreesWithTheReferenceBitForBitOnDyadicData, (std::uint32_t seed)) {
  const Layer layer = draw_exact_layer(seed);
  const auto want = evaluate_continuous(geometry_of(layer), layer.src, layer.theta).value;
  for (const ContinuousWay way : {ContinuousWay::kTiles, ContinuousWay::kPhases}) {
    RC_ASSERT(run_layer(layer, some_options(way), coin()) == want);
  }
}

RC_GTEST_PROP(ContinuousEngine, StaysWithinItsBoundOnReals, (std::uint32_t seed)) {
  Layer layer = draw_layer();
  layer.src = reals(*element_count(layer.tensors.src.dims), layer.tensors.dtype, seed);
  layer.theta = reals(layer.tensors.theta.dims[0], layer.tensors.dtype, seed + 1);
  const auto shape = infer_continuous(layer.tensors, layer.attributes);
  RC_ASSERT(static_cast<bool>(shape));
  for (const ContinuousWay way : {ContinuousWay::kTiles, ContinuousWay::kPhases}) {
    const auto got = run_layer(layer, some_options(way), coin());
    RC_ASSERT(within_bound(layer, got, roundings(*shape, way)));
  }
}

RC_GTEST_PROP(ContinuousEngine, GivesTheSameBitsForEveryTileAndNumberOfThreads,
              (std::uint32_t seed)) {
  Layer layer = draw_layer();
  layer.src = reals(*element_count(layer.tensors.src.dims), layer.tensors.dtype, seed);
  layer.theta = reals(layer.tensors.theta.dims[0], layer.tensors.dtype, seed + 1);
  for (const ContinuousWay way : {ContinuousWay::kTiles, ContinuousWay::kPhases}) {
    ContinuousOptions options;
    options.way = way;
    const auto want = run_layer(layer, options);
    for (const int threads : {1, 2, 3, 4, 8}) {
      options.threads = threads;
      options.tile = *rc::gen::element<Extent>(1, 65, 128, 1 << 20);
      RC_ASSERT(run_layer(layer, options, coin()) == want);
    }
  }
}

RC_GTEST_PROP(ContinuousEngine, RefusesForTheSameReasonAsTheReference, ()) {
  const auto any = [](Extent usual) {
    return *rc::gen::inRange(0, 9) == 0
               ? *rc::gen::element<Extent>(-1, 0, 5, 1 << 30, (1 << 30) + 1, Extent{1} << 58,
                                           -(Extent{1} << 62))
               : usual;
  };
  const auto some_rational = [&](Extent k, Extent l) {
    const Extent denominator = any(l);
    return Rational(any(k), denominator <= 0 ? 1 : denominator);
  };
  ContinuousAttributes a;
  a.scale_h = some_rational(2, 3);
  a.scale_w = some_rational(5, 4);
  if (coin()) a.size = {any(4), any(5)};
  a.kernel = {any(3), any(2)};
  a.widths = {any(3), any(4)};
  for (Extents* list : {&a.size, &a.kernel, &a.widths}) {
    if (*rc::gen::inRange(0, 12) == 0) list->push_back(1);
  }
  a.channels = any(2);
  a.function = coin() ? KernelFunction::kNet : KernelFunction::kNetK;
  optimized::ContinuousTensors tensors;
  tensors.src.dims = {any(1), any(2), any(6), any(7)};
  if (*rc::gen::inRange(0, 12) == 0) tensors.src.dims.pop_back();
  const bool fits = a.kernel.size() == 2 && a.widths.size() == 2 && tensors.src.rank() == 4;
  const Extent usual = fits && a.channels == 2 && tensors.src.dims[1] == 2 && a.kernel[0] == 3 &&
                               a.kernel[1] == 2 && a.widths[0] == 3 && a.widths[1] == 4
                           ? parameters_of(tensors.src.dims, a)
                           : 17;
  tensors.theta.dims = {any(usual)};
  if (tensors.theta.dims[0] < 0) return;  // no tensor; the reference is told a number
  const auto want = reference::resolve_continuous(tensors.src.dims, tensors.theta.dims[0], a);
  const auto got = infer_continuous(tensors, a);
  if (want) {
    if (!got) RC_ASSERT(got.why().fault == Fault::kSize);  // bytes may be too many
    if (got) {
      RC_ASSERT(got->dst.dims == want->dst());
      const auto plan = make_continuous_plan(*got);  // it ends, whatever the sizes
      if (!plan) RC_ASSERT(plan.why().fault == Fault::kSize);
    }
    return;
  }
  RC_ASSERT(!got);
  RC_LOG() << want.why().detail << "; the engine: " << got.why().detail << "\n";
  RC_ASSERT(got.why().fault == want.why().fault || got.why().fault == Fault::kSize);
}

}  // namespace
}  // namespace concord::fuzz
