// SPDX-License-Identifier: Apache-2.0
#include "optimized/runtime/kernel_table.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "optimized/layout/convert.h"

namespace concord::optimized {

#define CONCORD_KERNELS(type, function, needs, ...) const type* function();
#include "optimized/kernels/kernels.inc"
#undef CONCORD_KERNELS

namespace {

constexpr KernelRow kRows[] = {
#define CONCORD_KERNELS(type, function, needs, ...) \
  {#function, Isa::needs, facts::function, function},
#include "optimized/kernels/kernels.inc"
#undef CONCORD_KERNELS
};

// The first row of those that run on `isa` and read one of these; null if there is none.
template <class Family>
const Family* best(Isa isa, std::initializer_list<std::optional<ElementType>> elements) {
  CONCORD_CHECK(is_supported(isa)) << to_string(isa);
  for (const KernelRow& row : kRows) {
    const auto* family = std::get_if<const Family* (*)()>(&row.family);
    const bool is_slow = row.facts.is_slow_beside_amx && includes(isa, Isa::kAmx);
    const bool serves =
        std::find(elements.begin(), elements.end(), row.facts.element) != elements.end();
    if (family != nullptr && includes(isa, row.needs) && serves && !is_slow) return (*family)();
  }
  return nullptr;
}

// Nothing for a dtype that no kernels read, and that is converted before.
std::optional<ElementType> element_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return kSingle;
    case Dtype::kF16:
      return kHalf;
    case Dtype::kBF16:
      return kBf16;
    case Dtype::kF64:
      return kDouble;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::span<const KernelRow> kernel_rows() { return kRows; }

Extent bytes_of(ElementType element) {
  if (element == kDouble) return 8;
  return element == kSingle ? 4 : 2;
}

const TileFamily& tiles_for(Isa isa, Dtype dtype) {
  const auto computed = element_of(computed_in(dtype));
  return *best<TileFamily>(isa, {computed, dtype == Dtype::kBF16 ? kBf16Pairs : computed});
}
const GroupedFamily& groups_for(Isa isa, Dtype dtype) {
  const auto* family = best<GroupedFamily>(isa, {element_of(dtype)});
  return family != nullptr ? *family : *best<GroupedFamily>(isa, {element_of(computed_in(dtype))});
}
const GroupedFamily* paired_groups_for(Isa isa, Dtype dtype) {
  return dtype == Dtype::kBF16 ? best<GroupedFamily>(isa, {kBf16Pairs}) : nullptr;
}
const AmxFamily* amx_for(Isa isa, Dtype dtype) { return best<AmxFamily>(isa, {element_of(dtype)}); }
const ReorderFamily& reorders_for(Isa isa, Dtype dtype) {
  return *best<ReorderFamily>(isa, {element_of(computed_in(dtype))});
}
const PlaneFamily& planes_for(Isa isa, Dtype dtype, Extent outputs) {
  const PlaneFamily* narrowest = nullptr;
  for (const KernelRow& row : kRows) {
    const auto* family = std::get_if<const PlaneFamily* (*)()>(&row.family);
    if (family == nullptr || !includes(isa, row.needs)) continue;
    if (element_of(dtype) != row.facts.element) continue;
    narrowest = (*family)();
    // Half as wide vectors hold as many pixels where a row has so few.
    if (narrowest->lanes < 2 * outputs) break;
  }
  return *narrowest;
}
const WinogradFamily& winograd_for(Isa isa) { return *best<WinogradFamily>(isa, {kSingle}); }

}  // namespace concord::optimized
