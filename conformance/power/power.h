// SPDX-License-Identifier: Apache-2.0
// Power: how many outputs a case needs until the judge sees that a library computes otherwise than
// it declares, and by which criterion. docs/power.md has the tables.
#ifndef CONCORD_CONFORMANCE_POWER_POWER_H_
#define CONCORD_CONFORMANCE_POWER_POWER_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/judge/judge_data.h"
#include "conformance/power/suspects.h"

namespace concord::conformance {

struct PowerOptions {
  Dtype dtype = Dtype::kF32;
  concord_arithmetic declared{};
  std::vector<Fill> fills{Fill::kIntegers, Fill::kImpulse, Fill::kSparse, Fill::kUniform,
                          Fill::kWide};
  std::vector<Extent> lengths{1, 9, 64, 576, 2304, 16384, 65536};  ///< products of an output
  /// No case has more products in all than two to the power of this, nor more outputs than two to
  /// the power of the other.
  int most_products = 24, most_outputs = 13;
  std::uint64_t seed = 1;
  std::string suspect{};  ///< only those with these words in their names
};

/// The criterion that saw a suspect first.
///   E exact   S sparse   I interval   M mean square   C channels   D drift   G growth
struct Seen {
  char criterion = '-';
  int outputs = 0;  ///< the least number of them, as a power of two
};

/// The fewest outputs of a case of one of the fills that show `suspect`; nothing where none does.
/// Lengths that a suspect with a tile cannot have are those of the next lower number of channels.
std::optional<Seen> find_power(const Suspect& suspect, Extent length, const PowerOptions& options);

/// A Markdown table: a row for each suspect, a column for each length, cells like "S3": a case of
/// 2^3 outputs of the fill `sparse` fails; "-" where none does.
std::string power_table(const PowerOptions& options);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_POWER_H_
