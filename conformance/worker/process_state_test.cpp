// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/process_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>

namespace concord::conformance {
namespace {

using testing::HasSubstr;

// Told once, and put back.
void expect_told(const ProcessState& state, const std::string& change) {
  EXPECT_EQ(state.restore(), change);
  EXPECT_EQ(state.restore(), "");
}

TEST(ProcessState, IsTheSameWhereNothingWasChanged) {
  const ProcessState state;
  EXPECT_EQ(state.restore(), "");
}

TEST(ProcessState, TellsTheDirectoryAndTheUmask) {
  const ProcessState state;
  ASSERT_EQ(chdir("/"), 0);
  umask(0);
  expect_told(state, "the current directory is /, the umask is 000");
}

TEST(ProcessState, TellsHandlersAndBlockedSignals) {
  const ProcessState state;
  std::signal(SIGUSR1, SIG_IGN);
  sigset_t two;
  sigemptyset(&two);
  sigaddset(&two, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &two, nullptr);
  expect_told(state, "SIGUSR1 has another handler, SIGTERM is blocked");
}

// Neither is seen in the sets of signals that are ignored or caught.
TEST(ProcessState, TellsAnotherHandlerInPlaceOfOneAndWhatBecomesOfChildren) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR2, &action, nullptr);
  const ProcessState state;
  action.sa_handler = [](int number) { std::signal(number, SIG_DFL); };
  sigaction(SIGUSR2, &action, nullptr);
  action = {};
  action.sa_flags = SA_NOCLDWAIT;
  sigaction(SIGCHLD, &action, nullptr);
  expect_told(state, "SIGUSR2 has another handler, SIGCHLD has another handler");
  std::signal(SIGUSR2, SIG_DFL);
}

// The C library adds a flag to what it puts back.
TEST(ProcessState, IsTheSameWhereADefaultHandlerWasPutBack) {
  const ProcessState state;
  for (const int number : {SIGPIPE, SIGCHLD}) std::signal(number, std::signal(number, SIG_IGN));
  std::signal(SIGUSR1, SIG_IGN);  // so that all are looked at
  expect_told(state, "SIGUSR1 has another handler");
}

TEST(ProcessState, TellsTheLastRealTimeSignal) {
  const ProcessState state;
  std::signal(SIGRTMAX, SIG_IGN);
  EXPECT_THAT(state.restore(), HasSubstr(" has another handler"));
  EXPECT_EQ(state.restore(), "");
}

// As where there is no /proc, or a plugin closes all that it finds.
TEST(ProcessState, NeedsNoFilesToTellSignalsLimitsAndTheUmask) {
  EXPECT_EXIT(
      {
        const ProcessState state;
        for (int descriptor = 3; descriptor < 256; ++descriptor) close(descriptor);
        rlimit limit{};
        getrlimit(RLIMIT_NOFILE, &limit);
        --limit.rlim_cur;
        setrlimit(RLIMIT_NOFILE, &limit);
        std::signal(SIGUSR1, SIG_IGN);
        umask(0);
        const std::string told = state.restore();
        std::_Exit(
            told == "the umask is 000, SIGUSR1 has another handler, RLIMIT_NOFILE is another one" &&
                    state.restore().empty()
                ? 0
                : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ProcessState, TellsVariablesThatAreSetOrGone) {
  setenv("CONCORD_TEST_OLD", "1", 1);
  setenv("CONCORD_TEST_CHANGED", "1", 1);
  const ProcessState state;
  unsetenv("CONCORD_TEST_OLD");
  setenv("CONCORD_TEST_CHANGED", "2", 1);
  setenv("CONCORD_TEST_NEW", "", 1);
  const std::string changes = state.restore();
  EXPECT_THAT(changes, HasSubstr("the variable CONCORD_TEST_OLD is gone"));
  EXPECT_THAT(changes, HasSubstr("the variable CONCORD_TEST_CHANGED is set"));
  EXPECT_THAT(changes, HasSubstr("the variable CONCORD_TEST_NEW is set"));
  EXPECT_EQ(state.restore(), "");
  EXPECT_STREQ(std::getenv("CONCORD_TEST_CHANGED"), "1");
  EXPECT_EQ(std::getenv("CONCORD_TEST_NEW"), nullptr);
}

TEST(ProcessState, TellsTheLocale) {
  const ProcessState state;
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
  EXPECT_THAT(state.restore(), HasSubstr("the locale is LC_CTYPE=C.UTF-8"));
  const locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  uselocale(own);
  expect_told(state, "the thread has a locale of its own");
  freelocale(own);
}

TEST(ProcessState, TellsLimits) {
  const ProcessState state;
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  --limit.rlim_cur;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  expect_told(state, "RLIMIT_NOFILE is another one");
}

#if defined(__x86_64__)
TEST(ProcessState, TellsTheX87Unit) {
  const ProcessState state;
  const unsigned short single = 0x7f;
  asm volatile("fldcw %0" : : "m"(single));
  expect_told(state, "the x87 control word is 0x7f");
  asm volatile("pxor %%mm0, %%mm0" ::: "memory");
  expect_told(state, "registers of the x87 unit are in use, as after MMX without EMMS");
}
#endif

}  // namespace
}  // namespace concord::conformance
