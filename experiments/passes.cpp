// SPDX-License-Identifier: Apache-2.0
#include "experiments/passes.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace concord::experiments {
namespace {

// The first two axes exchanged and, for filters that are turned round, the last two reversed.
Values exchanged(const Values& from, bool reversed) {
  Values to({from.dims[1], from.dims[0], from.dims[2], from.dims[3]});
  const Extent inner = from.dims[2] * from.dims[3];
  for (Extent i = 0; i < from.dims[0]; ++i) {
    for (Extent j = 0; j < from.dims[1]; ++j) {
      const auto source = from.at.begin() + (i * from.dims[1] + j) * inner;
      const auto target = to.at.begin() + (j * from.dims[0] + i) * inner;
      if (reversed) {
        std::reverse_copy(source, source + inner, target);
      } else {
        std::copy(source, source + inner, target);
      }
    }
  }
  return to;
}

// The gradients of a stride are those of stride 1 with zeros between the elements of delta.
Values spread(const Values& delta, Extent stride, Extent rows, Extent columns) {
  Values result({delta.dims[0], delta.dims[1], rows, columns});
  std::size_t at = 0;
  for (Extent plane = 0; plane < delta.dims[0] * delta.dims[1]; ++plane) {
    for (Extent i = 0; i < delta.dims[2]; ++i) {
      for (Extent j = 0; j < delta.dims[3]; ++j) {
        result.at[static_cast<std::size_t>((plane * rows + i * stride) * columns + j * stride)] =
            delta.at[at++];
      }
    }
  }
  return result;
}

// Of this process, on all its threads.
double milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

class ConvolutionPass : public Pass {
 public:
  ConvolutionPass(Backend& backend, const PassShape& shape, Extent stride, Random& random)
      : backend_(backend), stride_(stride) {
    parameters_ = random_values({shape.channels, shape.src[1], shape.kernel, shape.kernel}, random);
    src_ = random_values(shape.src, random);
    forward();
    delta_ = random_values(dst_.dims, random);
  }

  void forward() override { dst_ = run(src_, parameters_, stride_, 1); }

  void backward() override {
    const Extent K = parameters_.dims[2];
    const Extent rows = src_.dims[2] + 3 - K, columns = src_.dims[3] + 3 - K;
    const Values delta = stride_ == 1 ? delta_ : spread(delta_, stride_, rows, columns);
    src_gradient_ = run(delta, exchanged(parameters_, true), 1, K - 2);
    parameter_gradient_ =
        exchanged(run(exchanged(src_, false), exchanged(delta, false), 1, 1), false);
  }

  double peak_bytes() const override { return static_cast<double>(peak_); }

 private:
  Values run(const Values& src, const Values& weights, Extent stride, Extent pad) {
    Problem problem;
    ConvolutionAttributes attributes;
    attributes.strides = {stride, stride};
    attributes.dilations = {1, 1};
    attributes.pads_begin = attributes.pads_end = {pad, pad};
    attributes.data_format = DataFormat::kNCX;
    attributes.weights_format = WeightsFormat::kOIX;
    problem.src.dims = src.dims;
    problem.weights.dims = weights.dims;
    problem.attributes = attributes;
    Values result = backend_.run(problem, {&src, &weights});
    peak_ = std::max(peak_, backend_.last_workspace());
    return result;
  }

  Backend& backend_;
  Extent stride_;
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

std::unique_ptr<Pass> convolution_pass(Backend& backend, const PassShape& shape, Extent stride,
                                       Random& random) {
  return std::make_unique<ConvolutionPass>(backend, shape, stride, random);
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
