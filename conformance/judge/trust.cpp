// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/trust.h"

#include <algorithm>
#include <vector>

#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge_special.h"
#include "conformance/judge/judge_statistical.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// True if the plant is no other output than the right one, for every data.
bool is_void(Plant plant, const OutputShape& s) {
  if (s.size() == 0) return true;
  switch (plant) {
    case Plant::kZeros:
      return false;
    case Plant::kShifted:
      return s.size() < 2;
    case Plant::kTransposed:
      return s.OH < 2 || s.OW < 2;
    case Plant::kChannels:
      return s.OC < 2;
    case Plant::kGroups:
      return s.OC == s.OCG || s.OCG == 1;  // groups of one channel are moved as channels are
    case Plant::kBatches:
      return s.N < 2;
  }
  CONCORD_CHECK(false) << "plant " << static_cast<int>(plant);
  return true;
}

// Where the value of element `i` comes from in a plant that rearranges. OC, OCG and N are extents
// of axes whose whole blocks move by one or by OCG channels.
std::size_t source_of(Plant plant, const OutputShape& s, std::size_t i) {
  const auto rotate = [&](std::size_t period, std::size_t by) {
    return i - i % period + (i % period + by) % period;
  };
  if (plant == Plant::kShifted) return i == 0 ? s.size() - 1 : i - 1;
  if (plant == Plant::kChannels) return rotate(s.OC * s.plane, s.plane);
  if (plant == Plant::kGroups) return rotate(s.OC * s.plane, s.OCG * s.plane);
  if (plant == Plant::kBatches) return rotate(s.size(), s.OC * s.plane);
  const std::size_t place = i % (s.OH * s.OW);  // kTransposed
  return i - place + place % s.OH * s.OW + place / s.OH;
}

double planted(Plant plant, const OutputShape& s, Dtype dtype, std::span<const double> want,
               std::size_t i) {
  return plant == Plant::kZeros ? 0 : round_to(dtype, want[source_of(plant, s, i)]);
}

template <class Rejects>
Trust assess(const OutputShape& shape, std::span<const double> want, Rejects rejects) {
  CONCORD_CHECK(want.size() == shape.size()) << want.size() << " and " << shape.size();
  Trust trust;
  for (const Plant plant : kPlants) {
    if (is_void(plant, shape)) continue;
    (rejects(plant) ? trust.rejected : trust.missed).push_back(plant);
  }
  return trust;
}

// Most plants are rejected at the first element that differs, so this seldom reads far.
Trust assess_elements(const Acceptance& acceptance, const OutputShape& shape, Dtype dtype,
                      std::span<const double> want, std::span<const double> magnitude) {
  return assess(shape, want, [&](Plant plant) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      const double S = magnitude.empty() ? 0 : magnitude[i];
      if (!acceptance.accepts(planted(plant, shape, dtype, want, i), want[i], S)) return true;
    }
    return false;
  });
}

// For tiers that need the whole output at once.
template <class Rejects>
Trust assess_tensors(const OutputShape& shape, Dtype dtype, std::span<const double> want,
                     Rejects rejects) {
  std::vector<double> got(want.size());
  return assess(shape, want, [&](Plant plant) {
    for (std::size_t i = 0; i < got.size(); ++i) got[i] = planted(plant, shape, dtype, want, i);
    return rejects(got);
  });
}

}  // namespace

std::string_view to_string(Plant plant) {
  switch (plant) {
    case Plant::kZeros:
      return "zeros";
    case Plant::kShifted:
      return "shifted";
    case Plant::kTransposed:
      return "transposed";
    case Plant::kChannels:
      return "channels";
    case Plant::kGroups:
      return "groups";
    case Plant::kBatches:
      return "batches";
  }
  CONCORD_CHECK(false) << "plant " << static_cast<int>(plant);
  return {};
}

bool Trust::can_reject() const {
  const std::size_t offered = rejected.size() + missed.size();
  const bool zeros = std::find(rejected.begin(), rejected.end(), Plant::kZeros) != rejected.end();
  return offered == 0 || (zeros && (offered == 1 || rejected.size() > 1));
}

std::string Trust::describe() const {
  std::string text;
  for (const Plant plant : missed) {
    text += text.empty() ? "accepts " : ", ";
    text += to_string(plant);
  }
  return text;
}

OutputShape output_shape(const Extents& dims, Extent groups) {
  const auto at = [&](std::size_t axis) {
    return axis < dims.size() ? static_cast<std::size_t>(dims[axis]) : 1;
  };
  OutputShape shape;
  if (dims.size() >= 2) {
    shape.N = at(0);
    shape.OC = at(1);
  }
  for (std::size_t axis = dims.size() >= 2 ? 2 : 0; axis < dims.size(); ++axis) {
    shape.plane *= at(axis);
  }
  shape.OCG = shape.OC / static_cast<std::size_t>(groups);
  if (dims.size() >= 4) shape.OH = at(dims.size() - 2);
  shape.OW = dims.empty() ? 1 : at(dims.size() - 1);
  return shape;
}

Trust assess_exact(Dtype dtype, const concord_arithmetic& arithmetic, const OutputShape& shape,
                   std::span<const double> want) {
  return assess_elements(Acceptance(dtype, arithmetic, {}), shape, dtype, want, {});
}

Trust assess_interval(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                      const OutputShape& shape, std::span<const double> want,
                      std::span<const double> magnitude) {
  return assess_bounded(dtype, arithmetic, shape, error_bound(dtype, arithmetic, products), want,
                        magnitude);
}

Trust assess_bounded(Dtype dtype, const concord_arithmetic& arithmetic, const OutputShape& shape,
                     const ErrorBound& bound, std::span<const double> want,
                     std::span<const double> magnitude) {
  const Acceptance acceptance(dtype, arithmetic, bound);
  if (!is_bilinear(arithmetic) || magnitude.empty()) {
    return assess_elements(acceptance, shape, dtype, want, magnitude);
  }
  const double largest = *std::max_element(magnitude.begin(), magnitude.end());
  return assess_elements(acceptance, shape, dtype, want,
                         std::vector<double>(magnitude.size(), largest));
}

Trust assess_special(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                     const OutputShape& shape, std::span<const double> want,
                     std::span<const double> magnitude) {
  return assess_tensors(shape, dtype, want, [&](std::span<const double> got) {
    return !judge_special(dtype, arithmetic, products, got, want, magnitude).passed();
  });
}

Trust assess_special(Dtype dtype, const concord_arithmetic& arithmetic,
                     const reference::Geometry& geometry, const OutputShape& shape,
                     std::span<const double> weights, std::span<const double> want,
                     std::span<const double> magnitude) {
  return assess_tensors(shape, dtype, want, [&](std::span<const double> got) {
    return !judge_special(dtype, arithmetic, geometry, weights, got, want, magnitude).passed();
  });
}

Trust assess_statistical(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                         const OutputShape& shape, double largest_term,
                         std::span<const double> want, std::span<const double> magnitude) {
  return assess_tensors(shape, dtype, want, [&](std::span<const double> got) {
    return !judge_statistical(
                sum_errors(dtype, arithmetic, products, largest_term, got, want, magnitude))
                .passed();
  });
}

}  // namespace concord::conformance
