// SPDX-License-Identifier: Apache-2.0
// The three ways of atrous_conv2d's document, its chain, and space_to_batch on which they stand.
#include <gtest/gtest.h>

#include <numeric>

#include "reference/tf_atrous_forms.h"
#include "reference/tf_space_to_batch.h"
#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

TfTensor filled(const Extents& dims, int seed) {
  TfTensor tensor{dims, Values(static_cast<std::size_t>(element_count(dims).value()))};
  int state = seed;
  for (double& value : tensor.values) {
    state = (state * 75 + 74) % 65537;
    value = state % 7 - 3;
  }
  return tensor;
}

std::string text(const Extents& dims) { return to_string(Tensor{dims, {}}); }

Answer direct(const TfTensor& value, const TfTensor& filters, Extent rate, bool same) {
  return answer("AtrousConv2d f32 src=" + text(value.dims) + " weights=" + text(filters.dims) +
                    " rate=" + std::to_string(rate) + (same ? " padding=SAME" : " padding=VALID"),
                value.values, filters.values);
}

TfTensor sequence(const TfTensor& value, const std::vector<TfTensor>& filters, Extent rate) {
  TfTensor net = value;
  for (const TfTensor& layer : filters) {
    auto [dims, values] = direct(net, layer, rate, true);
    net = {dims, values};
  }
  return net;
}

// By hand: rows 0 and 2 of columns 0 and 2 are the first phase; depth stays where it is.
TEST(SpaceToBatch, PutsEachPhaseIntoABatchOfItsOwn) {
  const SpaceToBatchAttributes split{.block_size = 2, .paddings = {1, 0, 0, 1}};
  const Extents src{1, 3, 3, 1};
  EXPECT_EQ(resolve_space_to_batch(src, split).value(), (Extents{4, 2, 2, 1}));
  // Padded: 0 0 0 0 / 1 2 3 0 / 4 5 6 0 / 7 8 9 0.
  EXPECT_EQ(evaluate_space_to_batch(src, split, counting(9)),
            (Values{0, 0, 4, 6, 0, 0, 5, 0, 1, 3, 7, 9, 2, 0, 8, 0}));
}

TEST(SpaceToBatch, NumbersBatchesWithThePhaseSlowest) {
  const Extents src{2, 1, 2, 1};
  const SpaceToBatchAttributes split{.block_size = 2, .paddings = {0, 1, 0, 0}};
  // Batch (0*2+1)*2+0 holds column 1 of the first image, the next one that of the second.
  EXPECT_EQ(evaluate_space_to_batch(src, split, counting(4)), (Values{1, 3, 2, 4, 0, 0, 0, 0}));
}

TEST(SpaceToBatch, IsUndoneByBatchToSpaceWithThePaddingsAsCrops) {
  for (const auto [h, w, block, top, left] : Grid<5>{{4, 5, 3, 3, 3}}) {
    const TfTensor image = filled({2, h + 1, w + 1, 2}, 3);
    const BlockPaddings pad = required_block_paddings(h + 1, w + 1, {top, 0, left, 1}, block + 1);
    const SpaceToBatchAttributes split{.block_size = block + 1, .paddings = pad.paddings};
    const Extents phases = resolve_space_to_batch(image.dims, split).value();
    const BatchToSpaceAttributes join{.block_size = block + 1, .crops = pad.paddings};
    EXPECT_EQ(resolve_batch_to_space(phases, join).value(), image.dims);
    EXPECT_EQ(evaluate_batch_to_space(phases, join,
                                      evaluate_space_to_batch(image.dims, split, image.values)),
              image.values);
  }
}

TEST(RequiredBlockPaddings, PutTheExcessAtTheEndAndCropItThere) {
  const BlockPaddings pad = required_block_paddings(5, 6, {1, 1, 0, 0}, 3);
  EXPECT_EQ(pad.paddings, (Extents{1, 3, 0, 0}));
  EXPECT_EQ(pad.crops, (Extents{0, 2, 0, 0}));
}

TEST(SpaceToBatch, RefusesWhatHasNoPhases) {
  const auto fault = [](const Extents& src, const SpaceToBatchAttributes& a) {
    const auto result = resolve_space_to_batch(src, a);
    return result ? std::string("none") : std::string(to_string(result.why().fault));
  };
  EXPECT_EQ(fault({1, 4, 4, 1}, {2, {0, 0, 0, 0}}), "none");
  EXPECT_EQ(fault({1, 4, 4}, {0, {}}), "rank");
  EXPECT_EQ(fault({1, -4, 4, 1}, {0, {}}), "size");
  EXPECT_EQ(fault({1, 4, 4, 1}, {0, {}}), "block_size");
  EXPECT_EQ(fault({1, 4, 4, 1}, {2, {0, 0, 0}}), "pads");
  EXPECT_EQ(fault({1, 4, 4, 1}, {2, {0, 0, 0, -2}}), "pads");
  EXPECT_EQ(fault({1, 5, 4, 1}, {2, {0, 0, 0, 0}}), "pads");
  EXPECT_EQ(fault({1, 4, 4, 1}, {2, {INT64_MAX, 1, 0, 0}}), "size");
  EXPECT_EQ(fault({INT64_MAX / 16, 4, 4, 1}, {2, {0, 4, 0, 0}}), "size");
  EXPECT_EQ(fault({1, 0, 0, 1}, {INT64_MAX, {0, 0, 0, 0}}), "size");
}

TEST(BatchToSpace, RefusesWhatCannotBeJoined) {
  const auto fault = [](const Extents& src, const BatchToSpaceAttributes& a) {
    const auto result = resolve_batch_to_space(src, a);
    return result ? std::string("none") : std::string(to_string(result.why().fault));
  };
  EXPECT_EQ(fault({4, 2, 2, 1}, {2, {0, 4, 0, 0}}), "none");
  EXPECT_EQ(fault({4, 2, 2, 1, 1}, {2, {0, 0, 0, 0}}), "rank");
  EXPECT_EQ(fault({6, 2, 2, 1}, {2, {0, 0, 0, 0}}), "block_size");
  EXPECT_EQ(fault({4, 2, 2, 1}, {2, {0, 5, 0, 0}}), "pads");
  EXPECT_EQ(fault({4, 2, 2, 1}, {2, {-1, 0, 0, 0}}), "pads");
}

// All values, filters, rates and paddings of these sizes; the data are small integers, so that
// every order of summation gives the same bits.
TEST(AtrousForms, AllThreeAgreeOnEverySmallProblem) {
  std::size_t problems = 0;
  for (const auto [h, w, kh, kw, r, same] : Grid<6>{{6, 5, 3, 3, 4, 2}}) {
    const Extent rate = r + 1;
    if (same == 0 && (h + 1 < kh * rate || w + 1 < kw * rate)) continue;
    const TfTensor value = filled({2, h + 1, w + 1, 2}, 5),
                   filters = filled({kh + 1, kw + 1, 2, 3}, 9);
    const AtrousConv2dAttributes a{.rate = rate,
                                   .padding = same == 1 ? TfPadding::kSame : TfPadding::kValid};
    const Values want = direct(value, filters, rate, same == 1).values;
    const Oracle stuffed = atrous_by_zero_stuffing(value, filters, a).value();
    const Oracle phases = atrous_by_space_to_batch(value, filters, a).value();
    ASSERT_EQ(stuffed.value, want) << text(value.dims) << " " << text(filters.dims) << " " << rate;
    ASSERT_EQ(phases.value, want) << text(value.dims) << " " << text(filters.dims) << " " << rate;
    ASSERT_EQ(phases.magnitude, stuffed.magnitude);
    ++problems;
  }
  EXPECT_GT(problems, 1000U);
}

TEST(AtrousForms, RefuseWhatAtrousConv2dRefuses) {
  const TfTensor value = filled({1, 4, 4, 2}, 1), filters = filled({3, 3, 2, 1}, 2);
  EXPECT_EQ(atrous_by_space_to_batch(value, filters, {.rate = 0}).why().fault, Fault::kDilations);
  EXPECT_EQ(atrous_by_zero_stuffing(value, filters, {.rate = 3}).why().fault, Fault::kKernel);
  EXPECT_EQ(atrous_chain_documented(value, {filters, filters}, 1).why().fault, Fault::kChannels);
  const TfTensor even = filled({2, 1, 2, 2}, 2);
  EXPECT_EQ(atrous_chain_corrected(value, {even}, 2).why().fault, Fault::kKernel);
}

// docs/spec.md#atrous_conv2d, erratum 4, worked by hand.
TEST(AtrousChain, AsDocumentedReadsThePaddingOfThePhasesAsImage) {
  const TfTensor value{{1, 1, 5, 1}, {1, 2, 3, 4, 5}}, ones{{1, 3, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(sequence(value, {ones, ones}, 2).values, (Values{13, 12, 21, 12, 17}));
  EXPECT_EQ(atrous_chain_documented(value, {ones, ones}, 2)->values, (Values{13, 12, 21, 16, 17}));
  EXPECT_EQ(atrous_chain_corrected(value, {ones, ones}, 2)->values, (Values{13, 12, 21, 12, 17}));
}

TEST(AtrousChain, AsDocumentedIsRightForOneLayer) {
  for (const auto [h, w, r] : Grid<3>{{6, 6, 4}}) {
    const TfTensor value = filled({1, h + 1, w + 1, 2}, 7), filters = filled({3, 3, 2, 2}, 8);
    EXPECT_EQ(atrous_chain_documented(value, {filters}, r + 1).value(),
              sequence(value, {filters}, r + 1));
  }
}

TEST(AtrousChain, AsDocumentedIsRightWhereTheRateDividesHeightAndWidthAndFiltersAreOdd) {
  for (const auto [h, w, r] : Grid<3>{{3, 3, 3}}) {
    const Extent rate = r + 1;
    const TfTensor value = filled({2, (h + 1) * rate, (w + 1) * rate, 1}, 7);
    const std::vector<TfTensor> filters{filled({3, 1, 1, 2}, 1), filled({3, 5, 2, 2}, 2),
                                        filled({1, 3, 2, 1}, 3)};
    EXPECT_EQ(atrous_chain_documented(value, filters, rate).value(),
              sequence(value, filters, rate));
  }
}

TEST(AtrousChain, AsDocumentedIsWrongWhereverTheRateDoesNotDivideTheExtentAndTheTailIsRead) {
  const TfTensor ones{{1, 3, 1, 1}, {1, 1, 1}};
  for (const auto [w, r] : Grid<2>{{9, 4}}) {
    const Extent width = w + 1, rate = r + 1;
    const TfTensor value{{1, 1, width, 1}, counting(static_cast<int>(width))};
    const bool right = atrous_chain_documented(value, {ones, ones}, rate).value() ==
                       sequence(value, {ones, ones}, rate);
    // A tail spoils what it is next to: the last element of its phase, if the phase has any.
    EXPECT_EQ(right, width % rate == 0 || width < rate) << width << " " << rate;
  }
}

TEST(AtrousChain, CorrectedIsTheSequenceAtEveryRate) {
  for (const auto [h, w, r] : Grid<3>{{7, 6, 4}}) {
    const TfTensor value = filled({2, h + 1, w + 1, 1}, 7);
    const std::vector<TfTensor> filters{filled({3, 3, 1, 2}, 1), filled({3, 5, 2, 2}, 2),
                                        filled({1, 3, 2, 1}, 3)};
    EXPECT_EQ(atrous_chain_corrected(value, filters, r + 1).value(),
              sequence(value, filters, r + 1));
  }
}

// SAME of a phase puts its odd element at the end; at an even rate the whole padding has none.
TEST(AtrousChain, OfEvenFiltersIsWrongEvenWhereTheRateDivides) {
  const TfTensor value{{1, 1, 4, 1}, {1, 2, 3, 4}}, pair{{1, 2, 1, 1}, {1, 10}};
  EXPECT_EQ(sequence(value, {pair}, 2).values, (Values{20, 31, 42, 3}));
  EXPECT_EQ(atrous_chain_documented(value, {pair}, 2)->values, (Values{31, 42, 3, 4}));
}

}  // namespace
}  // namespace concord::reference
