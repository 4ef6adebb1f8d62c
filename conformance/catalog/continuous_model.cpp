// SPDX-License-Identifier: Apache-2.0
// The continuous layer, and its gradients by src and by theta.
#include <algorithm>
#include <array>

#include "conformance/catalog/continuous_axis.h"
#include "conformance/catalog/form_model.h"
#include "reference/continuous.h"

namespace concord::conformance {
namespace {

using namespace continuous;

// Evaluations of the net by multiplications of one of them, and products: a few milliseconds.
constexpr Extent kMostWork = 400'000;

enum OperationLevel { kLayer, kData, kTheta };

// 1; 1/k; k/l; above 2; as an image is halved in seven steps, and in two; parts above 1000, and to
// 2^20, where an image becomes a single pixel, and where it stays nearly as it is.
constexpr std::string_view kScales[] = {
    "1", "1/2", "1/3", "1/4",    "2/3",    "3/5",       "3/2",       "5/3",
    "2", "7/3", "4",   "0.8203", "0.7071", "1025/1024", "3/1048573", "1048575/1048576"};
constexpr std::string_view kKernels[] = {"1", "2", "3", "4", "5"};
constexpr std::string_view kExtents[] = {"one", "below_support", "support", "beyond_support"};
constexpr std::string_view kSizes[] = {"by_scale", "less", "more"};
constexpr std::string_view kSlopes[] = {"1/100", "0", "5/4", "-1/2"};
constexpr Extent kWidthPairs[][2] = {{4, 5}, {1, 1}, {5, 3}, {16, 16}};

std::vector<Factor> factors() {
  const std::vector<std::string_view> scale(std::begin(kScales), std::end(kScales));
  const std::vector<std::string_view> few = {"1", "2", "3"};
  const std::vector<std::string_view> kernel(std::begin(kKernels), std::end(kKernels));
  const std::vector<std::string_view> extent(std::begin(kExtents), std::end(kExtents));
  const std::vector<std::string_view> size(std::begin(kSizes), std::end(kSizes));
  return {
      {"operation",
       {"ContinuousConvolution", "ContinuousBackwardData", "ContinuousBackwardWeights"}},
      {"dtype", form::dtype_levels()},
      // The first three; the others are in continuous_more_model().
      {"function", {kWords<KernelFunction>.begin(), kWords<KernelFunction>.begin() + 3}},
      {"ties", {kWords<Ties>.begin(), kWords<Ties>.end()}},
      {"boundary", {kWords<Boundary>.begin(), kWords<Boundary>.end()}},
      {"images", {"1", "2"}},
      {"in_channels", few},
      {"out_channels", few},
      {"widths", {"4,5", "1,1", "5,3", "16,16"}},
      {"slope", {std::begin(kSlopes), std::end(kSlopes)}},
      {"memory", form::kMemoryLevels},
      {"scale_height", scale},
      {"kernel_height", kernel},
      {"height", extent},
      {"size_height", size},
      {"scale_width", scale},
      {"kernel_width", kernel},
      {"width", extent},
      {"size_width", size},
  };
}

struct Numbers {
  Extent in, out, K;
};

// One axis; the image is larger than the support by 3 rows or 4 columns.
Numbers numbers_of(int axis, int scale, int kernel, int extent, int size, Extent more = 0) {
  const Extent K = kernel + 1;
  const Extent ins[] = {1, std::max<Extent>(K - 1, 1), K, K + 3 + axis};
  const Extent in = ins[extent] + more;
  const Extent by_scale = (*parse_rational(kScales[scale]) * in).ceil();
  const Extent outs[] = {by_scale, std::max<Extent>(by_scale - 1, 1), by_scale + 2};
  return {in, outs[size], K};
}

bool sees_input(const Row& row, int axis, const Numbers& n) {
  const auto resolved = reference::resolve_continuous_axis(
      {.in = n.in,
       .out = n.out,
       .scale = *parse_rational(kScales[row[place(axis, kScale)]]),
       .K = n.K,
       .ties = static_cast<Ties>(row[kTies]),
       .boundary = static_cast<Boundary>(row[kBoundary])});
  return conformance::sees_input(*resolved);
}

// The least out * slots of an axis whose factors may be open.
class LeastPlaces {
 public:
  LeastPlaces() {
    for (int axis : {0, 1}) {
      for (int scale = 0; scale < kCounts[kScale]; ++scale) {
        for (int kernel = 0; kernel < kCounts[kKernel]; ++kernel) {
          for (int extent = 0; extent < kCounts[kExtent]; ++extent) {
            for (int size = 0; size < kCounts[kSize]; ++size) {
              const Numbers n = numbers_of(axis, scale, kernel, extent, size);
              add(axis, {scale, kernel, extent, size}, n.out * (n.K + 1));
            }
          }
        }
      }
    }
  }
  Extent of(const Row& row, int axis) const {
    return least_[index(axis, {row[place(axis, kScale)], row[place(axis, kKernel)],
                               row[place(axis, kExtent)], row[place(axis, kSize)]})];
  }

 private:
  using Levels = std::array<int, kOfAxis>;
  static constexpr Levels kCounts = {std::size(kScales), std::size(kKernels), std::size(kExtents),
                                     std::size(kSizes)};

  // Each factor has one place more, for where it is open.
  static std::size_t index(int axis, const Levels& levels) {
    int place = axis;
    for (std::size_t i = 0; i < kOfAxis; ++i) {
      place = place * (kCounts[i] + 1) + levels[i] + 1;
    }
    return static_cast<std::size_t>(place);
  }
  void add(int axis, const Levels& levels, Extent places) {
    for (unsigned open = 0; open < 1U << kOfAxis; ++open) {
      Levels some = levels;
      for (unsigned i = 0; i < kOfAxis; ++i) {
        if ((open >> i & 1U) != 0) some[i] = kOpen;
      }
      Extent& least = least_[index(axis, some)];
      least = least == 0 ? places : std::min(least, places);
    }
  }
  std::vector<Extent> least_ = std::vector<Extent>(index(2, {kOpen, kOpen, kOpen, kOpen}));
};

Extent least_work(const Row& row) {
  static const LeastPlaces places;
  const auto count = [&](Index factor) { return Extent{std::max(row[factor], 0) + 1}; };
  const Extent* widths = kWidthPairs[row[kWidths] == kOpen ? 1 : row[kWidths]];
  const Extent pairs = count(kCin) * count(kCout);
  const Extent net = 2 * widths[0] + widths[0] * widths[1] + widths[1] * pairs;
  return places.of(row, 0) * places.of(row, 1) * (net + pairs * count(kImages));
}

// One image of one channel and hardly a pixel: results would all be alike, and show no shift.
bool shows_little(const Row& row) {
  const Index channels = row[kOperation] == kData ? kCin : kCout;
  const auto is_small = [&](int axis) {
    const int extent = row[place(axis, kExtent)];
    return extent != kOpen && extent < 2;
  };
  return row[kOperation] != kOpen && row[kImages] == 0 && row[channels] == 0 && is_small(0) &&
         is_small(1);
}

bool is_allowed(const Row& row) {
  if (shows_little(row)) return false;
  // The cubic has no parameters to differentiate by.
  if (row[kOperation] == kTheta && row[kFunction] == static_cast<int>(KernelFunction::kKeys)) {
    return false;
  }
  return least_work(row) <= kMostWork;
}

ContinuousAttributes attributes_of(const Row& row, const Numbers& rows, const Numbers& columns) {
  ContinuousAttributes a;
  a.scale_h = *parse_rational(kScales[row[place(0, kScale)]]);
  a.scale_w = *parse_rational(kScales[row[place(1, kScale)]]);
  if (row[place(0, kSize)] != 0 || row[place(1, kSize)] != 0) a.size = {rows.out, columns.out};
  a.kernel = {rows.K, columns.K};
  a.channels = row[kCout] + 1;
  a.function = static_cast<KernelFunction>(row[kFunction]);
  const Extent* widths = kWidthPairs[row[kWidths]];
  a.widths = {widths[0], widths[1]};
  a.slope = *parse_rational(kSlopes[row[kSlope]]);
  a.ties = static_cast<Ties>(row[kTies]);
  a.boundary = static_cast<Boundary>(row[kBoundary]);
  return a;
}

Problem problem_for(const Row& row) {
  // Another row or column or two, of a given size another output, where all neighbours are ties
  // that do not count.
  const auto numbers = [&](int axis) {
    Numbers n{};
    for (Extent turn = 0; turn < 6; ++turn) {
      n = numbers_of(axis, row[place(axis, kScale)], row[place(axis, kKernel)],
                     row[place(axis, kExtent)], row[place(axis, kSize)], turn / 2);
      if (row[place(axis, kSize)] != 0) n.out += turn % 2;
      if (sees_input(row, axis, n)) break;
    }
    return n;
  };
  const Numbers rows = numbers(0), columns = numbers(1);
  const ContinuousAttributes a = attributes_of(row, rows, columns);
  const Extent N = row[kImages] + 1, Cin = row[kCin] + 1;
  Problem problem;
  problem.dtype = kCommonDtypes[row[kDtype]];
  problem.src.dims = {N, Cin, rows.in, columns.in};
  problem.weights.dims = {*reference::parameters_of(Cin, a)};
  if (row[kOperation] == kLayer) {
    problem.attributes = a;
  } else {
    problem.diff_dst.emplace().dims = {N, a.channels, rows.out, columns.out};
    problem.attributes = row[kOperation] == kData
                             ? Attributes(ContinuousBackwardDataAttributes{a})
                             : Attributes(ContinuousBackwardWeightsAttributes{a});
  }
  form::set_memory(row[kMemory], problem);
  return problem;
}

}  // namespace

FormModel continuous_model() {
  return form::model("continuous", factors(), problem_for, is_allowed);
}

}  // namespace concord::conformance
