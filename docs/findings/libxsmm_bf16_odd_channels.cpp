// SPDX-License-Identifier: Apache-2.0
// LIBXSMM 1.17: a bf16 layer with an odd number of input channels is made without complaint, and
// jumps to a null pointer when it runs. Exits with 0 if that is so, with 77 on a processor without
// AVX-512, for which LIBXSMM has no bf16.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "docs/findings/libxsmm_layer.h"

int main() {
  libxsmm_init();
  if (libxsmm_get_target_archid() < LIBXSMM_X86_AVX512_CORE) {
    std::puts("LIBXSMM convolves bf16 with AVX-512 alone");
    return 77;
  }
  const pid_t child = fork();
  if (child == 0) _exit(executes(describe(7, 4, 5, 2, 2, LIBXSMM_DNN_DATATYPE_BF16)) ? 0 : 1);
  int ended = 0;
  waitpid(child, &ended, 0);
  const bool died = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGSEGV;
  std::printf("7 channels of 4x5, one kernel of 2x2: %s\n",
              died ? "a segmentation fault" : "no segmentation fault");
  return died ? 0 : 1;
}
