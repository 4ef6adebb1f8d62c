// SPDX-License-Identifier: Apache-2.0
// Attacks of a plugin on what surrounds it: each gets through without a sandbox, or is refused for
// another reason, and none gets through with one.
#include "conformance/worker/sandbox.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>

#include "conformance/worker/descriptor.h"
#include "conformance/worker/host.h"
#include "conformance/worker/hostile_host.h"

namespace concord::conformance {
namespace {

using testing::HasSubstr;

// What an attacker would like to change, at an address that it can be told.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile int judgement = 42;

/// A folder of the test's own, which holds a file; removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "/concord_sandbox_XXXXXX";
    path_ = mkdtemp(name.data());
    std::ofstream(file()) << "true";
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_; }
  std::string file() const { return path_ + "/results.json"; }
  std::string content() const {
    std::string text;
    std::ifstream(file()) >> text;
    return text;
  }

 private:
  std::string path_;
};

// Why the attacker does not open with this configuration; "" if it does.
std::string outcome(const std::string& attack, const SandboxOptions& sandbox) {
  HostOptions options = test_options();
  options.sandbox = sandbox;
  Host host(test_plugin("attacker", attack), options);
  const auto started = host.start();
  if (const auto* failure = find_failure<LoadFailure>(started)) return failure->detail;
  if (const auto* failure = find_failure<WorkerFailure>(started)) return describe(*failure);
  return "";
}

Confinement confinement(const SandboxOptions& sandbox) {
  HostOptions options = test_options();
  options.sandbox = sandbox;
  Host host(test_plugin("attacker", "gain_rights:"), options);
  const auto started = host.start();
  return started ? started->confinement : Confinement{.lack = "it does not start"};
}

// Machines whose kernel gives no namespaces can only test what the filter does.
bool has_namespaces() { return confinement({}).level == SandboxLevel::kNamespaces; }

void expect_through(const std::string& attack,
                    const SandboxOptions& sandbox = {SandboxMode::kOff}) {
  EXPECT_THAT(outcome(attack, sandbox), HasSubstr("got through")) << attack;
}

// What the filter of system calls alone does not prevent.
void expect_refused_by_namespaces(const std::string& attack, const SandboxOptions& sandbox = {}) {
  EXPECT_EQ(outcome(attack, sandbox).empty(), has_namespaces()) << attack;
}

void expect_refused(const std::string& attack, const SandboxOptions& sandbox = {}) {
  EXPECT_EQ(outcome(attack, sandbox), "") << attack;
}

std::string host_and_address() {
  return std::to_string(getpid()) + "," +
         std::to_string(reinterpret_cast<std::uintptr_t>(&judgement));
}

TEST(Sandbox, SaysHowFarAWorkerIsConfined) {
  EXPECT_EQ(confinement({SandboxMode::kOff}).level, SandboxLevel::kLimits);
  const Confinement most = confinement({});
  EXPECT_NE(most.level, SandboxLevel::kLimits) << most.lack;
  EXPECT_EQ(most.level == SandboxLevel::kNamespaces, most.lack.empty()) << most.lack;
}

TEST(Sandbox, OptionsSurviveTheWayToTheWorker) {
  const SandboxOptions options{SandboxMode::kOff, {"/a b", "/c\"d"}, {"/e"}, {"/f", "/g"}, {7, 8}};
  const SandboxOptions read = sandbox_options_from(to_argument(options));
  EXPECT_EQ(read.mode, options.mode);
  EXPECT_EQ(read.writable, options.writable);
  EXPECT_EQ(read.hidden, options.hidden);
  EXPECT_EQ(read.visible, options.visible);
  EXPECT_EQ(read.together.memory, 7u);
  EXPECT_EQ(read.together.processes, 8u);
}

TEST(Sandbox, TheHostsMemoryIsOutOfReach) {
  expect_through("read_memory:" + host_and_address());
  expect_through("patch_memory:" + host_and_address());
  EXPECT_EQ(judgement, 666);
  judgement = 42;
  shield_memory();
  for (const char* attack : {"read_memory:", "patch_memory:"}) {
    expect_refused(attack + host_and_address());
  }
  EXPECT_EQ(judgement, 42);
}

TEST(Sandbox, TheHostCannotBeTracedKilledStoppedOrLimited) {
  const std::string host = std::to_string(getpid());
  expect_through("limit_host:" + host);
  for (const char* attack : {"trace:", "take_descriptors:", "limit_host:", "kill:"}) {
    expect_refused(attack + host);
  }
}

TEST(Sandbox, FilesAreReadOnlyUnlessAllowed) {
  const Folder folder;
  const SandboxOptions visible{.visible = {folder.path()}};
  expect_through("read_file:" + folder.file(), visible);
  expect_refused_by_namespaces("overwrite:" + folder.file(), visible);
  expect_refused_by_namespaces("create:" + folder.path() + "/new", visible);
  EXPECT_EQ(folder.content() == "true", has_namespaces());
  expect_through("overwrite:" + folder.file(), {.writable = {folder.path()}});
  EXPECT_EQ(folder.content(), "forged");
}

TEST(Sandbox, WhatItWritesToTemporaryFoldersIsItsOwn) {
  for (const std::string folder : {"/tmp", "/dev/shm"}) {
    const std::string file = folder + "/concord_attacker_" + std::to_string(getpid());
    expect_through("create:" + file, {});
    EXPECT_EQ(std::filesystem::remove(file), !has_namespaces()) << file;
  }
}

TEST(Sandbox, HiddenFilesAndFoldersLookEmpty) {
  const Folder folder;
  expect_refused_by_namespaces("read_file:" + folder.file(),
                               {.hidden = {folder.file()}, .visible = {folder.path()}});
  expect_refused_by_namespaces("read_file:" + folder.file(), {.hidden = {folder.path()}});
  // A folder that it may write holds them, too.
  expect_refused_by_namespaces("read_file:" + folder.file(),
                               {.writable = {folder.path()}, .hidden = {folder.file()}});
  // What is written there goes nowhere.
  outcome("overwrite:" + folder.file(), {.hidden = {folder.file()}, .visible = {folder.path()}});
  EXPECT_EQ(folder.content() == "true", has_namespaces());
}

TEST(Sandbox, NetworkAndSharedMemoryOfTheMachineAreOutOfReach) {
  const Descriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(server.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(server.get(), 8), 0);
  ASSERT_EQ(getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  expect_through("connect_to_port:" + port);
  expect_refused("connect_to_port:" + port);

  const std::string name = "concord_sandbox_" + std::to_string(getpid());
  const Descriptor named(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un by_name{};
  by_name.sun_family = AF_UNIX;
  name.copy(by_name.sun_path + 1, name.size());
  ASSERT_EQ(bind(named.get(), reinterpret_cast<sockaddr*>(&by_name),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())),
            0);
  ASSERT_EQ(listen(named.get(), 8), 0);
  expect_through("connect_to_name:" + name);
  expect_refused("connect_to_name:" + name);

  const key_t key = 0x434f0000 + (getpid() & 0xffff);
  const int memory = shmget(key, 4096, IPC_CREAT | 0600);
  ASSERT_GE(memory, 0);
  expect_through("share_memory:" + std::to_string(key));
  expect_refused_by_namespaces("share_memory:" + std::to_string(key));
  shmctl(memory, IPC_RMID, nullptr);
}

// In namespaces of its own this process may say that there are to be no more of them.
[[maybe_unused]] bool forbid_namespaces() {
  const std::string map = std::to_string(geteuid()) + " " + std::to_string(geteuid()) + " 1";
  if (unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream("/proc/self/uid_map") << map;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream limit("/proc/sys/user/max_user_namespaces");
  limit << 0 << std::flush;
  return static_cast<bool>(limit);
}

// Workers are then confined by the filter alone. Only a process of one thread can forbid
// namespaces, and ThreadSanitizer has one of its own.
#if !defined(__SANITIZE_THREAD__)
TEST(Sandbox, WithoutNamespacesTheFilterKeepsTheHostOutOfReach) {
  if (!has_namespaces()) return;  // then all tests here have shown it
  EXPECT_EXIT(
      {
        if (!forbid_namespaces()) std::exit(1);
        shield_memory();
        const Confinement made = confinement({});
        if (made.level != SandboxLevel::kFilter || made.lack.empty()) std::exit(2);
        const std::string host = std::to_string(getpid());
        for (const std::string attack :
             {"read_memory:" + host_and_address(), "patch_memory:" + host_and_address(),
              "trace:" + host, "take_descriptors:" + host, "limit_host:" + host, "kill:" + host,
              std::string("new_namespaces:"), std::string("new_session:"),
              std::string("mount:/usr"), std::string("gain_rights:")}) {
          if (const std::string why = outcome(attack, {}); !why.empty()) {
            std::fprintf(stderr, "%s: %s\n", attack.c_str(), why.c_str());
            std::exit(3);
          }
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}
#endif

// What this user may limit on this machine by control groups.
ControlGroup possible_group() {
  const ControlGroup group = ControlGroup::make({.memory = 1 << 30, .processes = 100});
  group.remove();
  return group;
}

TEST(Sandbox, ItsProcessesAreCountedTogether) {
  expect_through("start_processes:100");
  expect_through("start_processes:100", {.together = {.processes = 200}});
  // The resource limit holds for all users but root.
  const bool can_limit =
      has_namespaces() && (geteuid() != 0 || possible_group().limits_processes());
  EXPECT_EQ(outcome("start_processes:100", {.together = {.processes = 50}}).empty(), can_limit);
}

TEST(Sandbox, TheMemoryOfItsProcessesIsLimitedTogether) {
  expect_through("fill_memory:4,60");
  expect_through("fill_memory:4,60", {.together = {.memory = 1 << 30}});
  const bool can_limit = has_namespaces() && possible_group().limits_memory();
  const std::string tight = outcome("fill_memory:4,60", {.together = {.memory = 128 << 20}});
  EXPECT_EQ(tight.find("got through") == std::string::npos, can_limit) << tight;
}

TEST(Sandbox, ItCannotBeLeft) {
  for (const char* attack :
       {"mount:/usr", "make_writable:/", "new_namespaces:", "new_session:", "gain_rights:"}) {
    expect_refused(attack);
  }
  EXPECT_FALSE(std::filesystem::exists("/usr/attacked"));
}

}  // namespace
}  // namespace concord::conformance
