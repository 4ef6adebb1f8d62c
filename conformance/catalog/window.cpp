// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/case/seed.h"
#include "conformance/fill/fill.h"
#include "reference/open_question.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

void set_spatial(const Surrounds& surrounds, const std::vector<Window>& windows,
                 SpatialAttributes& a) {
  for (const Window& window : windows) {
    a.strides.push_back(window.S);
    a.dilations.push_back(window.D);
    const bool has_pads = surrounds.auto_pad == AutoPad::kNone;
    a.pads_begin.push_back(has_pads ? window.begin : 0);
    a.pads_end.push_back(has_pads ? window.end : 0);
  }
  a.auto_pad = surrounds.auto_pad;
  a.data_format = surrounds.data_format;
}

// On the only axis of a problem.
Problem alone(const Window& window, AutoPad auto_pad) {
  return problem_of({.auto_pad = auto_pad}, {window});
}

// A single product or weight leaves nothing to tell apart.
bool has_data(Fill fill, const Problem& problem) {
  const bool is_uniform_impulse =
      fill == Fill::kImpulse && element_count(problem.weights.dims) == 1;
  return !is_uniform_impulse && !why_no_fill(fill, problem);
}

}  // namespace

Problem problem_of(const Surrounds& surrounds, const std::vector<Window>& windows) {
  Problem problem;
  problem.dtype = surrounds.dtype;
  if (surrounds.is_convolution1) {
    Convolution1Attributes attributes;
    set_spatial(surrounds, windows, attributes);
    attributes.filter_format = surrounds.weights_format;
    problem.attributes = attributes;
  } else {
    ConvolutionAttributes attributes;
    set_spatial(surrounds, windows, attributes);
    attributes.weights_format = surrounds.weights_format;
    problem.attributes = attributes;
  }
  if (surrounds.has_bias) problem.bias.emplace();
  Shape shape{surrounds.N, surrounds.G, surrounds.ICG, surrounds.OCG, {}, {}};
  for (const Window& window : windows) {
    shape.I.push_back(window.I);
    shape.K.push_back(window.K);
  }
  set_shape(problem, shape);
  return problem;
}

bool is_legal(const Window& window, AutoPad auto_pad) {
  return static_cast<bool>(reference::resolve(alone(window, auto_pad)));
}

bool has_output(const Window& window, AutoPad auto_pad) {
  const auto resolved = reference::resolve(alone(window, auto_pad));
  return resolved && element_count(resolved->dst.dims) != 0;
}

bool is_open(const Window& window, AutoPad auto_pad) {
  return reference::open_question(alone(window, auto_pad)).has_value();
}

Case swept_case(std::string_view family, const std::string& name, Problem problem, Fill fill,
                std::string_view origin, std::uint64_t seed) {
  Case made;
  made.fill = has_data(fill, problem) ? fill : Fill::kIntegers;
  made.id =
      fmt::format("{}/{}/{}/{}", family, name, to_string(problem.dtype), to_string(made.fill));
  made.problem = std::move(problem);
  made.seed = case_seed(seed, made.id);
  made.origin = origin;
  return made;
}

}  // namespace concord::conformance
