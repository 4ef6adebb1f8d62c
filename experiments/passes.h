// SPDX-License-Identifier: Apache-2.0
// Layers forward and backward in the four ways whose cost appendix B.1 compares.
#ifndef CONCORD_EXPERIMENTS_PASSES_H_
#define CONCORD_EXPERIMENTS_PASSES_H_

#include <memory>
#include <vector>

#include "experiments/convolution.h"
#include "experiments/layer.h"

namespace concord::experiments {

/// A layer with random parameters. What it reads comes from the layers around it.
class Pass {
 public:
  virtual ~Pass() = default;
  /// Computes output().
  virtual void forward(const Values& src) = 0;
  /// The gradient by src, from that of the output; that by the parameters is kept. forward() of the
  /// same src was called before.
  virtual Values backward(const Values& src, const Values& delta) = 0;
  /// Bytes of what forward() keeps for backward(), besides src and the output.
  virtual double kept_bytes() const { return 0; }
  /// The most bytes that were needed for a while and then dropped.
  virtual double workspace_bytes() const = 0;

  const Values& parameters() const { return parameters_; }
  const Values& output() const { return dst_; }
  const Values& parameter_gradient() const { return parameter_gradient_; }

 protected:
  Values parameters_{}, dst_{}, parameter_gradient_{};
};

/// Layers one after another: each reads the output of the one before, and hands back the gradient
/// by it.
class Chain {
 public:
  explicit Chain(Values src) : src_(std::move(src)) {}
  /// Computes the new layer's output, so that the next one can be made for it.
  void append(std::unique_ptr<Pass> layer);
  void forward();
  /// Shapes  delta as output() -> the gradient by input()
  Values backward(Values delta);

  const Values& input() const { return src_; }
  const Values& output() const { return layers_.empty() ? src_ : layers_.back()->output(); }
  const std::vector<std::unique_ptr<Pass>>& layers() const { return layers_; }

 private:
  const Values& input_of(std::size_t layer) const;

  Values src_;
  std::vector<std::unique_ptr<Pass>> layers_{};
};

/// Normal numbers.
Values random_values(const Extents& dims, Random& random);

/// What a layer is: src [N,Cin,H,W], a square kernel, Cout channels.
struct PassShape {
  Extents src{};
  Extent channels = 0, kernel = 3;
  KernelFunction function = KernelFunction::kNet;  ///< of layer_pass()
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

/// What it keeps and its workspace, without forming anything.
double standard_bytes(const PassShape& shape, const Sampling& where);

struct Cost {
  double forward = 0, backward = 0;  ///< milliseconds of processor time
  double activation_mebibytes = 0;   ///< the input and every layer's output
  /// What else the layers keep, and the largest workspace. Parameters and gradients are not
  /// counted.
  double mebibytes = 0;
  double both() const { return forward + backward; }
};
/// The fastest of `repeats` runs after one that is not counted.
Cost cost_of(Chain& chain, int repeats);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_PASSES_H_
