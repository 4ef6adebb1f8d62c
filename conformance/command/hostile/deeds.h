// SPDX-License-Identifier: Apache-2.0
// What a plugin may try in order to pass although it computes nonsense, or to harm whoever judges
// it.
#ifndef CONCORD_CONFORMANCE_COMMAND_HOSTILE_DEEDS_H_
#define CONCORD_CONFORMANCE_COMMAND_HOSTILE_DEEDS_H_

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace concord::hostile {

/// What there is to be attacked, as the environment tells it.
struct World {
  pid_t host = 0;          ///< the process of `concord run`
  pid_t bystander = 0;     ///< a process of the same user
  std::string results{};   ///< the file that the run writes in the end
  std::string treasure{};  ///< a file beside it that no backend may change
  std::string vectors{};   ///< a file of the golden vectors
  std::string socket{};    ///< a socket of a program, by its path
  std::string name{};      ///< a socket of a program, by an abstract name
  int port = 0;            ///< a TCP port of this machine
  int key = 0;             ///< of System V shared memory
};
const World& world();

/// A row of the table. The plugin does the deed once it reaches the stage.
struct Deed {
  const char* name;
  const char* stage;  ///< "load", "open", "query", "prepare", "execute", "release", "close", "exit"
  const char*
      verdict;        ///< what the case must get, or "bad end" if every case fails and the end, too
  const char* needs;  ///< "namespaces" where the filter of system calls alone does not prevent it
  const char* without;  ///< "never" if it must not be tried without a sandbox
  /// True if it got through. It may also not return.
  bool (*run)(const World& world);
};

std::span<const Deed> deeds_of_calls();    ///< calls that must be refused
std::span<const Deed> deeds_of_host();     ///< against the host and other processes
std::span<const Deed> deeds_of_files();    ///< against files, the network and shared memory
std::span<const Deed> deeds_of_channel();  ///< against the conversation with the host
std::span<const Deed> deeds_of_process();  ///< ends, hangs, floods, chains
std::span<const Deed> deeds_of_tensors();  ///< against the shared memory
std::vector<Deed> all_deeds();

}  // namespace concord::hostile

#endif  // CONCORD_CONFORMANCE_COMMAND_HOSTILE_DEEDS_H_
