// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/footprint.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace concord::conformance {
namespace {

std::size_t entries_of(const char* folder) {
  std::error_code error;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    ++count;
  }
  return count;
}

std::size_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return file ? pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

std::size_t lines_of(const char* path) {
  std::ifstream file(path);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

struct Quantity {
  std::size_t Footprint::*of;
  const char* name;
  Held held;
  double least_per_round;
};

constexpr double kPage = 4096;
constexpr Quantity kQuantities[] = {
    {&Footprint::descriptors, "descriptors", Held::kHandles, 0.25},
    {&Footprint::threads, "threads", Held::kHandles, 0.25},
    {&Footprint::mappings, "mappings", Held::kMemory, 0.25},
    {&Footprint::allocated_bytes, "bytes of malloc", Held::kMemory, 16},
    {&Footprint::mapped_bytes, "bytes of address space", Held::kMemory, kPage / 4},
};

// How much it grows in all, if it grows from each to the next.
std::size_t growth_of(const Quantity& quantity, std::span<const Footprint> footprints,
                      std::size_t rounds) {
  const double least = quantity.least_per_round * static_cast<double>(rounds);
  for (std::size_t i = 1; i < footprints.size(); ++i) {
    const auto before = static_cast<double>(footprints[i - 1].*quantity.of);
    if (static_cast<double>(footprints[i].*quantity.of) - before < least) return 0;
  }
  return footprints.back().*quantity.of - footprints.front().*quantity.of;
}

}  // namespace

Footprint Footprint::now() {
  const struct mallinfo2 heap = mallinfo2();
  return {entries_of("/proc/self/fd"), entries_of("/proc/self/task"), lines_of("/proc/self/maps"),
          heap.uordblks + heap.hblkhd, address_space()};
}

std::string describe_growth(std::span<const Footprint> footprints, std::size_t rounds, Held held) {
  std::string text;
  for (const Quantity& quantity : kQuantities) {
    if (quantity.held != held) continue;
    const std::size_t growth = growth_of(quantity, footprints, rounds);
    if (growth == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", growth, quantity.name);
  }
  if (text.empty()) return text;
  return fmt::format("{} in {} rounds", text, (footprints.size() - 1) * rounds);
}

}  // namespace concord::conformance
