// SPDX-License-Identifier: Apache-2.0
// The table of kernels: which families exist, for which instruction set.
#ifndef CONCORD_OPTIMIZED_RUNTIME_KERNEL_TABLE_H_
#define CONCORD_OPTIMIZED_RUNTIME_KERNEL_TABLE_H_

#include <span>
#include <variant>

#include "optimized/kernels/amx/kernel.h"
#include "optimized/kernels/direct/kernel.h"
#include "optimized/kernels/grouped/kernel.h"
#include "optimized/kernels/planes/kernel.h"
#include "optimized/kernels/reorders/kernel.h"
#include "optimized/kernels/winograd/kernel.h"
#include "optimized/runtime/isa.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::optimized {

/// A row of kernels.inc.
struct KernelRow {
  const char* name;
  Isa needs;
  KernelFacts facts;
  std::variant<const TileFamily* (*)(), const GroupedFamily* (*)(), const AmxFamily* (*)(),
               const ReorderFamily* (*)(), const WinogradFamily* (*)(), const PlaneFamily* (*)()>
      family;
};
std::span<const KernelRow> kernel_rows();

/// Bytes of an element of a tensor that kernels read as it lies: 2 of a pair.
Extent bytes_of(ElementType element);

/// The best register tiles of those that run on `isa` and can compute in `dtype`: those that read
/// it, else those of the type to which src is widened (layout/convert.h).
const TileFamily& tiles_for(Isa isa, Dtype dtype);
/// The kernels for narrow groups that read and write `dtype`; where there are none, likewise.
const GroupedFamily& groups_for(Isa isa, Dtype dtype);
/// Those that add products of pairs, where that is faster; null where there are none.
const GroupedFamily* paired_groups_for(Isa isa, Dtype dtype);
/// The matrix tiles that compute in `dtype`; null where there are none.
const AmxFamily* amx_for(Isa isa, Dtype dtype);
/// The reorders between layouts and types, of tensors of `dtype`.
const ReorderFamily& reorders_for(Isa isa, Dtype dtype);
/// The kernels for planes of f32 or f64 whose rows have so many outputs: the best whose vectors
/// they fill, at least half.
const PlaneFamily& planes_for(Isa isa, Dtype dtype, Extent outputs);
/// Winograd's transforms, of f32.
const WinogradFamily& winograd_for(Isa isa);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_RUNTIME_KERNEL_TABLE_H_
