// SPDX-License-Identifier: Apache-2.0
// Bugs at the seam of two parts into which an implementation divides large tensors.
#include <algorithm>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

// An input that the first-level cache does not hold: 32 KiB of f32.
constexpr Extent kElementsOfPart = 8192;

bool moves(Operation operation) { return !has_weights(operation); }

// Adds some elements in the middle of dst twice, of such operations.
template <bool (*is_meant)(Operation)>
void double_seam(const Problem& problem, std::vector<double>& dst) {
  if (!is_meant(problem.operation())) return;
  if (element_count(problem.src.dims).value_or(0) <= kElementsOfPart) return;
  constexpr std::size_t kElementsOfSeam = 64;
  const std::size_t middle = dst.size() / 2;
  const std::size_t end = std::min(dst.size(), middle + kElementsOfSeam);
  for (std::size_t i = middle; i < end; ++i) dst[i] *= 2;
}

const Bug kBugs[] = {
    {"cntk_seam_of_parts_twice", "split",
     "Of large inputs of CNTK's convolutions, adds the outputs at the seam of two parts twice.",
     "a common slip", form({.results = double_seam<is_column_major>})},
    {"cc_seam_of_bands_twice", "split",
     "Of large images of the continuous layer, adds the outputs at the seam of two bands twice.",
     "a common slip", form({.results = double_seam<is_continuous>})},
    {"blocks_seam_of_parts_twice", "split",
     "Of large images, adds the elements at the seam of two parts of a batch twice.",
     "a common slip", form({.results = double_seam<moves>})},
};

}  // namespace

std::span<const Bug> split_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
