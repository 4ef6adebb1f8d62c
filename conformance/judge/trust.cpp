// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/trust.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
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
    case Plant::kScaled:
    case Plant::kNegated:
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
  constexpr double kScale = 1.5;
  if (plant == Plant::kZeros) return 0;
  if (plant == Plant::kScaled) return round_to(dtype, kScale * want[i]);
  if (plant == Plant::kNegated) return -round_to(dtype, want[i]);
  return round_to(dtype, want[source_of(plant, s, i)]);
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
template <class Accepts>
Trust assess_elements(const OutputShape& shape, Dtype dtype, std::span<const double> want,
                      Accepts accepts) {
  return assess(shape, want, [&](Plant plant) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!accepts(planted(plant, shape, dtype, want, i), i)) return true;
    }
    return false;
  });
}

// The least of allowed(i) / |want|, and a step of the dtype, for what is off by less is stored as
// the same number.
template <class Allowed>
double resolution_of(Dtype dtype, std::span<const double> want, Allowed allowed) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] != 0 && std::isfinite(want[i])) {
      least = std::min(least, allowed(i) / std::fabs(want[i]));
    }
  }
  return least + 2 * format_of(dtype).unit_roundoff();
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

// `sure` is the output under the other treatment of padding: an element that is finite there, too,
// and does not overflow the dtype, has to be finite.
template <class Rejects>
Trust assess_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                     const OutputShape& shape, std::span<const double> want,
                     std::span<const double> sure, std::span<const double> magnitude,
                     Rejects rejects) {
  const auto is_finite = [&](std::size_t i) {
    return std::isfinite(sure[i]) && std::isfinite(round_to(dtype, want[i]));
  };
  double largest = 0;
  bool any = false;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!is_finite(i)) continue;
    any = any || round_to(dtype, want[i]) != 0;
    if (is_bilinear(arithmetic)) largest = std::max(largest, magnitude[i]);
  }
  if (!any) {
    Trust trust = assess_tensors(shape, dtype, want, rejects);
    // An infinity times 1.5 is what it was, and so is NaN with another sign.
    std::erase(trust.missed, Plant::kScaled);
    std::erase(trust.missed, Plant::kNegated);
    return trust;
  }
  const Acceptance acceptance(dtype, arithmetic, bound);
  return assess_elements(shape, dtype, want, [&](double got, std::size_t i) {
    const bool excused = is_bilinear(arithmetic) && !std::isfinite(got);
    return excused || !is_finite(i) ||
           acceptance.accepts(got, want[i], std::max(magnitude[i], largest));
  });
}

}  // namespace

std::string_view to_string(Plant plant) {
  switch (plant) {
    case Plant::kZeros:
      return "zeros";
    case Plant::kScaled:
      return "scaled";
    case Plant::kNegated:
      return "negated";
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

bool changes_values(Plant plant) {
  return plant == Plant::kZeros || plant == Plant::kScaled || plant == Plant::kNegated;
}

bool Trust::can_reject() const {
  if (std::any_of(missed.begin(), missed.end(), changes_values)) return false;
  const auto rearranges = [](Plant plant) { return !changes_values(plant); };
  return std::any_of(rejected.begin(), rejected.end(), rearranges) ||
         std::none_of(missed.begin(), missed.end(), rearranges);
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
  return assess_bounded(dtype, arithmetic, shape, {}, want, {});
}

Trust assess_interval(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                      const OutputShape& shape, std::span<const double> want,
                      std::span<const double> magnitude) {
  return assess_bounded(dtype, arithmetic, shape, error_bound(dtype, arithmetic, products), want,
                        magnitude);
}

Trust assess_bounded(Dtype dtype, const concord_arithmetic& arithmetic, const OutputShape& shape,
                     const ErrorBound& bound, std::span<const double> want,
                     std::span<const double> magnitude, std::span<const double> radius) {
  const Acceptance acceptance(dtype, arithmetic, bound);
  const double largest = is_bilinear(arithmetic) && !magnitude.empty()
                             ? *std::max_element(magnitude.begin(), magnitude.end())
                             : 0;
  const auto scale = [&](std::size_t i) {
    return magnitude.empty() ? 0 : std::max(magnitude[i], largest);
  };
  const auto unknown = [&](std::size_t i) { return radius.empty() ? 0 : radius[i]; };
  Trust trust = assess_elements(shape, dtype, want, [&](double got, std::size_t i) {
    return acceptance.accepts(got, {want[i], 0, unknown(i)}, scale(i));
  });
  trust.resolution =
      resolution_of(dtype, want, [&](std::size_t i) { return bound.of(scale(i)) + unknown(i); });
  return trust;
}

Trust assess_lone(Dtype dtype, const LoneProducts& accepted, const OutputShape& shape,
                  std::span<const double> want, std::span<const double> magnitude) {
  CONCORD_CHECK(want.size() == magnitude.size()) << want.size() << " and " << magnitude.size();
  Trust trust = assess_elements(shape, dtype, want, [&](double got, std::size_t i) {
    return accepted.accepts(got, want[i], magnitude[i]);
  });
  trust.resolution = resolution_of(
      dtype, want, [&](std::size_t i) { return accepted.allowed(want[i], magnitude[i]); });
  return trust;
}

Trust assess_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                     const OutputShape& shape, std::span<const double> want,
                     std::span<const double> magnitude) {
  const auto rejects = [&](std::span<const double> got) {
    return !judge_special(dtype, arithmetic, bound, got, want, magnitude).passed();
  };
  return assess_special(dtype, arithmetic, bound, shape, want, want, magnitude, rejects);
}

Trust assess_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                     const reference::Geometry& geometry, const OutputShape& shape,
                     std::span<const double> weights, std::span<const double> want,
                     std::span<const double> magnitude) {
  const auto rejects = [&](std::span<const double> got) {
    return !judge_special(dtype, arithmetic, bound, geometry, weights, got, want, magnitude)
                .passed();
  };
  return assess_special(dtype, arithmetic, bound, shape, want,
                        with_padding_multiplied(geometry, weights, want), magnitude, rejects);
}

Trust assess_statistical(const ErrorModel& model, const OutputShape& shape,
                         std::span<const double> want, std::span<const double> magnitude) {
  Trust trust = assess_tensors(shape, model.dtype, want, [&](std::span<const double> got) {
    return !judge_statistical(model.dtype, model.arithmetic,
                              sum_errors(model, got, want, magnitude))
                .passed();
  });
  // What zeros are off by is the wanted value, so d of it has d^2 of this mean square.
  const std::vector<double> zeros(want.size());
  const StatisticalFinding off =
      judge_statistical(model.dtype, model.arithmetic, sum_errors(model, zeros, want, magnitude));
  if (off.mean_square > 0) {
    trust.resolution = std::sqrt(off.mean_square_limit / off.mean_square);
  }
  return trust;
}

}  // namespace concord::conformance
