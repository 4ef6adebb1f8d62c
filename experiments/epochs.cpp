// SPDX-License-Identifier: Apache-2.0
// Appendix B.2: how much longer a step of the CC-net takes than one of the baseline.
#include <fmt/core.h>

#include "experiments/experiment.h"
#include "experiments/nets.h"
#include "experiments/passes.h"
#include "experiments/picture.h"

namespace concord::experiments {
namespace {

constexpr Extent kSide = 32;
constexpr KernelFunction kFunction = KernelFunction::kNetK;
constexpr double kPaper = 90.0 / 6;  // seconds of an epoch

// A batch's features as [N,CHW,1,1].
class FlatPass : public Pass {
 public:
  void forward(const Values& src) override {
    dst_ = src;
    dst_.dims = {src.dims[0], src.size() / src.dims[0], 1, 1};
  }
  Values backward(const Values& src, const Values& delta) override {
    Values src_gradient = delta;
    src_gradient.dims = src.dims;
    return src_gradient;
  }
  double workspace_bytes() const override { return 0; }
};

// What both nets have behind the last convolution.
void append_dense(Chain& chain, Backend& backend, Random& random) {
  chain.append(std::make_unique<FlatPass>());
  for (const Extent outputs : kDenseRows) {
    chain.append(convolution_pass(backend, {chain.output().dims, outputs, 1}, {1, 0}, random));
  }
}

Chain baseline(Backend& backend, Extent batch, Random& random) {
  Chain chain(random_values({batch, 3, kSide, kSide}, random));
  for (const NetRow& row : kNetRows) {
    chain.append(convolution_pass(backend, {chain.output().dims, row.channels, row.kernel},
                                  {row.stride, 1}, random));
  }
  append_dense(chain, backend, random);
  return chain;
}

Chain continuous(Backend& backend, Extent batch, Random& random) {
  const auto path = random_path(kSide, random);
  Chain chain(random_values({batch, 3, kSide, kSide}, random));
  for (std::size_t i = 0; i < path.size(); ++i) {
    chain.append(layer_pass(
        backend, {chain.output().dims, kNetRows[i].channels, kNetRows[i].kernel, kFunction},
        path[i], random));
  }
  append_dense(chain, backend, random);
  return chain;
}

Extent parameters(const Chain& chain) {
  Extent count = 0;
  for (const auto& layer : chain.layers()) count += layer->parameters().size();
  return count;
}

}  // namespace

Outcome epochs(Backend& backend, Effort effort) {
  const bool fast = effort == Effort::kFast;
  Outcome outcome;
  Picture picture(450, 340);
  picture.text(70, 20, "a step of the CC-net over one of the baseline", "font-weight=\"bold\"");
  picture.axes({70, 50, 290, 210}, {0, 70, 1, 300, true, "images of a batch", "ratio"});
  Points forwards, all;
  for (const Extent batch : fast ? Extents{1} : Extents{1, 4, 16, 64}) {
    Random random(80);
    Chain convolutions = baseline(backend, batch, random);
    Chain layers = continuous(backend, batch, random);
    const Cost plain = cost_of(convolutions, fast ? 2 : 3);
    const Cost ours = cost_of(layers, fast ? 2 : 3);
    const double forward = ours.forward / plain.forward, both = ours.both() / plain.both();
    forwards.emplace_back(batch, forward);
    all.emplace_back(batch, both);
    outcome.numbers["rows"].push_back({{"batch", batch},
                                       {"baseline_parameters", parameters(convolutions)},
                                       {"continuous_parameters", parameters(layers)},
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
  picture.line({{0, kPaper}, {70, kPaper}}, "#c33", true);
  picture.text(70, 318, "dashed blue: forward; blue: with backward; dashed red: the paper");
  outcome.svg = picture.svg();
  return outcome;
}

}  // namespace concord::experiments
