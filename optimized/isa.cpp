// SPDX-License-Identifier: Apache-2.0
#include "optimized/isa.h"

#include <cstdlib>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace concord::optimized {
namespace {

#if defined(__x86_64__)

// __builtin_cpu_supports() also asks the system whether it saves the registers.
bool runs_avx2() {
  constexpr unsigned kF16c = 1U << 29;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && (ecx & kF16c) != 0;
}

bool runs_avx512() {
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool runs_bf16_dot() { return runs_avx512() && __builtin_cpu_supports("avx512bf16"); }

#else

bool runs_avx2() { return false; }
bool runs_avx512() { return false; }
bool runs_bf16_dot() { return false; }

#endif

}  // namespace

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::kGeneric:
      return "generic";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  CONCORD_CHECK(false) << "isa " << static_cast<int>(isa);
  return {};
}

std::optional<Isa> parse_isa(std::string_view text) {
  for (const Isa isa : kIsas) {
    if (text == to_string(isa)) return isa;
  }
  return std::nullopt;
}

bool is_supported(Isa isa) {
  static const bool avx2 = runs_avx2();
  static const bool avx512 = runs_avx512();
  if (isa == Isa::kAvx512) return avx512;
  return isa == Isa::kAvx2 ? avx2 : true;
}

bool has_bf16_dot() {
  static const bool supported = runs_bf16_dot();
  return supported;
}

Result<Isa> choose_isa(std::optional<Isa> forced) {
  std::string origin = "the option isa";
  if (!forced) {
    const char* variable = std::getenv("CONCORD_ISA");
    if (variable != nullptr && *variable != '\0') {
      origin = "CONCORD_ISA";
      forced = parse_isa(variable);
      if (!forced) {
        return Refusal{Fault::kSyntax, "CONCORD_ISA is '" + std::string(variable) +
                                           "', which is none of generic, avx2, avx512"};
      }
    }
  }
  if (forced) {
    if (is_supported(*forced)) return *forced;
    return Refusal{Fault::kSyntax, origin + " asks for " + std::string(to_string(*forced)) +
                                       ", which this processor cannot run"};
  }
  if (is_supported(Isa::kAvx512)) return Isa::kAvx512;
  return is_supported(Isa::kAvx2) ? Isa::kAvx2 : Isa::kGeneric;
}

}  // namespace concord::optimized
