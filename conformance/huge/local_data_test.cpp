// SPDX-License-Identifier: Apache-2.0
// The argument of locality on tensors small enough for the whole reference.
#include "conformance/huge/local_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/huge/probes.h"

namespace concord::conformance {
namespace {

// What the elements make of the whole tensor, in the reference's order.
std::vector<double> whole(const Tensor& tensor, const std::vector<PlacedValue>& elements) {
  std::vector<double> memory(static_cast<std::size_t>(element_span(tensor).value()));
  for (const PlacedValue& each : elements) {
    memory.at(static_cast<std::size_t>(each.place)) = each.value;
  }
  return read_tensor(Dtype::kF64, tensor, memory.data());
}

struct Compared {
  LocalData data{};
  std::vector<double> want{}, magnitude{};  ///< by the whole reference, by place in dst
};

Compared compare(const std::string& line, std::uint64_t seed) {
  Problem problem = *parse(line);
  const auto resolution = reference::resolve(problem);
  EXPECT_TRUE(resolution) << line;
  problem.dst = resolution->dst;
  Compared compared{make_local_data(problem, resolution->discrete(), seed, concord_arithmetic{})};
  LocalData& data = compared.data;
  const auto src = whole(in_reading_order(problem, Input::kSrc), data.of(Input::kSrc));
  const auto weights = whole(in_reading_order(problem, Input::kWeights), data.of(Input::kWeights));
  const auto bias =
      problem.bias ? whole(*problem.bias, data.of(Input::kBias)) : std::vector<double>{};
  const auto oracle = reference::evaluate(problem, *resolution, {src, weights, bias, {}});
  const Tensor dst = dst_in_reading_order(problem, resolution->dst);
  compared.want.resize(static_cast<std::size_t>(element_span(dst).value()));
  compared.magnitude.resize(compared.want.size());
  write_tensor(Dtype::kF64, dst, oracle.value, compared.want.data());
  write_tensor(Dtype::kF64, dst, oracle.magnitude, compared.magnitude.data());
  return compared;
}

constexpr const char* kLines[] = {
    "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 groups=2 strides=2,1 pads_begin=1,2 "
    "pads_end=0,3 dilations=2,2 data_format=NCX weights_format=OIX",
    "Convolution f32 src=1x40x41x3 weights=3x3x3x8 bias=8 strides=7,5 data_format=NXC "
    "weights_format=XIO",
    "Convolution bf16 src=1x1x300x500 weights=2x1x17x17 strides=9,20 pads_begin=8,8 "
    "data_format=NCX weights_format=OIX",
    "Convolution f16 src=2x300x1x2 weights=301x300x1x1 bias=301 data_format=NCX "
    "weights_format=OIX",
    "Convolution f32 src=1x1x150x150 weights=4x1x3x3 bias=4 pads_begin=1,1 pads_end=1,1 "
    "data_format=NCX weights_format=OIX",
    "Convolution f64 src=1x5x6x7x3 weights=2x3x2x3x4 auto_pad=same_lower strides=2,1,3 "
    "data_format=NXC weights_format=XIO",
    "Convolution1 f32 src=1x2x3x2x5x6 weights=3x2x2x1x2x3 strides=1,1,2,2 auto_pad=same_upper "
    "data_format=NCX filter_format=OIX",
    "Convolution f32 src=2x3x5x6:500x120x18x2 weights=4x3x3x2:60x19x5x2 bias=4:3 "
    "dst=2x4x3x5:700x130x22x3 data_format=NCX weights_format=OIX",
    "AtrousConv2d f32 src=2x21x23x2 weights=3x2x2x3 rate=4 padding=SAME",
    "AtrousConv2d f32 src=1x21x23x2 weights=3x3x2x3 rate=4 padding=VALID reading=documented",
};

TEST(LocalData, OutputsThatAnElementReachesAreThoseOfTheWholeReference) {
  for (const char* line : kLines) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Compared compared = compare(line, seed);
      const LocalData& data = compared.data;
      std::size_t reached = 0;
      for (std::size_t i = 0; i < data.outputs.size(); ++i) {
        const auto place = static_cast<std::size_t>(data.outputs[i]);
        EXPECT_EQ(data.oracle.value[i], compared.want[place]) << line << " at " << place;
        EXPECT_EQ(data.oracle.magnitude[i], compared.magnitude[place]) << line << " at " << place;
        reached += data.oracle.magnitude[i] > 0 ? 1U : 0U;
      }
      EXPECT_GE(reached, 4U) << line;
      EXPECT_TRUE(std::is_sorted(data.outputs.begin(), data.outputs.end())) << line;
    }
  }
}

TEST(LocalData, AllOtherOutputsAreTheirBiases) {
  // More than kAllOutputs of them.
  const std::string line =
      "Convolution f32 src=1x1x150x151 weights=4x1x3x3 bias=4 pads_begin=1,1 pads_end=1,1 "
      "data_format=NCX weights_format=OIX";
  const Compared compared = compare(line, 5);
  const LocalData& data = compared.data;
  ASSERT_GT(compared.want.size(), static_cast<std::size_t>(kAllOutputs));
  std::size_t others = 0;
  for (std::size_t place = 0; place < compared.want.size(); ++place) {
    if (std::binary_search(data.outputs.begin(), data.outputs.end(), static_cast<Extent>(place))) {
      continue;
    }
    ++others;
    EXPECT_EQ(compared.want[place], data.background[place / (150 * 151)]) << place;
  }
  EXPECT_GT(others, compared.want.size() / 2);
  EXPECT_GT(data.outputs.size(), 36U);
}

TEST(LocalData, IsExactWhereFewProductsAreSummed) {
  EXPECT_TRUE(compare(kLines[0], 1).data.is_exact);
  EXPECT_TRUE(compare(kLines[3], 1).data.is_exact);
}

TEST(MarksOf, AreOnBothSidesOfEachBound) {
  const Extent two31 = Extent{1} << 31, two32 = Extent{1} << 32;
  const auto marks = marks_of(two32 + 5, 4, 1);
  for (const Extent place : {Extent{0}, two31 / 4 - 1, two31 / 4, two32 / 4 - 1, two32 / 4,
                             two31 - 1, two31, two32 - 1, two32, two32 + 4}) {
    EXPECT_NE(std::find(marks.begin(), marks.end(), place), marks.end()) << place;
  }
  for (const Extent mark : marks_of(10, 2, 7)) EXPECT_TRUE(mark >= 0 && mark < 10) << mark;
}

TEST(IndexAt, IsTheElementAtOrBeforeAPlace) {
  const Tensor tensor{{3, 4, 5}, {100, 20, 3}};
  EXPECT_EQ(index_at(tensor, 0), (Extents{0, 0, 0}));
  EXPECT_EQ(index_at(tensor, 100 + 40 + 9), (Extents{1, 2, 3}));
  EXPECT_EQ(index_at(tensor, 100 + 40 + 11), (Extents{1, 2, 3}));
  EXPECT_EQ(index_at(tensor, 1000), (Extents{2, 3, 4}));
}

}  // namespace
}  // namespace concord::conformance
