// SPDX-License-Identifier: Apache-2.0
#include "optimized/describe.h"

#include <algorithm>
#include <ostream>

#include "spec/dtype.h"

namespace concord::optimized {
namespace {

// src, weights and dst, each once. Taps that count as channels are in several windows.
double bytes_of(const Shape& s) {
  const bool overlaps = s.I[2] > 1 && s.src.channel == 1 && s.src.spatial[2] < s.IC;
  double src = static_cast<double>(s.N) * static_cast<double>(overlaps ? s.src.spatial[2] : s.IC);
  double weights = static_cast<double>(s.OC) * static_cast<double>(s.ICG());
  double dst = static_cast<double>(s.N) * static_cast<double>(s.OC);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    src *= static_cast<double>(s.I[axis]);
    weights *= static_cast<double>(s.K[axis]);
    dst *= static_cast<double>(s.O[axis]);
  }
  return (src + weights + dst) * static_cast<double>(size_of(s.dtype));
}

}  // namespace

double operations_of(const Shape& s) {
  double products = static_cast<double>(s.N) * static_cast<double>(s.OC) *
                    static_cast<double>(s.ICG()) * static_cast<double>(s.K[0] * s.K[1] * s.K[2]);
  for (const Extent extent : s.O) products *= static_cast<double>(extent);
  return 2 * products;
}

double vector_operations(const Context& context, Extent lanes) {
  return 2 * context.target->core.multiply_adds * static_cast<double>(lanes);
}

void describe_bound(const Context& context, double operations, double operations_a_cycle,
                    std::ostream& out) {
  const Shape& shape = context.shape;
  const double memory_bytes = context.target->core.memory_bytes;
  const double adds = operations / operations_a_cycle;
  const double moves = bytes_of(shape) / memory_bytes;
  out << "bound     " << (adds >= moves ? "compute" : "memory") << ": " << operations
      << " operations at " << operations_a_cycle << " a cycle, " << bytes_of(shape) << " bytes at "
      << memory_bytes << " a cycle if all come from memory; a core's least is "
      << std::max(adds, moves) << " cycles\n";
}

}  // namespace concord::optimized
