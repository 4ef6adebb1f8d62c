// SPDX-License-Identifier: Apache-2.0
#include "optimized/kernel_table.h"

#include <string>
#include <variant>

namespace concord::optimized {

#define CONCORD_KERNELS(isa, type, function) const type* function();
#include "optimized/kernels/kernels.inc"
#undef CONCORD_KERNELS

namespace {

struct Row {
  Isa isa;
  std::variant<const TileFamily* (*)(), const GroupedFamily* (*)(), const MoveFamily* (*)(),
               const WinogradFamily* (*)()>
      family;
};

constexpr Row kRows[] = {
#define CONCORD_KERNELS(isa, type, function) {Isa::isa, function},
#include "optimized/kernels/kernels.inc"
#undef CONCORD_KERNELS
};

template <class Family>
const Family& family_for(Isa isa) {
  CONCORD_CHECK(is_supported(isa)) << to_string(isa);
  for (const Row& row : kRows) {
    const auto* family = std::get_if<const Family* (*)()>(&row.family);
    if (family != nullptr && row.isa == isa) return *(*family)();
  }
  CONCORD_CHECK(false) << "no kernels for " << to_string(isa);
  std::abort();
}

}  // namespace

const TileFamily& tiles_for(Isa isa) { return family_for<TileFamily>(isa); }
const GroupedFamily& groups_for(Isa isa) { return family_for<GroupedFamily>(isa); }
const MoveFamily& moves_for(Isa isa) { return family_for<MoveFamily>(isa); }
const WinogradFamily& winograd_for(Isa isa) { return family_for<WinogradFamily>(isa); }

}  // namespace concord::optimized
