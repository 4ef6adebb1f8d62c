// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "fuzz/sweep/discrete.h"
#include "spec/grid.h"

namespace concord::fuzz {
namespace {

// One spatial axis.
struct Setting {
  Extent I, K, S, D, begin, end;
};

// Every axis with pads, and with none, which is what auto_pad leaves to choose.
std::vector<Setting> settings(Extent pads) {
  std::vector<Setting> all;
  for (const auto [i, k, s, d, begin, end] : Grid<6>{{5, 3, 3, 3, pads, pads}}) {
    all.push_back({i + 1, k + 1, s + 1, d + 1, begin, end});
  }
  return all;
}

struct Channels {
  Extent G, IC, OC;
};
constexpr Channels kChannels[] = {{1, 2, 3}, {2, 2, 4}};
constexpr AutoPad kAutoPads[] = {AutoPad::kValid, AutoPad::kSameUpper, AutoPad::kSameLower};

Problem problem_of(const std::vector<Setting>& axes, const Channels& channels, AutoPad auto_pad) {
  Problem problem;
  ConvolutionAttributes a;
  a.data_format = DataFormat::kNCX;
  a.weights_format = WeightsFormat::kOIX;
  a.auto_pad = auto_pad;
  a.groups = channels.G;
  problem.src.dims = {2, channels.IC};
  problem.weights.dims = {channels.OC, channels.IC / channels.G};
  for (const Setting& x : axes) {
    problem.src.dims.push_back(x.I);
    problem.weights.dims.push_back(x.K);
    a.strides.push_back(x.S);
    a.dilations.push_back(x.D);
    a.pads_begin.push_back(x.begin);
    a.pads_end.push_back(x.end);
  }
  problem.attributes = a;
  return problem;
}

// Convolution-1 with the same attributes, in both readings.
void compare_convolution_1(Problem problem, Tally* tally) {
  Convolution1Attributes a;
  const SpatialAttributes& shared = std::get<ConvolutionAttributes>(problem.attributes);
  static_cast<SpatialAttributes&>(a) = shared;
  a.filter_format = WeightsFormat::kOIX;
  problem.attributes = a;
  for (const Reading reading : {Reading::kImplemented, Reading::kDocumented}) {
    problem.reading = reading;
    compare_discrete(problem, tally);
  }
}

void compare_padded(const std::vector<Setting>& axes, Tally* tally) {
  if (!tally->takes()) return;
  for (const Channels& channels : kChannels) {
    compare_discrete(problem_of(axes, channels, AutoPad::kNone), tally);
  }
}

void compare_automatic(const std::vector<Setting>& axes, Tally* tally) {
  if (!tally->takes()) return;
  for (const AutoPad auto_pad : kAutoPads) {
    for (const Channels& channels : kChannels) {
      const Problem problem = problem_of(axes, channels, auto_pad);
      compare_discrete(problem, tally);
      compare_convolution_1(problem, tally);
    }
  }
}

void sweep_1d(Tally* tally) {
  for (const Setting& x : settings(3)) compare_padded({x}, tally);
  for (const Setting& x : settings(1)) compare_automatic({x}, tally);
}

void sweep_2d(Tally* tally) {
  const auto padded = settings(3);
  for (const Setting& y : padded) {
    for (const Setting& x : padded) compare_padded({y, x}, tally);
  }
  const auto automatic = settings(1);
  for (const Setting& y : automatic) {
    for (const Setting& x : automatic) compare_automatic({y, x}, tally);
  }
}

void sweep_3d(Tally* tally) {
  constexpr Setting kOthers[] = {{3, 2, 1, 1, 1, 0}, {4, 2, 2, 2, 0, 1}, {1, 1, 1, 1, 0, 0}};
  for (const auto [axis, a, b] : Grid<3>{{3, 3, 3}}) {
    std::vector<Setting> axes{kOthers[a], kOthers[b]};
    const auto at = axes.begin() + axis;
    const auto place = static_cast<std::size_t>(at - axes.begin());
    axes.insert(at, Setting{});
    for (const Setting& x : settings(3)) {
      axes[place] = x;
      compare_padded(axes, tally);
    }
    for (const Setting& x : settings(1)) {
      axes[place] = x;
      compare_automatic(axes, tally);
    }
  }
}

}  // namespace

bool sweep_convolution(std::int64_t every) {
  Tally one("1-D convolutions", 1);
  sweep_1d(&one);
  bool agree = one.report();
  Tally two("2-D convolutions", every);
  sweep_2d(&two);
  agree = two.report() && agree;
  Tally three("3-D convolutions", every);
  sweep_3d(&three);
  return three.report() && agree;
}

bool sweep_atrous() {
  Tally tally("atrous_conv2d", 1);
  for (const auto [h, w, kh, kw, rate, padding] : Grid<6>{{5, 5, 3, 3, 3, 2}}) {
    if (!tally.takes()) continue;
    Problem problem;
    problem.src.dims = {2, h + 1, w + 1, 2};
    problem.weights.dims = {kh + 1, kw + 1, 2, 3};
    problem.attributes = AtrousConv2dAttributes{
        .rate = rate + 1, .padding = padding == 0 ? TfPadding::kSame : TfPadding::kValid};
    compare_discrete(problem, &tally);
  }
  return tally.report();
}

}  // namespace concord::fuzz
