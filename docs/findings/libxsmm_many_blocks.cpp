// SPDX-License-Identifier: Apache-2.0
// LIBXSMM 1.17: a layer whose sums have more than 1,024 blocks, of input channels times taps,
// writes behind arrays on the stack when it runs. Exits with 0 if that is so.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "docs/findings/libxsmm_layer.h"

namespace {

// True if a kernel of R x S over one pixel of so many channels ends its process.
bool dies(int channels, int R, int S) {
  const pid_t child = fork();
  if (child == 0) _exit(executes(describe(channels, R, S, R, S, LIBXSMM_DNN_DATATYPE_F32)) ? 0 : 1);
  int ended = 0;
  waitpid(child, &ended, 0);
  const bool died = WIFSIGNALED(ended);
  std::printf("%d channels, %dx%d taps: %s\n", channels, R, S,
              died ? "ended by a signal" : "not ended by a signal");
  return died;
}

}  // namespace

int main() {
  const bool few_live = !dies(1023, 1, 1) && !dies(4096, 1, 1) && !dies(1, 32, 32);
  const bool many_die = dies(4097, 1, 1) && dies(1, 64, 65);
  return few_live && many_die ? 0 : 1;
}
