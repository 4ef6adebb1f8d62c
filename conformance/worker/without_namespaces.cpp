// SPDX-License-Identifier: Apache-2.0
// without_namespaces PROGRAM [ARGUMENT ...]: runs a program as a kernel would that gives none to
// it, as in most containers, whatever this kernel gives.
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

int main(int, char** arguments) {
  void* const filter = seccomp_init(SCMP_ACT_ALLOW);
  const scmp_arg_cmp new_user[] = {{0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER}};
  const bool refuses =
      filter != nullptr &&
      seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, new_user) == 0 &&
      seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1, new_user) == 0 &&
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
      seccomp_load(filter) == 0;
  if (!refuses || arguments[1] == nullptr) {
    std::fprintf(stderr, "usage: without_namespaces PROGRAM [ARGUMENT ...], with seccomp\n");
    return 2;
  }
  execv(arguments[1], arguments + 1);
  std::perror(arguments[1]);
  return 2;
}
