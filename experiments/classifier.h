// SPDX-License-Identifier: Apache-2.0
// The CC-net of Table 3 made narrower, with its fully connected layers, as a classifier that
// learns.
#ifndef CONCORD_EXPERIMENTS_CLASSIFIER_H_
#define CONCORD_EXPERIMENTS_CLASSIFIER_H_

#include <vector>

#include "experiments/layer.h"
#include "experiments/nets.h"
#include "experiments/shapes.h"

namespace concord::experiments {

class Classifier {
 public:
  /// Layers of the given rows for grey images of side x side, which they reduce to a quarter, then
  /// two fully connected ones with `hidden` between them. All are followed by ReLU but the last,
  /// and none has a bias; all start with Kaiming's variance.
  Classifier(Extent side, Extent classes, const std::vector<NetRow>& rows, Extent hidden,
             Random& random);

  /// Shapes  images [N,1,side,side] -> [N,classes,1,1]
  Values logits(Backend& backend, const Values& images, const Path& path) const;

  struct Gradients {
    double loss = 0;                        ///< the mean cross entropy
    std::vector<Values> layers{}, dense{};  ///< by the parameters of each
  };
  Gradients gradients(Backend& backend, const Labelled& batch, const Path& path) const;
  /// One step of Adam, with weight decay.
  void step(const Gradients& gradients, double rate, double decay = 0);

 private:
  /// The fully connected layer: weights [outputs,inputs+1,1,1], the biases last.
  struct Dense {
    Adam adam;
    Values weights{};
  };
  // The input of each layer, the convolutions' first, and the logits at the end.
  std::vector<Values> activations(Backend& backend, const Values& images, const Path& path) const;

  std::vector<ContinuousLayer> layers_{};
  std::vector<Dense> dense_{};
};

/// Cross entropy of softmax, the mean over the batch; its gradient by the logits if asked for.
double cross_entropy(const Values& logits, const std::vector<int>& labels,
                     Values* gradient = nullptr);
/// The part of the batch whose largest logit is that of its label.
double accuracy(const Values& logits, const std::vector<int>& labels);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_CLASSIFIER_H_
