// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/trespass.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "spec/check.h"

namespace concord::optimized::testing {
namespace {

// Of fixed size: the handler may not ask for memory.
struct Register {
  std::array<const WatchedMemory*, 32> watched{};
  std::array<char, 1024> trial{};
  struct sigaction before {};
};

Register& registered() {
  static Register the_one;
  return the_one;
}

void report(const WatchedMemory& memory, const std::byte* address) {
  std::array<char, 1400> text{};
  const bool is_before = address < memory.data;
  const bool is_inside = !is_before && address < memory.data + memory.bytes;
  const auto distance = is_before   ? memory.data - address
                        : is_inside ? address - memory.data
                                    : address - (memory.data + memory.bytes);
  const int length =
      std::snprintf(text.data(), text.size(), "\nTrespass: %s of %zu bytes, byte %td %s\n%s\n",
                    memory.name, memory.bytes, distance,
                    is_before ? "before its beginning"
                              : (is_inside ? "written, but only to be read" : "behind its end"),
                    registered().trial.data());
  if (length > 0 && write(STDERR_FILENO, text.data(),
                          std::min(static_cast<std::size_t>(length), text.size())) < 0) {
    return;
  }
}

// Reports, and leaves the fault to whoever had it before: the access is tried again.
void on_fault(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto* address = static_cast<const std::byte*>(info->si_addr);
  for (const WatchedMemory* memory : registered().watched) {
    if (memory == nullptr || address < memory->mapped) continue;
    if (address < memory->mapped + memory->mapped_bytes) report(*memory, address);
  }
  sigaction(SIGSEGV, &registered().before, nullptr);
}

void install_once() {
  static const bool is_installed = [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGSEGV, &action, &registered().before) == 0;
  }();
  CONCORD_CHECK(is_installed) << "SIGSEGV";
}

}  // namespace

Watched::Watched(const WatchedMemory& memory) : memory_(memory) {
  install_once();
  auto& watched = registered().watched;
  const auto free = std::find(watched.begin(), watched.end(), nullptr);
  CONCORD_CHECK(free != watched.end()) << "too much memory at once";
  *free = &memory_;
  place_ = static_cast<std::size_t>(free - watched.begin());
}

Watched::~Watched() { registered().watched.at(place_) = nullptr; }

void set_current_trial(const std::string& what) {
  auto& trial = registered().trial;
  std::snprintf(trial.data(), trial.size(), "%s", what.c_str());
}

const char* current_trial() { return registered().trial.data(); }

}  // namespace concord::optimized::testing
