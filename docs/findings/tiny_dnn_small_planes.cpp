// SPDX-License-Identifier: Apache-2.0
// tiny-dnn 1.0.0a3, AVX: a 5x5 convolution aborts where an output channel has few elements and does
// not begin at a multiple of eight. Exits with 0 if that is so.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "docs/findings/tiny_dnn_avx_kernel.h"

namespace {

/// The signal that ends a convolution of a 5x6 image, all ones, by so many kernels of ones; 0 for
/// the right result, two elements of 25 each.
int signal_of(unsigned kernels) {
  const pid_t child = fork();
  if (child == 0) {
    const tiny_dnn::vec_t dst =
        convolve_5x5(tiny_dnn::vec_t(30, 1), tiny_dnn::vec_t(25 * kernels, 1), 5, 6, kernels, 1);
    _exit(dst == tiny_dnn::vec_t(2 * kernels, 25) ? 0 : 1);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  return WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended) == 0 ? 0 : -1;
}

}  // namespace

int main() {
  const int one = signal_of(1), two = signal_of(2);
  std::printf("a 5x6 image, expected no signal; 1 kernel: signal %d, 2 kernels: signal %d\n", one,
              two);
  return one == 0 && two == SIGABRT ? 0 : 1;
}
