// SPDX-License-Identifier: Apache-2.0
// How much of the machine a process holds, and whether it holds more and more.
#ifndef CONCORD_CONFORMANCE_WORKER_FOOTPRINT_H_
#define CONCORD_CONFORMANCE_WORKER_FOOTPRINT_H_

#include <cstddef>
#include <span>
#include <string>

namespace concord::conformance {

/// What this process holds.
struct Footprint {
  std::size_t descriptors = 0, threads = 0;
  std::size_t mappings = 0;
  std::size_t allocated_bytes = 0;  ///< by malloc and not yet freed
  std::size_t mapped_bytes = 0;     ///< of address space

  static Footprint now();
};

/// Descriptors and threads; mappings and bytes.
enum class Held { kHandles, kMemory };

/// What of these grows from each footprint to the next, if that comes to at least one descriptor,
/// thread, mapping or page in four rounds, or to 16 allocated bytes a round: "30 descriptors in 48
/// rounds". A pool of threads that starts does not grow for ever. Empty if nothing does.
/// Shapes  at least three footprints, `rounds` rounds apart
std::string describe_growth(std::span<const Footprint> footprints, std::size_t rounds, Held held);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_FOOTPRINT_H_
