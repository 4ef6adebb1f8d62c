// SPDX-License-Identifier: Apache-2.0
#include "conformance/huge/background.h"

#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

constexpr Extent kChannels = 3;

struct Scene {
  Extent channel_stride;
  std::vector<double> channels{1, -2, 4};
  std::vector<Extent> outputs{};
  std::vector<std::byte> dst{};

  Scene(Extent stride, Extent images) : channel_stride(stride) {
    const Extent count = images * stride * kChannels;
    dst.resize(static_cast<std::size_t>(count) * 2);
    for (Extent i = 0; i < count; ++i) set(i, channels[static_cast<std::size_t>(channel(i))]);
  }
  Extent channel(Extent place) const { return place / channel_stride % kChannels; }
  void set(Extent place, double value) {
    store(Dtype::kF16, value, &dst[static_cast<std::size_t>(place) * 2]);
  }
  Misfits find(const std::function<bool(double, double)>& accepts) const {
    return find_misfits({.dtype = Dtype::kF16,
                         .channel_stride = channel_stride,
                         .channels = channels,
                         .outputs = outputs},
                        dst, accepts);
  }
  Misfits find() const {
    return find([](double, double) { return false; });
  }
};

// Channels last, small planes, and planes of more than one block.
std::vector<Scene> scenes() { return {{1, 70'001}, {35, 1'500}, {150'000, 2}}; }

TEST(FindMisfits, FindsNoneWhereEachChannelHasItsBias) {
  for (const Scene& scene : scenes()) EXPECT_EQ(scene.find().count, 0U) << scene.channel_stride;
}

TEST(FindMisfits, FindsOneElementAnywhere) {
  for (Scene& scene : scenes()) {
    const auto count = static_cast<Extent>(scene.dst.size() / 2);
    for (const Extent place : {Extent{0}, Extent{65'535}, Extent{65'536}, count / 2, count - 1}) {
      Scene wrong = scene;
      wrong.set(place, 9);
      const Misfits found = wrong.find();
      EXPECT_EQ(found.count, 1U) << scene.channel_stride << " at " << place;
      EXPECT_EQ(found.first, place);
      EXPECT_EQ(found.got, 9);
      EXPECT_EQ(found.want, scene.channels[static_cast<std::size_t>(scene.channel(place))]);
    }
  }
}

TEST(FindMisfits, LeavesOutOutputsAndWhatIsAccepted) {
  for (Scene& scene : scenes()) {
    for (const Extent place : {2, 70'000, 70'001}) scene.set(place, 9);
    scene.outputs = {2, 5, 70'000};
    EXPECT_EQ(scene.find().count, 1U);
    EXPECT_EQ(scene.find().first, 70'001);
    const auto near = [](double got, double want) { return got - want < 100; };
    EXPECT_EQ(scene.find(near).count, 0U);
  }
}

TEST(FindMisfits, TakesMinusZeroForZero) {
  Scene scene(35, 10);
  scene.channels[0] = 0;
  for (Extent i = 0; i < static_cast<Extent>(scene.dst.size() / 2); ++i) {
    if (scene.channel(i) == 0) scene.set(i, -0.0);
  }
  EXPECT_EQ(scene.find().count, 0U);
}

}  // namespace
}  // namespace concord::conformance
