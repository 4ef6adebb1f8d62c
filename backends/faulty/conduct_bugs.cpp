// SPDX-License-Identifier: Apache-2.0
// Bugs of what a library does to its process: what it changes, and what it never gives back.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

// A write that no compiler leaves out.
void keep(void* memory) {
  [[maybe_unused]] static const void* volatile kept = nullptr;
  kept = memory;
}

std::optional<Refused> leak_memory(const Problem&) {
  keep(std::malloc(100));
  return std::nullopt;
}

std::optional<Refused> leak_descriptor(const Problem&) {
  [[maybe_unused]] const int copy = dup(STDERR_FILENO);
  return std::nullopt;
}

std::optional<Refused> leak_mapping(const Problem&) {
  constexpr std::size_t kBytes = 64 << 10;
  keep(mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  return std::nullopt;
}

constexpr std::size_t kPage = 4096;

std::optional<Refused> leak_page_of_whole_ones(const Problem& problem) {
  const auto elements = static_cast<std::size_t>(element_count(problem.src.dims).value_or(0));
  if (elements * size_of(problem.dtype) % kPage != 0) return std::nullopt;
  keep(mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  return std::nullopt;
}

// Not so many that the machine suffers.
std::optional<Refused> leak_thread(const Problem&) {
  static int threads = 0;
  if (++threads > 300) return std::nullopt;
  std::thread([] {
    while (true) pause();
  }).detach();
  return std::nullopt;
}

int& times_prepared(const Problem& problem) {
  static std::map<std::string, int> times;
  return times[print(problem)];
}

std::optional<Refused> count(const Problem& problem) {
  ++times_prepared(problem);
  return std::nullopt;
}

const Bug kBugs[] = {
    {"leaks_memory",
     "conduct",
     "Allocates 100 bytes in each prepare and never frees them.",
     "a common slip",
     {.prepare = leak_memory}},
    {"leaks_descriptors",
     "conduct",
     "Opens a file in each prepare and never closes it.",
     "a common slip",
     {.prepare = leak_descriptor}},
    {"leaks_mappings",
     "conduct",
     "Maps memory in each prepare and never unmaps it.",
     "a common slip",
     {.prepare = leak_mapping}},
    {"leaks_a_page_of_whole_ones",
     "conduct",
     "Keeps a page where src takes a whole number of them.",
     "libxsmm/libxsmm: docs/findings.md",
     {.prepare = leak_page_of_whole_ones}},
    {"leaks_threads",
     "conduct",
     "Starts a thread in each prepare that never ends.",
     "a common slip",
     {.prepare = leak_thread}},
    {"wrong_when_prepared_often",
     "conduct",
     "Has a table of 32 entries for each problem, and none left when it is prepared more often.",
     "a common slip",
     {.prepare = count,
      .outputs =
          [](Run& run) {
            if (times_prepared(run.problem) > 32 && !run.dst.empty()) run.dst.back() = 0;
          }}},
    {"changes_directory",
     "conduct",
     "Leaves another current directory behind.",
     "a common slip",
     {.afterwards = [](Run&) { [[maybe_unused]] const int done = chdir("/usr"); }}},
    {"changes_umask",
     "conduct",
     "Leaves a umask behind by which all can write its files.",
     "a common slip",
     {.afterwards = [](Run&) { umask(0); }}},
    {"blocks_signals",
     "conduct",
     "Blocks SIGINT around its work and does not unblock it.",
     "a common slip",
     {.afterwards =
          [](Run&) {
            sigset_t interrupts;
            sigemptyset(&interrupts);
            sigaddset(&interrupts, SIGINT);
            pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);
          }}},
    {"keeps_a_signal_handler",
     "conduct",
     "Handles SIGFPE during its work and does not put the old handler back.",
     "a common slip",
     {.afterwards = [](Run&) { std::signal(SIGFPE, SIG_IGN); }}},
    {"sets_a_variable",
     "conduct",
     "Sets OMP_NUM_THREADS for all of the process.",
     "a common slip",
     {.afterwards = [](Run&) { setenv("OMP_NUM_THREADS", "1", 1); }}},
    {"sets_the_locale",
     "conduct",
     "Leaves another locale behind, by which others print and read numbers.",
     "a common slip",
     {.afterwards = [](Run&) { std::setlocale(LC_CTYPE, "C.UTF-8"); }}},
    {"lowers_a_limit",
     "conduct",
     "Leaves a lower limit of open files behind.",
     "a common slip",
     {.afterwards =
          [](Run&) {
            rlimit limit{};
            getrlimit(RLIMIT_NOFILE, &limit);
            limit.rlim_cur = 64;
            setrlimit(RLIMIT_NOFILE, &limit);
          }}},
};

}  // namespace

std::span<const Bug> conduct_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
