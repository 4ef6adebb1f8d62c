// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/form_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "conformance/case/seed.h"
#include "conformance/catalog/form_model.h"
#include "reference/continuous.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

std::vector<Extent> numbers_to(Extent most, std::initializer_list<Extent> more = {}) {
  std::vector<Extent> values(static_cast<std::size_t>(most));
  std::iota(values.begin(), values.end(), 1);
  values.insert(values.end(), more);
  return values;
}

constexpr Extent kMostOfMany = 40, kMostOfFew = 20, kMostTaps = 12, kMostStride = 8;
constexpr Extent kMostBlock = 12, kMostImages = 5, kMostLayers = 6;

/// Of a CNTK convolution of an image with channels.
struct CntkCounts {
  Extent width = 7, height = 6, channels = 2, samples = 2, maps = 3;
  Extent kernel_width = 3, kernel_height = 2, stride_width = 1, stride_height = 1;
  Extent memory_bound = 0;
};

struct CntkCounted {
  std::string_view word;
  Extent CntkCounts::*member;
  std::vector<Extent> values{};
};

std::vector<CntkCounted> cntk_counted() {
  const auto many = numbers_to(kMostOfMany, {63, 64, 65});
  return {{"samples", &CntkCounts::samples, many},
          {"channels", &CntkCounts::channels, many},
          {"maps", &CntkCounts::maps, many},
          {"width", &CntkCounts::width, many},
          {"height", &CntkCounts::height, many},
          {"kernel-width", &CntkCounts::kernel_width, numbers_to(kMostTaps)},
          {"kernel-height", &CntkCounts::kernel_height, numbers_to(kMostTaps)},
          {"stride-width", &CntkCounts::stride_width, numbers_to(kMostStride)},
          {"stride-height", &CntkCounts::stride_height, numbers_to(kMostStride)}};
}

// Where an extent is counted its kernel is no longer; else it has room for three windows, and for
// what the last one leaves over.
void fit(bool is_counted, Extent stride, Extent& kernel, Extent& extent) {
  if (is_counted) {
    kernel = std::min(kernel, extent);
  } else {
    extent = std::max(extent, kernel + 2 * stride + stride - 1);
  }
}

bool is_along_width(Extent CntkCounts::*member) {
  return member == &CntkCounts::width || member == &CntkCounts::kernel_width;
}
bool is_along_height(Extent CntkCounts::*member) {
  return member == &CntkCounts::height || member == &CntkCounts::kernel_height;
}

CntkCounts cntk_counts(const CntkCounted& counted, Extent value, std::size_t turn) {
  constexpr Extent kMemoryBounds[] = {0, 1, 3, 7};
  CntkCounts n;
  n.maps = static_cast<Extent>(1 + turn % 3);
  n.samples = static_cast<Extent>(1 + turn / 2 % 2);
  n.memory_bound = kMemoryBounds[turn % std::size(kMemoryBounds)];
  n.*counted.member = value;
  constexpr Extent kStrideTurns = 4;
  const Extent stride = 1 + static_cast<Extent>(turn / 3) % kStrideTurns;
  if (is_along_width(counted.member)) n.stride_width = stride;
  if (is_along_height(counted.member)) n.stride_height = stride;
  fit(counted.member == &CntkCounts::width, n.stride_width, n.kernel_width, n.width);
  fit(counted.member == &CntkCounts::height, n.stride_height, n.kernel_height, n.height);
  return n;
}

enum class CntkVariant { kPadded, kValid, kUnshared, kUneven };
constexpr std::array kCntkVariants = {
    std::pair{"padded", CntkVariant::kPadded}, std::pair{"valid", CntkVariant::kValid},
    std::pair{"unshared", CntkVariant::kUnshared}, std::pair{"uneven", CntkVariant::kUneven}};

Problem cntk_problem(const CntkCounts& n, CntkVariant variant) {
  CntkConvolutionAttributes a;
  a.kernel = {n.kernel_width, n.kernel_height, n.channels};
  a.stride = {n.stride_width, n.stride_height, n.channels};
  const Extent is_padded = variant == CntkVariant::kPadded ? 1 : 0;
  a.auto_padding = {is_padded, is_padded, 0};
  if (variant == CntkVariant::kUneven) {
    // The system refuses padded windows that do not reach the end of the input.
    a.lower_pad = {1, 0, 0};
    a.upper_pad = {n.stride_width - 1, n.stride_height, 0};
  }
  Extent rows = n.maps;
  if (variant == CntkVariant::kUnshared) {
    a.sharing = {0, 1, 1};
    rows *= (n.width - n.kernel_width) / n.stride_width + 1;
  }
  a.map_count = {n.maps};
  a.max_temp_mem_size_in_samples = n.memory_bound;
  Problem problem;
  problem.src.dims = {n.width, n.height, n.channels, n.samples};
  problem.weights.dims = {rows, n.kernel_width * n.kernel_height * n.channels};
  problem.attributes = std::move(a);
  return problem;
}

Problem cntk_2d_problem(const CntkCounts& n, bool is_padded, CntkLayout layout) {
  CntkConvolution2dAttributes a;
  a.kernel_width = n.kernel_width;
  a.kernel_height = n.kernel_height;
  a.horizontal_stride = n.stride_width;
  a.vertical_stride = n.stride_height;
  a.zero_padding = is_padded ? 1 : 0;
  a.image_layout = layout;
  a.max_temp_mem_size_in_samples = n.memory_bound;
  Problem problem;
  problem.src.dims = layout == CntkLayout::kHwc ? Extents{n.channels, n.width, n.height, n.samples}
                                                : Extents{n.width, n.height, n.channels, n.samples};
  problem.weights.dims = {n.maps, n.kernel_width * n.kernel_height * n.channels};
  problem.attributes = a;
  return problem;
}

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

enum class Pass { kForward, kData, kWeights };
constexpr std::array kPasses = {std::pair{"forward", Pass::kForward},
                                std::pair{"data", Pass::kData},
                                std::pair{"weights", Pass::kWeights}};

// The gradients of a convolution, complete but for its tensors' memory.
template <class BackwardData, class BackwardWeights, class Attributes>
void make_gradient(Pass pass, const Attributes& attributes, Problem& problem) {
  if (pass == Pass::kForward) return;
  problem.diff_dst = Tensor{reference::resolve(problem).value().dst.dims, {}};
  if (pass == Pass::kData) {
    problem.attributes = BackwardData{attributes};
  } else {
    problem.attributes = BackwardWeights{attributes};
  }
}

/// Of a continuous layer whose scale is the same on both axes.
struct ContinuousCounts {
  Extent images = 1, in_channels = 2, out_channels = 2, height = 7, width = 8;
  Extent kernel_height = 3, kernel_width = 3;
  Extent first_width = 5, second_width = 3;
  Rational scale{2, 3};
};

struct ContinuousCounted {
  std::string_view word;
  void (*set)(ContinuousCounts& counts, Extent value);
  std::vector<Extent> values{};
};

constexpr Extent kMostSupport = 9, kMostOfScale = 9;

std::vector<ContinuousCounted> continuous_counted() {
  using Counts = ContinuousCounts;
  return {{"images", [](Counts& n, Extent value) { n.images = value; }, numbers_to(kMostOfFew)},
          {"in-channels", [](Counts& n, Extent value) { n.in_channels = value; },
           numbers_to(kMostOfFew)},
          {"out-channels", [](Counts& n, Extent value) { n.out_channels = value; },
           numbers_to(kMostOfFew)},
          {"height", [](Counts& n, Extent value) { n.height = value; }, numbers_to(kMostOfMany)},
          {"width", [](Counts& n, Extent value) { n.width = value; }, numbers_to(kMostOfMany)},
          {"kernel-height", [](Counts& n, Extent value) { n.kernel_height = value; },
           numbers_to(kMostSupport)},
          {"kernel-width", [](Counts& n, Extent value) { n.kernel_width = value; },
           numbers_to(kMostSupport)},
          {"first-width", [](Counts& n, Extent value) { n.first_width = value; },
           numbers_to(kMostOfMany)},
          {"second-width", [](Counts& n, Extent value) { n.second_width = value; },
           numbers_to(kMostOfMany)},
          {"kernel", [](Counts& n, Extent value) { n.kernel_height = n.kernel_width = value; },
           numbers_to(kMostSupport)}};
}

// Every k/l with small parts, and periods of more phases than a vector has elements.
std::vector<Rational> scales() {
  std::vector<Rational> all;
  for (Extent numerator = 1; numerator <= kMostOfScale; ++numerator) {
    for (Extent denominator = 1; denominator <= kMostOfScale; ++denominator) {
      if (std::gcd(numerator, denominator) == 1) all.emplace_back(numerator, denominator);
    }
  }
  for (const auto& [numerator, denominator] :
       {std::pair{16, 1}, {1, 16}, {17, 16}, {16, 17}, {19, 17}, {33, 32}, {31, 33}, {40, 13}}) {
    all.emplace_back(numerator, denominator);
  }
  return all;
}

ContinuousAttributes continuous_attributes(const ContinuousCounts& n, KernelFunction function,
                                           std::size_t turn) {
  ContinuousAttributes a;
  a.scale_h = a.scale_w = n.scale;
  a.kernel = {n.kernel_height, n.kernel_width};
  a.channels = n.out_channels;
  a.function = function;
  a.widths = {n.first_width, n.second_width};
  a.boundary = static_cast<Boundary>(turn / 3 % std::size(kWords<Boundary>));
  // Where neighbours at the border do not count, an output of a narrow support may have none.
  const bool is_narrow = std::min(n.kernel_height, n.kernel_width) < 2;
  a.ties = is_narrow ? Ties::kHalfOpen : static_cast<Ties>(turn % std::size(kWords<Ties>));
  return a;
}

/// Of layers one after the other, that make an image larger and smaller by turns: at the end it has
/// its own size.
struct ContinuousChainCounts {
  Extent images = 1, channels = 2, layers = 3, height = 7, width = 8;
  Extent kernel_height = 3, kernel_width = 3;
};

struct ContinuousChainCounted {
  std::string_view word;
  Extent ContinuousChainCounts::*member;
  std::vector<Extent> values{};
};

std::vector<ContinuousChainCounted> continuous_chain_counted() {
  const auto few = numbers_to(kMostOfFew);
  return {{"images", &ContinuousChainCounts::images, few},
          {"channels", &ContinuousChainCounts::channels, few},
          {"layers", &ContinuousChainCounts::layers, numbers_to(kMostLayers)},
          {"height", &ContinuousChainCounts::height, few},
          {"width", &ContinuousChainCounts::width, few},
          {"kernel-height", &ContinuousChainCounts::kernel_height, numbers_to(kMostSupport)},
          {"kernel-width", &ContinuousChainCounts::kernel_width, numbers_to(kMostSupport)}};
}

Problem continuous_chain_problem(const ContinuousChainCounts& n, std::size_t turn) {
  ContinuousChainAttributes a;
  const Rational larger(3, 2), smaller(2, 3);
  for (Extent layer = 0; layer < n.layers; ++layer) {
    const bool is_odd_one = layer + 1 == n.layers && layer % 2 == 0;
    a.scales_h.push_back(is_odd_one ? Rational(1) : layer % 2 == 0 ? larger : smaller);
    a.scales_w.push_back(is_odd_one ? Rational(1) : layer % 2 == 0 ? smaller : larger);
  }
  a.kernel = {n.kernel_height, n.kernel_width};
  a.function = turn % 3 == 2 ? KernelFunction::kNetK : KernelFunction::kNet;
  a.widths = {5, 3};
  a.boundary = static_cast<Boundary>(turn % std::size(kWords<Boundary>));
  const Extent parameters = *reference::parameters_of(n.channels, a.layer(n.channels));
  return {.src = {{n.images, n.channels, n.height, n.width}, {}},
          .weights = {{n.layers, parameters}, {}},
          .attributes = a};
}

// Of smoke, which has one problem of each: those beside vectors of 4, 8, 16 and 32, and what two
// of 8 and one of 16 leave over.
bool is_common(Extent value) {
  constexpr Extent kMore[] = {10, 12, 15, 17, 33};
  return (value >= 4 && value <= 9) || std::ranges::find(kMore, value) != std::end(kMore);
}

class FormCounts {
 public:
  // Of the problems of one value and part, one by turns is common.
  std::vector<FormCount> take() && {
    for (const auto& [group, places] : common_) {
      counts_[places[Random(fnv1a(group)).below(places.size())]].is_common = true;
    }
    return std::move(counts_);
  }

  // `counted` is what of the problem has that value. Those of a value and `part` are one group.
  void add(std::string_view family, std::string_view counted, Extent value,
           const std::string& variant, Problem problem, std::string_view part = "") {
    // One after the other, and not the same for every value's first problem.
    problem.dtype = kCommonDtypes[(turn_ + turn_ / 7) % std::size(kCommonDtypes)];
    ++turn_;
    form::set_memory(form::kDense, problem);
    const std::string group = fmt::format("{}-{}", counted, value);
    counts_.push_back({{std::string(family), variant.empty() ? group : group + "-" + variant,
                        std::move(problem), "every count", ""}});
    if (is_common(value)) {
      common_[fmt::format("{}/{}/{}", family, group, part)].push_back(counts_.size() - 1);
    }
  }

  void add_cntk() {
    for (const CntkCounted& counted : cntk_counted()) {
      for (const Extent value : counted.values) {
        const CntkCounts n = cntk_counts(counted, value, turn_ / 16);
        for (const auto& [variant_word, variant] : kCntkVariants) {
          for (const auto& [pass_word, pass] : kPasses) {
            Problem problem = cntk_problem(n, variant);
            const auto a = std::get<CntkConvolutionAttributes>(problem.attributes);
            make_gradient<CntkBackwardDataAttributes, CntkBackwardWeightsAttributes>(pass, a,
                                                                                     problem);
            add("cntk_counts", counted.word, value, fmt::format("{}-{}", variant_word, pass_word),
                problem, pass_word);
          }
        }
        for (const bool is_padded : {false, true}) {
          for (const CntkLayout layout : {CntkLayout::kCudnn, CntkLayout::kHwc}) {
            add("cntk2d_counts", counted.word, value,
                fmt::format("{}-{}", is_padded ? "padded" : "valid",
                            layout == CntkLayout::kHwc ? "hwc" : "cudnn"),
                cntk_2d_problem(n, is_padded, layout));
          }
        }
      }
    }
  }

  void add_continuous() {
    for (const ContinuousCounted& counted : continuous_counted()) {
      for (const Extent value : counted.values) {
        ContinuousCounts n;
        counted.set(n, value);
        add_continuous(n, counted.word, value, "");
      }
    }
    for (const Rational& scale : scales()) {
      ContinuousCounts n;
      n.scale = scale;
      const std::string denominator = std::to_string(scale.denominator());
      add_continuous(n, "scale", scale.numerator(), denominator + "-");
    }
  }

  void add_blocks() {
    for (const Extent channels : numbers_to(kMostOfMany)) {
      add("blocks_counts", "to-batch-channels", channels, "",
          {.src = {{2, 4, 6, channels}, {}},
           .attributes = SpaceToBatchAttributes{2, {1, 1, 0, 2}}});
      add("blocks_counts", "to-space-channels", channels, "",
          {.src = {{8, 3, 2, channels}, {}},
           .attributes = BatchToSpaceAttributes{2, {1, 0, 0, 1}}});
    }
    for (Extent size = 1; size <= kMostBlock; ++size) {
      for (Extent images = 1; images <= kMostImages; ++images) {
        const Extent channels = 1 + (size * 5 + images * 3) % kMostOfFew;
        const std::string variant = fmt::format("images-{}", images);
        add("blocks_counts", "to-batch", size, variant,
            {.src = {{images, 2 * size, size, channels}, {}},
             .attributes = SpaceToBatchAttributes{size, {1, 2 * size - 1, size - 1, 1}}});
        add("blocks_counts", "to-space", size, variant,
            {.src = {{images * size * size, 3, 2, channels}, {}},
             .attributes = BatchToSpaceAttributes{size, {1, 0, 0, size - 1}}});
      }
    }
  }

  void add_chains() {
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
        add("chain_counts", counted.word, value, "",
            {.src = {{n.images, n.height, n.width, n.channels}, {}},
             .weights = {{n.layers, n.kernel_height, n.kernel_width, n.channels, n.channels}, {}},
             .attributes = AtrousChainAttributes{n.rate}});
        const Extents filter = {n.kernel_height, n.kernel_width, n.channels, n.layers};
        add("atrous_counts", counted.word, value, "same",
            {.src = {{n.images, n.height, n.width, n.channels}, {}},
             .weights = {filter, {}},
             .attributes = AtrousConv2dAttributes{n.rate, TfPadding::kSame, ""}});
        // The dilated filter fits in the image.
        const Extent beyond_height = (n.kernel_height - 1) * n.rate;
        const Extent beyond_width = (n.kernel_width - 1) * n.rate;
        add("atrous_counts", counted.word, value, "valid",
            {.src = {{n.images, n.height + beyond_height, n.width + beyond_width, n.channels}, {}},
             .weights = {filter, {}},
             .attributes = AtrousConv2dAttributes{n.rate, TfPadding::kValid, ""}});
      }
    }
  }

  void add_continuous_chains() {
    for (const ContinuousChainCounted& counted : continuous_chain_counted()) {
      for (const Extent value : counted.values) {
        ContinuousChainCounts n;
        n.*counted.member = value;
        add("continuous_chain_counts", counted.word, value, "", continuous_chain_problem(n, turn_));
      }
    }
  }

 private:
  void add_continuous(const ContinuousCounts& n, std::string_view counted, Extent value,
                      const std::string& more) {
    for (const KernelFunction function :
         {KernelFunction::kNet, KernelFunction::kNetK, KernelFunction::kKeys}) {
      for (const auto& [pass_word, pass] : kPasses) {
        // The cubic has no parameters to differentiate by.
        if (function == KernelFunction::kKeys && pass == Pass::kWeights) continue;
        ContinuousAttributes a = continuous_attributes(n, function, turn_);
        Problem problem;
        problem.src.dims = {n.images, n.in_channels, n.height, n.width};
        problem.weights.dims = {*reference::parameters_of(n.in_channels, a)};
        problem.attributes = a;
        make_gradient<ContinuousBackwardDataAttributes, ContinuousBackwardWeightsAttributes>(
            pass, a, problem);
        const std::string variant = fmt::format("{}-{}", to_string(function), pass_word);
        // Channels and widths are what the sums of each function are of.
        const bool is_of_sums = counted.ends_with("channels") || counted.ends_with("-width");
        add("continuous_counts", counted, value, more + variant, problem,
            is_of_sums ? variant : pass_word);
      }
    }
  }

  std::size_t turn_ = 0;
  std::vector<FormCount> counts_{};
  /// By family, what is counted, its value and the part: places of problems.
  std::map<std::string, std::vector<std::size_t>> common_{};
};

}  // namespace

std::vector<FormCount> form_counts() {
  FormCounts counts;
  counts.add_cntk();
  counts.add_continuous();
  counts.add_blocks();
  counts.add_chains();
  counts.add_continuous_chains();
  return std::move(counts).take();
}

}  // namespace concord::conformance
