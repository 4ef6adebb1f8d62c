// SPDX-License-Identifier: Apache-2.0
// Appendix B.2: how much longer a step of the CC-net takes than one of the baseline.
#include <fmt/core.h>

#include "experiments/experiment.h"
#include "experiments/nets.h"
#include "experiments/passes.h"
#include "experiments/picture.h"
#include "experiments/scales.h"

namespace concord::experiments {
namespace {

constexpr Extent kSide = 32;
constexpr double kPaper = 90.0 / 6;  // seconds of an epoch

using Layers = std::vector<std::unique_ptr<Pass>>;

Layers baseline(Backend& backend, Extent batch, Random& random) {
  Layers layers;
  Extents src{batch, 3, kSide, kSide};
  for (const NetRow& row : kNetRows) {
    layers.push_back(
        convolution_pass(backend, {src, row.channels, row.kernel}, row.stride, random));
    src = layers.back()->output().dims;
  }
  return layers;
}

std::vector<Rational> scales(Random& random) {
  auto result = scale_sequence(7, {1, 4}, 0.01, random);
  result.insert(result.begin(), Rational(1));
  return result;
}

Layers continuous(Backend& backend, Extent batch, Random& random) {
  const auto scales_h = scales(random), scales_w = scales(random);
  const Extents rows = sizes_by_equation_4(kSide, scales_h);
  const Extents columns = sizes_by_equation_4(kSide, scales_w);
  Layers layers;
  Extents src{batch, 3, kSide, kSide};
  for (std::size_t i = 0; i < std::size(kNetRows); ++i) {
    const Sampling where{scales_h[i], scales_w[i], {rows[i], columns[i]}};
    layers.push_back(
        layer_pass(backend, {src, kNetRows[i].channels, kNetRows[i].kernel}, where, random));
    src = layers.back()->output().dims;
  }
  return layers;
}

}  // namespace

Outcome epochs(Backend& backend, Effort effort) {
  const bool fast = effort == Effort::kFast;
  Outcome outcome;
  Picture picture(560, 330);
  picture.text(70, 20, "a step of the CC-net over one of the baseline", "font-weight=\"bold\"");
  picture.axes({70, 50, 290, 210}, {0, 18, 1, 300, true, "images of a batch", "ratio"});
  Points forwards, all;
  for (const Extent batch : fast ? Extents{1} : Extents{1, 4, 16}) {
    Random random(80);
    const Cost plain = cost_of(baseline(backend, batch, random), fast ? 2 : 3);
    const Cost ours = cost_of(continuous(backend, batch, random), fast ? 2 : 3);
    const double forward = ours.forward / plain.forward, both = ours.both() / plain.both();
    forwards.emplace_back(batch, forward);
    all.emplace_back(batch, both);
    outcome.numbers["rows"].push_back({{"batch", batch},
                                       {"baseline_forward_ms", plain.forward},
                                       {"baseline_backward_ms", plain.backward},
                                       {"continuous_forward_ms", ours.forward},
                                       {"continuous_backward_ms", ours.backward},
                                       {"forward_ratio", forward},
                                       {"both_ratio", both},
                                       {"paper_ratio", kPaper}});
    outcome.summary += fmt::format(
        "batch {:2}  baseline {:8.2f} ms, CC-net {:8.2f} ms: {:5.1f}x forward, {:5.1f}x with "
        "backward; paper {:.0f}x, batch 64\n",
        batch, plain.both(), ours.both(), forward, both, kPaper);
  }
  picture.line(forwards, "#1a6fb0", true);
  picture.points(forwards, "#1a6fb0");
  picture.line(all, "#1a6fb0");
  picture.points(all, "#1a6fb0");
  picture.line({{0, kPaper}, {18, kPaper}}, "#c33", true);
  picture.text(70, 318, "dashed blue: forward; blue: with backward; dashed red: the paper");
  outcome.svg = picture.svg();
  return outcome;
}

}  // namespace concord::experiments
