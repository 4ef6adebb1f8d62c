// SPDX-License-Identifier: Apache-2.0
#include "fuzz/integer_data.h"

#include <random>

namespace concord::fuzz {
namespace {

std::vector<double> integers(const Extents& dims, std::mt19937& random) {
  std::vector<double> values(static_cast<std::size_t>(element_count(dims).value()));
  // Not std::uniform_int_distribution, whose values differ between standard libraries.
  for (double& value : values) value = static_cast<double>(random() % 19) - 9;
  return values;
}

}  // namespace

Data integer_data(const Problem& problem, const reference::Geometry& geometry, std::uint32_t seed) {
  std::mt19937 random(seed);
  Data data;
  data.src = integers({geometry.N, geometry.IC, reference::volume(geometry.I)}, random);
  data.weights = integers({geometry.OC, geometry.ICG(), reference::volume(geometry.K)}, random);
  if (problem.bias) data.bias = integers({geometry.OC}, random);
  return data;
}

}  // namespace concord::fuzz
