// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

namespace wide {

using Number = double;
using Reg = double;
constexpr size_t kLanes = 1, kVectors = 4, kCount = 4;

Reg load(const Number* from) { return *from; }
void store(Number* to, Reg r) { *to = r; }
Reg spread(Number s) { return s; }
Reg multiply_add(Reg a, Reg b, Reg c) { return a * b + c; }
Reg absolute(Reg a) { return __builtin_fabs(a); }

#include "conformance/oracle/tile_body.inc"

}  // namespace wide

namespace narrow {

using Number = float;
using Reg = float;
constexpr size_t kLanes = 1, kVectors = 4, kCount = 4;

Reg load(const Number* from) { return *from; }
void store(Number* to, Reg r) { *to = r; }
Reg spread(Number s) { return s; }
Reg multiply_add(Reg a, Reg b, Reg c) { return a * b + c; }
Reg absolute(Reg a) { return __builtin_fabsf(a); }

// The same text for another type. NOLINTNEXTLINE(readability-duplicate-include)
#include "conformance/oracle/tile_body.inc"

}  // namespace narrow

}  // namespace

const TileKernel<double> kTileGeneric{wide::kVectors * wide::kLanes, wide::kCount, wide::run_any};
const TileKernel<float> kExactTileGeneric{narrow::kVectors * narrow::kLanes, narrow::kCount,
                                          narrow::run_any};

}  // namespace concord::conformance
