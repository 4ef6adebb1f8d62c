// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

template <class Number>
Number load(const Number* from) {
  return *from;
}
template <class Number>
void store(Number* to, Number r) {
  *to = r;
}
template <class Number>
Number spread(Number s) {
  return s;
}
template <class Number>
Number multiply_add(Number a, Number b, Number c) {
  return a * b + c;
}
double absolute(double a) { return __builtin_fabs(a); }
float absolute(float a) { return __builtin_fabsf(a); }

constexpr size_t kLanes = 1, kVectors = 4, kCount = 4;

#include "conformance/oracle/look_body.inc"

namespace wide {

using Number = double;
using Reg = double;
#include "conformance/oracle/tile_body.inc"

}  // namespace wide

namespace narrow {

using Number = float;
using Reg = float;
// The same text for another type. NOLINTNEXTLINE(readability-duplicate-include)
#include "conformance/oracle/tile_body.inc"

}  // namespace narrow

}  // namespace

const TileKernel<double> kTileGeneric{kVectors * kLanes, kCount, wide::run_any, look};
const TileKernel<float> kExactTileGeneric{kVectors * kLanes, kCount, narrow::run_any, look};

}  // namespace concord::conformance
