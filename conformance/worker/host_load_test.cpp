// SPDX-License-Identifier: Apache-2.0
// Host with files that are no plugins, and with plugins that do not come up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "conformance/worker/host.h"
#include "conformance/worker/hostile_host.h"
#include "conformance/worker/lack.h"

namespace concord::conformance {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string load_failure(const BackendSpec& spec, const HostOptions& options = test_options()) {
  Host host(spec, options);
  const auto started = host.start();
  if (const auto* failure = find_failure<WorkerFailure>(started)) return "not " + failure->detail;
  const auto* failure = find_failure<LoadFailure>(started);
  return failure == nullptr ? "it loads" : failure->detail;
}

WorkerFailure worker_failure_of_start(const BackendSpec& spec,
                                      const HostOptions& options = test_options()) {
  Host host(spec, options);
  const auto started = host.start();
  const auto* failure = find_failure<WorkerFailure>(started);
  EXPECT_NE(failure, nullptr);
  return failure == nullptr ? WorkerFailure{} : *failure;
}

LoadFailure failure_of_start(const BackendSpec& spec, const HostOptions& options) {
  Host host(spec, options);
  const auto started = host.start();
  const auto* failure = find_failure<LoadFailure>(started);
  EXPECT_NE(failure, nullptr);
  return failure == nullptr ? LoadFailure{} : *failure;
}

/// An environment variable, set for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(HostLoad, AMissingFileIsNamed) {
  EXPECT_EQ(load_failure(test_plugin("missing")),
            "cannot load the plugin '" TEST_PLUGINS "/missing.so': No such file or directory");
  EXPECT_EQ(load_failure({"", "", ""}), "cannot load the plugin '': No such file or directory");
}

TEST(HostLoad, AFolderIsNoPlugin) {
  EXPECT_THAT(load_failure({"", TEST_PLUGINS, ""}), HasSubstr("it is not a file"));
}

TEST(HostLoad, AFileThatIsNoSharedObjectIsNamedWithTheLoadersReason) {
  const std::string path = testing::TempDir() + "concord_no_shared_object.so";
  std::ofstream(path) << "this is text, not a shared object; it is long enough for a header\n";
  EXPECT_THAT(load_failure({"", path, ""}), AllOf(StartsWith("cannot load the plugin '" + path),
                                                  HasSubstr("invalid ELF header")));
  std::filesystem::remove(path);
}

TEST(HostLoad, AFileWithoutASlashIsLookedForInTheWorkingDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(TEST_PLUGINS);
  EXPECT_EQ(load_failure({"", "hostile.so", ""}), "it loads");
  std::filesystem::current_path(before);
}

TEST(HostLoad, ASharedObjectWithoutTheSymbolIsNoPlugin) {
  EXPECT_THAT(load_failure(test_plugin("no_symbol")),
              HasSubstr("no_symbol.so': it does not export concord_plugin_v1"));
}

TEST(HostLoad, AnotherAbiIsRefusedBeforeAnythingElseIsRead) {
  EXPECT_THAT(load_failure(test_plugin("wrong_table")),
              HasSubstr("wrong_table.so': it speaks ABI 8; expected 1"));
}

TEST(HostLoad, ABackendThatDoesNotOpenSaysWhy) {
  EXPECT_EQ(load_failure(test_plugin("hostile", "open:refuse")),
            "'" TEST_PLUGINS
            "/hostile.so' does not open with the configuration 'open:refuse': "
            "status 3, the licence has run out");
  EXPECT_THAT(load_failure(test_plugin("hostile", "open:long_reason")),
              HasSubstr("status 3, open's reason has no terminating zero within 256 bytes"));
}

TEST(HostLoad, AnExceptionThroughThePluginAbiIsAgainstTheProtocol) {
  const WorkerFailure failure = worker_failure_of_start(test_plugin("throwing"));
  EXPECT_EQ(failure.kind, WorkerFailure::Kind::kProtocol);
  EXPECT_EQ(failure.stage, Stage::kOpen);
  EXPECT_EQ(failure.detail, "an exception escaped: no such luck");
}

TEST(HostLoad, ConstructorsThatCrashExitOrSleepAreWorkerFailuresOfLoading) {
  const std::tuple<const char*, WorkerFailure::Kind, const char*> deeds[] = {
      {"crash", WorkerFailure::Kind::kCrash, "SIGSEGV"},
      {"exit", WorkerFailure::Kind::kExit, "exit with code 5"},
      {"sleep", WorkerFailure::Kind::kHang, "no answer within 1000 ms"}};
  for (const auto& [deed, kind, detail] : deeds) {
    const Variable variable("CONCORD_HOSTILE_CONSTRUCTOR", deed);
    const WorkerFailure failure =
        worker_failure_of_start(test_plugin("hostile"), test_options(std::chrono::seconds(1)));
    EXPECT_EQ(failure.kind, kind) << deed;
    EXPECT_EQ(failure.stage, Stage::kLoad) << deed;
    EXPECT_THAT(failure.detail, StartsWith(detail));
  }
}

TEST(HostLoad, OpenMpThreadsSleepUnlessTheEnvironmentWantsThemToSpin) {
  const Variable variable("CONCORD_HOSTILE_CONSTRUCTOR", "want_passive_openmp");
  EXPECT_EQ(load_failure(test_plugin("hostile")), "it loads");
  const Variable spin("OMP_WAIT_POLICY", "active");
  EXPECT_EQ(worker_failure_of_start(test_plugin("hostile")).detail, "exit with code 6");
}

// It would be taken for a lack of this machine's, and the backend for one without a verdict.
TEST(HostLoad, AConstructorThatAnswersForTheWorkerIsNotBelieved) {
  const Variable variable("CONCORD_HOSTILE_CONSTRUCTOR", "blame_the_machine");
  const LoadFailure failure = failure_of_start(test_plugin("hostile"), test_options());
  EXPECT_FALSE(failure.ours);
}

TEST(HostLoad, AWorkerProgramThatIsMissingIsNamed) {
  HostOptions options = test_options();
  options.worker_program = "/no/such/program";
  EXPECT_EQ(load_failure(test_plugin("hostile"), options),
            "cannot start '/no/such/program': No such file or directory");
}

TEST(HostLoad, AProcessThatEndsBeforeItComesToThePluginIsNotThePluginsTrouble) {
  HostOptions options = test_options();
  options.worker_program = "/bin/true";
  const LoadFailure failure = failure_of_start(test_plugin("hostile"), options);
  EXPECT_TRUE(failure.ours);
  EXPECT_EQ(failure.detail,
            "the worker ended before it reached the backend, in start: exit with code 0");
}

/// A program in the worker's place: a line of shell, before it becomes the worker.
class Script {
 public:
  explicit Script(const std::string& line) {
    std::ofstream(path_) << "#!/bin/sh\n" << line << "\nexec " << TEST_WORKER << " \"$@\"\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  ~Script() {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".once");
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "concord_worker_script";
};

TEST(HostLoad, AWorkerThatASignalEndsBeforeItComesToThePluginIsStartedAgain) {
  const Script script("mkdir \"$0.once\" 2>/dev/null && kill -9 $$");
  HostOptions options = test_options();
  options.worker_program = script.path();
  EXPECT_EQ(load_failure(test_plugin("hostile"), options), "it loads");
}

TEST(HostLoad, AWorkerThatSignalsEndAgainAndAgainIsNotThePluginsTrouble) {
  const Script script("kill -9 $$");
  HostOptions options = test_options();
  options.worker_program = script.path();
  options.start_patience = std::chrono::milliseconds(100);
  const LoadFailure failure = failure_of_start(test_plugin("hostile"), options);
  EXPECT_TRUE(failure.ours);
  EXPECT_EQ(failure.detail, "the worker ended before it reached the backend, in start: SIGKILL");
}

TEST(HostLoad, AShellThatCannotForkIsNotTheProgramsTrouble) {
  HostOptions options = test_options();
  options.start_patience = std::chrono::milliseconds(0);
  const std::string line = "echo 'sh: 1: Cannot fork' >&2; exit 2";
  const LoadFailure failure = failure_of_start({"exec:" + line, "", line}, options);
  EXPECT_TRUE(failure.ours);
  EXPECT_THAT(failure.detail, HasSubstr("(ulimit -u)"));
  const std::string own = "echo 'no licence' >&2; exit 2";
  EXPECT_EQ(worker_failure_of_start({"exec:" + own, "", own}, options).kind,
            WorkerFailure::Kind::kExit);
}

/// The number of open descriptors that this process may have, for a scope.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t soft) {
    getrlimit(RLIMIT_NOFILE, &before_);
    set(soft);
  }
  ~DescriptorLimit() { set(before_.rlim_cur); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  void set(rlim_t soft) const {
    const rlimit limit{soft, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }

 private:
  rlimit before_{};
};

TEST(HostLoad, DescriptorsThatRunOutAreThisMachinesTroubleAndNamed) {
  HostOptions options = test_options();
  options.start_patience = std::chrono::milliseconds(50);
  const DescriptorLimit few(7);
  const LoadFailure failure = failure_of_start(test_plugin("hostile"), options);
  EXPECT_TRUE(failure.ours);
  EXPECT_THAT(failure.detail, HasSubstr("Too many open files; a process may have 7 (ulimit -n)"));
}

TEST(HostLoad, AStartWaitsForDescriptorsThatComeBack) {
  const DescriptorLimit few(7);
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    few.set(200);
  });
  EXPECT_EQ(load_failure(test_plugin("hostile")), "it loads");
}

// A plugin must not see what the host needs.
TEST(HostLoad, ThePluginHasTheDescriptorLimitThatTheHostHadAtFirst) {
  const DescriptorLimit few(200);
  raise_descriptor_limit();
  rlimit raised{};
  getrlimit(RLIMIT_NOFILE, &raised);
  EXPECT_EQ(raised.rlim_cur, raised.rlim_max);
  Host host(test_plugin("hostile", "execute:show_descriptor_limit"), test_options());
  const auto tried = host.execute(SmallCase().trial());
  ASSERT_TRUE(tried);
  EXPECT_EQ(element(tried->dst, 0), 200);
  const std::string line = "test $(ulimit -S -n) = 200 || exit 3; echo '{}'; cat";
  EXPECT_NE(worker_failure_of_start({"exec:" + line, "", line}).kind, WorkerFailure::Kind::kExit);
}

}  // namespace
}  // namespace concord::conformance
