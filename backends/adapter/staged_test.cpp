// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/staged.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/problem.h"

namespace concord::backends {
namespace {

using testing::ElementsAre;

std::vector<float> floats(const std::byte* data, std::size_t count) {
  const auto* first = reinterpret_cast<const float*>(data);
  return {first, first + count};
}

TEST(Staged, LeavesADenseTensorWhereItIs) {
  const std::vector<float> user = {1, 2, 3, 4, 5, 6};
  Staged staged(Dtype::kF32, {{2, 3}, {3, 1}});
  EXPECT_EQ(static_cast<const void*>(staged.read(user.data())), user.data());
}

TEST(Staged, CopiesWhatHasGapsAndSurroundsItWithZeros) {
  const std::vector<float> user = {1, -1, 2, -1, 3, -1, 4};  // every other element
  Staged staged(Dtype::kF32, {{2, 2}, {4, 2}}, {0, 1}, {1, 2});
  EXPECT_THAT(floats(staged.read(user.data()), 15),
              ElementsAre(0, 1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Staged, StoresToTheUsersStridesAlone) {
  std::vector<float> user = {9, 9, 9, 9};
  Staged staged(Dtype::kF32, {{2}, {3}});
  auto* own = reinterpret_cast<float*>(staged.target(user.data()));
  ASSERT_NE(own, user.data());
  own[0] = 1;
  own[1] = 2;
  staged.store(user.data());
  EXPECT_THAT(user, ElementsAre(1, 9, 9, 2));
}

/// Writes down what a library would get.
class Recorder : public StagedConvolution {
 public:
  Recorder(const PaddedConvolution& p, const PrepareOptions& options, bool adapter_pads)
      : StagedConvolution(Dtype::kF32, p, options, backends::channels_first(), adapter_pads) {}

  std::optional<Refused> convolve(const GroupMemory& group) override {
    src.push_back(floats(group.src, static_cast<std::size_t>(window().I[2])));
    weights.push_back(*reinterpret_cast<const float*>(group.weights));
    bias.push_back(group.bias == nullptr ? 0 : *reinterpret_cast<const float*>(group.bias));
    *reinterpret_cast<float*>(group.dst) = static_cast<float>(weights.size());
    return std::nullopt;
  }

  std::vector<std::vector<float>> src;
  std::vector<float> weights, bias;
};

// Two groups of a channel each, [1,2,2] padded by 1 before: as a library gets them.
TEST(StagedConvolution, GivesEachGroupItsPaddedPart) {
  const auto problem = parse(
      "Convolution f32 src=1x2x2 weights=2x1x3 bias=2 pads_begin=1 groups=2 data_format=NCX "
      "weights_format=OIX");
  ASSERT_TRUE(problem);
  const auto p = lower(*problem);
  ASSERT_TRUE(p);
  const std::vector<float> src = {1, 2, 3, 4}, weights = {5, 0, 0, 6, 0, 0}, bias = {7, 8};
  std::vector<float> dst(2);
  Buffers buffers{};
  buffers.src = {const_cast<float*>(src.data()), 16};
  buffers.weights = {const_cast<float*>(weights.data()), 24};
  buffers.bias = {const_cast<float*>(bias.data()), 8};
  buffers.dst = {dst.data(), 8};
  Recorder recorder(*p, {}, /*adapter_pads=*/true);
  EXPECT_FALSE(recorder.execute(buffers));
  EXPECT_THAT(recorder.src, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 3, 4)));
  EXPECT_THAT(recorder.weights, ElementsAre(5, 6));
  EXPECT_THAT(recorder.bias, ElementsAre(7, 8));
  EXPECT_THAT(dst, ElementsAre(1, 2));
  EXPECT_EQ(staging_part(*problem, *p, true), "surrounds src with zeros, one group at a time");
}

TEST(StagedConvolution, KeepsTheWeightsThatPrepareWasShown) {
  const auto p =
      lower(*parse("Convolution f32 src=1x1x1 weights=1x1x1 data_format=NCX weights_format=OIX"));
  ASSERT_TRUE(p);
  std::vector<float> src = {1}, weights = {5}, dst = {0};
  Recorder recorder(*p, {.threads = 1, .weights = weights.data()}, false);
  Buffers buffers{};
  buffers.src = {src.data(), 4};
  buffers.weights = {weights.data(), 4};
  buffers.dst = {dst.data(), 4};
  weights[0] = 6;
  EXPECT_FALSE(recorder.execute(buffers));
  EXPECT_THAT(recorder.weights, ElementsAre(5));
}

TEST(Staged, DeclinesWhatItCannotHold) {
  const auto asked = [](const char* text) { return *lower(*parse(text)); };
  const auto large = asked(
      "Convolution f32 src=1x1x2 weights=1x1x1 pads_begin=3000000000"
      " data_format=NCX weights_format=OIX");
  EXPECT_TRUE(too_large_to_stage(Dtype::kF32, large));
  EXPECT_TRUE(cannot_stage(Dtype::kF32, large));
  const auto wide = asked(
      "Convolution f32 src=1x1x2 weights=1x1x1 pads_begin=300000000"
      " data_format=NCX weights_format=OIX");
  EXPECT_TRUE(too_large_to_stage(Dtype::kF32, wide));
  const auto small = asked(
      "Convolution f32 src=1x1x2 weights=1x1x1 data_format=NCX"
      " weights_format=OIX");
  EXPECT_FALSE(too_large_to_stage(Dtype::kF32, small));
  EXPECT_FALSE(cannot_stage(Dtype::kF32, small));
  EXPECT_FALSE(without_elements(small));
  EXPECT_TRUE(
      without_elements(asked("Convolution f32 src=0x1x2 weights=1x1x1 data_format=NCX"
                             " weights_format=OIX")));
}

}  // namespace
}  // namespace concord::backends
