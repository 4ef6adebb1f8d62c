// SPDX-License-Identifier: Apache-2.0
// A backend of a library that computes what lower() makes of every discrete convolution.
#ifndef CONCORD_BACKENDS_ADAPTER_LOWERING_BACKEND_H_
#define CONCORD_BACKENDS_ADAPTER_LOWERING_BACKEND_H_

#include <memory>
#include <optional>

#include "backends/adapter/adapter.h"
#include "backends/adapter/shape.h"

namespace concord::backends {

class LoweringBackend : public Backend {
 public:
  Or<Answer> query(const Problem& problem) final;
  Or<std::unique_ptr<Prepared>> prepare(const Problem& problem,
                                        const PrepareOptions& options) final;

 private:
  /// Why the library does not compute `p`; nothing if it does.
  virtual std::optional<Refused> decline(const Problem& problem,
                                         const PaddedConvolution& p) const = 0;
  /// Completes an answer that has dst_dims and is the strictest otherwise.
  virtual void declare(const Problem& problem, const PaddedConvolution& p,
                       Answer& answer) const = 0;
  virtual Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                             const PrepareOptions& options) const = 0;

  Or<PaddedConvolution> lower_or_decline(const Problem& problem) const;
};

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_LOWERING_BACKEND_H_
