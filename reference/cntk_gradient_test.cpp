// SPDX-License-Identifier: Apache-2.0
// The gradients of CNTK's N-D convolution as operations: against PyTorch, against differences of
// the convolution, and as adjoints of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference/reference.h"

namespace concord::reference {
namespace {

using Numbers = std::vector<double>;

// (i a + b) mod m - c of each place i.
Numbers pattern(std::size_t count, int a, int b, int m, int c) {
  Numbers values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back((static_cast<int>(i) * a + b) % m - c);
  }
  return values;
}

Oracle evaluated(const std::string& line, const Values& values) {
  const Problem problem = *parse(line);
  const auto resolution = resolve(problem);
  EXPECT_TRUE(resolution) << line << ": " << resolution.why().detail;
  return evaluate(problem, *resolution, values);
}

// A problem of each gradient, of the convolution with these tensors and attributes.
struct Trio {
  std::string src, weights, diff_dst, attributes;

  std::string line(const std::string& operation) const {
    const bool has_delta = operation != "CntkConvolution";
    return operation + " f64 src=" + src + " weights=" + weights +
           (has_delta ? " diff_dst=" + diff_dst : "") + " " + attributes;
  }
  Numbers forward(const Numbers& in, const Numbers& w) const {
    return evaluated(line("CntkConvolution"), {in, w, {}, {}}).value;
  }
  Numbers by_input(const Numbers& w, const Numbers& delta) const {
    return evaluated(line("CntkBackwardData"), {{}, w, {}, delta}).value;
  }
  Numbers by_weights(const Numbers& in, const Numbers& delta) const {
    return evaluated(line("CntkBackwardWeights"), {in, {}, {}, delta}).value;
  }
};

std::size_t count_of(const std::string& dims) {
  const Problem problem = *parse("SpaceToBatch f32 block_size=1 src=" + dims);
  return static_cast<std::size_t>(*element_count(problem.src.dims));
}

const Trio kTrios[] = {
    {"8x7x2x3", "3x24", "8x7x3x3",
     "kernel=4,3,2 stride=1,1,2 autoPadding=false lowerPad=2,1,0 upperPad=1,1,0"},
    {"11x9x4x2", "5x60", "4x5x5x2", "kernel=5,3,4 stride=3,2,4 autoPadding=true,true,false"},
    {"9x7x2", "6x6", "8x18x2", "kernel=3,2 mapCount=2,3 stride=2,1 autoPadding=false"},
    {"7x6x3x2", "100x18", "5x5x4x2",
     "kernel=3,2,3 mapCount=4 stride=1,1,3 sharing=false,false,true autoPadding=false"},
    {"12x5", "2x1", "6x5", "kernel=1 mapCount=2 stride=4 autoPadding=true reading=documented"},
    {"3x2x2x2x3x2x2x2", "64x16", "2x2x1x2x2x2x2x2",
     "kernel=2,1,2,1,2,1,2 mapCount=2 stride=1,1,1,1,1,1,2 "
     "sharing=false,false,true,false,false,false,true autoPadding=false"},
};

// torch.nn.grad.conv2d_input and conv2d_weight of PyTorch 1.13, stride (2, 1), padding 1.
TEST(CntkGradients, ArePyTorchsOfASharedKernel) {
  const Trio trio{"5x4x2x2", "3x12", "5x3x3x2",
                  "kernel=3,2,2 stride=1,2,2 autoPadding=false lowerPad=1,1,0 upperPad=1,1,0"};
  const Numbers in = pattern(80, 7, 3, 11, 5), w = pattern(36, 5, 1, 7, 3);
  const Numbers delta = pattern(90, 3, 2, 8, 4);
  EXPECT_EQ(
      trio.by_input(w, delta),
      (Numbers{2,   -11, 19,  -23, 6,   -14, -18, 38,  -18, -14, 4,   -21, 17,  -1,  -18, -13,
               -18, 38,  -18, -15, 22,  -8,  5,   2,   -8,  22,  -17, -18, 37,  -15, 19,  1,
               -18, 19,  2,   25,  -14, -15, 40,  -14, 4,   -21, 17,  -1,  -18, -13, -18, 38,
               -18, -15, 6,   -23, 15,  -3,  -18, 28,  -18, -2,  -2,  -16, 19,  1,   -18, 19,
               2,   25,  -14, -15, 40,  -14, 16,  2,   -17, 20,  4,   -12, 37,  -20, 19,  -13}));
  EXPECT_EQ(
      trio.by_weights(in, delta),
      (Numbers{3,  -73, 33, -22, 16,  0,  -17, -14, 15, -33, 8,  4, -64, 42, 1,   13,  0, -11, -16,
               12, -54, 6,  -9,  -11, 45, -11, -55, 0,  -8,  18, 1, -42, 37, -11, -18, -2}));
}

// PyTorch's autograd of einsum('npk,mpk->nmp', x.unfold(1, 3, 2), w).
TEST(CntkGradients, ArePyTorchsWhereEachPositionHasItsKernel) {
  const Trio trio{"7x2", "6x3", "6x2",
                  "kernel=3 mapCount=2 stride=2 sharing=false autoPadding=false"};
  const Numbers in = pattern(14, 7, 3, 11, 5), w = pattern(18, 5, 1, 7, 3);
  const Numbers delta = pattern(12, 3, 2, 8, 4);
  EXPECT_EQ(trio.by_input(w, delta),
            (Numbers{3, -5, 4, -3, -11, 5, -9, 1, -1, -14, -9, 11, 3, -5}));
  EXPECT_EQ(trio.by_weights(in, delta),
            (Numbers{4, -10, -2, -14, 3, -2, -12, -10, 14, 5, -6, -6, 22, -14, 16, -10, -5, 11}));
}

double dot(const Numbers& x, const Numbers& y) {
  EXPECT_EQ(x.size(), y.size());
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// <delta, conv(in, w)> = <by_input(w, delta), in> = <by_weights(in, delta), w>, in integers.
TEST(CntkGradients, AreAdjointToTheConvolution) {
  for (const Trio& trio : kTrios) {
    const Numbers in = pattern(count_of(trio.src), 7, 3, 11, 5);
    const Numbers w = pattern(count_of(trio.weights), 5, 1, 7, 3);
    const Numbers delta = pattern(count_of(trio.diff_dst), 3, 2, 8, 4);
    const double want = dot(delta, trio.forward(in, w));
    EXPECT_EQ(dot(trio.by_input(w, delta), in), want) << trio.attributes;
    EXPECT_EQ(dot(trio.by_weights(in, delta), w), want) << trio.attributes;
  }
}

// The loss is linear in each factor, so that differences are exact: of every element of both.
TEST(CntkGradients, AreDifferencesOfTheLoss) {
  for (const Trio& trio : {kTrios[0], kTrios[2], kTrios[4]}) {
    Numbers in = pattern(count_of(trio.src), 7, 3, 11, 5);
    Numbers w = pattern(count_of(trio.weights), 5, 1, 7, 3);
    const Numbers delta = pattern(count_of(trio.diff_dst), 3, 2, 8, 4);
    const Numbers by_input = trio.by_input(w, delta), by_weights = trio.by_weights(in, delta);
    const double loss = dot(delta, trio.forward(in, w));
    const auto expect_differences = [&](Numbers& changed, const Numbers& gradient) {
      for (std::size_t i = 0; i < changed.size(); ++i) {
        ++changed[i];
        EXPECT_EQ(dot(delta, trio.forward(in, w)) - loss, gradient[i]) << trio.attributes;
        --changed[i];
      }
    };
    expect_differences(in, by_input);
    expect_differences(w, by_weights);
  }
}

// As many products as an element can have, and no fewer than any element has.
TEST(CntkGradients, SumNoMoreProductsThanTheirBound) {
  for (const Trio& trio : kTrios) {
    for (const char* const operation : {"CntkBackwardData", "CntkBackwardWeights"}) {
      const Problem problem = *parse(trio.line(operation));
      const auto resolution = resolve(problem);
      const Numbers in(count_of(trio.src), 1), w(count_of(trio.weights), 1);
      const Numbers delta(count_of(trio.diff_dst), 1);
      const Numbers terms = evaluate(problem, *resolution, {in, w, {}, delta}).value;
      EXPECT_EQ(*std::max_element(terms.begin(), terms.end()),
                static_cast<double>(resolution->products))
          << trio.line(operation);
    }
  }
}

TEST(CntkGradients, OfNoSamplesAreZeroOrEmpty) {
  const Trio trio{"7x6x3x0", "4x18", "5x5x4x0", "kernel=3,2,3 stride=1,1,3 autoPadding=false"};
  EXPECT_EQ(trio.by_weights({}, {}), Numbers(72, 0));
  EXPECT_EQ(trio.by_input(Numbers(72, 1), {}), Numbers());
}

// diff_dst and the gradient by the input have their first axis fastest, that by the weights the
// last.
TEST(CntkGradients, HaveTheMemoryOfWhatTheyAreGradientsOf) {
  const Problem by_input = *parse(kTrios[0].line("CntkBackwardData"));
  EXPECT_EQ(by_input.diff_dst->strides, (Extents{1, 8, 56, 168}));
  EXPECT_EQ(resolve(by_input)->dst.strides, (Extents{1, 8, 56, 112}));
  const Problem by_weights = *parse(kTrios[0].line("CntkBackwardWeights"));
  EXPECT_EQ(resolve(by_weights)->dst.dims, (Extents{3, 24}));
  EXPECT_TRUE(resolve(by_weights)->dst.strides.empty());
  for (const Problem& problem : {by_input, by_weights}) EXPECT_EQ(*parse(print(problem)), problem);
}

}  // namespace
}  // namespace concord::reference
