// SPDX-License-Identifier: Apache-2.0
// The processor's peak rate of multiply-adds: the limit of every layer.
#ifndef CONCORD_BENCH_PEAK_H_
#define CONCORD_BENCH_PEAK_H_

#include <barrier>
#include <thread>
#include <vector>

#include "spec/dtype.h"

namespace concord::bench {

/// A loop of multiply-adds on registers alone, on every thread at once. For bf16 it is of dot
/// products of pairs, where the processor has them; f16 is computed in f32.
class Peak {
 public:
  Peak(int threads, Dtype dtype);
  ~Peak();
  Peak(const Peak&) = delete;
  Peak& operator=(const Peak&) = delete;

  /// The operations of one run() over all threads, a multiply-add counting as two; 0 where there
  /// is no such loop for the processor: then run() does nothing.
  double operations() const { return operations_; }
  void run();

 private:
  using Loop = void (*)();

  Loop loop_ = nullptr;
  double operations_ = 0;
  bool done_ = false;
  std::barrier<> gate_;
  std::vector<std::thread> others_{};
};

}  // namespace concord::bench

#endif  // CONCORD_BENCH_PEAK_H_
