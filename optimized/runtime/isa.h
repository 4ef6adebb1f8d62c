// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the engine has kernels for, and which of them this processor runs.
#ifndef CONCORD_OPTIMIZED_RUNTIME_ISA_H_
#define CONCORD_OPTIMIZED_RUNTIME_ISA_H_

#include <optional>
#include <string>
#include <string_view>

#include "spec/result.h"

namespace concord::optimized {

/// A set of a processor's extensions, a bit for each. The enumerators are the sets that kernels are
/// written for; a processor may have any.
enum class Isa : unsigned {
  kGeneric = 0,               ///< plain C++
  kAvx2 = 1,                  ///< AVX2, FMA, F16C
  kAvx512 = kAvx2 | 2,        ///< AVX-512 F, BW, DQ, VL
  kAvx512Bf16 = kAvx512 | 4,  ///< and dot products of bfloat16 pairs
  kAmx = kAvx512Bf16 | 8,  ///< and tiles of bfloat16 (AMX-TILE, AMX-BF16), which the system has to
                           ///< permit
  kNeon = 16,              ///< Advanced SIMD of aarch64
};
/// Those with a name; of two that a processor has, the later one says more.
inline constexpr Isa kIsas[] = {Isa::kGeneric,    Isa::kAvx2, Isa::kAvx512,
                                Isa::kAvx512Bf16, Isa::kAmx,  Isa::kNeon};

constexpr bool includes(Isa isa, Isa part) {
  return (static_cast<unsigned>(part) & ~static_cast<unsigned>(isa)) == 0;
}

/// "generic", "avx2", "avx512", "avx512bf16", "amx" or "neon": of any other set, the last of those
/// that it includes.
std::string_view to_string(Isa isa);
/// The set of that name; nothing for any other text.
std::optional<Isa> parse_isa(std::string_view text);

/// True if this processor and its system can run all of `isa`.
bool is_supported(Isa isa);
/// The names of all of them with commas between.
std::string isa_names();

/// What may be used: `forced`, else what the environment variable CONCORD_ISA names, else all that
/// this processor has.
/// Errors  kSyntax if CONCORD_ISA names none, or if the one asked for cannot run here
Result<Isa> choose_isa(std::optional<Isa> forced);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_RUNTIME_ISA_H_
