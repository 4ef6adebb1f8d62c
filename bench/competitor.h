// SPDX-License-Identifier: Apache-2.0
// The libraries that are measured against one another, each called in its own way.
#ifndef CONCORD_BENCH_COMPETITOR_H_
#define CONCORD_BENCH_COMPETITOR_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "bench/layer.h"
#include "optimized/convolution.h"

namespace concord::bench {

/// One layer's memory, shared by all competitors but for dst.
struct Operands {
  const Problem& problem;
  const optimized::Shape& shape;
  const void* src;
  const void* weights;
  const void* bias;  ///< null without one
};

/// Random src, weights and bias of a problem.
class Inputs {
 public:
  explicit Inputs(const Problem& problem);
  Operands operands(const Problem& problem, const optimized::Shape& shape) const;

 private:
  Elements src_, weights_;
  std::optional<Elements> bias_{};
};

/// What a library needs of memory beside the user's tensors, in bytes.
struct Footprint {
  std::size_t packed = 0;     ///< weights and bias in an order of its own
  std::size_t workspace = 0;  ///< while it runs, tensors in an order of its own among it
};

/// A library prepared for one layer. run() is measured: if the setting is packed, weights were
/// packed before; otherwise it takes the user's weights every time.
class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual void run() = 0;
  /// What computes, as far as the library tells.
  virtual std::string implementation() const = 0;
  /// Nothing if the library does not tell.
  virtual std::optional<Footprint> footprint() const { return std::nullopt; }
};

/// Null if the library does not serve the layer in this setting.
std::unique_ptr<Competitor> make_engine(const Operands& operands, const Setting& setting,
                                        const optimized::Options& options, void* dst);
/// The engine as planned.
std::unique_ptr<Competitor> make_engine(optimized::Plan plan, const Operands& operands, bool packed,
                                        void* dst);
/// The engine on the same layer in f32, with data of its own. What it writes is in f32.
std::unique_ptr<Competitor> make_f32_engine(const Operands& operands, const Setting& setting,
                                            const optimized::Options& options, void* dst);
/// Not for f64, which the library computes on GPUs only.
std::unique_ptr<Competitor> make_onednn(const Operands& operands, const Setting& setting,
                                        void* dst);
std::unique_ptr<Competitor> make_xnnpack(const Operands& operands, const Setting& setting,
                                         void* dst);
/// Not a library: the time to move src and dst, each byte once.
std::unique_ptr<Competitor> make_memory(const Operands& operands, void* dst);

}  // namespace concord::bench

#endif  // CONCORD_BENCH_COMPETITOR_H_
