// SPDX-License-Identifier: Apache-2.0
// What a confined process may not ask of the kernel.
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include "conformance/worker/sandbox.h"

namespace concord::conformance {
namespace {

std::string failed(const char* call, int error) {
  return std::string(call) + ": " + std::strerror(error);
}

// Calls that no kernel of a convolution needs. Those that this machine's kernel or processor does
// not have are skipped.
constexpr const char* kRefused[] = {
    // into other processes
    "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal", "kcmp", "move_pages", "migrate_pages",
    // out of the group by which the host ends a worker
    "setsid", "setpgid",
    // what surrounds the process
    "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "unshare", "setns", "swapon", "swapoff", "quotactl",
    "acct", "reboot", "sethostname", "setdomainname", "settimeofday", "clock_settime",
    "clock_adjtime", "adjtimex", "init_module", "finit_module", "delete_module", "kexec_load",
    "kexec_file_load", "syslog", "open_by_handle_at", "fanotify_init",
    // to programs outside: a socket of the file system is none of the network's
    "socket",
    // ways around a filter, and into the kernel
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open",
    "userfaultfd", "add_key", "request_key", "keyctl", "personality", "iopl", "ioperm"};

struct FilterDeleter {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, FilterDeleter>;

bool refuse(const Filter& filter, const char* call, int error, std::span<const scmp_arg_cmp> when) {
  const int number = seccomp_syscall_resolve_name(call);
  if (number < 0) return true;  // unknown here
  return seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number,
                                static_cast<unsigned>(when.size()), when.data()) == 0;
}

// The argument `index` of a call names another process than this one.
scmp_arg_cmp is_other(unsigned index) {
  return {index, SCMP_CMP_NE, static_cast<scmp_datum_t>(getpid()), 0};
}

bool refuse_signals(const Filter& filter) {
  for (const char* call : {"tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}) {
    const scmp_arg_cmp other[] = {is_other(0)};
    if (!refuse(filter, call, EPERM, other)) return false;
  }
  // 0 is the worker's own group, which watch_host() kills, and which nobody can leave or join. The
  // process's own number is refused, too: raise() and abort() name a thread by tgkill. A rule for
  // each signal would be exacter, but libseccomp 2.5.4 merges two such rules into a wrong one.
  const scmp_arg_cmp outside[] = {{0, SCMP_CMP_NE, 0, 0}};
  if (!refuse(filter, "kill", EPERM, outside)) return false;
  return refuse(filter, "tkill", EPERM, {});  // names a thread, perhaps of another process
}

bool add_rules(const Filter& filter, bool alone) {
  for (const char* call : kRefused) {
    if (!refuse(filter, call, EPERM, {})) return false;
  }
#if !defined(__SANITIZE_ADDRESS__)  // which looks for leaks by it
  if (!refuse(filter, "ptrace", EPERM, {})) return false;
#endif
  // Limits of another process: the C library names this one by 0.
  const scmp_arg_cmp another[] = {{0, SCMP_CMP_NE, 0, 0}};
  if (!refuse(filter, "prlimit64", EPERM, another)) return false;
  // A datagram socket sends to any address, although it was made as one of a pair.
  for (const scmp_datum_t type : {SOCK_DGRAM, SOCK_RAW}) {
    const scmp_arg_cmp of_type[] = {{1, SCMP_CMP_MASKED_EQ, 0xf, type}};
    if (!refuse(filter, "socketpair", EPERM, of_type)) return false;
  }
  // New namespaces bring new capabilities. The flags of clone3 lie in memory, which a filter cannot
  // read; the C library then uses clone.
  constexpr scmp_datum_t kNewNamespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS |
                                          CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                                          CLONE_NEWCGROUP;
  if (!refuse(filter, "clone3", ENOSYS, {})) return false;
  for (scmp_datum_t flag = 1; flag <= kNewNamespaces; flag <<= 1) {
    const scmp_arg_cmp given[] = {{0, SCMP_CMP_MASKED_EQ, flag, flag}};
    if ((kNewNamespaces & flag) != 0 && !refuse(filter, "clone", EPERM, given)) return false;
  }
  return alone || refuse_signals(filter);
}

}  // namespace

std::string drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, held) != 0) return failed("capget", errno);
  // Superusers read files of others: a plugin that only they can read must be found.
  constexpr std::uint32_t kKept = 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH;
  const bool may_bound = (held[0].effective & 1U << CAP_SETPCAP) != 0;
  for (int each = 0; may_bound && each <= CAP_LAST_CAP; ++each) {
    if (each < 32 && (kKept & 1U << each) != 0) continue;
    prctl(PR_CAPBSET_DROP, each, 0, 0, 0);  // fails for those that an older kernel does not know
  }
  held[0].effective &= kKept;
  held[0].permitted &= kKept;
  held[1] = {};
  held[0].inheritable = 0;
  if (syscall(SYS_capset, &header, held) != 0) return failed("capset", errno);
  return "";
}

std::string filter_system_calls(bool alone) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("PR_SET_NO_NEW_PRIVS", errno);
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter || !add_rules(filter, alone)) return "no filter of system calls can be made";
  if (const int error = seccomp_load(filter.get()); error != 0) return failed("seccomp", -error);
  return "";
}

void shield_memory() { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace concord::conformance
