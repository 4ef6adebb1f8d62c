// SPDX-License-Identifier: Apache-2.0
#include "optimized/runtime/kernel_table.h"

#include <string>
#include <variant>

namespace concord::optimized {

#define CONCORD_KERNELS(isa, type, function) const type* function();
#include "optimized/kernels/kernels.inc"
#undef CONCORD_KERNELS

namespace {

struct Row {
  Isa isa;
  std::variant<const TileFamily* (*)(), const GroupedFamily* (*)(), const AmxFamily* (*)(),
               const ReorderFamily* (*)(), const WinogradFamily* (*)()>
      family;
};

constexpr Row kRows[] = {
#define CONCORD_KERNELS(isa, type, function) {Isa::isa, function},
#include "optimized/kernels/kernels.inc"
#undef CONCORD_KERNELS
};

// The rows begin with the richest.
template <class Family, class Serves>
const Family& family_for(Isa isa, Serves serves) {
  CONCORD_CHECK(is_supported(isa)) << to_string(isa);
  for (const Row& row : kRows) {
    const auto* family = std::get_if<const Family* (*)()>(&row.family);
    if (family != nullptr && row.isa <= isa && serves(*(*family)())) return *(*family)();
  }
  CONCORD_CHECK(false) << "no kernels for " << to_string(isa);
  std::abort();
}

}  // namespace

const TileFamily& tiles_for(Isa isa, Dtype dtype) {
  return family_for<TileFamily>(isa, [&](const TileFamily& family) {
    return family.channels == 1 || (dtype == Dtype::kBF16 && isa == Isa::kAvx512Bf16);
  });
}
const GroupedFamily& groups_for(Isa isa, Dtype dtype) {
  const GroupedElement element =
      dtype == Dtype::kF32 ? kSingle : (dtype == Dtype::kF16 ? kHalf : kBf16);
  const auto serves = [](GroupedElement wanted) {
    return [wanted](const GroupedFamily& family) { return family.element == wanted; };
  };
  const bool is_generic = isa == Isa::kGeneric;  // has none for other types
  return family_for<GroupedFamily>(isa, serves(is_generic ? kSingle : element));
}
const GroupedFamily* paired_groups_for(Isa isa, Dtype dtype) {
  if (isa != Isa::kAvx512Bf16 || dtype != Dtype::kBF16) return nullptr;
  return &family_for<GroupedFamily>(
      isa, [](const GroupedFamily& family) { return family.element == kBf16Pairs; });
}
const AmxFamily* amx_for(Isa isa, Dtype dtype) {
  if (isa < Isa::kAmx || dtype != Dtype::kBF16) return nullptr;
  return &family_for<AmxFamily>(isa, [](const AmxFamily&) { return true; });
}
const ReorderFamily& reorders_for(Isa isa) {
  return family_for<ReorderFamily>(isa, [](const ReorderFamily&) { return true; });
}
const WinogradFamily& winograd_for(Isa isa) {
  return family_for<WinogradFamily>(isa, [](const WinogradFamily&) { return true; });
}

}  // namespace concord::optimized
