// SPDX-License-Identifier: Apache-2.0
#include "experiments/layer.h"

#include <cmath>

#include "spec/check.h"

namespace concord::experiments {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
constexpr Extent kHidden = 16;  // Table 2

void append_uniform(std::vector<double>& to, Extent count, double bound, Random& random) {
  std::uniform_real_distribution<double> uniform(-bound, bound);
  for (Extent i = 0; i < count; ++i) to.push_back(uniform(random));
}

std::vector<double> initial_theta(Extent in_channels, Extent out_channels, Extent support,
                                  Random& random, KernelFunction function) {
  const Extent last = in_channels * out_channels *
                      (function == KernelFunction::kNet ? 1 : support * support);  // C_final
  const double sigma = std::sqrt(1 / (3 * static_cast<double>(in_channels * support * support)));
  const double hidden_bound = 1 / std::sqrt(static_cast<double>(kHidden));
  std::vector<double> theta;
  append_uniform(theta, 3 * kHidden, 1 / std::sqrt(2.0), random);        // A1, b1
  append_uniform(theta, (kHidden + 1) * kHidden, hidden_bound, random);  // A2, b2
  append_uniform(theta, last * kHidden, hidden_bound * std::min(1.0, sigma * std::sqrt(3.0)),
                 random);  // A3
  std::normal_distribution<double> normal(0, sigma);
  for (Extent i = 0; i < last; ++i) theta.push_back(normal(random));  // b3
  return theta;
}

}  // namespace

Adam::Adam(std::vector<double> initial)
    : value_(std::move(initial)), mean_(value_.size()), square_(value_.size()) {}

void Adam::step(const std::vector<float>& gradient, double rate, double decay) {
  CONCORD_CHECK(gradient.size() == value_.size()) << "a gradient of another size";
  mean_left_ *= kBeta1;
  square_left_ *= kBeta2;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    const double g = static_cast<double>(gradient[i]) + decay * value_[i];
    mean_[i] = kBeta1 * mean_[i] + (1 - kBeta1) * g;
    square_[i] = kBeta2 * square_[i] + (1 - kBeta2) * g * g;
    const double mean = mean_[i] / (1 - mean_left_), square = square_[i] / (1 - square_left_);
    value_[i] -= rate * mean / (std::sqrt(square) + kEpsilon);
  }
}

ContinuousLayer::ContinuousLayer(Extent in_channels, Extent out_channels, Extent support,
                                 Random& random, KernelFunction function)
    : adam_(initial_theta(in_channels, out_channels, support, random, function)),
      theta_(Extents{static_cast<Extent>(adam_.value().size())}) {
  attributes_.kernel = {support, support};
  attributes_.channels = out_channels;
  attributes_.widths = {kHidden, kHidden};
  attributes_.function = function;
  round_theta();
}

void ContinuousLayer::round_theta() {
  for (std::size_t i = 0; i < theta_.at.size(); ++i) {
    theta_.at[i] = static_cast<float>(adam_.value()[i]);
  }
}

template <class Operation>
Problem ContinuousLayer::problem(const Values& src, const Sampling& where) const {
  Operation operation{attributes_};
  operation.scale_h = where.scale_h;
  operation.scale_w = where.scale_w;
  operation.size = where.size;
  Problem problem;
  problem.src.dims = src.dims;
  problem.weights.dims = theta_.dims;
  problem.attributes = operation;
  return problem;
}

Values ContinuousLayer::forward(Backend& backend, const Values& src, const Sampling& where) const {
  return backend.run(problem<ContinuousAttributes>(src, where), {&src, &theta_});
}

Values ContinuousLayer::backward_data(Backend& backend, const Values& src, const Values& diff_dst,
                                      const Sampling& where) const {
  Problem asked = problem<ContinuousBackwardDataAttributes>(src, where);
  asked.diff_dst = Tensor{diff_dst.dims, {}};
  return backend.run(asked, {&src, &theta_, &diff_dst});
}

Values ContinuousLayer::backward_weights(Backend& backend, const Values& src,
                                         const Values& diff_dst, const Sampling& where) const {
  Problem asked = problem<ContinuousBackwardWeightsAttributes>(src, where);
  asked.diff_dst = Tensor{diff_dst.dims, {}};
  return backend.run(asked, {&src, &theta_, &diff_dst});
}

void ContinuousLayer::step(const Values& gradient, double rate, double decay) {
  adam_.step(gradient.at, rate, decay);
  round_theta();
}

}  // namespace concord::experiments
