// SPDX-License-Identifier: Apache-2.0
// The operations that are not discrete convolutions, in plain loops that can be made wrong: their
// hooks, and how a problem of theirs is executed.
#ifndef CONCORD_BACKENDS_FAULTY_FORMS_H_
#define CONCORD_BACKENDS_FAULTY_FORMS_H_

#include "backends/adapter/adapter.h"
#include "backends/faulty/blocks.h"
#include "backends/faulty/chain.h"
#include "backends/faulty/cntk.h"
#include "backends/faulty/continuous.h"
#include "backends/faulty/doubles.h"

namespace concord::backends::faulty {

struct FormHooks {
  /// query, prepare: the problem that the plugin takes for the one asked.
  void (*problem)(Problem&) = nullptr;
  void (*answer)(const Problem&, Answer&) = nullptr;
  /// prepare: the bytes of the workspace.
  std::size_t (*workspace)(const Problem&, const reference::Resolution&) = nullptr;
  CntkHooks cntk{};
  CntkGradientHooks cntk_gradient{};
  BlockHooks blocks{};
  ChainHooks chain{};
  ContinuousHooks continuous{};
  /// dst's values, of whichever operation, before they are rounded.
  void (*results)(const Problem&, std::vector<double>&) = nullptr;
};

/// True of the operations whose hooks these are.
bool is_form(const Problem& problem);

/// Reads the inputs, computes, writes dst. `problem.dst` is set; `resolution` is the reference's;
/// `doubles` changes what is read and written of f64.
void execute(const FormHooks& hooks, const DoubleHooks& doubles, const Problem& problem,
             const reference::Resolution& resolution, const Buffers& buffers);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_FORMS_H_
