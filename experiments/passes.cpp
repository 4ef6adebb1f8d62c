// SPDX-License-Identifier: Apache-2.0
#include "experiments/passes.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace concord::experiments {
namespace {

// Of this process, on all its threads.
double milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

class ConvolutionPass : public Pass {
 public:
  ConvolutionPass(Backend& backend, const PassShape& shape, const Steps& steps, Random& random)
      : backend_(backend), steps_(steps) {
    parameters_ = random_values({shape.channels, shape.src[1], shape.kernel, shape.kernel}, random);
    src_ = random_values(shape.src, random);
    forward();
    delta_ = random_values(dst_.dims, random);
  }

  void forward() override {
    dst_ = convolve(backend_, src_, parameters_, steps_);
    note();
  }
  void backward() override {
    src_gradient_ = convolution_by_input(backend_, src_, parameters_, delta_, steps_);
    note();
    parameter_gradient_ = convolution_by_weights(backend_, src_, parameters_, delta_, steps_);
    note();
  }

  double peak_bytes() const override { return static_cast<double>(peak_); }

 private:
  void note() { peak_ = std::max(peak_, backend_.last_workspace()); }

  Backend& backend_;
  Steps steps_;
  std::size_t peak_ = 0;
};

class LayerPass : public Pass {
 public:
  LayerPass(Backend& backend, const PassShape& shape, Sampling where, Random& random)
      : backend_(backend),
        where_(std::move(where)),
        layer_(shape.src[1], shape.channels, shape.kernel, random) {
    parameters_ = layer_.theta();
    src_ = random_values(shape.src, random);
    forward();
    delta_ = random_values(dst_.dims, random);
  }
  void forward() override {
    dst_ = layer_.forward(backend_, src_, where_);
    note();
  }
  void backward() override {
    src_gradient_ = layer_.backward_data(backend_, src_, delta_, where_);
    note();
    parameter_gradient_ = layer_.backward_weights(backend_, src_, delta_, where_);
    note();
  }
  double peak_bytes() const override { return static_cast<double>(peak_); }

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

Cost cost_of(const std::vector<std::unique_ptr<Pass>>& layers, int repeats) {
  Cost cost{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0};
  for (int turn = 0; turn <= repeats; ++turn) {
    const double start = milliseconds();
    for (const auto& layer : layers) layer->forward();
    const double middle = milliseconds();
    for (const auto& layer : layers) layer->backward();
    const double end = milliseconds();
    if (turn == 0) continue;
    cost.forward = std::min(cost.forward, middle - start);
    cost.backward = std::min(cost.backward, end - middle);
  }
  for (const auto& layer : layers) {
    cost.mebibytes = std::max(cost.mebibytes, layer->peak_bytes() / (1 << 20));
  }
  return cost;
}

}  // namespace concord::experiments
