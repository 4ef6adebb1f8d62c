// SPDX-License-Identifier: Apache-2.0
#include "optimized/runtime/isa.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
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

bool runs_avx512_bf16() { return runs_avx512() && __builtin_cpu_supports("avx512bf16"); }

// The registers of tiles are large, so Linux saves them only for a process that has asked.
bool permits_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool runs_amx() {
  constexpr unsigned kAmxBf16 = 1U << 22;
  constexpr unsigned kAmxTile = 1U << 24;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  const bool has_tiles = (edx & kAmxBf16) != 0 && (edx & kAmxTile) != 0;
  return runs_avx512_bf16() && has_tiles && permits_tiles();
}

#endif

// Every extension that this processor and its system run.
Isa find_extensions() {
  unsigned isa = 0;
#if defined(__x86_64__)
  if (runs_avx2()) isa |= static_cast<unsigned>(Isa::kAvx2);
  if (runs_avx512()) isa |= static_cast<unsigned>(Isa::kAvx512);
  if (runs_avx512_bf16()) isa |= static_cast<unsigned>(Isa::kAvx512Bf16);
  if (runs_amx()) isa |= static_cast<unsigned>(Isa::kAmx);
#elif defined(__aarch64__)
  isa |= static_cast<unsigned>(Isa::kNeon);  // every one of them
#endif
  return static_cast<Isa>(isa);
}

Isa processor() {
  static const Isa all = find_extensions();
  return all;
}

struct Name {
  Isa isa;
  std::string_view text;
};
constexpr Name kNames[] = {{Isa::kGeneric, "generic"}, {Isa::kAvx2, "avx2"},
                           {Isa::kAvx512, "avx512"},   {Isa::kAvx512Bf16, "avx512bf16"},
                           {Isa::kAmx, "amx"},         {Isa::kNeon, "neon"}};

}  // namespace

std::string_view to_string(Isa isa) {
  const auto named = std::find_if(std::rbegin(kNames), std::rend(kNames),
                                  [&](const Name& name) { return includes(isa, name.isa); });
  return named->text;
}

std::optional<Isa> parse_isa(std::string_view text) {
  for (const Name& name : kNames) {
    if (text == name.text) return name.isa;
  }
  return std::nullopt;
}

bool is_supported(Isa isa) { return includes(processor(), isa); }

std::string isa_names() {
  std::string names;
  for (const Name& name : kNames) {
    names += (names.empty() ? "" : ", ") + std::string(name.text);
  }
  return names;
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
                                           "', which is none of " + isa_names()};
      }
    }
  }
  if (forced) {
    if (is_supported(*forced)) return *forced;
    return Refusal{Fault::kSyntax, origin + " asks for " + std::string(to_string(*forced)) +
                                       ", which this processor cannot run"};
  }
  return processor();
}

}  // namespace concord::optimized
