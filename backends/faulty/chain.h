// SPDX-License-Identifier: Apache-2.0
// The chain of atrous convolutions in plain loops that can be made wrong.
#ifndef CONCORD_BACKENDS_FAULTY_CHAIN_H_
#define CONCORD_BACKENDS_FAULTY_CHAIN_H_

#include <vector>

#include "reference/tf_atrous_chain.h"

namespace concord::backends::faulty {

using reference::ChainGeometry;

struct ChainHooks {
  void (*geometry)(ChainGeometry&) = nullptr;
  /// The filters that `layer` takes.
  Extent (*filters)(const ChainGeometry&, Extent layer) = nullptr;
  /// Its rate.
  Extent (*rate)(const ChainGeometry&, Extent layer) = nullptr;
  /// Whether an element of the phases that is no pixel keeps what a layer made of it.
  bool (*keeps)(const ChainGeometry&, Extent row, Extent column) = nullptr;
  /// What a layer hands to the next one.
  void (*between)(std::vector<double>&) = nullptr;
};

/// Shapes  as evaluate_atrous_chain()
std::vector<double> chain(const ChainHooks& hooks, const ChainGeometry& right,
                          const std::vector<double>& src, const std::vector<double>& weights);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_CHAIN_H_
