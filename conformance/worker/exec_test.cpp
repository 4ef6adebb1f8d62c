// SPDX-License-Identifier: Apache-2.0
// Host with programs behind `exec:`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "conformance/worker/exec_messages.h"
#include "conformance/worker/host.h"
#include "conformance/worker/hostile_host.h"
#include "plugin_codec/problem_json.h"
#include "spec/dtype.h"

namespace concord::conformance {
namespace {

using testing::HasSubstr;
using Kind = WorkerFailure::Kind;

BackendSpec command(const std::string& line) { return {"exec:" + line, "", line}; }

const BackendSpec& numpy() {
  static const BackendSpec spec = command(TEST_NUMPY);
  return spec;
}

WorkerFailure worker_failure_of(const std::string& line,
                                std::chrono::milliseconds deadline = std::chrono::seconds(20)) {
  Host host(command(line), test_options(deadline));
  const auto started = host.start();
  const auto* failure = find_failure<WorkerFailure>(started);
  EXPECT_NE(failure, nullptr) << line;
  return failure == nullptr ? WorkerFailure{} : *failure;
}

std::vector<std::byte> to_bytes(Dtype dtype, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  store(dtype, values, bytes);
  return bytes;
}

// Runs a problem of the numpy backend; dst as values, gaps included.
std::vector<double> compute(const char* line, const std::vector<double>& src,
                            const std::vector<double>& weights,
                            const std::vector<double>& bias = {}) {
  const Problem problem = *parse(line);
  const auto x = to_bytes(problem.dtype, src), w = to_bytes(problem.dtype, weights),
             b = to_bytes(problem.dtype, bias);
  Host host(numpy(), test_options());
  const auto answered =
      host.execute({.problem = problem, .src = x, .weights = w, .bias = b, .executions = 2});
  const auto* reply = answered ? &*answered : nullptr;
  if (reply == nullptr) {
    ADD_FAILURE() << line << " has no reply";
    return {};
  }
  EXPECT_EQ(reply->execute_status, CONCORD_OK) << reply->reason;
  EXPECT_EQ(reply->bytes_written_outside, 0u);
  EXPECT_TRUE(reply->other_dst.empty());
  std::vector<double> dst(reply->dst.size() / size_of(problem.dtype));
  load(problem.dtype, reply->dst, dst);
  return dst;
}

TEST(ExecMessages, CarryAPaddingAsItWasWritten) {
  for (const char* padding : {"SAME", "VALID", "same", ""}) {
    const std::string line = "AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 padding=";
    const auto problem = parse(line + padding);
    EXPECT_EQ(problem_object(*problem).at("attributes").at("padding"), padding);
  }
}

// Worked by hand: [1 2 3 4] slid under [1 10], stride 1, no padding; and bias 100.
TEST(Exec, ComputesAnExampleWorkedByHand) {
  EXPECT_EQ(compute("Convolution f32 src=1x1x4 weights=1x1x2 bias=1 dst=1x1x3 data_format=NCX "
                    "weights_format=OIX",
                    {1, 2, 3, 4}, {1, 10}, {100}),
            (std::vector<double>{121, 132, 143}));
}

// Worked by hand: two groups of one channel each, channels last, f16, padding 1 before, stride 2:
// o=0 sees [0, x0], o=1 sees [x1, x2]; the kernels are [1 10] and [100 1000].
TEST(Exec, ComputesGroupsPaddingStridesAndChannelsLast) {
  EXPECT_EQ(compute("Convolution f16 src=1x3x2 weights=2x1x2 dst=1x2x2 strides=2 pads_begin=1 "
                    "groups=2 data_format=NXC weights_format=XIO",
                    {1, 2, 3, 4, 5, 6}, {1, 100, 10, 1000}),
            (std::vector<double>{10, 2000, 53, 6400}));
}

// Worked by hand: a kernel of ones of dilation 2 on 1..5 sums 1+3, 2+4 and 3+5.
TEST(Exec, WritesTheElementsOfAStridedDstAlone) {
  const auto dst = compute(
      "Convolution f32 src=1x1x5 weights=1x1x2 dst=1x1x3:9x9x3 dilations=2 data_format=NCX "
      "weights_format=OIX",
      {1, 2, 3, 4, 5}, {1, 1});
  ASSERT_EQ(dst.size(), 7u);
  EXPECT_EQ(dst[0], 4);
  EXPECT_EQ(dst[3], 6);
  EXPECT_EQ(dst[6], 8);
}

TEST(Exec, QueriesAreAnsweredDeclinedAndRefused) {
  Host host(numpy(), test_options());
  const auto query = [&](const char* line) { return *host.query(*parse(line)); };
  const auto served = query(
      "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,3 pads_begin=1,1 pads_end=0,1 "
      "groups=2 data_format=NCX weights_format=OIX");
  EXPECT_EQ(served.status, CONCORD_OK) << served.reason;
  EXPECT_EQ(served.dst_dims, (Extents{2, 6, 4, 4}));  // (9+1-3)/2+1, (10+2-2)/3+1
  EXPECT_EQ(served.arithmetic.accumulator, CONCORD_ACCUMULATE_F64);
  const auto declined = query("AtrousConv2d f32 src=1x5x5x1 weights=2x2x1x1 padding=SAME");
  EXPECT_EQ(declined.status, CONCORD_UNSUPPORTED);
  EXPECT_THAT(declined.reason, HasSubstr("AtrousConv2d"));
  const auto refused =
      query("Convolution f32 src=1x3x5 weights=4x2x3 groups=2 data_format=NCX weights_format=OIX");
  EXPECT_EQ(refused.status, CONCORD_INVALID);
  EXPECT_THAT(refused.reason, HasSubstr("3 channels"));
}

TEST(Exec, StopsAProgramThatBehaves) {
  Host host(numpy(), test_options());
  ASSERT_TRUE(host.start());
  const auto failure = host.stop();
  EXPECT_FALSE(failure.has_value()) << failure->detail << failure->output;
}

TEST(Exec, AProgramThatDoesNotComeUpIsAFailureOfLoading) {
  const WorkerFailure missing = worker_failure_of("/no/such/program");
  EXPECT_EQ(missing.kind, Kind::kExit);
  EXPECT_EQ(missing.stage, Stage::kLoad);
  EXPECT_EQ(missing.detail, "exit with code 127");
  EXPECT_THAT(missing.output, HasSubstr("/no/such/program"));
  // Without namespaces a process may not even name itself to kill().
  EXPECT_EQ(worker_failure_of("exec python3 -c 'import os; os.abort()'").detail, "SIGABRT");
  EXPECT_EQ(worker_failure_of("sleep 1000", std::chrono::milliseconds(300)).kind, Kind::kHang);
}

TEST(Exec, AProgramThatSpeaksOtherwiseIsAgainstTheProtocol) {
  EXPECT_THAT(worker_failure_of("echo hello; sleep 1000").detail,
              HasSubstr(": 'hello'"));  // which may come before the request, or after
  EXPECT_THAT(worker_failure_of("cat").detail, HasSubstr("'name'"));  // the request, sent back
  EXPECT_THAT(worker_failure_of("exec 0>&- 1>&-; sleep 1000").detail,
              HasSubstr("channel was closed"));
  for (const std::string status : {"4294967296", "1e300", "0.5", "\"0\"", "null"}) {
    const std::string answers = R"(read l; echo '{"name": "n", "version": "1"}'; read l; )"
                                R"(echo '{"status": )" +
                                status + "}'; sleep 1000";
    EXPECT_THAT(worker_failure_of(answers).detail, HasSubstr("status must be an integer"))
        << status;
  }
}

TEST(Exec, EveryMemberOfADeclaredClassIsRead) {
  const SmallCase small;
  Host host(command(R"(read l; echo '{"name": "n", "version": "1"}'; read l; )"
                    R"(echo '{"status": 0}'; read l; echo '{"status": 0, "dst_dims": [1], )"
                    R"("arithmetic": {"output_rounding": 2, "bias": 1, "zero_weights": 1, )"
                    R"("reserved": 5}}'; read l)"),
            test_options());
  const auto answered = host.query(small.problem());
  const auto* reply = answered ? &*answered : nullptr;
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->arithmetic.output_rounding, CONCORD_ROUND_NEAREST_AWAY);
  EXPECT_EQ(reply->arithmetic.bias, CONCORD_BIAS_AFTER_STORE);
  EXPECT_EQ(reply->arithmetic.zero_weights, CONCORD_ZERO_WEIGHTS_SKIPPED);
  EXPECT_EQ(reply->arithmetic.reserved[0], 5);
}

TEST(Exec, ANumberInAnAnswerThatDoesNotFitIsAgainstTheProtocol) {
  const SmallCase small;
  for (const auto& [answer, complaint] :
       {std::pair{R"("dst_dims": [2, 1e300])", "dst_dims must be an integer of 64 bits"},
        {R"("dst_dims": [18446744073709551615])", "dst_dims must be an integer of 64 bits"},
        {R"("dst_dims": ["18446744073709551615"])", "dst_dims must be an integer of 64 bits"},
        {R"("dst_dims": ["1x"])", "dst_dims must be an integer of 64 bits"},
        {R"("arithmetic": {"accumulator": 4294967297})", "accumulator must be an integer of 32"}}) {
    Host host(command(std::string(R"(read l; echo '{"name": "n", "version": "1"}'; read l; )"
                                  R"(echo '{"status": 0}'; read l; echo '{"status": 0, )") +
                      answer + "}'; sleep 1000"),
              test_options());
    const auto answered = host.query(small.problem());
    ASSERT_TRUE(find_failure<WorkerFailure>(answered)) << answer;
    EXPECT_THAT(find_failure<WorkerFailure>(answered)->detail, HasSubstr(complaint)) << answer;
  }
}

// The program says what it was sent, and answers with it.
TEST(Exec, LongIntegersTravelAsStringsIfTheProgramAsks) {
  const std::string reads_strides =
      R"(}'; read l; echo '{"status": 0}'; read l; s=${l#*'"strides":['}; s=${s%%]*}; )"
      R"(case $s in '"'*) r=string;; *) r=number;; esac; )"
      R"(echo "{\"status\": 0, \"reason\": \"$r\", \"dst_dims\": [$s]}"; read l; echo '{}')";
  const auto ask = [&](const std::string& asked, const std::string& stride) {
    Host host(command(R"(read l; echo '{"name": "n", "version": "1")" + asked + reads_strides),
              test_options());
    const auto reply =
        host.query(*parse("Convolution f32 src=1x1x5 weights=1x1x1 strides=" + stride +
                          " data_format=NCX weights_format=OIX"));
    EXPECT_EQ(reply ? reply->dst_dims : Extents{}, Extents{std::stoll(stride)});
    return reply ? reply->reason : "no reply";
  };
  const std::string strings = R"(, "long_integers": "strings")";
  EXPECT_EQ(ask("", "9007199254740992"), "number");
  EXPECT_EQ(ask(strings, "9007199254740991"), "number");
  EXPECT_EQ(ask(strings, "9007199254740992"), "string");
  EXPECT_EQ(ask(strings, "9223372036854775807"), "string");
}

TEST(Exec, AProgramCanSayWhyItCannotBeUsed) {
  Host host(command(R"(read line; echo '{"failure": "no licence"}'; sleep 1000)"), test_options());
  const auto started = host.start();
  ASSERT_TRUE(find_failure<LoadFailure>(started));
  EXPECT_EQ(find_failure<LoadFailure>(started)->detail, "no licence");
}

// A shell that stays has the shared memory open; what it starts need not.
TEST(Exec, WhatAProgramStartsReachesTheTensorsToo) {
  const Problem problem = *parse(
      "Convolution f32 src=1x1x2 weights=1x1x1 dst=1x1x2 data_format=NCX weights_format=OIX");
  const auto src = to_bytes(Dtype::kF32, {3, 4}), weights = to_bytes(Dtype::kF32, {2});
  Host host(command("(" TEST_NUMPY "); exit 0"), test_options());
  const auto answered =
      host.execute({.problem = problem, .src = src, .weights = weights, .bias = {}});
  ASSERT_TRUE(answered) << describe(answered.why());
  EXPECT_EQ(element(answered->dst, 0), 6);
  EXPECT_EQ(element(answered->dst, 1), 8);
}

// As far as plugins are: what it writes outside is not there afterwards.
TEST(Exec, AProgramIsConfinedAsAPluginIs) {
  const std::string file = testing::TempDir() + "/concord_exec_" + std::to_string(getpid());
  const std::string line = "echo here > '" + file +
                           "'; read l; echo '{\"name\": \"n\", \"version\": \"1\"}'; read l; "
                           "echo '{\"status\": 0}'; read l; echo '{}'";
  const auto leaves_a_file = [&](const SandboxOptions& sandbox, Confinement& made) {
    HostOptions options = test_options();
    options.sandbox = sandbox;
    Host host(command(line), options);
    const auto started = host.start();
    EXPECT_TRUE(started) << line;
    if (started) made = started->confinement;
    host.stop();
    return std::filesystem::remove(file);
  };
  Confinement plugins, made;
  {
    Host host(test_plugin("hostile"), test_options());
    if (const auto started = host.start()) plugins = started->confinement;
  }
  EXPECT_EQ(leaves_a_file({}, made), plugins.level != SandboxLevel::kNamespaces);
  EXPECT_EQ(made.level, plugins.level);
  EXPECT_EQ(made.lack, plugins.lack);
  EXPECT_TRUE(leaves_a_file({.mode = SandboxMode::kOff}, made));
  EXPECT_EQ(made.level, SandboxLevel::kLimits);
}

// Asked before it, by the host alone.
TEST(Exec, AProgramCannotSayHowFarItIsConfined) {
  Host host(command(R"(read l; echo '{"name": "n", "version": "1", "sandbox": 2, )"
                    R"("sandbox_lack": ""}'; read l; echo '{"status": 0}'; read l)"),
            {.worker_program = TEST_WORKER, .sandbox = {.mode = SandboxMode::kOff}});
  const auto started = host.start();
  ASSERT_TRUE(started);
  EXPECT_EQ(started->confinement.level, SandboxLevel::kLimits);
}

TEST(Exec, TheFilesOfItsCodeAreKnown) {
  Host host(numpy(), test_options());
  EXPECT_TRUE(host.mapped_files().empty());
  ASSERT_TRUE(host.start());
  const auto files = host.mapped_files();
  EXPECT_THAT(files, testing::Contains(HasSubstr("python3")));
  EXPECT_THAT(files, testing::Contains(HasSubstr("libc.so")));
}

// Writes one byte at the beginning of src, as dd knows no better.
TEST(Exec, AWriteToAnInputIsCounted) {
  const std::string script =
      R"(read l; echo '{"name": "n", "version": "1"}'; )"
      R"(read l; echo '{"status": 0}'; read l; echo '{"status": 0}'; read l; )"
      R"(p=${l#*\"path\":\"}; o=${l#*\"offset\":}; )"
      R"(printf x | dd of="${p%%\"*}" bs=1 seek="${o%%[!0-9]*}" conv=notrunc status=none; )"
      R"(echo '{"status": 0, "seconds": 0}'; read l; echo '{}'; read l; echo '{}')";
  const SmallCase small("2x3x4");
  Host host(command(script), test_options());
  const auto answered = host.execute(small.trial());
  ASSERT_TRUE(answered) << find_failure<WorkerFailure>(answered)->detail
                        << find_failure<WorkerFailure>(answered)->output;
  EXPECT_EQ(answered->bytes_written_outside, 1u);
}

}  // namespace
}  // namespace concord::conformance
