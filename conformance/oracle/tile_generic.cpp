// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

using Reg = double;
constexpr size_t kLanes = 1, kVectors = 4, kCount = 4;

Reg load(const double* from) { return *from; }
void store(double* to, Reg r) { *to = r; }
Reg spread(double s) { return s; }
Reg add(Reg a, Reg b) { return a + b; }
Reg multiply(Reg a, Reg b) { return a * b; }
Reg absolute(Reg a) { return __builtin_fabs(a); }

#include "conformance/oracle/tile_body.inc"

}  // namespace

const TileKernel kTileGeneric{kVectors * kLanes, kCount, run_any};

}  // namespace concord::conformance
