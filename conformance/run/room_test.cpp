// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/room.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "conformance/run/examine.h"

namespace concord::conformance {
namespace {

CaseResult result_of(const std::string& line) {
  Case source;
  source.problem = *parse(line);
  PreparedCase prepared(source);
  Host host({"reference", std::string(TEST_PLUGINS) + "/reference.so", ""},
            {.worker_program = TEST_WORKER});
  return examine(prepared, host, {});
}

constexpr const char* kRest = " data_format=NCX weights_format=OIX";

// Strides make a tensor of two elements as large as one likes.
TEST(Room, ATensorBeyondTheSharedMemoryIsOurTroubleAndNamesItsSize) {
  struct Expected {
    std::string line, reason;
  };
  for (const auto& [line, reason] :
       {Expected{"Convolution f32 src=2x1x1:20000000000x1x1 weights=1x1x1",
                 "src=2x1x1:20000000000x1x1 spans 80000000004 bytes"},
        Expected{"Convolution bf16 src=1x1x1 weights=2x1x1:40000000000x1x1",
                 "weights=2x1x1:40000000000x1x1 spans 80000000002 bytes"},
        Expected{"Convolution f32 src=2x1x1 weights=1x1x1 dst=2x1x1:20000000000x1x1",
                 "dst=2x1x1:20000000000x1x1 spans 80000000004 bytes"},
        Expected{"Convolution f32 src=200000x1x200000 weights=1x1x1",
                 "src=200000x1x200000 spans 160000000000 bytes"}}) {
    const CaseResult result = result_of(line + kRest);
    EXPECT_EQ(result.verdict, Verdict::kHarnessError) << line;
    EXPECT_NE(result.reason.find(reason), std::string::npos) << result.reason;
    EXPECT_NE(result.reason.find("at most 68719476736"), std::string::npos) << result.reason;
  }
}

TEST(Room, ACaseThatTheMachineCannotHoldNamesBothSizes) {
  const Problem problem =
      *parse(std::string("Convolution f32 src=1000x1x1000 weights=1x1x1") + kRest);
  const Tensor dst{{1000, 1, 1000}, {}};
  EXPECT_FALSE(lacks_room(problem, dst, std::size_t{1} << 30));
  const auto refusal = lacks_room(problem, dst, 1'000'000);
  ASSERT_TRUE(refusal);
  // src: 10^6 (8 + 2 * 4); weights 16; dst: 10^6 (32 + 3 * 4).
  EXPECT_EQ(*refusal, "judging the case needs some 60000016 bytes; this process may use 1000000");
}

// The machine's memory is not what a container may use.
TEST(Room, AControlGroupsLimitIsWhatThereIs) {
  const std::string root = testing::TempDir() + "concord_room_" + std::to_string(getpid());
  EXPECT_EQ(usable_memory(root), usable_memory("/no/such/root"));
  std::filesystem::create_directories(root + "/proc/self");
  std::filesystem::create_directories(root + "/sys/fs/cgroup/ci");
  std::ofstream(root + "/proc/self/cgroup") << "0::/ci/job\n";
  std::ofstream(root + "/sys/fs/cgroup/ci/memory.max") << "12345678\n";
  EXPECT_EQ(usable_memory(root), 12345678u);
  std::filesystem::remove_all(root);
}

TEST(Room, AStridedTensorOfSomeMegabytesIsTried) {
  const CaseResult result =
      result_of(std::string("Convolution f32 src=2x1x2:1000000x1x1 weights=1x1x2") + kRest);
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.reason;
}

TEST(Room, IsSharedByCasesThatFitTogether) {
  SharedRoom room(100);
  const SharedRoom::Lease first(room, 60);
  { const SharedRoom::Lease second(room, 30), third(room, 10); }
  const SharedRoom::Lease fourth(room, 40);
}

TEST(Room, IsWaitedForByACaseThatDoesNotFitBesideOthers) {
  SharedRoom room(100);
  std::optional<SharedRoom::Lease> first(std::in_place, room, 60);
  std::atomic<bool> given{false};
  std::thread other([&] {
    const SharedRoom::Lease lease(room, 41);
    given = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(given);
  first.reset();
  other.join();
  EXPECT_TRUE(given);
}

TEST(Room, IsGivenToACaseAloneHoweverLargeItIs) {
  SharedRoom room(100);
  const SharedRoom::Lease lease(room, 1000);
}

TEST(PreparedCase, EvaluatesDataThatSeveralClassesShareOnce) {
  Case source;
  source.problem = *parse(std::string("Convolution f32 src=1x2x5 weights=2x2x3") + kRest);
  source.seed = 2;
  for (const auto& [fill, evaluations] :
       {std::pair{Fill::kUniform, 1U}, std::pair{Fill::kImpulse, 1U},
        std::pair{Fill::kIntegers, 2U}}) {
    source.fill = fill;
    PreparedCase prepared(source);
    concord_arithmetic strict{}, toward_zero{}, half{};
    toward_zero.output_rounding = CONCORD_ROUND_ZERO;
    half.accumulator = CONCORD_ACCUMULATE_BF16;
    const auto& data = prepared.data(strict);
    EXPECT_EQ(&prepared.data(strict), &data);
    prepared.data(toward_zero);
    EXPECT_EQ(prepared.evaluations(), 1U) << to_string(fill);
    if (fill == Fill::kIntegers) prepared.data(half);  // whose integers are smaller ones
    EXPECT_EQ(prepared.evaluations(), evaluations) << to_string(fill);
  }
}

TEST(PreparedCase, HasTheDataOfEachClassWhicheverWasFirst) {
  Case source;
  source.problem = *parse(std::string("Convolution f32 src=1x2x5 weights=2x2x3") + kRest);
  source.fill = Fill::kWide;
  source.seed = 2;
  concord_arithmetic bilinear{}, demoted{}, half{};
  bilinear.algorithm = CONCORD_BILINEAR;
  demoted.input_precision = CONCORD_INPUT_TF32;
  half.accumulator = CONCORD_ACCUMULATE_F16;
  const std::vector<concord_arithmetic> classes = {{}, bilinear, demoted, half};
  const auto src_in_order = [&](std::size_t first) {
    PreparedCase prepared(source);
    std::vector<std::vector<double>> src(classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const std::size_t number = (first + i) % classes.size();
      src[number] = prepared.data(classes[number]).inputs.src;
    }
    return src;
  };
  const auto expected = src_in_order(0);
  EXPECT_NE(expected[0], expected[1]);
  EXPECT_EQ(expected[1], expected[2]);
  EXPECT_NE(expected[1], expected[3]);
  for (std::size_t first = 1; first < classes.size(); ++first) {
    EXPECT_EQ(src_in_order(first), expected) << first;
  }
}

TEST(PreparedCase, HasMagnitudesWhereverTheJudgeReadsThem) {
  Case source;
  source.problem = *parse(std::string("Convolution f32 src=1x16x9x9 weights=16x16x3x3") + kRest);
  const auto has_all = [](const PreparedCase::Data& data) {
    return data.oracle.magnitude.size() == data.oracle.value.size();
  };
  concord_arithmetic bilinear{};
  bilinear.algorithm = CONCORD_BILINEAR;
  for (const Fill fill : {Fill::kIntegers, Fill::kUniform}) {
    source.fill = fill;
    source.seed = 1;
    PreparedCase judged(source, 1, true), whole(source);
    // Integers are judged exactly, but for the class that multiplies sums of them.
    EXPECT_EQ(has_all(judged.data({})), fill == Fill::kUniform);
    EXPECT_TRUE(has_all(judged.data(bilinear)));
    EXPECT_TRUE(has_all(whole.data({})));
  }
}

}  // namespace
}  // namespace concord::conformance
