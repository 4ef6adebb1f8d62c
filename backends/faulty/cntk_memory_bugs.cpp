// SPDX-License-Identifier: Apache-2.0
// Bugs of the memory that CNTK's convolutions and their gradients ask for.
#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

using reference::CntkGeometry;

// Of a minibatch that is unfolded whole.
template <class Elements>
std::size_t bytes_of_all(const Problem& problem, CntkGeometry g, Elements elements) {
  g.sub_batch = g.samples;
  const std::size_t element = problem.dtype == Dtype::kF64 ? sizeof(double) : sizeof(float);
  return static_cast<std::size_t>(elements(g).value_or(0)) * element;
}

std::size_t unfold_all(const Problem& problem, const reference::Resolution& resolution) {
  const auto* g = std::get_if<CntkGeometry>(&resolution.form);
  return g == nullptr ? 0 : bytes_of_all(problem, *g, reference::cntk_workspace);
}

std::size_t unfold_all_in_2d(const Problem& problem, const reference::Resolution& resolution) {
  const auto* g = std::get_if<reference::Cntk2dGeometry>(&resolution.form);
  return g == nullptr ? 0 : bytes_of_all(problem, g->axes, reference::cntk_workspace);
}

template <bool kOfWeights>
std::size_t unfold_all_of_gradient(const Problem& problem,
                                   const reference::Resolution& resolution) {
  const auto* gradient = std::get_if<reference::CntkGradient>(&resolution.form);
  if (gradient == nullptr || gradient->by_weights != kOfWeights) return 0;
  return bytes_of_all(
      problem, gradient->forward,
      kOfWeights ? reference::cntk_workspace : reference::cntk_data_gradient_workspace);
}

const Bug kBugs[] = {
    {"cntk_memory_bound_ignored", "cntk memory",
     "The N-D form unfolds the whole minibatch, whatever maxTempMemSizeInSamples says.",
     "a common slip", form({.workspace = unfold_all})},
    {"cntk_memory_bound_ignored_in_2d", "cntk memory",
     "The 2-D form unfolds the whole minibatch, whatever maxTempMemSizeInSamples says.",
     "a common slip", form({.workspace = unfold_all_in_2d})},
    {"cntk_memory_bound_ignored_by_data_gradient", "cntk memory",
     "The gradient by the input unfolds the whole minibatch, whatever maxTempMemSizeInSamples "
     "says.",
     "a common slip", form({.workspace = unfold_all_of_gradient<false>})},
    {"cntk_memory_bound_ignored_by_weights_gradient", "cntk memory",
     "The gradient by the weights unfolds the whole minibatch, whatever maxTempMemSizeInSamples "
     "says.",
     "a common slip", form({.workspace = unfold_all_of_gradient<true>})},
};

}  // namespace

std::span<const Bug> cntk_memory_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
