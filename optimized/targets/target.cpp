// SPDX-License-Identifier: Apache-2.0
#include "optimized/targets/target.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <unistd.h>
#endif

namespace concord::optimized {
namespace {

#if defined(__x86_64__)

Processor find_processor() {
  Processor found;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return found;
  std::memcpy(found.vendor, &ebx, 4);
  std::memcpy(found.vendor + 4, &edx, 4);
  std::memcpy(found.vendor + 8, &ecx, 4);
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return found;
  constexpr unsigned kExtended = 0xf;
  const unsigned family = eax >> 8 & 0xf;
  found.family = family == kExtended ? kExtended + (eax >> 20 & 0xff) : family;
  for (const Isa isa : kIsas) {
    if (!is_supported(isa)) continue;
    found.isa = static_cast<Isa>(static_cast<unsigned>(found.isa) | static_cast<unsigned>(isa));
  }
#ifdef _SC_LEVEL2_CACHE_SIZE
  found.second_level_bytes = std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), 0L);
#endif
  return found;
}

#else

Processor find_processor() { return {}; }

#endif

// The processors of a target, and the kernels that it was fitted to. Virtual machines often state a
// model that the processor is not, or hide AMX, so that extensions and caches tell models apart.
struct Row {
  const Target* target;
  std::string_view vendor;
  unsigned family;
  Isa has;                    // of the processor
  Extent second_level_bytes;  // which has at least as many
  Isa kernels;                // of the plan
};
const Row kRows[] = {
    {&kZen5, "AuthenticAMD", 0x1a, Isa::kAvx512Bf16, 0, Isa::kAvx512},
    {&kZen4, "AuthenticAMD", 0x19, Isa::kAvx512Bf16, 0, Isa::kAvx512},
    // Zen 4 without AVX-512.
    {&kX86Avx2, "AuthenticAMD", 0x19, Isa::kAvx2, Extent{1} << 20, Isa::kAvx2},
    {&kZen3, "AuthenticAMD", 0x19, Isa::kAvx2, 0, Isa::kAvx2},
    {&kZen3, "AuthenticAMD", 0x17, Isa::kAvx2, 0, Isa::kAvx2},
    {&kSapphireRapids, "GenuineIntel", 6, Isa::kAvx512, Extent{2} << 20, Isa::kAvx512},
};

const Target& default_target([[maybe_unused]] Isa isa) {
#if defined(__aarch64__)
  return kAarch64;
#else
  return includes(isa, Isa::kAvx512) ? kX86 : kX86Avx2;
#endif
}

}  // namespace

const Processor& this_processor() {
  static const Processor found = find_processor();
  return found;
}

const Target& target_for(const Processor& processor, Isa isa) {
  for (const Row& row : kRows) {
    if (row.vendor == processor.vendor && row.family == processor.family &&
        includes(processor.isa, row.has) && includes(isa, row.kernels) &&
        processor.second_level_bytes >= row.second_level_bytes) {
      return *row.target;
    }
  }
  return default_target(isa);
}

std::span<const Target* const> all_targets() {
  static constexpr const Target* kAll[] = {&kZen5, &kZen4,    &kZen3,   &kSapphireRapids,
                                           &kX86,  &kX86Avx2, &kAarch64};
  return kAll;
}

const Target* find_target(std::string_view name) {
  const auto all = all_targets();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Target* target) { return name == target->name; });
  return found == all.end() ? nullptr : *found;
}

std::string target_names() {
  std::string names;
  for (const Target* target : all_targets()) {
    names += (names.empty() ? "" : ", ") + std::string(target->name);
  }
  return names;
}

}  // namespace concord::optimized
