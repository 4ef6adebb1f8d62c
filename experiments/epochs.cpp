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

// Appendix A.1 says that the paper's net was the efficient one.
struct Net {
  KernelFunction function;
  const char* name;
  const char* colour;
  int repeats;  // of the full version: minutes for the efficient one
};
constexpr Net kNets[] = {{KernelFunction::kNet, "per neighbour", "#1a6fb0", 3},
                         {KernelFunction::kNetK, "efficient", "#e69f00", 1}};

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

Chain continuous(Backend& backend, Extent batch, KernelFunction function, Random& random) {
  const auto path = random_path(kSide, random);
  Chain chain(random_values({batch, 3, kSide, kSide}, random));
  for (std::size_t i = 0; i < path.size(); ++i) {
    chain.append(layer_pass(
        backend, {chain.output().dims, kNetRows[i].channels, kNetRows[i].kernel, function}, path[i],
        random));
  }
  append_dense(chain, backend, random);
  return chain;
}

Extent parameters(const Chain& chain) {
  Extent count = 0;
  for (const auto& layer : chain.layers()) count += layer->parameters().size();
  return count;
}

struct Step {
  Extent batch = 0, baseline_parameters = 0, parameters = 0;
  Cost baseline{}, ours{};
  double forward() const { return ours.forward / baseline.forward; }
  double both() const { return ours.both() / baseline.both(); }
};

nlohmann::ordered_json row_of(const Net& net, const Step& step) {
  return {{"net", net.name},
          {"batch", step.batch},
          {"baseline_parameters", step.baseline_parameters},
          {"continuous_parameters", step.parameters},
          {"baseline_forward_ms", step.baseline.forward},
          {"baseline_backward_ms", step.baseline.backward},
          {"continuous_forward_ms", step.ours.forward},
          {"continuous_backward_ms", step.ours.backward},
          {"forward_ratio", step.forward()},
          {"both_ratio", step.both()},
          {"paper_ratio", kPaper}};
}

std::vector<Step> steps_of(Backend& backend, const Net& net, bool fast) {
  std::vector<Step> steps;
  for (const Extent batch : fast ? Extents{1} : Extents{1, 4, 16, 64}) {
    Random random(80);
    Chain plain = baseline(backend, batch, random);
    Chain layers = continuous(backend, batch, net.function, random);
    steps.push_back({batch, parameters(plain), parameters(layers), cost_of(plain, fast ? 2 : 3),
                     cost_of(layers, fast ? 1 : net.repeats)});
  }
  return steps;
}

void draw(Picture& picture, const Net& net, const std::vector<Step>& steps) {
  Points forward, both;
  for (const Step& step : steps) {
    forward.emplace_back(step.batch, step.forward());
    both.emplace_back(step.batch, step.both());
  }
  picture.line(forward, net.colour, true);
  picture.points(forward, net.colour);
  picture.line(both, net.colour);
  picture.points(both, net.colour);
}

}  // namespace

Outcome epochs(Backend& backend, Effort effort) {
  Outcome outcome;
  Picture picture(450, 355);
  picture.text(70, 20, "a step of the CC-net over one of the baseline", "font-weight=\"bold\"");
  picture.axes({70, 50, 290, 210}, {0, 70, 1, 300, true, "images of a batch", "ratio"});
  for (const Net& net : kNets) {
    const auto steps = steps_of(backend, net, effort == Effort::kFast);
    for (const Step& step : steps) {
      outcome.numbers["rows"].push_back(row_of(net, step));
      outcome.summary += fmt::format(
          "{:13} batch {:2}  baseline {:8.2f} ms, CC-net {:8.2f} ms: {:5.1f}x forward, {:5.1f}x "
          "with backward; paper {:.0f}x, batch 64\n",
          net.name, step.batch, step.baseline.both(), step.ours.both(), step.forward(), step.both(),
          kPaper);
    }
    draw(picture, net, steps);
  }
  picture.line({{0, kPaper}, {70, kPaper}}, "#c33", true);
  picture.text(70, 318, "blue: a net per neighbour; orange: the efficient net");
  picture.text(70, 338, "dashed: forward alone; red: the paper");
  outcome.svg = picture.svg();
  return outcome;
}

}  // namespace concord::experiments
