// SPDX-License-Identifier: Apache-2.0
// Convolutions of two axes whose windows are the same on both, as networks have them: kernel,
// stride, dilation and padding are each one factor, and so are the channels and groups by which
// libraries choose a kernel of theirs. attribute_model() chooses each axis by itself, so that there
// a square window with the same stride and pads on both sides is rare.
#include "conformance/catalog/kernels_model.h"

#include <algorithm>
#include <iterator>

#include "conformance/catalog/attribute_numbers.h"
#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

using namespace kernels;

constexpr std::size_t kSpatialAxes = 2;
// So that a case takes about a millisecond.
constexpr Extent kMostProducts = 400'000;

constexpr Extent kKernelLevels[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16};
constexpr Extent kStrideLevels[] = {1, 2, 3, 4};
constexpr int kDilations = 3;
/// Next to each other, as patches of an image.
constexpr int kKernelStride = std::size(kStrideLevels);

/// Groups, and channels of a group.
struct Channels {
  std::string_view word;
  Extent G, IC, OC;
};
constexpr Channels kChannelLevels[] = {
    {"1-to-8", 1, 1, 8},         {"3-to-16", 1, 3, 16},           {"3-to-64", 1, 3, 64},
    {"4-to-4", 1, 4, 4},         {"12-to-20", 1, 12, 20},         {"16-to-16", 1, 16, 16},
    {"16-to-64", 1, 16, 64},     {"64-to-16", 1, 64, 16},         {"64-to-64", 1, 64, 64},
    {"13-to-11", 1, 13, 11},     {"5-to-17", 1, 5, 17},           {"24-to-40", 1, 24, 40},
    {"64-to-1", 1, 64, 1},       {"depthwise-12", 12, 1, 1},      {"depthwise-16", 16, 1, 1},
    {"depthwise-24", 24, 1, 1},  {"depthwise-64", 64, 1, 1},      {"depthwise-16-twice", 16, 1, 2},
    {"2-times-8-to-8", 2, 8, 8}, {"4-times-16-to-16", 4, 16, 16}, {"32-times-4-to-4", 32, 4, 4},
};

struct HeightWidth {
  Extent height, width;
};
constexpr HeightWidth kOutputLevels[] = {{1, 1},  {2, 3}, {4, 4},  {3, 16},
                                         {17, 5}, {7, 7}, {14, 14}};

std::vector<std::string_view> words_of_channels() {
  std::vector<std::string_view> words;
  for (const Channels& channels : kChannelLevels) words.push_back(channels.word);
  return words;
}

std::vector<Factor> factors() {
  return {{"dtype", form::words<Dtype>()},
          {"data_format", form::words<DataFormat>()},
          {"weights_format", form::words<WeightsFormat>()},
          {"kernel", {"1", "2", "3", "4", "5", "6", "7", "8", "9", "11", "16"}},
          {"stride", {"1", "2", "3", "4", "kernel"}},
          {"dilation", {"1", "2", "3"}},
          {"padding",
           {"none", "begin", "end", "one", "half", "before", "all_but_one", "same_upper",
            "same_lower"}},
          {"channels", words_of_channels()},
          {"batch", {"1", "2", "3"}},
          {"bias", {"no", "yes"}},
          {"outputs", {"1x1", "2x3", "4x4", "3x16", "17x5", "7x7", "14x14"}},
          {"left_over", {"no", "yes"}}};
}

Extent stride_of(const Row& row) {
  return row[kStride] == kKernelStride ? kKernelLevels[row[kKernel]] : kStrideLevels[row[kStride]];
}

/// `beyond_first` is what the dilated kernel has beside its first element.
struct EqualPads {
  Extent begin, end;
};
EqualPads pads_of(int padding, Extent beyond_first) {
  switch (padding) {
    case kBegin:
      return {1, 0};
    case kEnd:
      return {0, 1};
    case kOne:
      return {1, 1};
    case kHalf:
      return {beyond_first / 2, beyond_first / 2};
    case kBefore:
      return {beyond_first, 0};
    case kAllButOne:
      return {beyond_first, beyond_first};
    default:
      return {0, 0};
  }
}

AttributeNumbers numbers_of_row(const Row& row) {
  const Extent K = kKernelLevels[row[kKernel]], D = row[kDilation] + 1;
  const EqualPads pads = pads_of(row[kPadding], (K - 1) * D);
  const auto on_both = [](Extent value) { return Extents(kSpatialAxes, value); };
  AttributeNumbers n;
  n.K = on_both(K);
  n.S = on_both(stride_of(row));
  n.D = on_both(D);
  n.P_begin = on_both(pads.begin);
  n.P_end = on_both(pads.end);
  if (row[kPadding] == kSameUpper) n.auto_pad = AutoPad::kSameUpper;
  if (row[kPadding] == kSameLower) n.auto_pad = AutoPad::kSameLower;
  return n;
}

// The extents of src: the least that has an output, and so much more that there are those of the
// level besides, and what the last window leaves over.
Extents inputs_of(const Row& row, const AttributeNumbers& n) {
  const HeightWidth outputs = kOutputLevels[row[kOutputs]];
  const Extent left_over = row[kLeftOver] == 1 ? n.S[0] - 1 : 0;
  const auto input = [&](std::size_t axis, Extent wanted) {
    return least_input(n, axis, 1) + (wanted - 1) * n.S[axis] + left_over;
  };
  return {input(0, outputs.height), input(1, outputs.width)};
}

Extent products_of(const Row& row) {
  const AttributeNumbers n = numbers_of_row(row);
  const Extents I = inputs_of(row, n);
  const Channels& c = kChannelLevels[row[kChannels]];
  Extent products = (row[kBatch] + 1) * c.G * c.IC * c.OC;
  for (std::size_t a = 0; a < kSpatialAxes; ++a) products *= n.K[a] * n.axis(a, I[a]).outputs();
  return products;
}

// Levels that make the window of another level.
bool repeats_another_window(const Row& row) {
  if (row[kStride] == kKernelStride && row[kKernel] != kOpen &&
      kKernelLevels[row[kKernel]] <= kStrideLevels[std::size(kStrideLevels) - 1]) {
    return true;
  }
  if (row[kKernel] == 0 && row[kDilation] > 0) return true;  // of a single tap
  if (row[kLeftOver] == 1 && row[kStride] == 0) return true;
  if (row[kKernel] == kOpen || row[kPadding] == kOpen) return false;
  // An open dilation may be the longest one.
  const Extent D = row[kDilation] == kOpen ? kDilations : row[kDilation] + 1;
  const Extent beyond_first = (kKernelLevels[row[kKernel]] - 1) * D;
  switch (row[kPadding]) {
    case kHalf:
      return beyond_first < 4;
    case kBefore:
    case kAllButOne:
      return beyond_first < 2;
    default:
      return false;
  }
}

// With what is open as cheap as can be: the longest stride makes the fewest outputs of padding
// alone, and any dilation may, since it also makes the kernel longer.
bool is_affordable(const Row& part) {
  const auto open_to = [&part](Index factor, int level) {
    return part[factor] == kOpen ? level : part[factor];
  };
  Row row = part;
  for (const Index factor : {kKernel, kPadding, kBatch, kOutputs, kLeftOver}) {
    row[factor] = open_to(factor, 0);
  }
  const auto cheapest = std::min_element(
      std::begin(kChannelLevels), std::end(kChannelLevels),
      [](const Channels& a, const Channels& b) { return a.G * a.IC * a.OC < b.G * b.IC * b.OC; });
  row[kChannels] = open_to(kChannels, static_cast<int>(cheapest - std::begin(kChannelLevels)));
  const bool may_be_kernel =
      part[kKernel] != kOpen && kKernelLevels[part[kKernel]] > kStrideLevels[kKernelStride - 1];
  row[kStride] = open_to(kStride, may_be_kernel ? kKernelStride : kKernelStride - 1);
  const auto dilations = form::range(part[kDilation], kDilations);
  for (row[kDilation] = dilations.begin; row[kDilation] < dilations.end; ++row[kDilation]) {
    if (products_of(row) <= kMostProducts) return true;
  }
  return false;
}

bool is_allowed(const Row& row) { return !repeats_another_window(row) && is_affordable(row); }

Problem problem_for(const Row& row) {
  const AttributeNumbers n = numbers_of_row(row);
  ConvolutionAttributes attributes;
  set_numbers(n, attributes);
  attributes.data_format = static_cast<DataFormat>(row[kDataFormat]);
  attributes.weights_format = static_cast<WeightsFormat>(row[kWeightsFormat]);
  const Channels& c = kChannelLevels[row[kChannels]];
  Problem problem;
  problem.dtype = kDtypes[static_cast<std::size_t>(row[kDtype])];
  problem.attributes = attributes;
  form::set_tensors({row[kBatch] + 1, c.G, c.IC, c.OC, inputs_of(row, n), n.K}, row[kBias] == 1,
                    form::kDense, problem);
  return problem;
}

}  // namespace

FormModel kernels_model() {
  FormModel made = form::model("kernels", factors(), problem_for, is_allowed);
  made.is_late = true;
  return made;
}

}  // namespace concord::conformance
