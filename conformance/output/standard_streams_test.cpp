// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace concord::conformance {
namespace {

TEST(StandardStreams, AStandardErrorThatIsFullStopsNothing) {
  EXPECT_EXIT(
      {
        dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
        tell("nobody hears this");
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(StandardStreams, AFileThatIsOpenedLaterDoesNotTakeThePlaceOfOneThatIsClosed) {
  EXPECT_EXIT(
      {
        for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
          close(descriptor);
        }
        occupy_standard_descriptors();
        const bool above = open("/dev/null", O_RDONLY) > STDERR_FILENO;
        const bool fails = write(STDOUT_FILENO, "x", 1) < 0 && write(STDERR_FILENO, "x", 1) < 0;
        char byte = 0;
        _exit(above && fails && read(STDIN_FILENO, &byte, 1) < 0 ? 7 : 8);
      },
      testing::ExitedWithCode(7), "");
}

TEST(StandardStreams, OpenOnesStayAsTheyAre) {
  EXPECT_EXIT(
      {
        occupy_standard_descriptors();
        tell("still here");
        std::exit(7);
      },
      testing::ExitedWithCode(7), "still here");
}

// Writes into a pipe without a reader; gives errno.
int write_to_nobody() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return 0;
  close(ends[0]);
  const int error = write(ends[1], "x", 1) < 0 ? errno : 0;
  close(ends[1]);
  return error;
}

TEST(StandardStreams, APipeThatNobodyReadsIsNoSignalForAWhile) {
  EXPECT_EXIT(
      {
        const WriteErrorsAreNoSignals quiet;
        std::exit(write_to_nobody() == EPIPE ? 7 : 8);
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_DFL);
        { const WriteErrorsAreNoSignals quiet; }
        write_to_nobody();
        std::exit(8);
      },
      testing::KilledBySignal(SIGPIPE), "");
}

}  // namespace
}  // namespace concord::conformance
