// SPDX-License-Identifier: Apache-2.0
// A chain of continuous layers.
#include <algorithm>

#include "conformance/fill/fill_kinds.h"

namespace concord::conformance {
namespace {

using reference::ContinuousChainGeometry;

// Where the last layer's parameters begin in theta, and its biases.
struct LastLayer {
  std::size_t coefficients, biases, end;

  explicit LastLayer(const reference::InternalNet& net) {
    const auto w1 = static_cast<std::size_t>(net.w1), w2 = static_cast<std::size_t>(net.w2);
    const auto C_final = static_cast<std::size_t>(net.C_final);
    coefficients = 3 * w1 + (w1 + 1) * w2;
    biases = coefficients + w2 * C_final;
    end = biases + C_final;
  }
};

}  // namespace

// theta is small but for the last biases, which are positive and outweigh what is added to them.
Inputs fill_continuous_chain(const FormOrder& order) {
  constexpr Extent kOneNegativeIn = 4;
  const auto& chain = std::get<ContinuousChainGeometry>(order.resolution.form);
  const Dtype dtype = order.problem.dtype;
  const auto draw = [&](Xoshiro& random) {
    return std::min(narrow(dtype, 0.5 + random.unit() / 2), 1 - 0x1p-8);
  };
  Inputs inputs = make_zeros(order.problem);
  Xoshiro src = stream(order, Input::kSrc);
  for (double& value : inputs.src) {
    const double size = draw(src);
    value = src.below(kOneNegativeIn) == 0 ? -size : size;
  }
  const reference::ContinuousGeometry& layer = chain.layers.front();
  const LastLayer last(layer.net);
  const double size = 1 / static_cast<double>(std::max<Extent>(layer.Cin * layer.slots(), 1));
  Xoshiro theta = stream(order, Input::kWeights);
  for (std::size_t i = 0; i < inputs.weights.size(); ++i) {
    const std::size_t place = i % last.end;
    const double sign = place < last.biases ? static_cast<double>(theta.sign()) : 1;
    const double scale = place < last.coefficients ? 0.25 : place < last.biases ? size / 16 : size;
    inputs.weights[i] = narrow(dtype, sign * scale * draw(theta));
  }
  return inputs;
}

}  // namespace concord::conformance
