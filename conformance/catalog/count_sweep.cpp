// SPDX-License-Identifier: Apache-2.0
// Every number of channels, groups, images, elements of a row and taps, in each kind of kernel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "conformance/catalog/sweeps.h"
#include "conformance/catalog/window.h"

namespace concord::conformance {
namespace {

/// What a family counts.
enum class Counted {
  kIC,
  kOC,
  kChannelPairs,  ///< of in and out: each pair of remainders modulo kPairedChannels
  kGroups,
  kDepthwise,
  kBatch,
  kWidth,
  kHeight,
  kDepth,
  kImage,    ///< height and width
  kColumns,  ///< of the kernel, as are the next three
  kRows,
  kPlanes,
  kSquare,   ///< rows and columns
  kStrides,  ///< of taps and stride, on all axes
  kLong
};
enum class Kernel { kDense, kPointwise, kGrouped, kDepthwise };
constexpr std::array kKernelWords = {"dense", "pointwise", "grouped", "depthwise"};

struct Family {
  Counted counted;
  std::string_view name;
  std::vector<Extent> values{};
  std::vector<Kernel> kernels{};
  std::vector<std::size_t> axes{};
};

/// Rows of an array of strength 2 over stride, padding, dtype and data format: every pair of levels
/// of two of them is in one row or more.
struct Level {
  Extent stride;
  int padding;  ///< 0: none; 1: half of the kernel; 2: automatic; 3: all of the kernel but one
  Dtype dtype;
  DataFormat data_format;
};
constexpr std::size_t kStrides = 3, kPaddings = 4, kLevels = kStrides * kPaddings;
constexpr int kAutomatic = 2;

Level level_of(std::size_t row) {
  // By stride and padding, so that each stride, padding and dtype has both formats.
  constexpr bool kIsNcx[kStrides][kPaddings] = {
      {true, false, true, false}, {true, true, false, false}, {false, true, false, true}};
  const std::size_t stride = row / kPaddings, padding = row % kPaddings;
  return {static_cast<Extent>(stride + 1), static_cast<int>(padding),
          kCommonDtypes[(stride + padding) % std::size(kCommonDtypes)],
          kIsNcx[stride][padding] ? DataFormat::kNCX : DataFormat::kNXC};
}

std::vector<Extent> up_to(Extent most) {
  std::vector<Extent> values;
  for (Extent value = 1; value <= most; ++value) values.push_back(value);
  return values;
}

// Those up to `most`, and those around each of `centres`.
std::vector<Extent> counts(Extent most, const std::vector<Extent>& centres) {
  std::vector<Extent> values = up_to(most);
  for (const Extent centre : centres) {
    for (const Extent value : {centre - 1, centre, centre + 1}) values.push_back(value);
  }
  return values;
}

/// Two numbers as one value.
struct Pair {
  Extent first, second;
};
constexpr Extent kPairedChannels = 16, kPairedTaps = 16;
// Its multiples by turn_of() have no factor in common with the turns: each extent meets all of
// them.
constexpr Extent kPairedExtents = 19;
constexpr Extent kMostStrideOfLevels = 3;

// Every remainder beside every other one; each number by turns as it is or beyond a vector.
Pair channels_of(Extent value, std::size_t level) {
  const Extent more_in = level % 2 == 0 ? 0 : kPairedChannels;
  const Extent more_out = level / 2 % 2 == 0 ? 0 : kPairedChannels;
  return {more_in + 1 + (value - 1) / kPairedChannels,
          more_out + 1 + (value - 1) % kPairedChannels};
}

Pair image_of(Extent value) {
  return {1 + (value - 1) / kPairedExtents, 1 + (value - 1) % kPairedExtents};
}

Pair taps_and_stride_of(Extent value) { return {value / kPairedTaps, value % kPairedTaps + 1}; }

// Each longer stride than those of levels, up to the kernel's extent.
std::vector<Extent> long_strides() {
  std::vector<Extent> values;
  for (Extent taps = 1; taps <= kPairedTaps; ++taps) {
    for (Extent stride = kMostStrideOfLevels + 1; stride <= taps; ++stride) {
      values.push_back(taps * kPairedTaps + stride - 1);
    }
  }
  return values;
}

std::vector<Family> families() {
  using enum Kernel;
  constexpr Extent kAll = 140;
  const std::vector<Extent> channels =
      counts(kAll, {192, 256, 320, 384, 512, 640, 768, 1024, 2048});
  const std::vector<Extent> rows = counts(kAll, {256, 512, 1024, 2048, 4096});
  const std::vector<Kernel> all = {kDense, kPointwise, kGrouped, kDepthwise};
  const std::vector<Kernel> undivided = {kDense, kPointwise, kGrouped};
  const std::vector<Kernel> sliding = {kDense, kGrouped, kDepthwise};
  return {{Counted::kIC, "counts_ic", channels, undivided, {1, 2, 3}},
          {Counted::kOC, "counts_oc", channels, undivided, {1, 2, 3}},
          {Counted::kGroups, "counts_groups", up_to(70), {kGrouped, kPointwise}, {1, 2, 3}},
          {Counted::kDepthwise, "counts_depthwise", channels, {kDepthwise}, {1, 2, 3}},
          {Counted::kBatch, "counts_batch", counts(20, {32, 64, 128, 256}), all, {1, 2, 3}},
          {Counted::kWidth, "counts_width", rows, all, {1, 2, 3}},
          {Counted::kHeight, "counts_height", rows, all, {2, 3}},
          {Counted::kDepth, "counts_depth", counts(70, {128, 256}), all, {3}},
          {Counted::kImage, "counts_images", up_to(kPairedExtents * kPairedExtents), sliding, {2}},
          {Counted::kColumns, "counts_kernel", counts(33, {64}), sliding, {1, 2, 3}},
          {Counted::kRows, "counts_kernel_rows", counts(33, {64}), sliding, {2}},
          {Counted::kPlanes, "counts_kernel_planes", up_to(17), sliding, {3}},
          {Counted::kSquare, "counts_kernel_square", counts(20, {32}), sliding, {2}},
          {Counted::kChannelPairs,
           "counts_pairs",
           up_to(kPairedChannels * kPairedChannels),
           undivided,
           {2}},
          {Counted::kStrides, "counts_strides", long_strides(), sliding, {1, 2}},
          // Longer reductions, and more channels than 16 bits count.
          {Counted::kIC,
           "counts_deep",
           counts(0, {4096, 8192, 16384, 32768, 65536}),
           {kPointwise},
           {1, 2}},
          // More outputs than 16 bits count, on one axis.
          {Counted::kLong, "counts_long", {65536, 65537, 65600}, all, {1, 2}}};
}

/// One problem of a family: which value, kernel and number of axes, and the level.
struct Place {
  std::size_t value, kernel, axes, multiplier, level;
};

// Different for neighbours of any kind.
std::size_t turn_of(const Place& p) {
  return p.value * 7 + p.level * 3 + p.kernel * 5 + p.axes * 11 + p.multiplier;
}

// Of the kernels that slide, extents of the three last axes by turns.
constexpr Extent kKernels[][3] = {{3, 3, 3}, {2, 5, 3}, {1, 1, 3}, {2, 2, 2}, {1, 3, 2}};

bool counts_taps_of(Counted counted, std::size_t axes_after) {
  switch (counted) {
    case Counted::kColumns:
      return axes_after == 0;
    case Counted::kRows:
      return axes_after == 1;
    case Counted::kPlanes:
      return axes_after == 2;
    case Counted::kSquare:
      return true;
    default:
      return false;
  }
}

// The extent of src along an axis, or of dst for kLong, if that is counted.
std::optional<Extent> counted_extent(const Family& family, const Place& p, std::size_t behind) {
  const Extent value = family.values[p.value];
  const auto if_on = [&](std::size_t axes_behind) {
    return behind == axes_behind ? std::optional(value) : std::nullopt;
  };
  switch (family.counted) {
    case Counted::kWidth:
      return if_on(0);
    case Counted::kHeight:
      return if_on(1);
    case Counted::kDepth:
      return if_on(2);
    case Counted::kImage:
      return behind == 0 ? image_of(value).second : image_of(value).first;
    case Counted::kLong:
      return if_on(family.axes[p.axes] > 1 && p.level % 2 == 1 ? 1 : 0);
    default:
      return std::nullopt;
  }
}

/// What a problem leaves out, so that a large count costs about as much as a small one.
enum class Thin {
  kNot,
  kOutputs,  ///< few outputs but what padding brings, and no dilation
  kAll       ///< and few channels and taps
};
constexpr Thin kThins[] = {Thin::kNot, Thin::kOutputs, Thin::kAll};
constexpr Extent kFew = 2;

// Of one axis; if its extent is counted, set_extent() has that.
Window window_of(const Family& family, const Place& p, const Level& level, Thin thin,
                 std::size_t axis) {
  const std::size_t turn = turn_of(p), behind = family.axes[p.axes] - 1 - axis;
  const Extent value = family.values[p.value];
  Window w;
  w.K = kKernels[turn % std::size(kKernels)][2 - behind];
  if (family.kernels[p.kernel] == Kernel::kPointwise) w.K = 1;
  if (thin == Thin::kAll) w.K = std::min(w.K, kFew);
  // The stride of the last axis is the level's; the others' follow by turns.
  w.S = 1 + (level.stride - 1 + static_cast<Extent>(behind * (1 + turn % 2))) % 3;
  if (family.counted == Counted::kLong) w.S = 1;
  if (counts_taps_of(family.counted, behind)) w.K = value;
  if (family.counted == Counted::kStrides) {
    const Pair strided = taps_and_stride_of(value);
    w.K = strided.first;
    w.S = strided.second;
  }
  w.D = thin == Thin::kNot && (turn + axis) % 4 == 0 ? 2 : 1;
  auto more = static_cast<Extent>((turn / 2 + axis) % 4);
  // Thin ones have two outputs in a row at least, between which the stride shows.
  if (thin != Thin::kNot) more = behind == 0 && family.counted != Counted::kLong ? w.S : 0;
  w.I = (w.K - 1) * w.D + 1 + more;
  if (level.padding == 1) w.begin = w.K / 2, w.end = (w.K - 1) / 2;
  if (level.padding == 3) w.begin = w.K - 1, w.end = w.K - 1;
  return w;
}

// As many outputs as the value, if it counts those. Else as many elements of src, fewer than the
// kernel's only where padding makes up for them.
void set_extent(Extent value, bool counts_outputs, Window& w) {
  if (value < w.D) w.D = 1;  // whose taps might lie around the elements
  const Extent span = (w.K - 1) * w.D + 1;
  w.I = counts_outputs ? value + span - 1 : value;
  if (counts_outputs || value + w.begin + w.end >= span) return;
  w.D = 1;
  w.K = std::min(w.K, value);
  w.begin = std::min(w.begin, w.K - 1);  // or outputs may see padding alone
  w.end = std::min(w.end, w.K - 1);
}

std::vector<Window> windows_of(const Family& family, const Place& p, const Level& level,
                               Thin thin) {
  const std::size_t axes = family.axes[p.axes];
  std::vector<Window> windows;
  for (std::size_t a = 0; a < axes; ++a) {
    const auto counted = counted_extent(family, p, axes - 1 - a);
    Window w = window_of(family, p, level, counted ? Thin::kNot : thin, a);
    if (counted) set_extent(*counted, family.counted == Counted::kLong, w);
    windows.push_back(w);
  }
  return windows;
}

Surrounds surrounds_of(const Family& family, const Place& p, const Level& level, Thin thin) {
  const std::size_t turn = turn_of(p);
  const Extent value = family.values[p.value];
  Surrounds s{.is_convolution1 = turn % 5 == 0,
              .dtype = level.dtype,
              .data_format = level.data_format,
              .weights_format = turn % 2 == 0 ? WeightsFormat::kOIX : WeightsFormat::kXIO,
              .auto_pad = AutoPad::kNone,
              .has_bias = turn % 3 != 0};
  if (level.padding == kAutomatic) {
    s.auto_pad = turn % 3 == 0 ? AutoPad::kSameLower : AutoPad::kSameUpper;
  }
  const auto by_turns = [turn](std::size_t length) {
    return static_cast<Extent>(1 + turn % length);
  };
  const Kernel kernel = family.kernels[p.kernel];
  s.ICG = kernel == Kernel::kDepthwise ? 1 : by_turns(3);
  s.OCG = kernel == Kernel::kDepthwise ? by_turns(4) : by_turns(5);
  if (kernel == Kernel::kGrouped) s.G = 1 + by_turns(3);
  if (kernel == Kernel::kDepthwise) s.G = 2 + by_turns(7);
  if (thin == Thin::kAll) {
    s.ICG = std::min(s.ICG, kFew), s.OCG = std::min(s.OCG, kFew), s.G = std::min(s.G, kFew);
  }
  if (family.counted == Counted::kChannelPairs) {
    const Pair channels = channels_of(value, p.level);
    s.ICG = channels.first;
    s.OCG = channels.second;
  }
  if (family.counted == Counted::kIC) s.ICG = value;
  if (family.counted == Counted::kOC) s.OCG = value;
  if (family.counted == Counted::kGroups || family.counted == Counted::kDepthwise) s.G = value;
  if (family.counted == Counted::kDepthwise) s.OCG = static_cast<Extent>(p.multiplier + 1);
  if (family.counted == Counted::kBatch) s.N = value;
  return s;
}

// About what src and dst have together.
Extent elements_of(const Surrounds& s, const std::vector<Window>& windows) {
  Extent src = s.N * s.G * s.ICG, dst = s.N * s.G * s.OCG;
  for (const Window& w : windows) {
    const Extent span = (w.K - 1) * w.D + 1;
    const Extent beyond = s.auto_pad == AutoPad::kNone ? w.I + w.begin + w.end - span : w.I - 1;
    src *= w.I;
    dst *= std::max<Extent>(0, beyond) / w.S + 1;
  }
  return src + dst;
}

Problem counted_problem(const Family& family, const Place& p) {
  constexpr Extent kManyElements = 16'384;
  const Level level = level_of(p.level);
  Surrounds surrounds;
  std::vector<Window> windows;
  for (const Thin thin : kThins) {
    surrounds = surrounds_of(family, p, level, thin);
    windows = windows_of(family, p, level, thin);
    if (elements_of(surrounds, windows) <= kManyElements) break;
  }
  return problem_of(surrounds, windows);
}

std::string text_of(const Family& family, const Place& p) {
  const Extent value = family.values[p.value];
  const Pair channels = channels_of(value, p.level), strided = taps_and_stride_of(value);
  const Pair image = image_of(value);
  switch (family.counted) {
    case Counted::kChannelPairs:
      return fmt::format("{}-to-{}", channels.first, channels.second);
    case Counted::kImage:
      return fmt::format("{}x{}", image.first, image.second);
    case Counted::kStrides:
      return fmt::format("{}-by-{}", strided.first, strided.second);
    default:
      return std::to_string(value);
  }
}

class Counts : public CaseSource {
 public:
  explicit Counts(std::uint64_t seed) : seed_(seed), families_(families()) {
    for (const Family& family : families_) count_ += size_of(family);
  }

  std::size_t size() const override { return count_; }

  Case at(std::size_t number) const override {
    std::size_t place = number, index = 0;
    while (place >= size_of(families_[index])) place -= size_of(families_[index++]);
    const Family& family = families_[index];
    const auto digit = [&place](std::size_t base) {
      const std::size_t value = place % base;
      place /= base;
      return value;
    };
    Place p{};
    p.level = digit(kLevels);
    p.multiplier = digit(multipliers_of(family));
    p.axes = digit(family.axes.size());
    p.kernel = digit(family.kernels.size());
    p.value = place;
    return make(family, p);
  }

 private:
  static std::size_t multipliers_of(const Family& family) {
    constexpr std::size_t kMultipliers = 4;
    return family.counted == Counted::kDepthwise ? kMultipliers : 1;
  }
  static std::size_t size_of(const Family& family) {
    return kLevels * multipliers_of(family) * family.axes.size() * family.kernels.size() *
           family.values.size();
  }

  Case make(const Family& family, const Place& p) const {
    constexpr std::array kFills = {Fill::kIntegers, Fill::kRamp,    Fill::kUniform,
                                   Fill::kIntegers, Fill::kImpulse, Fill::kSparse};
    // The weights' format has turns of two, bias of three: data change when all of them had theirs.
    const std::string_view kernel =
        kKernelWords[static_cast<std::size_t>(family.kernels[p.kernel])];
    std::string name =
        fmt::format("{}-{}-{}d-{}", text_of(family, p), kernel, family.axes[p.axes], p.level + 1);
    if (family.counted == Counted::kDepthwise) name += fmt::format("-x{}", p.multiplier + 1);
    return swept_case(family.name, name, counted_problem(family, p),
                      kFills[turn_of(p) / 6 % kFills.size()], "every count", seed_);
  }

  std::uint64_t seed_;
  std::vector<Family> families_;
  std::size_t count_ = 0;
};

}  // namespace

std::shared_ptr<const CaseSource> count_sweep(std::uint64_t seed) {
  return std::make_shared<Counts>(seed);
}

bool is_swept(std::string_view id) {
  return id.starts_with("tuples_") || id.starts_with("counts_") ||
         id.starts_with("window_pairs/") || id.starts_with("kernels_every/");
}

}  // namespace concord::conformance
