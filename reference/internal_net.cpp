// SPDX-License-Identifier: Apache-2.0
#include "reference/internal_net.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/wide.h"

namespace concord::reference {
namespace {

using Values = std::vector<double>;

// y = A x + b, and the offset of its parameters in theta.
struct Affine {
  std::size_t rows, columns, at;

  std::size_t coefficient(std::size_t row, std::size_t column) const {
    return at + row * columns + column;
  }
  std::size_t bias(std::size_t row) const { return at + rows * columns + row; }
  std::size_t end() const { return at + rows * columns + rows; }

  template <class Function>
  Values apply(std::span<const double> theta, std::span<const double> x, Function part) const {
    Values y;
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = part(theta[bias(row)]);
      for (std::size_t i = 0; i < columns; ++i) sum += part(theta[coefficient(row, i)]) * x[i];
      y.push_back(sum);
    }
    return y;
  }

  // Adds g x^T and g to the gradient; returns A^T g.
  Values pull_back(std::span<const double> theta, std::span<const double> x,
                   std::span<const double> g, std::span<double> gradient) const {
    Values pulled(columns, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
      gradient[bias(row)] += g[row];
      for (std::size_t i = 0; i < columns; ++i) {
        gradient[coefficient(row, i)] += g[row] * x[i];
        pulled[i] += theta[coefficient(row, i)] * g[row];
      }
    }
    return pulled;
  }
};

std::array<Affine, 3> layers_of(const InternalNet& net) {
  const auto w1 = static_cast<std::size_t>(net.w1);
  const auto w2 = static_cast<std::size_t>(net.w2);
  const Affine first{w1, 2, 0};
  const Affine second{w2, w1, first.end()};
  return {first, second, Affine{static_cast<std::size_t>(net.C_final), w2, second.end()}};
}

double itself(double value) { return value; }
double absolute(double value) { return std::fabs(value); }

Values leaky_relu(Values z, double slope) {
  for (double& value : z) value = value > 0 ? value : slope * value;
  return z;
}

Values scaled(Values values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// g * phi'(z)
Values through_leaky_relu(Values g, const Values& z, double slope) {
  for (std::size_t i = 0; i < g.size(); ++i) g[i] *= z[i] > 0 ? 1 : slope;
  return g;
}

}  // namespace

std::optional<Extent> parameter_count(const InternalNet& net) {
  const auto second = element_count({net.w2, net.w1});
  const auto third = element_count({net.C_final, net.w2});
  if (!second || !third || net.w1 < 0) return std::nullopt;
  const Wide count = Wide{3} * net.w1 + *second + net.w2 + *third + net.C_final;
  if (!fits(count)) return std::nullopt;
  return static_cast<Extent>(count);
}

Oracle evaluate_net(const InternalNet& net, std::span<const double> theta, const Distance& d) {
  const auto [first, second, third] = layers_of(net);
  const Values a1 = leaky_relu(first.apply(theta, d, itself), net.slope);
  const Values a2 = leaky_relu(second.apply(theta, a1, itself), net.slope);

  const double stretch = std::max(1.0, std::fabs(net.slope));
  const Distance size{std::fabs(d[0]), std::fabs(d[1])};
  const Values m1 = scaled(first.apply(theta, size, absolute), stretch);
  const Values m2 = scaled(second.apply(theta, m1, absolute), stretch);
  return {third.apply(theta, a2, itself), third.apply(theta, m2, absolute)};
}

Distance backpropagate_net(const InternalNet& net, std::span<const double> theta, const Distance& d,
                           std::span<const double> G, std::span<double> gradient) {
  const auto [first, second, third] = layers_of(net);
  const Values z1 = first.apply(theta, d, itself);
  const Values a1 = leaky_relu(z1, net.slope);
  const Values z2 = second.apply(theta, a1, itself);
  const Values a2 = leaky_relu(z2, net.slope);

  const Values g2 = through_leaky_relu(third.pull_back(theta, a2, G, gradient), z2, net.slope);
  const Values g1 = through_leaky_relu(second.pull_back(theta, a1, g2, gradient), z1, net.slope);
  const Values gd = first.pull_back(theta, d, g1, gradient);
  return {gd[0], gd[1]};
}

Distance add_gradient_magnitudes(const InternalNet& net, std::span<const double> theta,
                                 const Distance& d, std::span<const double> G_magnitude,
                                 std::span<double> magnitude) {
  const auto [first, second, third] = layers_of(net);
  const double stretch = std::max(1.0, std::fabs(net.slope));
  Values sizes(theta.size());
  std::transform(theta.begin(), theta.end(), sizes.begin(), absolute);
  const Distance size{std::fabs(d[0]), std::fabs(d[1])};
  const Values m1 = scaled(first.apply(sizes, size, itself), stretch);
  const Values m2 = scaled(second.apply(sizes, m1, itself), stretch);

  const Values g2 = scaled(third.pull_back(sizes, m2, G_magnitude, magnitude), stretch);
  const Values g1 = scaled(second.pull_back(sizes, m1, g2, magnitude), stretch);
  const Values gd = first.pull_back(sizes, size, g1, magnitude);
  return {gd[0], gd[1]};
}

double keys_slope(double d) {
  const double x = std::fabs(d);
  const double sign = d < 0 ? -1 : 1;
  if (x <= 1) return sign * x * (4.5 * x - 5);
  if (x < 2) return sign * (x * (5 - 1.5 * x) - 4);
  return 0;
}

double keys_magnitude(double d) {
  const double x = std::fabs(d);
  if (x <= 1) return x * x * (1.5 * x + 2.5) + 1;
  if (x < 2) return x * (x * (0.5 * x + 2.5) + 4) + 2;
  return 0;
}

double keys_slope_magnitude(double d) {
  const double x = std::fabs(d);
  if (x <= 1) return x * (4.5 * x + 5);
  if (x < 2) return x * (1.5 * x + 5) + 4;
  return 0;
}

}  // namespace concord::reference
