// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "conformance/catalog/counts/form_counter.h"

namespace concord::conformance {
namespace {

constexpr Extent kMostBlock = 12, kMostImages = 5;

/// Of atrous_conv2d, whose filters are as many as `layers`, and of chains of it.
struct ChainCounts {
  Extent images = 2, height = 5, width = 6, channels = 3, layers = 2;
  Extent kernel_height = 3, kernel_width = 3, rate = 2;
};

struct ChainCounted {
  std::string_view word;
  Extent ChainCounts::*member;
  std::vector<Extent> values{};
};

std::vector<Extent> odd_numbers_to(Extent most) {
  std::vector<Extent> values;
  for (Extent value = 1; value <= most; value += 2) values.push_back(value);
  return values;
}

std::vector<ChainCounted> chain_counted() {
  const auto few = numbers_to(kMostOfFew);
  return {{"images", &ChainCounts::images, few},
          {"height", &ChainCounts::height, numbers_to(kMostOfMany)},
          {"width", &ChainCounts::width, numbers_to(kMostOfMany)},
          {"channels", &ChainCounts::channels, few},
          {"layers", &ChainCounts::layers, numbers_to(kMostLayers)},
          // A chain takes odd filters alone.
          {"kernel-height", &ChainCounts::kernel_height, odd_numbers_to(kMostTaps)},
          {"kernel-width", &ChainCounts::kernel_width, odd_numbers_to(kMostTaps)},
          {"rate", &ChainCounts::rate, numbers_to(kMostBlock)}};
}

}  // namespace

void add_block_counts(FormCounter& counter) {
  for (const Extent channels : numbers_to(kMostOfMany)) {
    counter.add(
        "blocks_counts", "to-batch-channels", channels, "",
        {.src = {{2, 4, 6, channels}, {}}, .attributes = SpaceToBatchAttributes{2, {1, 1, 0, 2}}});
    counter.add(
        "blocks_counts", "to-space-channels", channels, "",
        {.src = {{8, 3, 2, channels}, {}}, .attributes = BatchToSpaceAttributes{2, {1, 0, 0, 1}}});
  }
  for (Extent size = 1; size <= kMostBlock; ++size) {
    for (Extent images = 1; images <= kMostImages; ++images) {
      const Extent channels = 1 + (size * 5 + images * 3) % kMostOfFew;
      const std::string variant = fmt::format("images-{}", images);
      counter.add("blocks_counts", "to-batch", size, variant,
                  {.src = {{images, 2 * size, size, channels}, {}},
                   .attributes = SpaceToBatchAttributes{size, {1, 2 * size - 1, size - 1, 1}}});
      counter.add("blocks_counts", "to-space", size, variant,
                  {.src = {{images * size * size, 3, 2, channels}, {}},
                   .attributes = BatchToSpaceAttributes{size, {1, 0, 0, size - 1}}});
    }
  }
}

void add_atrous_counts(FormCounter& counter) {
  for (const ChainCounted& counted : chain_counted()) {
    for (const Extent value : counted.values) {
      ChainCounts n;
      // A middle layer.
      if (counted.member == &ChainCounts::channels) n.layers = 3;
      n.*counted.member = value;
      // An image that more taps reach than the middle one.
      if (counted.member == &ChainCounts::rate) {
        n.height += value;
        n.width += value;
      }
      counter.add(
          "chain_counts", counted.word, value, "",
          {.src = {{n.images, n.height, n.width, n.channels}, {}},
           .weights = {{n.layers, n.kernel_height, n.kernel_width, n.channels, n.channels}, {}},
           .attributes = AtrousChainAttributes{n.rate}});
      const Extents filter = {n.kernel_height, n.kernel_width, n.channels, n.layers};
      counter.add("atrous_counts", counted.word, value, "same",
                  {.src = {{n.images, n.height, n.width, n.channels}, {}},
                   .weights = {filter, {}},
                   .attributes = AtrousConv2dAttributes{n.rate, TfPadding::kSame, ""}});
      // The dilated filter fits in the image.
      const Extent beyond_height = (n.kernel_height - 1) * n.rate;
      const Extent beyond_width = (n.kernel_width - 1) * n.rate;
      counter.add(
          "atrous_counts", counted.word, value, "valid",
          {.src = {{n.images, n.height + beyond_height, n.width + beyond_width, n.channels}, {}},
           .weights = {filter, {}},
           .attributes = AtrousConv2dAttributes{n.rate, TfPadding::kValid, ""}});
    }
  }
}

}  // namespace concord::conformance
