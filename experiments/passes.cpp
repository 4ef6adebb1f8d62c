// SPDX-License-Identifier: Apache-2.0
#include "experiments/passes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/clock.h"

namespace concord::experiments {
namespace {

double milliseconds() { return 1e3 * processor_seconds(); }

double mebibytes(double bytes) { return bytes / (1 << 20); }

double bytes_of(const Values& values) {
  return static_cast<double>(values.at.size() * sizeof(float));
}

class ConvolutionPass : public Pass {
 public:
  ConvolutionPass(Backend& backend, const PassShape& shape, const Steps& steps, Random& random)
      : backend_(backend), steps_(steps) {
    parameters_ =
        initial_weights({shape.channels, shape.src[1], shape.kernel, shape.kernel}, random);
  }

  void forward(const Values& src) override {
    dst_ = convolve(backend_, src, parameters_, steps_);
    note(0);
  }
  Values backward(const Values& src, const Values& delta) override {
    parameter_gradient_ = convolution_by_weights(backend_, src, parameters_, delta, steps_);
    // The copies of both with batch and channels exchanged, and zeros between those of delta.
    const double stride = static_cast<double>(steps_.stride);
    note(bytes_of(src) + stride * stride * bytes_of(delta));
    Values src_gradient = convolution_by_input(backend_, src, parameters_, delta, steps_);
    note(steps_.stride == 1 ? 0 : stride * stride * bytes_of(delta));
    return src_gradient;
  }

  double workspace_bytes() const override { return peak_; }

 private:
  void note(double copies) {
    peak_ = std::max(peak_, static_cast<double>(backend_.last_workspace()) + copies);
  }

  Backend& backend_;
  Steps steps_;
  double peak_ = 0;
};

class LayerPass : public Pass {
 public:
  LayerPass(Backend& backend, const PassShape& shape, Sampling where, Random& random)
      : backend_(backend),
        where_(std::move(where)),
        layer_(shape.src[1], shape.channels, shape.kernel, random, shape.function) {
    parameters_ = layer_.theta();
  }
  void forward(const Values& src) override {
    dst_ = layer_.forward(backend_, src, where_);
    note();
  }
  Values backward(const Values& src, const Values& delta) override {
    parameter_gradient_ = layer_.backward_weights(backend_, src, delta, where_);
    note();
    Values src_gradient = layer_.backward_data(backend_, src, delta, where_);
    note();
    return src_gradient;
  }
  double workspace_bytes() const override { return static_cast<double>(peak_); }

 private:
  void note() { peak_ = std::max(peak_, backend_.last_workspace()); }

  Backend& backend_;
  Sampling where_;
  ContinuousLayer layer_;
  std::size_t peak_ = 0;
};

}  // namespace

Values random_values(const Extents& dims, Random& random) {
  Values values(dims);
  std::normal_distribution<float> normal(0, 1);
  for (float& value : values.at) value = normal(random);
  return values;
}

std::unique_ptr<Pass> convolution_pass(Backend& backend, const PassShape& shape, const Steps& steps,
                                       Random& random) {
  return std::make_unique<ConvolutionPass>(backend, shape, steps, random);
}

std::unique_ptr<Pass> layer_pass(Backend& backend, const PassShape& shape, const Sampling& where,
                                 Random& random) {
  return std::make_unique<LayerPass>(backend, shape, where, random);
}

const Values& Chain::input_of(std::size_t layer) const {
  return layer == 0 ? src_ : layers_[layer - 1]->output();
}

void Chain::append(std::unique_ptr<Pass> layer) {
  layer->forward(output());
  layers_.push_back(std::move(layer));
}

void Chain::forward() {
  for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i]->forward(input_of(i));
}

Values Chain::backward(Values delta) {
  for (std::size_t i = layers_.size(); i-- > 0;) delta = layers_[i]->backward(input_of(i), delta);
  return delta;
}

Cost cost_of(Chain& chain, int repeats) {
  Cost cost{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  Random random(71);
  const Values delta = random_values(chain.output().dims, random);
  for (int turn = 0; turn <= repeats; ++turn) {
    const double start = milliseconds();
    chain.forward();
    const double middle = milliseconds();
    chain.backward(delta);
    const double end = milliseconds();
    if (turn == 0) continue;
    cost.forward = std::min(cost.forward, middle - start);
    cost.backward = std::min(cost.backward, end - middle);
  }
  cost.activation_mebibytes = mebibytes(bytes_of(chain.input()));
  double workspace = 0;
  for (const auto& layer : chain.layers()) {
    cost.activation_mebibytes += mebibytes(bytes_of(layer->output()));
    cost.mebibytes += mebibytes(layer->kept_bytes());
    workspace = std::max(workspace, layer->workspace_bytes());
  }
  cost.mebibytes += mebibytes(workspace);
  return cost;
}

}  // namespace concord::experiments
