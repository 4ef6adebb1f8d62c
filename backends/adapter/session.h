// SPDX-License-Identifier: Apache-2.0
// What a backend does with one small problem, all of it, as text: for tests that compare backends.
#ifndef CONCORD_BACKENDS_ADAPTER_SESSION_H_
#define CONCORD_BACKENDS_ADAPTER_SESSION_H_

#include <string>

#include "spec/problem.h"

namespace concord::backends {

/// The inputs of a session; all but kIntegers need not be exact.
enum class Data { kIntegers, kReals, kSpecial, kTiny, kHuge };

struct Session {
  std::string plugin{};  ///< path of the shared object
  std::string config{};
  std::string problem{};
  Data data = Data::kReals;
  bool bits_only = false;  ///< the text has no answers but dst's shape and bits
  int repetitions = 2;     ///< executions on the same data, before those with other data
};

/// Opens the plugin, asks, prepares, executes repeatedly between guard pages, with other data too
/// and with a second handle of the problem, with one thread and with three, in a process of its
/// own; returns what it answered and wrote, and what ended it. Takes at most two seconds.
std::string run_session(const Session& session);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_SESSION_H_
