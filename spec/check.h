// SPDX-License-Identifier: Apache-2.0
// CONCORD_CHECK(condition) << "detail": a broken internal invariant prints and aborts, in every
// build type. Never used for bad input.
#ifndef CONCORD_SPEC_CHECK_H_
#define CONCORD_SPEC_CHECK_H_

#include <sstream>

namespace concord::internal {

/// Collects the message of a failed check; prints it and aborts when destroyed.
class CheckFailure {
 public:
  CheckFailure(const char* condition, const char* file, int line);
  [[noreturn]] ~CheckFailure();
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;

  std::ostream& stream() { return text_; }

 private:
  std::ostringstream text_;
};

/// Turns the streamed expression into void, so that both arms of CONCORD_CHECK agree.
struct CheckVoidify {
  void operator&(const std::ostream&) const {}
};

}  // namespace concord::internal

#define CONCORD_CHECK(condition)              \
  (condition)                                 \
      ? (void)0                               \
      : ::concord::internal::CheckVoidify() & \
            ::concord::internal::CheckFailure(#condition, __FILE_NAME__, __LINE__).stream()

#endif  // CONCORD_SPEC_CHECK_H_
