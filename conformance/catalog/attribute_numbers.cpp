// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/attribute_numbers.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr std::string_view kBeyondKernel = "beyond_kernel", kSmallest = "smallest",
                           kWithinKernel = "within_kernel";

Extent number(std::string_view text) {
  Extent value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  CONCORD_CHECK(error == std::errc()) << "level '" << text << "' is no number";
  return value;
}

struct Pads {
  Extent begin, end;
};

// Where they reach beyond the kernel, some windows see nothing but padding.
Pads pads_of(std::string_view level, Extent dilated_kernel) {
  if (level == "begin") return {1, 0};
  if (level == "end") return {0, 2};
  if (level == "symmetric") return {1, 1};
  if (level == "uneven") return {2, 1};
  if (level == "half") return {dilated_kernel / 2, dilated_kernel / 2};
  if (level == "full") return {dilated_kernel - 1, dilated_kernel - 1};
  if (level == "beyond_begin") return {dilated_kernel, 0};
  if (level == "beyond_end") return {0, dilated_kernel + 1};
  return {0, 0};
}

AutoPad auto_pad_of(std::string_view level) {
  if (level == "same_upper") return AutoPad::kSameUpper;
  if (level == "same_lower") return AutoPad::kSameLower;
  return level == "valid" ? AutoPad::kValid : AutoPad::kNone;
}

Shape channels_of(const Row& row, const AttributeNumbers& n) {
  Shape shape;
  shape.N = number(level_of(row, Attribute::kBatch));
  shape.ICG = number(level_of(row, Attribute::kIC));
  shape.OCG = number(level_of(row, Attribute::kOC));
  if (level_of(row, Attribute::kGroups) == "depthwise") {
    std::swap(shape.G, shape.ICG);
  } else {
    shape.G = number(level_of(row, Attribute::kGroups));
  }
  shape.K = n.K;
  return shape;
}

// The output extents that the level asks for, outermost first.
Extents wanted_outputs(std::string_view extents, std::size_t axes) {
  static const Extents few = {2, 3, 4}, tail = {2, 3, 17};
  if (extents == kSmallest || extents == kWithinKernel) return Extents(axes, 1);
  const Extents& all = extents == "tail" ? tail : few;
  return {all.end() - static_cast<std::ptrdiff_t>(axes), all.end()};
}

// Chooses the input extent of one axis after another.
class ExtentChooser {
 public:
  ExtentChooser(const Row& row, const AttributeNumbers& n, const Shape& channels)
      : level_(level_of(row, Attribute::kExtents)),
        n_(n),
        wanted_(wanted_outputs(level_, n.axes())),
        inputs_taken_{channels.N, channels.G * channels.ICG, channels.G * channels.OCG},
        outputs_taken_(inputs_taken_) {}

  Extent choose(std::size_t a) {
    const Extent past_first = (wanted_[a] - 1) * n_.S[a];
    Extent extent = std::max<Extent>(past_first + first_window(a), 1);
    if (level_ == "left_over" && n_.S[a] > 1) extent += 1;
    if (level_ == kWithinKernel) extent = std::max(extent, n_.dilated_kernel(a) - 2);
    while (!sees_input(n_.axis(a, extent))) extent += 1;
    if (level_ != kSmallest && level_ != kWithinKernel) {
      // Not by strides so wide that the tensor would be many times as large.
      const int most_tries = n_.S[a] <= 8 ? 3 : 0;
      for (int tries = 0; tries < most_tries && is_taken(n_.axis(a, extent)); ++tries) {
        extent += n_.S[a];
      }
    }
    inputs_taken_.insert(extent);
    outputs_taken_.insert(n_.axis(a, extent).outputs());
    return extent;
  }

 private:
  // Input that the first window needs beside its padding.
  Extent first_window(std::size_t a) const {
    if (n_.auto_pad == AutoPad::kNone) return n_.dilated_kernel(a) - n_.P_begin[a] - n_.P_end[a];
    return n_.auto_pad == AutoPad::kValid ? n_.dilated_kernel(a) : 1;
  }
  bool is_taken(const Axis& axis) const {
    return inputs_taken_.contains(axis.I) || outputs_taken_.contains(axis.outputs());
  }

  std::string_view level_;
  const AttributeNumbers& n_;
  Extents wanted_;
  std::set<Extent> inputs_taken_, outputs_taken_;
};

// As many as have a level that an axis which is not there lacks, if their number is open.
std::string_view least_axes(const Row& row) {
  if (row[static_cast<std::size_t>(Attribute::kSpatialAxes)] != kOpen) {
    return level_of(row, Attribute::kSpatialAxes);
  }
  constexpr std::string_view kCounts[] = {"3", "2", "1"};
  std::size_t axis = 0;
  for (; axis + 1 < kMostAxes; ++axis) {
    const auto is_there = [&](Attribute depth) {
      return row[static_cast<std::size_t>(of_axis(depth, axis))] > 0;
    };
    if (is_there(Attribute::kKernelD) || is_there(Attribute::kStrideD) ||
        is_there(Attribute::kDilationD) || is_there(Attribute::kPadsD)) {
      break;
    }
  }
  return kCounts[axis];
}

// Open factors at the levels that give the fewest products: the first ones.
Row at_its_cheapest(const Row& row) {
  Row closed = with_level(row, Attribute::kSpatialAxes, least_axes(row));
  std::replace(closed.begin(), closed.end(), kOpen, 0);
  return closed;
}

// How one axis of a row is chosen so far.
class PartialAxis {
 public:
  /// `n` has the open factors at their least.
  PartialAxis(const Row& row, const AttributeNumbers& n, std::size_t a)
      : row_(row), n_(n), a_(a), axis_(kMostAxes - n.axes() + a) {}

  /// At least so many elements give `wanted` outputs, whatever the open factors become.
  Extent least_extent(Extent wanted) const {
    const Extent least = std::max<Extent>((wanted - 1) * n_.S[a_] + least_first_window(), 1);
    const bool is_within =
        !is_open(Attribute::kExtents) && level_of(row_, Attribute::kExtents) == kWithinKernel;
    return is_within ? std::max(least, n_.dilated_kernel(a_) - 2) : least;
  }

  /// At least so many outputs; more than `wanted` where wide pads let every element have several.
  Extent least_outputs(Extent extent, Extent wanted) const {
    const bool is_known = !is_open(Attribute::kAutoPad) && is_chosen(Attribute::kKernelD) &&
                          is_chosen(Attribute::kStrideD) && is_chosen(Attribute::kDilationD) &&
                          is_chosen(Attribute::kPadsD);
    return is_known ? std::max(n_.axis(a_, extent).outputs(), wanted) : wanted;
  }

 private:
  bool is_open(Attribute attribute) const {
    return row_[static_cast<std::size_t>(attribute)] == kOpen;
  }
  bool is_chosen(Attribute depth) const { return !is_open(of_axis(depth, axis_)); }

  Extent least_first_window() const {
    Extent least = n_.dilated_kernel(a_);
    if (is_open(Attribute::kAutoPad) || n_.auto_pad == AutoPad::kNone) {
      least = std::min(least, least_beside_pads());
    }
    const bool may_be_same = n_.auto_pad != AutoPad::kNone && n_.auto_pad != AutoPad::kValid;
    return is_open(Attribute::kAutoPad) || may_be_same ? std::min<Extent>(least, 1) : least;
  }

  // A wider kernel saves input only where full pads replace it and windows do not move further
  // by it.
  Extent least_beside_pads() const {
    constexpr Extent kWidest = 4 * (7 - 1) + 1;  // of the largest levels
    const Attribute pads = of_axis(Attribute::kPadsD, axis_),
                    stride = of_axis(Attribute::kStrideD, axis_);
    const bool may_widen =
        !(is_chosen(Attribute::kKernelD) && is_chosen(Attribute::kDilationD)) &&
        !(is_chosen(Attribute::kStrideD) && level_of(row_, stride) == kBeyondKernel);
    const Extent kernel = n_.dilated_kernel(a_);
    Extent least = kernel;
    for (const auto level : attribute_factors()[static_cast<std::size_t>(pads)].levels) {
      if (!is_open(pads) && level_of(row_, pads) != level) continue;
      for (const Extent wide : {kernel, may_widen ? kWidest : kernel}) {
        const Pads p = pads_of(level, wide);
        least = std::min(least, wide - p.begin - p.end);
      }
    }
    return least;
  }

  const Row& row_;
  const AttributeNumbers& n_;
  std::size_t a_, axis_;
};

}  // namespace

Axis AttributeNumbers::axis(std::size_t a, Extent I) const {
  Axis axis{I, K[a], S[a], D[a], P_begin[a], P_end[a]};
  if (auto_pad == AutoPad::kNone) return axis;
  axis.P_begin = axis.P_end = 0;
  if (auto_pad == AutoPad::kValid) return axis;
  const Extent outputs = (I + S[a] - 1) / S[a];
  const Extent total = documented
                           ? dilated_kernel(a) - 1
                           : std::max<Extent>((outputs - 1) * S[a] + dilated_kernel(a) - I, 0);
  axis.P_begin = auto_pad == AutoPad::kSameLower ? total - total / 2 : total / 2;
  axis.P_end = total - axis.P_begin;
  return axis;
}

AttributeNumbers numbers_of(const Row& row) {
  const auto axes = static_cast<std::size_t>(number(level_of(row, Attribute::kSpatialAxes)));
  AttributeNumbers n;
  n.auto_pad = auto_pad_of(level_of(row, Attribute::kAutoPad));
  n.documented = level_of(row, Attribute::kReading) == "documented";
  for (Extents* extents : {&n.K, &n.S, &n.D, &n.P_begin, &n.P_end}) extents->reserve(axes);
  for (std::size_t axis = kMostAxes - axes; axis < kMostAxes; ++axis) {
    const auto level = [&](Attribute depth) { return level_of(row, of_axis(depth, axis)); };
    n.K.push_back(number(level(Attribute::kKernelD)));
    n.D.push_back(number(level(Attribute::kDilationD)));
    const Extent dilated_kernel = n.dilated_kernel(n.K.size() - 1);
    const auto stride = level(Attribute::kStrideD);
    n.S.push_back(stride == kBeyondKernel ? dilated_kernel + 1 : number(stride));
    const Pads pads = pads_of(level(Attribute::kPadsD), dilated_kernel);
    n.P_begin.push_back(pads.begin);
    n.P_end.push_back(pads.end);
  }
  return n;
}

Shape shape_of_row(const Row& row, const AttributeNumbers& numbers) {
  Shape shape = channels_of(row, numbers);
  ExtentChooser chooser(row, numbers, shape);
  for (std::size_t a = 0; a < numbers.axes(); ++a) shape.I.push_back(chooser.choose(a));
  return shape;
}

Extent least_input(const AttributeNumbers& n, std::size_t a, Extent outputs) {
  const auto suffices = [&](const Axis& axis) {
    return axis.P_begin + axis.I + axis.P_end >= axis.dilated_kernel() &&
           axis.outputs() >= outputs && sees_input(axis);
  };
  Extent I = 1;
  while (!suffices(n.axis(a, I))) ++I;
  return I;
}

void set_numbers(const AttributeNumbers& n, SpatialAttributes& attributes) {
  attributes.strides = n.S;
  attributes.dilations = n.D;
  attributes.pads_begin = n.P_begin;
  attributes.pads_end = n.P_end;
  attributes.auto_pad = n.auto_pad;
}

Cost least_cost(const Row& row) {
  const Row closed = at_its_cheapest(row);
  const AttributeNumbers n = numbers_of(closed);
  const Shape channels = channels_of(closed, n);
  Cost cost{channels.N * channels.G * channels.ICG * channels.OCG,
            channels.N * channels.G * channels.ICG};
  const Extents wanted = wanted_outputs(level_of(closed, Attribute::kExtents), n.axes());
  for (std::size_t a = 0; a < n.axes(); ++a) {
    const PartialAxis axis(row, n, a);
    const Extent extent = axis.least_extent(wanted[a]);
    cost.macs *= n.K[a] * axis.least_outputs(extent, wanted[a]);
    cost.src_elements *= extent;
  }
  return cost;
}

}  // namespace concord::conformance
