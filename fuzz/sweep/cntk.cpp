// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cntk_runs.h"
#include "fuzz/sweep/tally.h"
#include "spec/grid.h"

namespace concord::fuzz {
namespace {

struct Setting {
  Extent I, K, S, automatic, lower, upper, shared, maps;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const auto [i, k, s, pads, shared, maps] : Grid<6>{{5, 3, 3, 10, 2, 2}}) {
    const bool automatic = pads == 9;
    all.push_back({i + 1, k + 1, s + 1, automatic ? 1 : 0, automatic ? 0 : pads / 3,
                   automatic ? 0 : pads % 3, shared, maps + 1});
  }
  return all;
}

std::string text_of(const optimized::CntkTensors& tensors, const CntkConvolutionAttributes& a,
                    Reading reading) {
  const auto list = [](const char* name, const Extents& values) {
    return " " + std::string(name) + "=" + to_string(Tensor{values, {}});
  };
  return "CntkConvolution src=" + to_string(tensors.src) +
         " weights=" + to_string(tensors.weights) + list("kernel", a.kernel) +
         list("mapCount", a.map_count) + list("stride", a.stride) + list("sharing", a.sharing) +
         list("autoPadding", a.auto_padding) + list("lowerPad", a.lower_pad) +
         list("upperPad", a.upper_pad) + " " + std::string(to_string(reading));
}

// As many rows of weights as the attributes ask for; what they ask for is the reference's to say.
Extent rows_for(const std::vector<Setting>& axes) {
  Extent rows = 1;
  for (const Setting& x : axes) {
    const Extent positions = x.automatic == 1
                                 ? (x.I - 1) / x.S + 1
                                 : std::max<Extent>((x.I + x.lower + x.upper - x.K + x.S) / x.S, 0);
    rows *= x.maps * (x.shared == 1 ? 1 : positions);
  }
  return rows;
}

void compare(const std::vector<Setting>& axes, Tally* tally) {
  if (!tally->takes()) return;
  optimized::CntkTensors tensors;
  CntkConvolutionAttributes a;
  a.map_count.clear();
  a.stride = a.sharing = a.auto_padding = a.lower_pad = a.upper_pad = {};
  Extent cells = 1;
  for (const Setting& x : axes) {
    tensors.src.dims.push_back(x.I);
    a.kernel.push_back(x.K);
    a.stride.push_back(x.S);
    a.auto_padding.push_back(x.automatic);
    a.lower_pad.push_back(x.lower);
    a.upper_pad.push_back(x.upper);
    a.sharing.push_back(x.shared);
    a.map_count.push_back(x.maps);
    cells *= x.K;
  }
  tensors.src.dims.push_back(2);
  tensors.weights.dims = {rows_for(axes), cells};
  a.max_temp_mem_size_in_samples = 1;
  for (const Reading reading : {Reading::kDocumented, Reading::kImplemented}) {
    const auto g = resolve_cntk(operands_of(tensors), a, reading);
    const auto shape = optimized::infer_cntk(tensors, a, reading);
    bool same = static_cast<bool>(g) == static_cast<bool>(shape);
    if (same && g) {
      const auto plan = make_cntk_plan(*shape);
      const CntkValues values = cntk_integers(tensors, 1);
      same = plan &&
             run_cntk(*plan, values, true) == evaluate_cntk(*g, values.src, values.weights).value;
    } else if (same) {
      same = g.why().fault == shape.why().fault;
    }
    if (same) {
      tally->agree(!g);
    } else {
      tally->differ(text_of(tensors, a, reading));
    }
  }
}

}  // namespace

bool sweep_cntk(std::int64_t every) {
  const auto all = settings();
  Tally one("CNTK, one axis", 1);
  for (const Setting& x : all) compare({x}, &one);
  bool agree = one.report();
  Tally two("CNTK, two axes", every);
  for (const Setting& x : all) {
    for (const Setting& y : all) compare({x, y}, &two);
  }
  agree = two.report() && agree;
  // Channels: covered by one window, slid over, or padded.
  constexpr Setting kChannels[] = {
      {2, 2, 2, 0, 0, 0, 1, 2}, {3, 3, 1, 1, 0, 0, 1, 1}, {3, 2, 1, 0, 0, 0, 0, 2}};
  Tally three("CNTK, with channels", every);
  for (const Setting& x : all) {
    for (const Setting& c : kChannels) {
      for (std::size_t at = 0; at < all.size(); at += 7) compare({x, all[at], c}, &three);
    }
  }
  return three.report() && agree;
}

}  // namespace concord::fuzz
