// SPDX-License-Identifier: Apache-2.0
// Host with a plugin that does what no plugin may: whatever it does comes back as a value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>

#include "conformance/worker/host.h"
#include "conformance/worker/hostile_host.h"

namespace concord::conformance {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Kind = WorkerFailure::Kind;

// The short deadline is also one for loading, which can take its time on a busy machine.
constexpr milliseconds kLong{20000}, kShort{1500};

// Runs a case on a plugin with this configuration, then checks that the host can go on.
WorkerFailure worker_failure_of(const std::string& config, milliseconds deadline = kLong) {
  Host host(test_plugin("hostile", config), test_options(deadline));
  const SmallCase small;
  const auto once = [&]() -> WorkerFailure {
    const auto queried = host.query(small.problem());
    if (const auto* failure = find_failure<WorkerFailure>(queried)) return *failure;
    EXPECT_TRUE(queried) << config;
    const auto tried = host.execute(small.trial());
    if (const auto* failure = find_failure<WorkerFailure>(tried)) return *failure;
    ADD_FAILURE() << config << " does no harm";
    return {};
  };
  const WorkerFailure first = once(), second = once();
  EXPECT_EQ(first.kind, second.kind) << config << ": " << first.detail << "; " << second.detail;
  EXPECT_EQ(first.stage, second.stage) << config << ": " << first.detail << "; " << second.detail;
  return first;
}

struct Stages : testing::TestWithParam<Stage> {
  std::string config(const std::string& deed) const {
    return std::string(to_string(GetParam())) + ":" + deed;
  }
  // The failure is of this kind and of the stage, and its detail begins like this.
  void expect(const std::string& deed, Kind kind, const std::string& detail) const {
    const WorkerFailure failure = worker_failure_of(config(deed));
    EXPECT_EQ(failure.kind, kind) << deed << ": " << failure.detail;
    EXPECT_EQ(failure.stage, GetParam()) << deed << ": " << failure.detail;
    EXPECT_THAT(failure.detail, StartsWith(detail)) << deed;
  }
};

TEST_P(Stages, DeathBySignalIsACrashAtThatStage) {
  expect("segv", Kind::kCrash, "SIGSEGV");
  expect("abort", Kind::kCrash, "SIGABRT");
  expect("kill", Kind::kCrash, "SIGKILL");
  expect("stack", Kind::kCrash, "SIGSEGV");
}

TEST_P(Stages, AnExitIsAnExitAtThatStage) {
  expect("exit", Kind::kExit, "exit with code 0");
  expect("_exit", Kind::kExit, "exit with code 7");
  expect("fork_exit", Kind::kExit, "exit with code 3");
}

TEST_P(Stages, NonsenseOnTheChannelIsAGainstTheProtocol) {
  const WorkerFailure garbage = worker_failure_of(config("garbage"));
  EXPECT_EQ(garbage.kind, Kind::kProtocol);
  EXPECT_THAT(garbage.detail, StartsWith("an impossible answer: not a JSON object"));
  if (garbage.stage != GetParam()) {
    EXPECT_THAT(garbage.detail, HasSubstr("(or in "));
    EXPECT_THAT(garbage.detail, HasSubstr(std::string(to_string(GetParam()))));
  }
  expect("endless", Kind::kProtocol, "an answer without an end arrived");
  expect("close_all", Kind::kProtocol, "the channel was closed");
}

INSTANTIATE_TEST_SUITE_P(Host, Stages,
                         testing::Values(Stage::kOpen, Stage::kQuery, Stage::kPrepare,
                                         Stage::kExecute, Stage::kRelease),
                         [](const auto& stage) { return std::string(to_string(stage.param)); });

TEST(HostFaults, ABadAccessIsToldByTheTensorItMisses) {
  const std::pair<const char*, const char*> accesses[] = {
      {"read_after_src", "read directly after the end of src"},
      {"read_4_after_src", "read 4 bytes after the end of src"},
      {"read_far_before_src", "read 100000 bytes before the beginning of src"},
      {"write_src", "write at byte 0 of src, which is read-only"},
      {"write_weights", "write at byte 5 of weights, which is read-only"},
      {"write_after_dst", "write directly after the end of dst"},
      {"write_after_workspace", "write 28 bytes after the end of workspace"},
      {"null", "write at address 0x0, a null pointer"}};
  for (const auto& [deed, detail] : accesses) {
    const WorkerFailure failure = worker_failure_of("execute:" + std::string(deed));
    EXPECT_EQ(failure.kind, Kind::kCrash);
    EXPECT_EQ(failure.stage, Stage::kExecute);
    EXPECT_EQ(failure.detail, "SIGSEGV: " + std::string(detail));
  }
}

// The same of what a call passes besides tensors.
TEST(HostFaults, ABadAccessIsToldByTheArgumentItMisses) {
  const std::pair<const char*, const char*> accesses[] = {
      {"query:read_after_inputs", "read directly after the end of the problem's inputs"},
      {"query:write_after_answer", "write directly after the end of the answer"},
      {"execute:read_after_inputs", "read directly after the end of the execution's inputs"}};
  for (const auto& [deed, detail] : accesses) {
    const WorkerFailure failure = worker_failure_of(deed);
    EXPECT_EQ(failure.kind, Kind::kCrash);
    EXPECT_EQ(failure.detail, "SIGSEGV: " + std::string(detail));
  }
}

TEST(HostFaults, AProblemThatIsKeptAfterPrepareIsGarbageInExecute) {
  const WorkerFailure failure = worker_failure_of("execute:read_kept_problem");
  EXPECT_EQ(failure.kind, Kind::kCrash);
  EXPECT_EQ(failure.stage, Stage::kExecute);
}

// In the second execution, whose tensors begin where their pages do.
TEST(HostFaults, ABadAccessJustBeforeATensorIsToldInTheSecondExecution) {
  const SmallCase small;
  const std::pair<const char*, const char*> accesses[] = {
      {"read_before_src", "read 1 bytes before the beginning of src"},
      {"write_before_dst", "write 1 bytes before the beginning of dst"},
      {"write_before_workspace", "write 1 bytes before the beginning of workspace"}};
  for (const auto& [deed, detail] : accesses) {
    Host host(test_plugin("hostile", "execute:" + std::string(deed)), test_options());
    const auto answered = host.execute(small.trial(2));
    ASSERT_TRUE(find_failure<WorkerFailure>(answered)) << deed;
    EXPECT_EQ(find_failure<WorkerFailure>(answered)->detail, "SIGSEGV: " + std::string(detail));
  }
}

TEST(HostFaults, ASignalFromACallIsNotTakenForABadAccess) {
  EXPECT_EQ(worker_failure_of("query:segv").detail,
            "SIGSEGV: sent by a call such as kill or raise");
}

#if defined(__x86_64__)
TEST(HostFaults, AMisalignedVectorLoadIsTold) {
  const WorkerFailure failure = worker_failure_of("execute:aligned_load");
  EXPECT_EQ(failure.kind, Kind::kCrash);
  EXPECT_THAT(failure.detail, HasSubstr("not aligned as its instruction demands"));
}
#endif

TEST(HostFaults, AWorkerFailureKeepsTheLastOutput) {
  EXPECT_EQ(worker_failure_of("execute:abort").output, "the plugin gives up\n");
  const WorkerFailure flooded = worker_failure_of("execute:flood_abort");
  EXPECT_EQ(flooded.kind, Kind::kCrash);
  EXPECT_EQ(flooded.output.size(), 2048u);
  EXPECT_THAT(flooded.output, EndsWith("line 19999 of a flood of output\n"));
}

TEST(HostFaults, AWorkerFailureIsToldWithTheLastLineThatItPrinted) {
  EXPECT_EQ(describe(worker_failure_of("execute:abort")),
            "in execute: SIGABRT: printed 'the plugin gives up'");
  EXPECT_EQ(describe(worker_failure_of("open:kill")), "in open: SIGKILL");
#if !defined(__SANITIZE_ADDRESS__)  // which fails by itself as such a thread unwinds its stack
  EXPECT_THAT(describe(worker_failure_of("prepare:end_thread")), StartsWith("in prepare: SIGABRT"));
#endif
  const std::string long_line(300, 'x');
  EXPECT_EQ(describe({Kind::kExit, Stage::kLoad, "exit with code 1", "a\n" + long_line + "\n\n"}),
            "in load: exit with code 1: printed '" + long_line.substr(0, 200) + "...'");
}

TEST(HostFaults, AFloatingPointEnvironmentThatIsLeftChangedIsTold) {
  const SmallCase small;
  const std::pair<const char*, const char*> changes[] = {
      {"", ""},
      {"execute:round_up", "results are rounded upward"},
      {"prepare:round_down", "results are rounded downward"},
      {"query:round_to_zero", "results are rounded toward zero"},
      {"open:flush", "subnormal results become zero, subnormal inputs count as zero"}};
  for (const auto& [config, change] : changes) {
    Host host(test_plugin("hostile", config), test_options());
    ASSERT_TRUE(host.query(small.problem())) << config;
    const auto tried = host.execute(small.trial());
    ASSERT_TRUE(tried) << config;
    EXPECT_EQ(tried->float_environment, change) << config;
  }
}

TEST(HostFaults, MisdeedsThatLeaveTheWorkerWholeAreNoWorkerFailures) {
  const SmallCase small;
  for (const char* config : {"execute:flood", "execute:close_output", "execute:fork",
                             "execute:fork_return", "execute:thread", "query:flood",
                             "query:fork_return", "execute:cut_short", "execute:limits"}) {
    Host host(test_plugin("hostile", config), test_options());
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(host.query(small.problem())) << config;
      const auto tried = host.execute(small.trial());
      ASSERT_TRUE(tried) << config;
    }
  }
}

// Sanitizers need more address space than any limit would leave them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HostFaults, MemoryBeyondTheLimitIsRefusedToThePlugin) {
  const WorkerFailure failure = worker_failure_of("execute:allocate");
  EXPECT_EQ(failure.kind, Kind::kExit);
  EXPECT_EQ(failure.output, "no memory is left\n");
  EXPECT_THAT(failure.detail, HasSubstr("its limit is 536870912: --memory-limit)"));
}
#endif

TEST(HostFaults, MemoryOfTheHostIsNotThePlugins) {
  EXPECT_EXIT(
      {
        const std::vector<char> much(test_options().memory_limit, 'x');
        const bool is_told_alone = worker_failure_of("execute:abort").detail == "SIGABRT";
        std::_Exit(is_told_alone && much.back() == 'x' ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(HostFaults, RequestsThatAreSentTogetherHaveADeadlineEach) {
  Host host(test_plugin("hostile", "every:tarry"), test_options(kShort));
  const SmallCase small;
  const auto reply = host.execute(small.trial(2));
  ASSERT_TRUE(reply) << describe(reply.why());
  EXPECT_EQ(reply->execute_status, CONCORD_OK);
}

// All of them at once, as each takes its deadline.
TEST(HostFaults, SilenceIsAHangAtItsStage) {
  std::vector<std::future<void>> hangs;
  for (const char* config :
       {"open:sleep", "query:sleep", "prepare:sleep", "execute:sleep", "release:sleep",
        "query:spin", "execute:new_group", "execute:ignore_signals", "execute:stop"}) {
    hangs.push_back(std::async(std::launch::async, [config] {
      const WorkerFailure failure = worker_failure_of(config, kShort);
      EXPECT_EQ(failure.kind, Kind::kHang) << config;
      const std::string stage(to_string(failure.stage));
      EXPECT_THAT(config, StartsWith(stage + ":"));
      EXPECT_EQ(failure.detail, "no answer within 1500 ms (--deadline)");
    }));
  }
}

TEST(HostFaults, AJumpIntoAFrameThatIsGoneComesBackAsSomeWorkerFailure) {
  const WorkerFailure failure = worker_failure_of("execute:longjmp", kShort);
  EXPECT_EQ(failure.stage, Stage::kExecute);
}

TEST(HostFaults, AnAnswerWithoutItsFieldsIsAgainstTheProtocol) {
  const WorkerFailure empty = worker_failure_of("query:empty_object");
  EXPECT_EQ(empty.kind, Kind::kProtocol);
  EXPECT_THAT(empty.detail, HasSubstr("'status'"));
  const WorkerFailure wrong = worker_failure_of("prepare:wrong_fields");
  EXPECT_EQ(wrong.kind, Kind::kProtocol);
  EXPECT_THAT(wrong.detail, HasSubstr("must be string"));
  const WorkerFailure later = worker_failure_of("execute:empty_object");
  EXPECT_EQ(later.stage, Stage::kPrepare) << later.detail;
  EXPECT_THAT(later.detail, HasSubstr("(or in execute)"));
}

// The host reads that memory. Answers that nobody waited for are against the protocol, too.
TEST(HostFaults, AForgedWorkspaceIsRefused) {
  Host host(test_plugin("hostile", "prepare:forge_workspace"), test_options(kLong));
  const SmallCase small;
  const auto forged = host.execute(small.trial());
  if (forged) {
    EXPECT_EQ(forged->prepare_status, CONCORD_FAULT);
    EXPECT_THAT(forged->reason, HasSubstr("workspace_alignment of 0"));
  }
  const auto next = host.query(small.problem());
  EXPECT_TRUE(!forged || find_failure<WorkerFailure>(next) != nullptr);
}

TEST(HostFaults, AThreadThatCrashesBetweenTwoRequestsIsACrashOfTheNext) {
  Host host(test_plugin("hostile", "query:crash_later"), test_options());
  const SmallCase small;
  ASSERT_TRUE(host.query(small.problem()));
  usleep(300000);
  const auto tried = host.execute(small.trial());
  ASSERT_TRUE(find_failure<WorkerFailure>(tried));
  EXPECT_EQ(find_failure<WorkerFailure>(tried)->kind, Kind::kCrash);
  EXPECT_THAT(find_failure<WorkerFailure>(tried)->detail, StartsWith("SIGABRT"));
}

TEST(HostFaults, ThoseOfCloseAndOfTheEndComeFromStop) {
  const std::tuple<const char*, Kind, const char*> deeds[] = {
      {"close:abort", Kind::kCrash, "SIGABRT"},
      {"close:sleep", Kind::kHang, "no answer within 1500 ms (--deadline)"},
      {"close:_exit", Kind::kExit, "exit with code 7"},
      {"exit:segv", Kind::kCrash, "SIGSEGV: sent by a call such as kill or raise"},
      {"exit:sleep", Kind::kHang, "no answer within 1500 ms (--deadline)"},
      {"exit:_exit", Kind::kExit, "exit with code 7"}};
  for (const auto& [config, kind, detail] : deeds) {
    Host host(test_plugin("hostile", config), test_options(kShort));
    ASSERT_TRUE(host.start());
    const auto failure = host.stop();
    ASSERT_TRUE(failure.has_value()) << config;
    EXPECT_EQ(failure->kind, kind) << config;
    EXPECT_EQ(failure->detail, detail) << config;
  }
}

struct Process {
  int parent = 0;
  bool is_worker = false;  ///< runs the worker program
  bool is_zombie = false;
};

// All processes of the machine, by number.
std::map<int, Process> processes() {
  std::map<int, Process> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    int pid = 0;
    std::string name, state;
    Process process;
    if (!(stat >> pid >> name >> state >> process.parent)) continue;
    std::error_code none;
    const auto program = std::filesystem::read_symlink(entry.path() / "exe", none);
    process.is_worker = !none && program == std::filesystem::canonical(TEST_WORKER);
    process.is_zombie = state == "Z";
    found[pid] = process;
  }
  return found;
}

// The workers among this process's descendants, and descendants that nobody has waited for. Other
// tests, which may run at the same time, have workers of their own.
std::size_t processes_of_test_worker() {
  const auto all = processes();
  const auto is_descendant = [&](int pid) {
    for (auto at = all.find(pid); at != all.end(); at = all.find(at->second.parent)) {
      if (at->second.parent == getpid()) return true;
    }
    return false;
  };
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& known) {
    const auto& [pid, process] = known;
    return (process.is_worker || process.is_zombie) && is_descendant(pid);
  }));
}

// With namespaces, two processes of the sandbox stand between host and worker.
std::size_t processes_of_a_worker() {
  Host host(test_plugin("hostile"), test_options());
  const auto started = host.start();
  if (!started) return 0;
  return started->confinement.level == SandboxLevel::kNamespaces ? 3 : 1;
}

// Waits, as a process that was killed takes a moment to be gone.
void expect_processes_soon(std::size_t count) {
  for (int i = 0; i < 500 && processes_of_test_worker() != count; ++i) usleep(10000);
  EXPECT_EQ(processes_of_test_worker(), count);
}

TEST(HostFaults, NoProcessIsLeftBehind) {
  const std::size_t processes = processes_of_a_worker();
  const std::size_t before = processes_of_test_worker();
  {
    Host host(test_plugin("hostile", "execute:fork"), test_options());
    const SmallCase small;
    ASSERT_TRUE(host.execute(small.trial()));
    ASSERT_TRUE(host.execute(small.trial()));
    // The worker and two sleeping children.
    EXPECT_EQ(processes_of_test_worker(), before + processes + 2);
  }
  worker_failure_of("execute:fork_exit");
  worker_failure_of("prepare:sleep", kShort);
  expect_processes_soon(before);
}

TEST(HostFaults, NoProcessIsLeftBehindThatBeganASessionOfItsOwn) {
  const std::size_t processes = processes_of_a_worker();
  const std::size_t before = processes_of_test_worker();
  {
    Host host(test_plugin("hostile", "execute:fork_setsid"), test_options());
    ASSERT_TRUE(host.execute(SmallCase().trial()));
    expect_processes_soon(before + processes + 2);
  }
  expect_processes_soon(before);
}

TEST(HostFaults, AChainOfProcessesIsEndedThatEachStartTheNextAndExit) {
  const std::size_t before = processes_of_test_worker();
  for (int i = 0; i < 5; ++i) {
    Host host(test_plugin("hostile", "execute:chain"), test_options());
    const auto tried = host.execute(SmallCase().trial());
    ASSERT_TRUE(tried);
    EXPECT_FALSE(host.stop());
    EXPECT_EQ(processes_of_test_worker(), before);
  }
}

TEST(HostFaults, AWorkerDoesNotOutliveItsHost) {
  const std::size_t processes = processes_of_a_worker();
  const std::size_t before = processes_of_test_worker();
  const int host_process = fork();
  if (host_process == 0) {
    Host host(test_plugin("hostile", "execute:spin"), test_options());
    (void)host.execute(SmallCase().trial());
    _exit(0);
  }
  expect_processes_soon(before + processes);
  usleep(300000);  // the plugin spins by now: the worker cannot see that nobody asks any more
  kill(host_process, SIGKILL);
  EXPECT_EQ(waitpid(host_process, nullptr, 0), host_process);
  pid_t ended = 0;  // the worker, which is an orphan and so ours by now
  for (int i = 0; i < 500 && (ended = waitpid(-1, nullptr, WNOHANG)) == 0; ++i) usleep(10000);
  EXPECT_GT(ended, 0);
  expect_processes_soon(before);
}

}  // namespace
}  // namespace concord::conformance
