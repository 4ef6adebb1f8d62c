// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

using reference::ContinuousGeometry;

// Where the layers' parameters begin in theta: A1, b1, A2, b2, A3, b3.
struct Theta {
  std::size_t w1, w2, C_final, b1, A2, b2, A3, b3;

  explicit Theta(const ContinuousGeometry& g)
      : w1(static_cast<std::size_t>(g.net.w1)),
        w2(static_cast<std::size_t>(g.net.w2)),
        C_final(static_cast<std::size_t>(g.net.C_final)),
        b1(2 * w1),
        A2(3 * w1),
        b2(A2 + w2 * w1),
        A3(b2 + w2),
        b3(A3 + C_final * w2) {}
};

const ContinuousGeometry& geometry_of(const FormOrder& order) {
  return std::get<ContinuousGeometry>(order.resolution.form);
}

bool has_net(const FormOrder& order) {
  return geometry_of(order).function != KernelFunction::kKeys;
}

// The tensor that K_theta meets: the layer's input, or for its gradient the output's.
Input met(const FormOrder& order) {
  return order.problem.operation() == Operation::kContinuousBackwardData ? Input::kDiffDst
                                                                         : Input::kSrc;
}

// A gradient that goes through the net to theta or to the grid.
bool passes_kinks(const FormOrder& order) {
  return order.problem.operation() == Operation::kContinuousBackwardWeights ||
         order.problem.operation() == Operation::kContinuousBackwardGrid;
}

// Integers everywhere but in A3, which is zero: K_theta is b3, at every distance.
Inputs fill_constant_kernel(const FormOrder& order, const IntegerLimits& limits) {
  Inputs inputs = make_zeros(order.problem);
  const SignedInteger draw(limits.src, 3, 4), draw_theta(2), draw_constant(limits.weights, 3, 4);
  for (const Input input : {Input::kSrc, Input::kDiffDst}) {
    Xoshiro random = stream(order, input);
    for (double& value : inputs.of(input)) value = draw(random);
  }
  if (!has_net(order)) return inputs;
  Xoshiro random = stream(order, Input::kWeights);
  const Theta theta(geometry_of(order));
  for (std::size_t i = 0; i < theta.A3; ++i) inputs.weights[i] = draw_theta(random);
  for (std::size_t i = theta.b3; i < inputs.weights.size(); ++i) {
    inputs.weights[i] = draw_constant(random);
  }
  return inputs;
}

Inputs fill_constant_kernel(const FormOrder& order) {
  return fill_constant_kernel(
      order, layer_limits(order.problem.dtype, order.arithmetic, order.resolution.products));
}

// The same with the tensor that K_theta meets, or by an odd seed K_theta, in whole units: so is
// every partial sum, and A3, which is zero, keeps the units out of all else.
Inputs fill_subnormal_kernel(const FormOrder& order) {
  const Dtype dtype = order.problem.dtype;
  Inputs inputs = fill_constant_kernel(
      order, subnormal_limits(dtype, order.arithmetic, order.resolution.products, false));
  const double unit = subnormal_unit(dtype, order.arithmetic);
  if (unit_is_in_src(order.seed) || !has_net(order)) {
    for (double& value : inputs.of(met(order))) value *= unit;
    return inputs;
  }
  for (std::size_t i = Theta(geometry_of(order)).b3; i < inputs.weights.size(); ++i) {
    inputs.weights[i] *= unit;
  }
  return inputs;
}

// K_theta is 1 for one pair of channels an output channel, and 0 for all others.
Inputs fill_coded_places(const FormOrder& order) {
  Inputs inputs = fill_constant_kernel(order);
  const ContinuousGeometry& g = geometry_of(order);
  Xoshiro random = stream(order, met(order));
  const Extent sum = exact_sum_of_layer(order.problem.dtype, order.arithmetic);
  const Extent input = Extent{1} << exact_bits(order.problem.dtype, order.arithmetic);
  const Extent largest =
      std::clamp<Extent>(sum / std::max<Extent>(order.resolution.products, 1), 1, input);
  const Tensor& tensor = *input_of(order.problem, met(order));
  inputs.of(met(order)) = place_codes(tensor.dims, largest, random);
  if (!has_net(order)) return inputs;
  const Theta theta(g);
  const auto Cin = static_cast<std::size_t>(g.Cin);
  const std::size_t each =
      theta.C_final / std::max<std::size_t>(1, Cin * static_cast<std::size_t>(g.Cout));
  for (std::size_t i = 0; i < theta.C_final; ++i) {
    const std::size_t pair = each == 0 ? 0 : i / each;
    inputs.weights[theta.b3 + i] = Cin > 0 && pair % Cin == pair / Cin % Cin ? 1 : 0;
  }
  return inputs;
}

// A pixel along one axis that some output has for its neighbour; none if there is none.
std::optional<Extent> seen_along(const reference::ContinuousAxis& axis, Xoshiro& random) {
  if (axis.out == 0) return std::nullopt;
  const Extent first = random.below(axis.out);
  for (Extent turn = 0; turn < axis.out; ++turn) {
    std::vector<Extent> sources;
    for (const auto& neighbour : reference::neighbours(axis, (first + turn) % axis.out)) {
      if (neighbour.source) sources.push_back(*neighbour.source);
    }
    if (sources.empty()) continue;
    return sources[static_cast<std::size_t>(random.below(static_cast<Extent>(sources.size())))];
  }
  return std::nullopt;
}

// The place of one pixel of the tensor that K_theta meets.
std::optional<std::size_t> seen_pixel(const FormOrder& order, Xoshiro& random) {
  const Extents& dims = input_of(order.problem, met(order))->dims;
  if (element_count(dims).value_or(0) == 0) return std::nullopt;
  std::optional<Extent> row = random.below(dims[2]), column = random.below(dims[3]);
  if (met(order) == Input::kSrc) {
    row = seen_along(geometry_of(order).vertical, random);
    column = seen_along(geometry_of(order).horizontal, random);
  }
  if (!row || !column) return std::nullopt;
  const Grid<4> grid({dims[0], dims[1], dims[2], dims[3]});
  return grid.offset({random.below(dims[0]), random.below(dims[1]), *row, *column});
}

// How often an output may have one pixel for its neighbour along an axis: several times where the
// boundary repeats it.
Extent most_meetings(const reference::ContinuousAxis& axis) {
  if (axis.boundary == Boundary::kZero) return 1;
  Extent most = 1;
  for (Extent n = 0; n < axis.out; ++n) {
    std::map<Extent, Extent> meetings;
    for (const auto& neighbour : reference::neighbours(axis, n)) {
      if (neighbour.source) most = std::max(most, ++meetings[*neighbour.source]);
    }
  }
  return most;
}

// One pixel is 1: what it reaches is K_theta, whose mantissas are full; or, where an output may sum
// it several times, integers whose sums are exact.
Inputs fill_one_pixel(const FormOrder& order) {
  Inputs inputs = fill_constant_kernel(order);
  Xoshiro random = stream(order, met(order));
  std::vector<double>& pixels = inputs.of(met(order));
  std::fill(pixels.begin(), pixels.end(), 0.0);
  const auto place = seen_pixel(order, random);
  if (place) pixels[*place] = 1;
  if (!has_net(order)) return inputs;
  Xoshiro weights = stream(order, Input::kWeights);
  const ContinuousGeometry& g = geometry_of(order);
  const int bits = exact_bits(order.problem.dtype, order.arithmetic);
  const Extent meetings = most_meetings(g.vertical) * most_meetings(g.horizontal);
  const Extent largest =
      std::min(Extent{1} << bits, exact_sum(order.problem.dtype, order.arithmetic) / meetings);
  const SignedInteger integer(std::max<Extent>(largest, 1));
  for (std::size_t i = Theta(g).b3; i < inputs.weights.size(); ++i) {
    inputs.weights[i] = meetings == 1 ? draw_full_mantissa(bits, weights) : integer(weights);
  }
  return inputs;
}

// For each element of an image of diff_dst, the image of which it is not zero.
template <class Draw>
void fill_one_image_each(const FormOrder& order, std::vector<double>& delta, Draw draw) {
  const auto images = static_cast<std::size_t>(geometry_of(order).N);
  std::fill(delta.begin(), delta.end(), 0.0);
  if (delta.empty()) return;
  Xoshiro random = stream(order, Input::kDiffDst);
  const std::size_t each = delta.size() / images;
  for (std::size_t i = 0; i < each; ++i) {
    const auto image = static_cast<std::size_t>(random.below(static_cast<Extent>(images)));
    delta[image * each + i] = draw(random);
  }
}

// The gradient by W, in which elements of src meet elements of diff_dst.
Inputs fill_pixels_by_delta(const FormOrder& order) {
  const Dtype dtype = order.problem.dtype;
  const bool subnormal = order.fill == Fill::kSubnormal;
  const Extent products = order.resolution.products;
  const IntegerLimits limits = subnormal
                                   ? subnormal_limits(dtype, order.arithmetic, products, false)
                                   : layer_limits(dtype, order.arithmetic, products);
  Inputs inputs = fill_constant_kernel(order, limits);
  const SignedInteger draw(limits.weights, 3, 4);
  Xoshiro delta = stream(order, Input::kDiffDst);
  for (double& value : inputs.diff_dst) value = draw(delta);
  if (subnormal) {
    auto& scaled = unit_is_in_src(order.seed) ? inputs.src : inputs.diff_dst;
    for (double& value : scaled) value *= subnormal_unit(dtype, order.arithmetic);
  }
  Xoshiro src = stream(order, Input::kSrc);
  if (order.fill == Fill::kRamp) {
    const Extent most = std::min(exact_sum(dtype, order.arithmetic),
                                 Extent{1} << exact_bits(dtype, order.arithmetic));
    inputs.src = place_codes(order.problem.src.dims, std::max<Extent>(most, 1), src);
    fill_one_image_each(order, inputs.diff_dst, [](Xoshiro&) { return 1.0; });
  }
  if (order.fill == Fill::kImpulse || order.fill == Fill::kSparse) {
    const int bits = exact_bits(dtype, order.arithmetic);
    for (double& value : inputs.src) value = draw_full_mantissa(bits, src);
    fill_one_image_each(order, inputs.diff_dst, draw_power);
  }
  return inputs;
}

// The largest number that the net is asked at along an axis.
double largest_input(KernelFunction function, const reference::ContinuousAxis& axis) {
  if (function != KernelFunction::kNetKGrid) return static_cast<double>(axis.K) / 2;
  if (axis.out == 0) return 0;
  const double first = reference::grid_point(axis, 0).to_double();
  return std::max(std::fabs(first),
                  std::fabs(reference::grid_point(axis, axis.out - 1).to_double()));
}

// Gives each neuron of the hidden layers a bias that outweighs whatever else it sums by half, so
// that no rounding error turns the derivative of the LeakyReLU from 1 to its slope.
void keep_off_kinks(const FormOrder& order, std::vector<double>& weights) {
  const ContinuousGeometry& g = geometry_of(order);
  const Theta theta(g);
  Xoshiro random(order.seed, 31);
  const double stretch = std::max(1.0, std::fabs(g.net.slope));
  const auto outweigh = [&](double sum, double& bias) {
    const double size = round_to(order.problem.dtype, 1.5 * sum + 0.25);
    bias = static_cast<double>(random.sign()) * size;
    return stretch * (sum + size);
  };
  // A distance is at most half the support, an offset from one of its pixels no more.
  const double tall = largest_input(g.function, g.vertical);
  const double broad = largest_input(g.function, g.horizontal);
  std::vector<double> first;
  for (std::size_t row = 0; row < theta.w1; ++row) {
    const double sum = std::fabs(weights[2 * row]) * tall + std::fabs(weights[2 * row + 1]) * broad;
    first.push_back(outweigh(sum, weights[theta.b1 + row]));
  }
  for (std::size_t row = 0; row < theta.w2; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < theta.w1; ++i) {
      sum += std::fabs(weights[theta.A2 + row * theta.w1 + i]) * first[i];
    }
    outweigh(sum, weights[theta.b2 + row]);
  }
}

// theta is kept small, for the net multiplies it by itself: in f16 the sums must stay below 65504.
Inputs fill_real_layer(const FormOrder& order) {
  constexpr double kScaleOfTheta = 0.25;
  const Dtype dtype = order.problem.dtype;
  const RealDraw draw(order.fill, dtype, order.arithmetic,
                      static_cast<double>(order.resolution.products) + 1);
  const RealDraw parameter(Fill::kUniform, dtype, {}, 1);
  Inputs inputs = make_zeros(order.problem);
  for (const Input input : {Input::kSrc, Input::kDiffDst}) {
    Xoshiro random = stream(order, input);
    for (double& value : inputs.of(input)) value = draw(random);
  }
  Xoshiro random = stream(order, Input::kWeights);
  for (double& value : inputs.weights) value = narrow(dtype, kScaleOfTheta * parameter(random));
  if (has_net(order) && passes_kinks(order)) {
    keep_off_kinks(order, inputs.weights);
  }
  return inputs;
}

}  // namespace

Inputs fill_continuous(const FormOrder& order) {
  const bool by_weights = order.problem.operation() == Operation::kContinuousBackwardKernel;
  if (by_weights && !has_random_signs(order.fill)) return fill_pixels_by_delta(order);
  if (order.fill == Fill::kIntegers) return fill_constant_kernel(order);
  if (order.fill == Fill::kRamp) return fill_coded_places(order);
  if (order.fill == Fill::kImpulse || order.fill == Fill::kSparse) return fill_one_pixel(order);
  // A gradient through the net has no exact data, and no fill of subnormal numbers.
  if (order.fill == Fill::kSubnormal && !passes_kinks(order)) return fill_subnormal_kernel(order);
  return fill_real_layer(order);
}

}  // namespace concord::conformance
