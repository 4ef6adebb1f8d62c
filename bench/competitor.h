// SPDX-License-Identifier: Apache-2.0
// The libraries that are measured against one another, each called in its own way.
#ifndef CONCORD_BENCH_COMPETITOR_H_
#define CONCORD_BENCH_COMPETITOR_H_

#include <memory>
#include <optional>
#include <string>

#include "bench/layer.h"
#include "optimized/engine.h"

namespace concord::bench {

/// One layer's memory, shared by all competitors but for dst.
struct Operands {
  const Problem& problem;
  const optimized::Shape& shape;
  const void* src;
  const void* weights;
  const void* bias;  ///< null without one
};

/// A library made ready for one layer. run() is what is measured: with a setting that is packed,
/// weights were prepared before; otherwise it takes them as the user holds them, every time.
class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual void run() = 0;
  /// What computes, as far as the library tells.
  virtual std::string implementation() const = 0;
};

/// Null where the library does not serve the layer so.
std::unique_ptr<Competitor> make_engine(const Operands& operands, const Setting& setting,
                                        const optimized::Options& options, void* dst);
std::unique_ptr<Competitor> make_onednn(const Operands& operands, const Setting& setting,
                                        void* dst);
std::unique_ptr<Competitor> make_xnnpack(const Operands& operands, const Setting& setting,
                                         void* dst);
/// No library, but the time that moving src and dst takes, each byte once.
std::unique_ptr<Competitor> make_memory(const Operands& operands, void* dst);

}  // namespace concord::bench

#endif  // CONCORD_BENCH_COMPETITOR_H_
