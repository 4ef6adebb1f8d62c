// SPDX-License-Identifier: Apache-2.0
// What a call passes to a plugin besides tensors: structs, arrays of them, and texts. Each ends
// directly before an inaccessible page, so that an access behind its last byte is a fault.
#ifndef CONCORD_CONFORMANCE_WORKER_ARGUMENTS_H_
#define CONCORD_CONFORMANCE_WORKER_ARGUMENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "conformance/worker/lack.h"
#include "plugin/concord_plugin.h"
#include "spec/result.h"

namespace concord::conformance {

enum class Argument {
  kConfig,
  kReason,
  kProblem,
  kInputs,
  kOutputs,
  kAttributes,
  kAnswer,
  kOptions,
  kPrepared,
  kExecution,
  kInputBuffers,
  kOutputBuffers
};
inline constexpr std::size_t kArgumentCount =
    static_cast<std::size_t>(Argument::kOutputBuffers) + 1;

/// Where an address lies that is in one of the inaccessible pages, such as "directly after the end
/// of the problem's inputs"; nothing if it is elsewhere. `base` is Arguments::base().
std::optional<std::string> locate_argument(std::uintptr_t address, std::uintptr_t base);

/// One of each, overwritten by the next call. Stays mapped until the process ends.
class Arguments {
 public:
  static Result<Arguments, StartError> map();

  std::uintptr_t base() const { return reinterpret_cast<std::uintptr_t>(base_); }

  template <class T>
  T* put(Argument argument, const T& value) {
    return put(argument, std::span<const T>(&value, 1));
  }
  template <class T>
  T* put(Argument argument, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return static_cast<T*>(copy(argument, values.data(), values.size_bytes()));
  }
  /// The whole problem: also what it points to, so many entries as are meant.
  concord_problem* put(const concord_problem& problem);
  /// One that is longer than a page stays where it is.
  const char* put_config(const std::string& config);
  /// CONCORD_TEXT bytes of garbage without a zero.
  char* put_reason();
  /// Fills all of them with garbage: no plugin may keep a pointer.
  void forget();

 private:
  void* copy(Argument argument, const void* from, std::size_t bytes);

  std::span<std::byte> last_bytes(std::size_t argument, std::size_t bytes) const;

  std::byte* base_ = nullptr;
  std::array<std::size_t, kArgumentCount> sizes_{};  ///< of those that have been put
};

/// The text of CONCORD_TEXT bytes that put_reason() gave out, once a call has failed: empty if the
/// plugin has left it as it was.
std::string reason_in(const char* text);

/// What is wrong with a text of CONCORD_TEXT bytes, named `name`, that a plugin may have written:
/// it has no terminating zero. Else nothing.
std::optional<std::string> fault_of_text(const std::string& name, const char* text);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_ARGUMENTS_H_
