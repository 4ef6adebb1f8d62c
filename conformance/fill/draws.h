// SPDX-License-Identifier: Apache-2.0
// The draws of a Xoshiro for large tensors: the same ones, thousands at a time.
#ifndef CONCORD_CONFORMANCE_FILL_DRAWS_H_
#define CONCORD_CONFORMANCE_FILL_DRAWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/fill/draw_lanes.h"
#include "conformance/fill/real_draw.h"
#include "conformance/fill/xoshiro.h"

namespace concord::conformance {

/// What Xoshiro(seed, stream) draws, in its order. Where the processor has the vectors for it,
/// eight places of the stream are drawn from at once, each 1,024 draws before the next.
class Draws {
 public:
  /// `expected` is how many will be drawn, more or less: no more are made in advance.
  Draws(std::uint64_t seed, std::uint64_t stream, std::size_t expected);

  std::uint64_t next() {
    if (at_ == ready_.size()) refill(1);
    return ready_[at_++];
  }
  double unit() { return unit_of(next()); }
  /// Fills `values` with what `draw` would draw one after another, each with its sign changed if
  /// `negated`.
  void integers(const SignedInteger& draw, bool negated, std::span<double> values);
  /// The same of reals.
  void reals(const RealDraw& draw, std::span<double> values);

 private:
  template <class Many, class One>
  void make(std::size_t draws_each, std::span<double> values, Many many, One one);
  void refill(std::size_t least);
  void draw_lanes();

  const DrawKernel* kernel_;  ///< null where there is none
  Xoshiro engine_;            ///< at the first draw that is not ready; not while lanes are drawn
  DrawLanes lanes_{};
  bool by_lanes_ = false;
  std::size_t expected_;                ///< how many of them are not ready
  std::vector<std::uint64_t> ready_{};  ///< those before at_ are used
  std::size_t at_ = 0;
};

/// Makes `values` longer by `count`, a few at a time, which `fill` sets: so that what a vector
/// begins with is written into memory once.
template <class FillSome>
void append(std::size_t count, std::vector<double>& values, FillSome fill) {
  constexpr std::size_t kFew = 1024;
  const std::size_t end = values.size() + count;
  values.reserve(end);
  while (values.size() < end) {
    const std::size_t begin = values.size();
    values.resize(std::min(end, begin + kFew));
    fill(std::span(values).subspan(begin));
  }
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_DRAWS_H_
