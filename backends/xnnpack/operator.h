// SPDX-License-Identifier: Apache-2.0
// An XNNPACK convolution operator, and the thread pools that it runs on.
#ifndef CONCORD_BACKENDS_XNNPACK_OPERATOR_H_
#define CONCORD_BACKENDS_XNNPACK_OPERATOR_H_

#include <pthreadpool.h>
#include <xnnpack.h>

#include <memory>
#include <optional>
#include <string>

#include "backends/adapter/shape.h"
#include "spec/dtype.h"

namespace concord::backends {

struct DeleteOperator {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, DeleteOperator>;

/// The pool of that many threads, which lives as long as the process: new threads spin for
/// milliseconds until they get work. Null for one thread, the caller, which needs no pool.
pthreadpool_t pool_of(int threads);

/// Makes the operator, which copies the weights into its own layout.
/// Shapes  weights [G,OC/G,KH,KW,IC/G] dense, bias [OC] dense or null
/// Errors  xnn_status in `status`, and a null operator
Operator make_operator(Dtype dtype, const PaddedConvolution& p, const void* weights,
                       const void* bias, xnn_status& status);

/// Computes dst [N,OH,OW,OC] from src [N,IH,IW,IC], both dense.
/// Shapes  src has XNN_EXTRA_BYTES readable bytes behind its last element
xnn_status run(const Operator& op, Dtype dtype, const PaddedConvolution& p, const void* src,
               void* dst, pthreadpool_t pool);

/// Names the first size that XNNPACK's arguments, or the 32 bits of its kernels' loops, cannot
/// hold.
std::optional<std::string> beyond_limits(const PaddedConvolution& p);

/// The status's name in xnnpack.h, without its prefix.
const char* to_text(xnn_status status);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_XNNPACK_OPERATOR_H_
