// SPDX-License-Identifier: Apache-2.0
// The table of kernels: which families exist, for which instruction set.
#ifndef CONCORD_OPTIMIZED_RUNTIME_KERNEL_TABLE_H_
#define CONCORD_OPTIMIZED_RUNTIME_KERNEL_TABLE_H_

#include <span>
#include <variant>

#include "optimized/kernels/amx/kernel.h"
#include "optimized/kernels/direct/kernel.h"
#include "optimized/kernels/grouped/kernel.h"
#include "optimized/kernels/reorders/kernel.h"
#include "optimized/kernels/winograd/kernel.h"
#include "optimized/runtime/isa.h"
#include "spec/dtype.h"

namespace concord::optimized {

/// A row of kernels.inc.
struct KernelRow {
  const char* name;
  Isa needs;
  KernelFacts facts;
  std::variant<const TileFamily* (*)(), const GroupedFamily* (*)(), const AmxFamily* (*)(),
               const ReorderFamily* (*)(), const WinogradFamily* (*)()>
      family;
};
std::span<const KernelRow> kernel_rows();

/// The best register tiles of those that run on `isa` and can compute in `dtype`: those that read
/// it, else those of f32, to which src is widened.
const TileFamily& tiles_for(Isa isa, Dtype dtype);
/// The kernels for narrow groups that read and write `dtype`; where there are none, those of f32.
const GroupedFamily& groups_for(Isa isa, Dtype dtype);
/// Those that add products of pairs, where that is faster; null where there are none.
const GroupedFamily* paired_groups_for(Isa isa, Dtype dtype);
/// The matrix tiles that compute in `dtype`; null where there are none.
const AmxFamily* amx_for(Isa isa, Dtype dtype);
/// The reorders between layouts and types, likewise.
const ReorderFamily& reorders_for(Isa isa);
/// Winograd's transforms, likewise.
const WinogradFamily& winograd_for(Isa isa);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_RUNTIME_KERNEL_TABLE_H_
