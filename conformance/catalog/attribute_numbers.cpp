// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/attribute_numbers.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "spec/check.h"

namespace concord::conformance {
namespace {

using Same = AttributeNumbers::Same;

constexpr std::string_view kMixed = "mixed", kBeyondKernel = "beyond_kernel";
constexpr std::string_view kSmallest = "smallest";

Extent number(std::string_view text) {
  Extent value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  CONCORD_CHECK(error == std::errc()) << "level '" << text << "' is no number";
  return value;
}

Extents each_axis(std::size_t axes, std::string_view level, const Extents& mixed) {
  if (level != kMixed) return Extents(axes, number(level));
  return {mixed.begin(), mixed.begin() + static_cast<std::ptrdiff_t>(axes)};
}

void set_pads(std::string_view padding, AttributeNumbers& n) {
  const std::size_t axes = n.axes(), last = axes - 1;
  n.P_begin.assign(axes, 0);
  n.P_end.assign(axes, 0);
  if (padding.ends_with("same_upper")) n.same = Same::kUpper;
  if (padding.ends_with("same_lower")) n.same = Same::kLower;
  if (padding == "symmetric") {
    n.P_begin.assign(axes, 1);
    n.P_end.assign(axes, 1);
  } else if (padding == "asymmetric") {
    for (std::size_t a = 0; a < axes; ++a) {
      n.P_begin[a] = static_cast<Extent>(a % 2);
      n.P_end[a] = 2 - static_cast<Extent>(a % 2);
    }
  } else if (padding == kBeyondKernel) {  // some windows see nothing but padding
    n.P_begin[last] = n.dilated_kernel(last);
    n.P_end[0] = n.dilated_kernel(0) + 1;
  }
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
  const Extents few = {2, 3, 4}, tail = {2, 3, 17};
  if (extents == kSmallest) return Extents(axes, 1);
  const Extents& all = extents == "tail" ? tail : few;
  return {all.end() - static_cast<std::ptrdiff_t>(axes), all.end()};
}

bool sees_input(const Axis& axis) {
  const auto classes = border_classes(axis);
  return classes.size() > 1 || !classes.contains({0, 0});
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
    const Extent first =
        n_.same == Same::kNo ? n_.dilated_kernel(a) - n_.P_begin[a] - n_.P_end[a] : 1;
    Extent extent = std::max<Extent>(past_first + first, 1);
    if (level_ == "left_over" && n_.S[a] > 1) extent += 1;
    while (!sees_input(n_.axis(a, extent))) extent += 1;
    if (level_ != kSmallest) {
      for (int tries = 0; tries < 3 && is_taken(n_.axis(a, extent)); ++tries) extent += n_.S[a];
    }
    inputs_taken_.insert(extent);
    outputs_taken_.insert(n_.axis(a, extent).outputs());
    return extent;
  }

 private:
  bool is_taken(const Axis& axis) const {
    return inputs_taken_.contains(axis.I) || outputs_taken_.contains(axis.outputs());
  }

  std::string_view level_;
  const AttributeNumbers& n_;
  Extents wanted_;
  std::set<Extent> inputs_taken_, outputs_taken_;
};

// The row with `attribute` at `level` if it is open.
void close(Row& row, Attribute attribute, std::string_view level) {
  if (row[static_cast<std::size_t>(attribute)] == kOpen) row = with_level(row, attribute, level);
}

}  // namespace

Axis AttributeNumbers::axis(std::size_t a, Extent I) const {
  Axis axis{I, K[a], S[a], D[a], P_begin[a], P_end[a]};
  if (same == Same::kNo) return axis;
  const Extent outputs = (I + S[a] - 1) / S[a];
  const Extent total = documented
                           ? dilated_kernel(a) - 1
                           : std::max<Extent>((outputs - 1) * S[a] + dilated_kernel(a) - I, 0);
  axis.P_begin = same == Same::kLower ? total - total / 2 : total / 2;
  axis.P_end = total - axis.P_begin;
  return axis;
}

AttributeNumbers numbers_of(const Row& row) {
  const auto axes = static_cast<std::size_t>(number(level_of(row, Attribute::kSpatialAxes)));
  AttributeNumbers n;
  n.K = each_axis(axes, level_of(row, Attribute::kKernel), {3, 2, 1});
  n.D = each_axis(axes, level_of(row, Attribute::kDilation), {2, 3, 1});
  if (const auto stride = level_of(row, Attribute::kStride); stride != kBeyondKernel) {
    n.S = each_axis(axes, stride, {1, 2, 3});
  } else {
    for (std::size_t a = 0; a < axes; ++a) n.S.push_back(n.dilated_kernel(a) + 1);
  }
  set_pads(level_of(row, Attribute::kPadding), n);
  n.documented = level_of(row, Attribute::kReading) == "documented";
  return n;
}

Shape shape_of_row(const Row& row, const AttributeNumbers& numbers) {
  Shape shape = channels_of(row, numbers);
  ExtentChooser chooser(row, numbers, shape);
  for (std::size_t a = 0; a < numbers.axes(); ++a) shape.I.push_back(chooser.choose(a));
  return shape;
}

Cost least_cost(const Row& row) {
  if (std::find(row.begin(), row.end(), kOpen) == row.end()) {
    const AttributeNumbers n = numbers_of(row);
    const Shape shape = shape_of_row(row, n);
    Cost cost{shape.N * shape.G * shape.ICG * shape.OCG, shape.N * shape.G * shape.ICG};
    for (std::size_t a = 0; a < n.axes(); ++a) {
      cost.macs *= n.K[a] * n.axis(a, shape.I[a]).outputs();
      cost.src_elements *= shape.I[a];
    }
    return cost;
  }
  Row closed = row;
  close(closed, Attribute::kSpatialAxes, "1");
  close(closed, Attribute::kKernel, "1");
  close(closed, Attribute::kDilation, "1");
  close(closed, Attribute::kStride, "1");
  close(closed, Attribute::kPadding, "none");
  close(closed, Attribute::kGroups, "1");
  close(closed, Attribute::kIC, "1");
  close(closed, Attribute::kOC, "1");
  close(closed, Attribute::kBatch, "1");
  close(closed, Attribute::kExtents, kSmallest);
  close(closed, Attribute::kReading, "implemented");
  const AttributeNumbers n = numbers_of(closed);
  const Shape channels = channels_of(closed, n);
  Cost cost{channels.N * channels.G * channels.ICG * channels.OCG,
            channels.N * channels.G * channels.ICG};
  const Extents wanted = wanted_outputs(level_of(closed, Attribute::kExtents), n.axes());
  for (std::size_t a = 0; a < n.axes(); ++a) {
    cost.macs *= n.K[a] * wanted[a];
    // The pads of an axis replace one kernel and one element at most; those of an only axis, two.
    if (n.axes() > 1) cost.src_elements *= std::max<Extent>((wanted[a] - 1) * n.S[a] - 1, 1);
  }
  return cost;
}

}  // namespace concord::conformance
