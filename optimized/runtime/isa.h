// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the engine has kernels for, and which of them this processor runs.
#ifndef CONCORD_OPTIMIZED_RUNTIME_ISA_H_
#define CONCORD_OPTIMIZED_RUNTIME_ISA_H_

#include <optional>
#include <string>
#include <string_view>

#include "spec/result.h"

namespace concord::optimized {

/// From the poorest to the richest: each one's kernels may use what the earlier ones have.
enum class Isa {
  kGeneric,     ///< plain C++
  kAvx2,        ///< AVX2, FMA, F16C
  kAvx512,      ///< AVX-512 F, BW, DQ, VL
  kAvx512Bf16,  ///< and dot products of bfloat16 pairs
  kAmx,         ///< and tiles of bfloat16 (AMX-TILE, AMX-BF16), which the system has to permit
};
inline constexpr Isa kIsas[] = {Isa::kGeneric, Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16,
                                Isa::kAmx};

/// "generic", "avx2", "avx512", "avx512bf16" or "amx".
std::string_view to_string(Isa isa);
/// The inverse of to_string; nothing for any other text.
std::optional<Isa> parse_isa(std::string_view text);

/// True if this build has kernels for `isa` and this processor and its system can run them.
bool is_supported(Isa isa);
/// The names of all of them with commas between.
std::string isa_names();

/// The instruction set to plan for: `forced`, else the environment variable CONCORD_ISA, else the
/// richest supported one.
/// Errors  kSyntax if CONCORD_ISA names none, or if the one asked for cannot run here
Result<Isa> choose_isa(std::optional<Isa> forced);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_RUNTIME_ISA_H_
