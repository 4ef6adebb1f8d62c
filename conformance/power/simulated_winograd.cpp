// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/simulated_winograd.h"

#include <cmath>

#include "spec/check.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix zeros(std::size_t rows, std::size_t columns) {
  return Matrix(rows, std::vector<double>(columns));
}

// The coefficients of the product of (x - p) over all points but points[left_out].
std::vector<double> product_of_others(const std::vector<double>& points, std::size_t left_out) {
  std::vector<double> polynomial{1};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    polynomial.push_back(0);
    for (std::size_t k = polynomial.size(); k-- > 0;) {
      polynomial[k] = (k > 0 ? polynomial[k - 1] : 0) - points[i] * polynomial[k];
    }
  }
  return polynomial;
}

// T X T^T, every product and every sum rounded.
Matrix transformed(const Matrix& T, const Matrix& X, const SimulatedAccumulator& accumulator) {
  const auto once = [&](const Matrix& matrix, const Matrix& right) {  // matrix times right
    Matrix result = zeros(matrix.size(), right.front().size());
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      for (std::size_t j = 0; j < right.front().size(); ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < right.size(); ++k) {
          const double constant = accumulator.round(matrix[i][k]);
          sum = accumulator.round(sum + accumulator.round(constant * right[k][j]));
        }
        result[i][j] = sum;
      }
    }
    return result;
  };
  const auto flipped = [](const Matrix& matrix) {
    Matrix result = zeros(matrix.front().size(), matrix.size());
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      for (std::size_t j = 0; j < matrix[i].size(); ++j) result[j][i] = matrix[i][j];
    }
    return result;
  };
  return flipped(once(T, flipped(once(T, X))));
}

// The product of what is left of two numbers; of split ones three of the four products of parts.
double multiplied(double u, double v, const SimulatedAccumulator& accumulator,
                  const SimulatedInput& input) {
  if (input.bits == 0) return accumulator.round(u * v);
  const auto demoted = [&](double x) { return round_to_bits(input.bits, x, input.rounding); };
  const double product = accumulator.round(demoted(u) * demoted(v));
  if (!input.split) return product;
  const double low_u = demoted(u - demoted(u)), low_v = demoted(v - demoted(v));
  const double sum = accumulator.round(product + accumulator.round(low_u * demoted(v)));
  return accumulator.round(sum + accumulator.round(demoted(u) * low_v));
}

}  // namespace

// With finite points p, A^T has the powers p^i, G the powers p^r over the product of p - q over the
// other points q, B^T the coefficients of the product of x - q; and infinity the leading ones.
WinogradTile winograd_tile(Extent m, Extent taps) {
  const std::vector<double> all{0, 1, -1, 2, -2, 0.5, -0.5};
  WinogradTile tile;
  tile.m = m;
  tile.taps = taps;
  const auto n = static_cast<std::size_t>(tile.n()), r = static_cast<std::size_t>(taps);
  CONCORD_CHECK(n >= 2 && n <= all.size() + 1) << m << " outputs of " << taps << " taps";
  const std::vector<double> points(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n) - 1);
  tile.G = zeros(n, r);
  tile.B = zeros(n, n);
  tile.A = zeros(static_cast<std::size_t>(m), n);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    double divisor = 1;
    for (std::size_t other = 0; other + 1 < n; ++other) {
      if (other != k) divisor *= points[k] - points[other];
    }
    for (std::size_t tap = 0; tap < r; ++tap) {
      tile.G[k][tap] = std::pow(points[k], static_cast<double>(tap)) / divisor;
    }
    for (std::size_t i = 0; i < tile.A.size(); ++i) {
      tile.A[i][k] = std::pow(points[k], static_cast<double>(i));
    }
    const auto coefficients = product_of_others(points, k);
    for (std::size_t a = 0; a < coefficients.size(); ++a) tile.B[k][a] = coefficients[a];
  }
  tile.G[n - 1][r - 1] = 1;
  tile.A.back()[n - 1] = 1;
  const auto coefficients = product_of_others(points, points.size());
  for (std::size_t a = 0; a < n; ++a) tile.B[n - 1][a] = coefficients[a];
  return tile;
}

std::vector<WinogradTile> winograd_tiles() {
  constexpr Extent kWidest = 8;
  std::vector<WinogradTile> all;
  for (Extent taps = 2; taps < kWidest; ++taps) {
    for (Extent m = 2; m + taps - 1 <= kWidest; ++m) all.push_back(winograd_tile(m, taps));
  }
  return all;
}

std::vector<double> tile_outputs(const WinogradTile& tile,
                                 const std::vector<std::vector<double>>& src,
                                 const std::vector<std::vector<double>>& weights,
                                 const SimulatedAccumulator& accumulator,
                                 const SimulatedInput& input) {
  const auto n = static_cast<std::size_t>(tile.n()), r = static_cast<std::size_t>(tile.taps);
  const auto matrix = [](const std::vector<double>& values, std::size_t size) {
    Matrix result = zeros(size, size);
    for (std::size_t i = 0; i < values.size(); ++i) result[i / size][i % size] = values[i];
    return result;
  };
  Matrix M = zeros(n, n);
  for (std::size_t channel = 0; channel < src.size(); ++channel) {
    const Matrix V = transformed(tile.B, matrix(src[channel], n), accumulator);
    const Matrix U = transformed(tile.G, matrix(weights[channel], r), accumulator);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        M[i][j] = accumulator.round(M[i][j] + multiplied(U[i][j], V[i][j], accumulator, input));
      }
    }
  }
  std::vector<double> outputs;
  for (const auto& row : transformed(tile.A, M, accumulator)) {
    outputs.insert(outputs.end(), row.begin(), row.end());
  }
  return outputs;
}

std::vector<double> lone_outputs(const WinogradTile& tile, const std::array<Extent, 2>& place,
                                 Extent tap, const SimulatedAccumulator& accumulator,
                                 const SimulatedInput& input) {
  std::vector<double> d(static_cast<std::size_t>(tile.n() * tile.n()));
  std::vector<double> g(static_cast<std::size_t>(tile.taps * tile.taps));
  d[static_cast<std::size_t>(place[0] * tile.n() + place[1])] = 1;
  g[static_cast<std::size_t>(tap)] = 1;
  return tile_outputs(tile, {d}, {g}, accumulator, input);
}

}  // namespace concord::conformance
