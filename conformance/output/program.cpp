// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/program.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace concord::conformance {
namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

// The description of the note of GNU's that holds the build id, in hexadecimal; else empty.
std::string build_id_in(std::span<const std::byte> notes) {
  constexpr std::string_view kOwner("GNU", 4);
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head{};
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t description = sizeof head + padded(head.n_namesz);
    const std::size_t end = description + padded(head.n_descsz);
    if (end > notes.size()) return "";
    const bool is_id = head.n_type == NT_GNU_BUILD_ID && head.n_namesz == kOwner.size() &&
                       std::memcmp(&notes[sizeof head], kOwner.data(), kOwner.size()) == 0;
    if (is_id) {
      std::string text;
      for (const std::byte each : notes.subspan(description, head.n_descsz)) {
        text += fmt::format("{:02x}", std::to_integer<unsigned>(each));
      }
      return text;
    }
    notes = notes.subspan(end);
  }
  return "";
}

// The first object is the program itself.
int read_first(dl_phdr_info* object, std::size_t, void* found) {
  for (const auto& part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (part.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const std::byte*>(object->dlpi_addr + part.p_vaddr);
    auto& text = *static_cast<std::string*>(found);
    text = build_id_in({notes, part.p_memsz});
    if (!text.empty()) return 1;
  }
  return 1;
}

}  // namespace

std::string build_note() {
  std::string text;
  dl_iterate_phdr(read_first, &text);
  return text.empty() ? "unknown" : text;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace concord::conformance
