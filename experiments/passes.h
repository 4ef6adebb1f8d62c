// SPDX-License-Identifier: Apache-2.0
// One layer forward and backward in the four ways whose cost appendix B.1 compares.
#ifndef CONCORD_EXPERIMENTS_PASSES_H_
#define CONCORD_EXPERIMENTS_PASSES_H_

#include <memory>
#include <vector>

#include "experiments/convolution.h"
#include "experiments/layer.h"

namespace concord::experiments {

/// A layer with its input and the gradient of its output, all random.
class Pass {
 public:
  virtual ~Pass() = default;
  virtual void forward() = 0;
  /// The gradients by input and by parameters. forward() was called before.
  virtual void backward() = 0;
  /// Bytes besides input, output, parameters and their gradients, at the peak of both.
  virtual double peak_bytes() const = 0;

  const Values& input() const { return src_; }
  const Values& parameters() const { return parameters_; }
  const Values& output() const { return dst_; }
  const Values& output_gradient() const { return delta_; }
  const Values& input_gradient() const { return src_gradient_; }
  const Values& parameter_gradient() const { return parameter_gradient_; }

 protected:
  Values src_{}, parameters_{}, dst_{}, delta_{}, src_gradient_{}, parameter_gradient_{};
};

/// Normal numbers.
Values random_values(const Extents& dims, Random& random);

/// What a layer is: src [N,Cin,H,W], a square kernel, Cout channels.
struct PassShape {
  Extents src{};
  Extent channels = 0, kernel = 3;
};

/// A plain convolution of the backend.
std::unique_ptr<Pass> convolution_pass(Backend& backend, const PassShape& shape, const Steps& steps,
                                       Random& random);

/// The backend's own layer and gradients.
std::unique_ptr<Pass> layer_pass(Backend& backend, const PassShape& shape, const Sampling& where,
                                 Random& random);

/// The layer as section 3.1 describes it: tensors of all distances, weights and neighbours, and
/// their product, in plain loops over f32.
std::unique_ptr<Pass> standard_pass(const PassShape& shape, const Sampling& where, Random& random);

/// What its peak_bytes() is, without forming anything.
double standard_bytes(const PassShape& shape, const Sampling& where);

struct Cost {
  double forward = 0, backward = 0;  ///< milliseconds of processor time
  double mebibytes = 0;
  double both() const { return forward + backward; }
};
/// The fastest of `repeats` runs after one that is not counted.
Cost cost_of(const std::vector<std::unique_ptr<Pass>>& layers, int repeats);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_PASSES_H_
