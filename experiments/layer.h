// SPDX-License-Identifier: Apache-2.0
// A continuous convolution layer that learns: theta, its initialisation, the backend's gradients,
// Adam.
#ifndef CONCORD_EXPERIMENTS_LAYER_H_
#define CONCORD_EXPERIMENTS_LAYER_H_

#include <random>
#include <vector>

#include "experiments/backend.h"
#include "spec/rational.h"

namespace concord::experiments {

using Random = std::mt19937_64;

/// The parameters of one layer and their running moments (Kingma and Ba, Algorithm 1).
class Adam {
 public:
  explicit Adam(std::vector<double> initial);
  /// Shapes  gradient as value(); `decay` times the value is added to it (PyTorch's weight decay)
  void step(const std::vector<float>& gradient, double rate, double decay = 0);
  const std::vector<double>& value() const { return value_; }

 private:
  std::vector<double> value_, mean_, square_;
  double mean_left_ = 1, square_left_ = 1;  // beta1^t, beta2^t
};

/// Where a layer samples: the scale of each axis, and the output's size unless it is ceil(s * in).
struct Sampling {
  Rational scale_h{1}, scale_w{1};
  Extents size{};
};

class ContinuousLayer {
 public:
  /// Initialised as appendix A.2 says: the last biases are normal with the variance that PyTorch
  /// gives the weights of a convolution, 1/(3 Cin K); everything else, which the paper leaves open,
  /// is PyTorch's own, uniform within 1/sqrt(inputs), the last matrix smaller by the same variance.
  /// @param function  kNet, or one of the efficient variants, whose net predicts the weights of all
  ///     neighbours at once
  ContinuousLayer(Extent in_channels, Extent out_channels, Extent support, Random& random,
                  KernelFunction function = KernelFunction::kNet);

  /// Shapes  src [N,Cin,H,W] -> [N,Cout,H',W']
  Values forward(Backend& backend, const Values& src, const Sampling& where) const;
  /// The gradient with respect to src.
  Values backward_data(Backend& backend, const Values& src, const Values& diff_dst,
                       const Sampling& where) const;
  /// The gradient with respect to theta.
  Values backward_weights(Backend& backend, const Values& src, const Values& diff_dst,
                          const Sampling& where) const;
  void step(const Values& gradient, double rate, double decay = 0);

  ContinuousAttributes& attributes() { return attributes_; }
  const Values& theta() const { return theta_; }

 private:
  template <class Operation>
  Problem problem(const Values& src, const Sampling& where) const;
  void round_theta();

  ContinuousAttributes attributes_{};
  Adam adam_;
  Values theta_;  // adam_'s value, rounded to f32
};

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_LAYER_H_
