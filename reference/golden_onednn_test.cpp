// SPDX-License-Identifier: Apache-2.0
// Values and shapes from the tests of oneDNN's graph component (test_convolution.cpp,
// test_shape_infer_cpu.cpp) and from its benchmark's problem files, and the problem on which every
// library agrees.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

const Values kSrc{-3, -1.5, 2, .5, -.5, -1, 1, 1.5, 2, 2.5, -1, 0, 3, -2, -1, 4};
const Values kWeights{1, 0, 1, 0, 1, 0, 1, 0, 1};
constexpr const char* kOperations[] = {"Convolution", "Convolution1"};

// "Convolution f32 ... weights_format=OIX" in the words of either operation.
std::string line_of(const std::string& operation, std::string text) {
  const std::size_t format = text.find("weights_format");
  if (operation == "Convolution1" && format != std::string::npos) {
    text.replace(format, std::string("weights").size(), "filter");
  }
  return operation + " " + text;
}

TEST(OneDnnConvolution, NcxOix) {
  for (const std::string operation : kOperations) {
    for (const std::string dtype : {"f32", "f16", "bf16"}) {
      EXPECT_EQ(answer(line_of(operation, dtype + " src=1x1x4x4 weights=1x1x3x3 data_format=NCX "
                                                  "weights_format=OIX"),
                       kSrc, kWeights),
                (Answer{{1, 1, 2, 2}, {-1, 2.5, 5, 1.5}}));
    }
  }
}

TEST(OneDnnConvolution, NcxOix3d) {
  EXPECT_EQ(answer("Convolution f32 src=1x1x1x4x4 weights=1x1x1x3x3 data_format=NCX "
                   "weights_format=OIX",
                   kSrc, kWeights),
            (Answer{{1, 1, 1, 2, 2}, {-1, 2.5, 5, 1.5}}));
}

TEST(OneDnnConvolution, NxcOix) {
  EXPECT_EQ(answer("Convolution f32 src=1x4x4x1 weights=1x1x3x3 data_format=NXC "
                   "weights_format=OIX",
                   kSrc, kWeights),
            (Answer{{1, 2, 2, 1}, {-1, 2.5, 5, 1.5}}));
}

TEST(OneDnnConvolution, NcxXio) {
  EXPECT_EQ(answer("Convolution f32 src=1x1x4x4 weights=3x3x1x1 data_format=NCX "
                   "weights_format=XIO",
                   kSrc, kWeights),
            (Answer{{1, 1, 2, 2}, {-1, 2.5, 5, 1.5}}));
}

TEST(OneDnnConvolution, NxcXio) {
  const Values src(kSrc.begin(), kSrc.begin() + 12);
  EXPECT_EQ(answer("Convolution f32 src=1x3x4x1 weights=3x4x1x1 data_format=NXC "
                   "weights_format=XIO",
                   src, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}),
            (Answer{{1, 1, 1, 1}, {0.5}}));
}

TEST(OneDnnConvolution, Bias) {
  for (const std::string operation : kOperations) {
    EXPECT_EQ(answer(line_of(operation,
                             "f32 src=1x1x4x4 weights=1x1x3x3 bias=1 data_format=NCX "
                             "weights_format=OIX"),
                     kSrc, kWeights, {-1})
                  .values,
              (Values{-2, 1.5, 4, .5}));
  }
}

// dst and pads on the last axis.
struct Shape {
  Extents dims{};
  Extent P_begin = 0, P_end = 0;
  bool operator==(const Shape&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << to_string(Tensor{shape.dims, {}}) << " pads " << shape.P_begin << ","
             << shape.P_end;
}

Shape shape_of(const std::string& line, std::size_t axis = kWidth) {
  const auto geometry = resolve_discrete(parse(line).value());
  EXPECT_TRUE(geometry) << line << ": " << geometry.why().detail;
  return {geometry->dst.dims, geometry->P_begin[axis], geometry->P_end[axis]};
}

TEST(OneDnnShapeInference, AutoPad) {
  const std::string line =
      "Convolution f32 src=1x1x6x6 weights=1x1x4x4 pads_begin=1,1 pads_end=2,2 data_format=NCX "
      "weights_format=OIX auto_pad=";
  EXPECT_EQ(shape_of(line + "none"), (Shape{{1, 1, 6, 6}, 1, 2}));
  EXPECT_EQ(shape_of(line + "same_upper"), (Shape{{1, 1, 6, 6}, 1, 2}));
  EXPECT_EQ(shape_of(line + "same_lower"), (Shape{{1, 1, 6, 6}, 2, 1}));
  EXPECT_EQ(shape_of(line + "valid"), (Shape{{1, 1, 3, 3}, 0, 0}));
}

TEST(OneDnnShapeInference, AutoPadIsNotNegativeWhereTheStrideExceedsTheKernel) {
  for (const std::string auto_pad : {"same_upper", "same_lower"}) {
    EXPECT_EQ(shape_of("Convolution f32 src=1x1x5x5 weights=1x1x1x1 strides=3,3 data_format=NCX "
                       "weights_format=OIX auto_pad=" +
                       auto_pad),
              (Shape{{1, 1, 2, 2}, 0, 0}));
  }
}

TEST(OneDnnShapeInference, AsymmetricKernelWithDilation) {
  const std::string line =
      "Convolution f32 src=1x100x100x1 weights=7x1x1x1 dilations=2,2 data_format=NXC "
      "weights_format=XIO auto_pad=";
  for (const std::string auto_pad : {"none", "valid"}) {
    EXPECT_EQ(shape_of(line + auto_pad, kHeight), (Shape{{1, 88, 100, 1}, 0, 0}));
  }
  for (const std::string auto_pad : {"same_upper", "same_lower"}) {
    EXPECT_EQ(shape_of(line + auto_pad, kHeight), (Shape{{1, 100, 100, 1}, 6, 6}));
    EXPECT_EQ(shape_of(line + auto_pad, kWidth), (Shape{{1, 100, 100, 1}, 0, 0}));
  }
}

TEST(OneDnnShapeInference, DilatedValid) {
  EXPECT_EQ(shape_of("Convolution f32 src=1x1x16x16 weights=1x1x4x4 dilations=2,2 auto_pad=valid "
                     "data_format=NCX weights_format=OIX"),
            (Shape{{1, 1, 10, 10}, 0, 0}));
}

Tensor in_order(Extents channels_first, std::size_t spatial_rank, Extent spatial, auto format) {
  channels_first.insert(channels_first.end(), spatial_rank, spatial);
  const auto axes = channels_first_axes(format, channels_first.size());
  return {unpermute({channels_first, {}}, axes).dims, {}};
}

// 224 under 3 at stride 2, valid: 111, whatever pads_begin=1 and pads_end=2 say.
TEST(OneDnnShapeInference, ValidInEveryFormat) {
  for (const auto [two_or_three, group, nxc, xio, biased] : Grid<5>{{2, 3, 2, 2, 2}}) {
    const auto rank = static_cast<std::size_t>(two_or_three + 2);
    ConvolutionAttributes a;
    a.strides = Extents(rank, 2);
    a.dilations = Extents(rank, 1);
    a.pads_begin = Extents(rank, 1);
    a.pads_end = Extents(rank, 2);
    a.auto_pad = AutoPad::kValid;
    a.groups = Extent{1} << group;
    a.data_format = nxc == 1 ? DataFormat::kNXC : DataFormat::kNCX;
    a.weights_format = xio == 1 ? WeightsFormat::kXIO : WeightsFormat::kOIX;
    Problem problem;
    problem.src = in_order({8, 32}, rank, 224, a.data_format);
    problem.weights = in_order({16, 32 / a.groups}, rank, 3, a.weights_format);
    if (biased == 1) problem.bias = Tensor{{16}, {}};
    problem.attributes = a;
    const auto geometry = resolve_discrete(problem);
    ASSERT_TRUE(geometry) << print(problem) << ": " << geometry.why().detail;
    EXPECT_EQ(geometry->dst, in_order({8, 16}, rank, 111, a.data_format)) << print(problem);
  }
}

TEST(OneDnnShapeInference, GroupsThatDoNotFitTheChannelsAreRefused) {
  const auto geometry = resolve_discrete(
      parse("Convolution f32 src=8x3x224x224 weights=16x3x3x3 groups=2 data_format=NCX "
            "weights_format=OIX")
          .value());
  ASSERT_FALSE(geometry);
  EXPECT_EQ(geometry.why().fault, Fault::kChannels);
}

TEST(OneDnnBenchmark, Shapes) {
  for (const std::string auto_pad : {"none", "same_upper", "same_lower", "valid"}) {
    EXPECT_EQ(shape_of("Convolution f32 src=2x32x28x28 weights=128x32x2x2 strides=2,2 "
                       "data_format=NCX weights_format=OIX auto_pad=" +
                       auto_pad)
                  .dims,
              (Extents{2, 128, 14, 14}));
  }
  EXPECT_EQ(shape_of("Convolution f32 src=2x28x28x32 weights=1x1x32x128 strides=2,2").dims,
            (Extents{2, 14, 14, 128}));
  EXPECT_EQ(shape_of("Convolution f32 src=1x3x116x132x132 weights=32x3x3x3x3 bias=32 "
                     "data_format=NCX weights_format=OIX")
                .dims,
            (Extents{1, 32, 114, 130, 130}));
  EXPECT_EQ(shape_of("Convolution f32 src=8x32x16x16 weights=32x8x1x1 groups=4 data_format=NCX "
                     "weights_format=OIX")
                .dims,
            (Extents{8, 32, 16, 16}));
}

Values formula(std::size_t count, int times, int plus, int modulus, int minus) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = (times * static_cast<int>(i) + plus) % modulus - minus;
  }
  return values;
}

// Source: the same values came out of oneDNN 2.6.3, XNNPACK, ONNX Runtime, PyTorch, Eigen and
// TensorFlow.js, and in integers out of scipy.signal.correlate.
TEST(EveryLibrary, AgreesOnTheGroupedDilatedStridedProblem) {
  Values bias(6);
  std::iota(bias.begin(), bias.end(), -2);
  for (const std::string operation : kOperations) {
    const Answer dst =
        answer(line_of(operation,
                       "f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 dilations=2,2 groups=2 "
                       "pads_begin=1,2 pads_end=0,3 data_format=NCX weights_format=OIX"),
               formula(720, 7, 3, 11, 5), formula(72, 5, 1, 7, 3), bias);
    EXPECT_EQ(dst.dims, (Extents{2, 6, 3, 7}));
    EXPECT_EQ(std::accumulate(dst.values.begin(), dst.values.end(), 0.0), 79);
    EXPECT_EQ(Values(dst.values.begin(), dst.values.begin() + 12),
              (Values{-7, -3, 5, -20, -1, -17, -2, -8, 28, -22, 5, -1}));
  }
}

}  // namespace
}  // namespace concord::reference
