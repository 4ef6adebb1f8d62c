// SPDX-License-Identifier: Apache-2.0
// Calls into the kernel that no convolution needs: each must be refused.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>

#include "conformance/command/hostile/deeds.h"

namespace concord::hostile {
namespace {

template <class... Arguments>
bool done(long number, Arguments... arguments) {
  return syscall(number, arguments...) >= 0;
}

char* somewhere() {
  static char bytes[4096];
  return bytes;
}

// A call that fails for its arguments alone shows nothing: where the kernel looks at the arguments
// before the rights, they are good ones.
constexpr Deed kDeeds[] = {{"mount a file system over /usr", "execute", "FAIL", "", "never",
                            [](const World&) {
                              return mount("tmpfs", "/usr", "tmpfs", 0, nullptr) == 0;
                            }},
                           {"make / writable again", "execute", "FAIL", "", "never",
                            [](const World&) {
                              return mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) ==
                                     0;
                            }},
                           {"unmount /proc", "execute", "FAIL", "", "never",
                            [](const World&) { return umount2("/proc", MNT_DETACH) == 0; }},
                           {"a new mount by fsopen", "execute", "FAIL", "", "",
                            [](const World&) { return done(SYS_fsopen, "tmpfs", 0); }},
                           {"a copy of / by open_tree", "execute", "FAIL", "", "",
                            [](const World&) { return done(SYS_open_tree, AT_FDCWD, "/", 1U); }},
                           {"make / writable by mount_setattr", "execute", "FAIL", "", "never",
                            [](const World&) {
                              mount_attr attributes{};
                              attributes.attr_clr = MOUNT_ATTR_RDONLY;
                              return done(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes,
                                          sizeof attributes);
                            }},
                           {"pivot_root", "execute", "FAIL", "", "never",
                            [](const World&) { return done(SYS_pivot_root, "/", "/"); }},
                           {"chroot", "execute", "FAIL", "", "",
                            [](const World&) { return chroot("/usr") == 0; }},
                           {"new namespaces by unshare", "execute", "FAIL", "", "",
                            [](const World&) { return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0; }},
                           {"new namespaces by clone", "execute", "FAIL", "", "",
                            [](const World&) {
                              const long child =
                                  syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
                              if (child == 0) _exit(0);
                              return child > 0;
                            }},
                           {"new namespaces by clone3", "execute", "FAIL", "", "",
                            [](const World&) {
                              unsigned long long arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
                              const long child = syscall(SYS_clone3, arguments, sizeof arguments);
                              if (child == 0) _exit(0);
                              return child > 0;
                            }},
                           {"the namespaces of process 1 by setns", "execute", "FAIL", "", "",
                            [](const World&) {
                              const int other = open("/proc/1/ns/user", O_RDONLY);
                              return setns(other < 0 ? 0 : other, 0) == 0;
                            }},
                           {"another user's rights", "execute", "FAIL", "", "",
                            [](const World&) { return setresuid(12345, 12345, 12345) == 0; }},
                           {"a set-user-id program", "execute", "FAIL", "", "",
                            [](const World&) {
                              return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
                            }},
                           {"a session of its own", "execute", "FAIL", "", "",
                            [](const World&) {
                              const pid_t child = fork();
                              if (child == 0) _exit(setsid() > 0 ? 1 : 0);
                              int status = 0;
                              return child > 0 && waitpid(child, &status, 0) == child &&
                                     WIFEXITED(status) && WEXITSTATUS(status) == 1;
                            }},
                           {"another process group", "execute", "FAIL", "", "",
                            [](const World&) { return setpgid(0, 0) == 0; }},
                           {"a bpf program", "execute", "FAIL", "", "",
                            [](const World&) {
                              bpf_attr attributes{};
                              attributes.map_type = BPF_MAP_TYPE_ARRAY;
                              attributes.key_size = attributes.value_size = 4;
                              attributes.max_entries = 1;
                              return done(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes);
                            }},
                           {"counters of the processor by perf_event_open", "execute", "FAIL", "",
                            "",
                            [](const World&) {
                              perf_event_attr attributes{};
                              attributes.size = sizeof attributes;
                              attributes.type = PERF_TYPE_SOFTWARE;
                              return done(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
                            }},
                           {"faults handled by userfaultfd", "execute", "FAIL", "", "",
                            [](const World&) { return done(SYS_userfaultfd, O_CLOEXEC | 1); }},
                           {"calls by io_uring, past the filter", "execute", "FAIL", "", "",
                            [](const World&) {
                              unsigned parameters[30] = {};
                              return done(SYS_io_uring_setup, 4, parameters);
                            }},
                           {"a key in the kernel's ring", "execute", "FAIL", "", "",
                            [](const World&) {
                              return done(SYS_add_key, "user", "hostile", "x", 1, -3);
                            }},
                           {"the session's keys", "execute", "FAIL", "", "",
                            [](const World&) { return done(SYS_keyctl, 0, -3, 1, 0, 0); }},
                           {"the kernel's log", "execute", "FAIL", "", "",
                            [](const World&) { return done(SYS_syslog, 3, somewhere(), 4096); }},
                           {"a kernel module", "execute", "FAIL", "", "never",
                            [](const World&) { return done(SYS_init_module, somewhere(), 0, ""); }},
                           {"another kernel by kexec", "execute", "FAIL", "", "never",
                            [](const World&) { return done(SYS_kexec_load, 0, 0, 0, 0); }},
                           {"a reboot", "execute", "FAIL", "", "never",
                            [](const World&) {
                              return done(SYS_reboot, 0xfee1dead, 672274793, 0, 0);
                            }},
                           {"another host name", "execute", "FAIL", "", "never",
                            [](const World&) { return sethostname("hostile", 7) == 0; }},
                           {"another time by settimeofday", "execute", "FAIL", "", "never",
                            [](const World&) {
                              const timeval begin{};
                              return settimeofday(&begin, nullptr) == 0;
                            }},
                           {"another time by clock_settime", "execute", "FAIL", "", "never",
                            [](const World&) {
                              const timespec begin{};
                              return clock_settime(CLOCK_REALTIME, &begin) == 0;
                            }},
                           {"a faster clock by adjtimex", "execute", "FAIL", "", "never",
                            [](const World&) {
                              timex change{};
                              return adjtimex(&change) >= 0;
                            }},
                           {"the swap space", "execute", "FAIL", "", "never",
                            [](const World&) { return done(SYS_swapoff, "/dev/null"); }},
                           {"quotas", "execute", "FAIL", "", "never",
                            [](const World&) {
                              return done(SYS_quotactl, 0x80000100U, nullptr, 0, nullptr);
                            }},
                           {"process accounting", "execute", "FAIL", "", "never",
                            [](const World&) { return done(SYS_acct, nullptr); }},
                           {"files by their handles, past the mounts", "execute", "FAIL", "", "",
                            [](const World&) {
                              struct {
                                unsigned bytes = 8;
                                int type = 1;
                                unsigned inode[2] = {2, 0};
                              } root;
                              const int folder = open("/", O_RDONLY);
                              return done(SYS_open_by_handle_at, folder, &root, O_RDONLY);
                            }},
                           {"a watch over all files by fanotify", "execute", "FAIL", "", "",
                            [](const World&) { return done(SYS_fanotify_init, 0x200U, O_RDONLY); }},
                           {"another personality", "execute", "FAIL", "", "",
                            [](const World&) { return done(SYS_personality, 0x0400000UL); }},
#if defined(__x86_64__)
                           {"the ports of the processor", "execute", "FAIL", "", "never",
                            [](const World&) { return done(SYS_iopl, 3); }},
#endif
                           {"a socket of the machine's host, by vsock", "execute", "FAIL", "", "",
                            [](const World&) { return socket(40, SOCK_STREAM, 0) >= 0; }},
                           {"the kernel's ciphers, by a socket", "execute", "FAIL", "", "",
                            [](const World&) { return socket(AF_ALG, SOCK_SEQPACKET, 0) >= 0; }},
                           {"the routes, by a netlink socket", "execute", "FAIL", "", "",
                            [](const World&) { return socket(AF_NETLINK, SOCK_RAW, 0) >= 0; }},
                           {"raw packets", "execute", "FAIL", "", "",
                            [](const World&) { return socket(AF_PACKET, SOCK_RAW, 0) >= 0; }}};

}  // namespace

std::span<const Deed> deeds_of_calls() { return kDeeds; }

}  // namespace concord::hostile
