// SPDX-License-Identifier: Apache-2.0
// A request to end a long computation early, which its loops see without a parameter.
//
//   const InterruptScope scope(&stop);   // in the thread that computes
//   auto result = evaluate(...);         // returns soon after `stop` has turned true
//   if (interrupted()) ...               // the result is unusable, whatever its size
#ifndef CONCORD_SPEC_INTERRUPT_H_
#define CONCORD_SPEC_INTERRUPT_H_

#include <atomic>

namespace concord {

/// The flag that this thread's computations watch; null: none.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline thread_local const std::atomic<bool>* interrupt_flag = nullptr;

inline bool interrupted() {
  return interrupt_flag != nullptr && interrupt_flag->load(std::memory_order_relaxed);
}

/// Lets this thread watch `flag`, which may be null and once true stays so, for a scope.
class InterruptScope {
 public:
  explicit InterruptScope(const std::atomic<bool>* flag) : before_(interrupt_flag) {
    interrupt_flag = flag;
  }
  ~InterruptScope() { interrupt_flag = before_; }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

}  // namespace concord

#endif  // CONCORD_SPEC_INTERRUPT_H_
