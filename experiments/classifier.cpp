// SPDX-License-Identifier: Apache-2.0
#include "experiments/classifier.h"

#include <algorithm>
#include <cmath>

#include "experiments/convolution.h"
#include "spec/check.h"

namespace concord::experiments {
namespace {

constexpr Steps kOnePoint{1, 0};

// The gradient before ReLU of what is behind it.
void through_relu(Values& gradient, const Values& behind) {
  for (std::size_t i = 0; i < behind.at.size(); ++i) {
    if (behind.at[i] <= 0) gradient.at[i] = 0;
  }
}

// [N,C,H,W] as [N,CHW+1,1,1]: a 1 behind each image's values, whose weights are the biases.
Values flat_with_one(const Values& values) {
  const Extent images = values.dims[0], inner = values.size() / images;
  Values result({images, inner + 1, 1, 1});
  for (Extent n = 0; n < images; ++n) {
    const auto to = result.at.begin() + n * (inner + 1);
    *std::copy_n(values.at.begin() + n * inner, inner, to) = 1;
  }
  return result;
}

// The way back, into the shape that it had.
Values without_one(const Values& values, const Extents& dims) {
  Values result(dims);
  const Extent inner = result.size() / dims[0];
  for (Extent n = 0; n < dims[0]; ++n) {
    std::copy_n(values.at.begin() + n * (inner + 1), inner, result.at.begin() + n * inner);
  }
  return result;
}

}  // namespace

Classifier::Classifier(Extent side, Extent classes, const std::vector<NetRow>& rows, Extent hidden,
                       Random& random) {
  Extent in = 1;
  for (const NetRow& row : rows) {
    layers_.emplace_back(in, row.channels, row.kernel, random);
    in = row.channels;
  }
  in *= side / 4 * (side / 4);
  for (const Extent out : {hidden, classes}) {
    Values weights = initial_weights({out, in + 1, 1, 1}, random);
    dense_.push_back({Adam({weights.at.begin(), weights.at.end()}), std::move(weights)});
    in = out;
  }
}

std::vector<Values> Classifier::activations(Backend& backend, const Values& images,
                                            const Path& path) const {
  CONCORD_CHECK(path.size() == layers_.size()) << "a path of another net";
  std::vector<Values> result{images};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    result.push_back(layers_[i].forward(backend, result.back(), path[i]));
    relu(result.back());
  }
  for (const Dense& dense : dense_) {
    result.push_back(convolve(backend, flat_with_one(result.back()), dense.weights, kOnePoint));
    if (&dense != &dense_.back()) relu(result.back());
  }
  return result;
}

Values Classifier::logits(Backend& backend, const Values& images, const Path& path) const {
  return activations(backend, images, path).back();
}

Classifier::Gradients Classifier::gradients(Backend& backend, const Labelled& batch,
                                            const Path& path) const {
  const std::vector<Values> values = activations(backend, batch.images, path);
  Gradients result;
  result.layers.resize(layers_.size());
  result.dense.resize(dense_.size());
  Values delta;
  result.loss = cross_entropy(values.back(), batch.labels, &delta);
  for (std::size_t i = dense_.size(); i-- > 0;) {
    const Values& behind = values[layers_.size() + i];
    const Values src = flat_with_one(behind), &weights = dense_[i].weights;
    result.dense[i] = convolution_by_weights(backend, src, weights, delta, kOnePoint);
    delta = without_one(convolution_by_input(backend, src, weights, delta, kOnePoint), behind.dims);
    through_relu(delta, behind);
  }
  for (std::size_t i = layers_.size(); i-- > 0;) {
    result.layers[i] = layers_[i].backward_weights(backend, values[i], delta, path[i]);
    if (i == 0) break;
    delta = layers_[i].backward_data(backend, values[i], delta, path[i]);
    through_relu(delta, values[i]);
  }
  return result;
}

void Classifier::step(const Gradients& gradients, double rate, double decay) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].step(gradients.layers[i], rate, decay);
  }
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    Dense& dense = dense_[i];
    dense.adam.step(gradients.dense[i].at, rate, decay);
    std::transform(dense.adam.value().begin(), dense.adam.value().end(), dense.weights.at.begin(),
                   [](double value) { return static_cast<float>(value); });
  }
}

double cross_entropy(const Values& logits, const std::vector<int>& labels, Values* gradient) {
  const auto classes = static_cast<std::size_t>(logits.dims[1]);
  const double images = static_cast<double>(labels.size());
  if (gradient != nullptr) *gradient = Values(logits.dims);
  double loss = 0;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    const float* const z = &logits.at[n * classes];
    const double most = static_cast<double>(*std::max_element(z, z + classes));
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(z[c]) - most);
    const auto label = static_cast<std::size_t>(labels[n]);
    loss += (std::log(sum) + most - static_cast<double>(z[label])) / images;
    if (gradient == nullptr) continue;
    for (std::size_t c = 0; c < classes; ++c) {
      const double softmax = std::exp(static_cast<double>(z[c]) - most) / sum;
      gradient->at[n * classes + c] = static_cast<float>((softmax - (c == label ? 1 : 0)) / images);
    }
  }
  return loss;
}

double accuracy(const Values& logits, const std::vector<int>& labels) {
  const Extent classes = logits.dims[1];
  int right = 0;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    const auto first = logits.at.begin() + static_cast<Extent>(n) * classes;
    if (std::max_element(first, first + classes) - first == labels[n]) ++right;
  }
  return right / static_cast<double>(labels.size());
}

}  // namespace concord::experiments
