// SPDX-License-Identifier: Apache-2.0
// Convolutions of more than three spatial axes, by plain loops.
#ifndef CONCORD_OPTIMIZED_LOOPS_PLAN_H_
#define CONCORD_OPTIMIZED_LOOPS_PLAN_H_

#include <iosfwd>
#include <optional>

#include "optimized/context.h"

namespace concord::optimized {

struct Loops {
  static constexpr const char* kName = "loops";
  Extent packed = 0;  ///< elements of packed weights and bias
  Extent room = 0;    ///< of the workspace that each thread needs

  /// Nothing for a shape of up to three spatial axes that mean something.
  static std::optional<Loops> make(const Context& context, const Options& options);

  const char* kernel() const { return "loops"; }
  bool flushes_subnormals() const { return false; }
  Extent packed_elements() const { return packed; }
  Extent staged_src() const { return 0; }
  Extent staged_dst() const { return room; }
};

/// Writes [OC, IC/G, K] and the bias behind it, dense.
void pack(const Context& context, const Loops& loops, const void* weights, const void* bias,
          void* to);

/// Computes dst, a task for each of its rows.
/// Numeric  one accumulator an output: bias first, then products in the order ic, k, the last
///          axis fastest; taps that meet padding are left out
void run(const Context& context, const Loops& loops, const void* packed, const void* src, void* dst,
         void* workspace);

void describe(const Context& context, const Loops& loops, std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_LOOPS_PLAN_H_
