// SPDX-License-Identifier: Apache-2.0
// Ends, hangs, floods and chains of the worker's own.
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "conformance/command/hostile/deeds.h"

namespace concord::hostile {
namespace {

[[noreturn]] void sleep_forever() {
  while (true) pause();
}

void* spin(void*) {
  volatile unsigned long turns = 0;
  while (true) turns = turns + 1;
  return nullptr;
}

// Each process starts the next one and exits.
[[noreturn]] void be_chain() {
  while (fork() == 0) usleep(1000);
  _exit(0);
}

// As many as the system gives, but not so many that a machine without a sandbox is lost.
void start_processes(int most) {
  for (int i = 0; i < most; ++i) {
    const pid_t child = fork();
    if (child == 0) sleep_forever();
    if (child < 0) return;
  }
}

void fill(const char* path, std::size_t bytes) {
  static char block[1 << 20];
  memset(block, 1, sizeof block);
  const int file = open(path, O_CREAT | O_WRONLY, 0600);
  for (std::size_t sent = 0; sent < bytes; sent += sizeof block) {
    if (write(file, block, sizeof block) < 0) return;
  }
}

constexpr Deed kDeeds[] = {
    {"SIGSEGV when it is loaded", "load", "not loaded", "", "",
     [](const World&) { return raise(SIGSEGV) != 0; }},
    {"an exit when it is loaded", "load", "not loaded", "", "",
     [](const World&) -> bool { _exit(0); }},
    {"no end of loading", "load", "not loaded", "", "",
     [](const World&) -> bool { sleep_forever(); }},
    {"SIGSEGV when it is opened", "open", "not loaded", "", "",
     [](const World&) { return raise(SIGSEGV) != 0; }},
    {"an exit with code 0 when it is asked", "query", "CRASH", "", "",
     [](const World&) -> bool { exit(0); }},
    {"SIGSEGV in execute", "execute", "CRASH", "", "",
     [](const World&) { return raise(SIGSEGV) != 0; }},
    {"SIGKILL to itself", "execute", "CRASH", "", "",
     [](const World&) { return kill(getpid(), SIGKILL) != 0 && raise(SIGKILL) != 0; }},
    {"abort in execute", "execute", "CRASH", "", "", [](const World&) -> bool { std::abort(); }},
    {"an exit with code 0 in execute", "execute", "CRASH", "", "",
     [](const World&) -> bool { _exit(0); }},
    {"an exit with code 0 in release", "release", "CRASH", "", "",
     [](const World&) -> bool { _exit(0); }},
    {"SIGSEGV in close", "close", "bad end", "", "",
     [](const World&) { return raise(SIGSEGV) != 0; }},
    {"SIGSEGV in an exit handler", "exit", "bad end", "", "",
     [](const World&) { return raise(SIGSEGV) != 0; }},
    {"no end of an exit handler", "exit", "bad end", "", "",
     [](const World&) -> bool { sleep_forever(); }},
    {"another exit code by an exit handler", "exit", "bad end", "", "",
     [](const World&) -> bool { _exit(7); }},
    {"no answer", "execute", "HANG", "", "", [](const World&) -> bool { sleep_forever(); }},
    {"a loop without an end", "execute", "HANG", "", "",
     [](const World&) { return spin(nullptr) != nullptr; }},
    {"a stop of itself", "execute", "HANG", "", "",
     [](const World&) { return raise(SIGSTOP) != 0; }},
    {"signals that it does not obey", "execute", "HANG", "", "",
     [](const World&) -> bool {
       for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
       sleep_forever();
     }},
    {"a stack without an end", "execute", "CRASH", "", "",
     [](const World&) {
       volatile char* below = static_cast<char*>(__builtin_frame_address(0));
       while (true) *(below -= 4096) = 1;
       return false;
     }},
    {"a chain of processes", "execute", "FAIL", "", "never",
     [](const World&) {
       if (fork() == 0) be_chain();
       return false;
     }},
    {"a chain of processes, and an end of its own", "execute", "CRASH", "", "never",
     [](const World&) -> bool {
       if (fork() == 0) be_chain();
       _exit(0);
     }},
    {"a thousand processes", "execute", "FAIL", "", "never",
     [](const World&) {
       start_processes(1000);
       return false;
     }},
    {"processes that stay when it ends", "execute", "CRASH", "", "",
     [](const World&) -> bool {
       start_processes(3);
       _exit(0);
     }},
    {"orphans", "execute", "FAIL", "", "",
     [](const World&) {
       if (fork() == 0) {
         start_processes(3);
         _exit(0);
       }
       return false;
     }},
    {"a thousand threads", "execute", "FAIL", "", "never",
     [](const World&) {
       pthread_attr_t small;
       pthread_attr_init(&small);
       pthread_attr_setstacksize(&small, 64 << 10);
       for (int i = 0; i < 1000; ++i) {
         pthread_t thread;
         const auto rest = [](void*) -> void* { sleep_forever(); };
         if (pthread_create(&thread, &small, rest, nullptr) != 0) break;
       }
       return false;
     }},
    {"threads that keep the processors busy", "execute", "FAIL", "", "",
     [](const World&) {
       for (int i = 0; i < 8; ++i) {
         pthread_t thread;
         pthread_create(&thread, nullptr, spin, nullptr);
       }
       return false;
     }},
    {"all the memory", "execute", "CRASH or HANG", "", "never",
     [](const World&) -> bool {
       constexpr std::size_t kBlock = std::size_t{64} << 20;
       while (void* const block = std::malloc(kBlock)) memset(block, 1, kBlock);
       _exit(9);
     }},
    {"a full /tmp", "execute", "FAIL", "namespaces", "never",
     [](const World&) {
       fill("/tmp/hostile", std::size_t{8} << 30);
       return false;
     }},
    {"a full /dev/shm", "execute", "FAIL", "namespaces", "never",
     [](const World&) {
       fill("/dev/shm/hostile", std::size_t{8} << 30);
       return false;
     }},
    {"every descriptor", "execute", "FAIL", "", "",
     [](const World&) {
       while (open("/dev/null", O_RDONLY) >= 0) {
       }
       return false;
     }},
    {"no limits of its own any more", "execute", "FAIL", "", "",
     [](const World&) {
       const rlimit none{0, 0};
       setrlimit(RLIMIT_FSIZE, &none);
       setrlimit(RLIMIT_NPROC, &none);
       return false;
     }},
    {"a larger limit of memory than it has", "execute", "FAIL", "", "",
     [](const World&) {
       const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
       return setrlimit(RLIMIT_DATA, &more) == 0;
     }},
    {"an alarm", "execute", "CRASH", "", "",
     [](const World&) -> bool {
       alarm(1);
       sleep_forever();
     }},
    {"a storm of signals", "execute", "CRASH", "", "",
     [](const World&) -> bool {
       const itimerval often{{0, 100}, {0, 100}};
       setitimer(ITIMER_REAL, &often, nullptr);
       sleep_forever();
     }},
    {"the end of the worker if its parent ends", "execute", "FAIL", "", "",
     [](const World&) {
       prctl(PR_SET_PDEATHSIG, SIGKILL);
       return false;
     }},
    {"orphans that are given to it", "execute", "FAIL", "", "",
     [](const World&) {
       prctl(PR_SET_CHILD_SUBREAPER, 1);
       if (fork() == 0) start_processes(2), _exit(0);
       return false;
     }},
    {"a memory that nobody may read", "execute", "FAIL", "", "",
     [](const World&) {
       prctl(PR_SET_DUMPABLE, 0);
       return false;
     }},
    {"strict seccomp for itself", "execute", "FAIL", "", "never",
     [](const World&) {
       prctl(PR_SET_SECCOMP, 1, 0, 0, 0);  // refused where there is a filter
       return false;
     }},
    {"another name", "execute", "FAIL", "", "",
     [](const World&) {
       prctl(PR_SET_NAME, "concord", 0, 0, 0);
       return false;
     }},
    {"libraries of its choice for later programs", "execute", "FAIL", "", "",
     [](const World&) {
       setenv("LD_PRELOAD", "/nowhere/hostile.so", 1);
       setenv("PATH", "/nowhere", 1);
       return false;
     }},
    {"another working folder", "execute", "FAIL", "", "",
     [](const World&) {
       if (chdir("/") != 0) return false;
       umask(0);
       return false;
     }},
    {"another rounding", "execute", "FAIL", "", "",
     [](const World&) {
       fesetround(FE_UPWARD);
       return false;
     }},
    {"pages of the worker's code that it may write", "execute", "FAIL", "", "",
     [](const World&) {
       const auto here = reinterpret_cast<std::uintptr_t>(&getpid) & ~std::uintptr_t{4095};
       mprotect(reinterpret_cast<void*>(here), 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
       return false;
     }}};

}  // namespace

std::span<const Deed> deeds_of_process() { return kDeeds; }

}  // namespace concord::hostile
