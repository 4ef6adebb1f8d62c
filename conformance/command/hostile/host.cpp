// SPDX-License-Identifier: Apache-2.0
// Attacks on the process that judges, and on others of the same user.
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "conformance/command/hostile/deeds.h"

namespace concord::hostile {
namespace {

std::string entry(pid_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

bool opens(const std::string& path, int how) {
  const int file = open(path.c_str(), how);
  if (file >= 0) close(file);
  return file >= 0;
}

bool reads(const std::string& path) {
  char bytes[64];
  const int file = open(path.c_str(), O_RDONLY);
  const bool some = file >= 0 && read(file, bytes, sizeof bytes) > 0;
  if (file >= 0) close(file);
  return some;
}

bool writes(const std::string& path, const char* text) {
  const int file = open(path.c_str(), O_WRONLY);
  const bool some = file >= 0 && write(file, text, strlen(text)) > 0;
  if (file >= 0) close(file);
  return some;
}

// Where its program begins, as long as nobody hides it.
unsigned long first_address(pid_t process) {
  char line[256] = "";
  if (std::FILE* maps = std::fopen(entry(process, "maps").c_str(), "r")) {
    if (std::fgets(line, sizeof line, maps) == nullptr) line[0] = '\0';
    std::fclose(maps);
  }
  return std::strtoul(line, nullptr, 16);
}

bool reads_memory_of(pid_t process) {
  char bytes[16];
  unsigned long address = first_address(process);
  if (address == 0) address = 0x400000;
  iovec here{bytes, sizeof bytes}, there{reinterpret_cast<void*>(address), sizeof bytes};
  return process_vm_readv(process, &here, 1, &there, 1, 0) > 0;
}

bool writes_memory_of(pid_t process) {
  char bytes[1] = {0};
  iovec here{bytes, 1}, there{reinterpret_cast<void*>(first_address(process)), 1};
  return process_vm_writev(process, &here, 1, &there, 1, 0) > 0;
}

// Any process but this one that /proc shows and that is not of this sandbox.
bool any_other(bool (*attack)(pid_t process)) {
  bool through = false;
  DIR* const folder = opendir("/proc");
  while (const dirent* each = folder == nullptr ? nullptr : readdir(folder)) {
    const pid_t process = std::atoi(each->d_name);
    if (process > 1 && process != getpid() && attack(process)) through = true;
  }
  if (folder != nullptr) closedir(folder);
  return through;
}

int pidfd_of(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

bool limits(pid_t process) {
  rlimit limit{};
  return prlimit(process, RLIMIT_NOFILE, nullptr, &limit) == 0;
}

constexpr Deed kDeeds[] = {
    {"patch the judge by /proc/PID/mem", "execute", "FAIL", "", "",
     [](const World& w) { return opens(entry(w.host, "mem"), O_RDWR); }},
    {"read expected values by /proc/PID/mem", "execute", "FAIL", "", "",
     [](const World& w) { return opens(entry(w.host, "mem"), O_RDONLY); }},
    {"patch the parent by /proc/PPID/mem", "execute", "FAIL", "", "",
     [](const World&) { return opens(entry(getppid(), "mem"), O_RDWR); }},
    {"patch process 1 by /proc/1/mem", "execute", "FAIL", "", "never",
     [](const World&) { return opens("/proc/1/mem", O_RDWR); }},
    {"read the host's memory by process_vm_readv", "execute", "FAIL", "", "",
     [](const World& w) { return reads_memory_of(w.host); }},
    {"write the host's memory by process_vm_writev", "execute", "FAIL", "", "never",
     [](const World& w) { return writes_memory_of(w.host); }},
    {"read the memory of every process in sight", "execute", "FAIL", "", "",
     [](const World&) { return any_other(reads_memory_of); }},
    {"see where the host's memory lies", "execute", "FAIL", "", "",
     [](const World& w) { return reads(entry(w.host, "maps")); }},
    {"read the host's environment", "execute", "FAIL", "", "",
     [](const World& w) { return reads(entry(w.host, "environ")); }},
    {"read the host's registers", "execute", "FAIL", "", "",
     [](const World& w) { return reads(entry(w.host, "auxv")); }},
    {"reach files by the host's root", "execute", "FAIL", "", "",
     [](const World& w) { return opens(entry(w.host, "root/etc/passwd"), O_RDONLY); }},
    {"reach files by the host's working folder", "execute", "FAIL", "", "",
     [](const World& w) { return opens(entry(w.host, "cwd/."), O_RDONLY); }},
    {"open the host's descriptors", "execute", "FAIL", "", "",
     [](const World& w) { return opens(entry(w.host, "fd/2"), O_WRONLY); }},
    {"take the host's descriptors by pidfd_getfd", "execute", "FAIL", "", "",
     [](const World& w) { return syscall(SYS_pidfd_getfd, pidfd_of(w.host), 1, 0) >= 0; }},
    {"trace the host by PTRACE_SEIZE", "execute", "FAIL", "", "",
     [](const World& w) { return ptrace(PTRACE_SEIZE, w.host, nullptr, nullptr) == 0; }},
    {"trace the parent by PTRACE_SEIZE", "execute", "FAIL", "", "",
     [](const World&) { return ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0; }},
    {"trace the host by PTRACE_ATTACH", "execute", "FAIL", "", "never",
     [](const World& w) { return ptrace(PTRACE_ATTACH, w.host, nullptr, nullptr) == 0; }},
    {"compare the host's files by kcmp", "execute", "FAIL", "", "",
     [](const World& w) { return syscall(SYS_kcmp, w.host, getpid(), 0, 0, 0) >= 0; }},
    {"move the host's pages", "execute", "FAIL", "", "",
     [](const World& w) { return syscall(SYS_move_pages, w.host, 0, 0, 0, 0, 0) >= 0; }},
    {"throw the host's pages out by process_madvise", "execute", "FAIL", "", "",
     [](const World& w) {
       iovec where{reinterpret_cast<void*>(first_address(w.host) & ~4095UL), 4096};
       return syscall(SYS_process_madvise, pidfd_of(w.host), &where, 1, 20, 0) >= 0;
     }},
    {"SIGKILL to the host", "execute", "FAIL", "", "never",
     [](const World& w) { return kill(w.host, SIGKILL) == 0; }},
    {"SIGSTOP to the host", "execute", "FAIL", "", "never",
     [](const World& w) { return kill(w.host, SIGSTOP) == 0; }},
    {"SIGTERM to the host", "execute", "FAIL", "", "never",
     [](const World& w) { return kill(w.host, SIGTERM) == 0; }},
    {"a queued signal to the host", "execute", "FAIL", "", "never",
     [](const World& w) { return sigqueue(w.host, SIGINT, {}) == 0; }},
    {"a signal to the host's thread by tgkill", "execute", "FAIL", "", "never",
     [](const World& w) { return syscall(SYS_tgkill, w.host, w.host, SIGKILL) == 0; }},
    {"a signal to the host's thread by tkill", "execute", "FAIL", "", "never",
     [](const World& w) { return syscall(SYS_tkill, w.host, SIGKILL) == 0; }},
    {"a signal to the host by pidfd_send_signal", "execute", "FAIL", "", "never",
     [](const World& w) {
       return syscall(SYS_pidfd_send_signal, pidfd_of(w.host), SIGKILL, nullptr, 0) == 0;
     }},
    {"SIGKILL to the parent", "execute", "FAIL", "", "never",
     [](const World&) { return kill(getppid(), SIGKILL) == 0 && getppid() != 1; }},
    {"SIGSTOP to process 1", "execute", "FAIL", "", "never",
     [](const World&) {
       kill(1, SIGSTOP);
       return false;
     }},
    {"SIGKILL to a bystander", "execute", "FAIL", "", "never",
     [](const World& w) { return kill(w.bystander, SIGKILL) == 0; }},
    {"SIGSTOP to a bystander", "execute", "FAIL", "", "never",
     [](const World& w) { return kill(w.bystander, SIGSTOP) == 0; }},
    {"SIGKILL to all processes", "execute", "FAIL", "", "never",
     [](const World&) {
       kill(-1, SIGKILL);  // all but itself and process 1
       return false;
     }},
    {"signals of a socket's owner to the host", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return fcntl(3, F_SETOWN, w.host) == 0; }},
    {"other limits for the host by prlimit", "execute", "FAIL", "", "",
     [](const World& w) { return limits(w.host); }},
    {"other limits for the parent by prlimit", "execute", "FAIL", "", "",
     [](const World&) { return limits(getppid()); }},
    {"a lower priority for the host", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       return setpriority(PRIO_PROCESS, static_cast<id_t>(w.host), 0) == 0;
     }},
    {"one processor for the host", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       cpu_set_t all;
       memset(&all, 0xff, sizeof all);
       return sched_setaffinity(w.host, sizeof all, &all) == 0;
     }},
    {"another scheduler for the host", "execute", "FAIL", "namespaces", "",
     [](const World& w) {
       const sched_param none{};
       return sched_setscheduler(w.host, SCHED_OTHER, &none) == 0;
     }},
    {"the host as the first to go when memory is short", "execute", "FAIL", "namespaces", "",
     [](const World& w) { return writes(entry(w.host, "oom_score_adj"), "0"); }},
    {"itself as the last to go when memory is short", "execute", "FAIL", "", "",
     [](const World&) { return geteuid() != 0 && writes("/proc/self/oom_score_adj", "-1000"); }},
    {"kernel settings", "execute", "FAIL", "namespaces", "never",
     [](const World&) { return opens("/proc/sys/kernel/core_pattern", O_WRONLY); }},
    {"magic keys of the kernel", "execute", "FAIL", "namespaces", "never",
     [](const World&) { return opens("/proc/sysrq-trigger", O_WRONLY); }}};

}  // namespace

std::span<const Deed> deeds_of_host() { return kDeeds; }

}  // namespace concord::hostile
