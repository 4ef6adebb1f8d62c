// SPDX-License-Identifier: Apache-2.0
// Fills: the data that a case is run on, generated from its seed alone.
#ifndef CONCORD_CONFORMANCE_FILL_FILL_H_
#define CONCORD_CONFORMANCE_FILL_FILL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "plugin/concord_plugin.h"
#include "reference/reference.h"

namespace concord::conformance {

/// The inputs of a case, each value representable in the problem's dtype.
/// Shapes  dense, as reference::Values; of a discrete operation src [N,IC,ID,IH,IW], weights
///         [OC,IC/G,KD,KH,KW], bias [OC] or empty
struct Inputs {
  std::vector<double> src, weights, bias;
  std::vector<double> diff_dst{};

  std::vector<double>& of(Input input) {
    std::vector<double>* const all[] = {&src, &weights, &bias, &diff_dst};
    return *all[static_cast<std::size_t>(input)];
  }
  const std::vector<double>& of(Input input) const { return const_cast<Inputs&>(*this).of(input); }
};

/// Fills the inputs. The same arguments give the same values on every machine.
/// `arithmetic` bounds the exact fills: every partial sum is exact in its accumulator.
/// `resolution` is what reference::resolve() says of `problem`.
Inputs fill_inputs(Fill fill, std::uint64_t seed, const Problem& problem,
                   const reference::Resolution& resolution, const concord_arithmetic& arithmetic);
/// The same as fill_inputs() for a discrete operation.
Inputs fill_inputs(Fill fill, std::uint64_t seed, Dtype dtype, const reference::Geometry& geometry,
                   bool has_bias, const concord_arithmetic& arithmetic);

/// True if the fill makes every order of summation exact, so that results are compared for
/// equality: the fills of integers, of whatever unit, and single products, unless the class is
/// bilinear and multiplies sums of inputs. Of Fill::kSparse the product may round: judge_lone()
/// knows to what.
bool is_exact(Fill fill, const concord_arithmetic& arithmetic);
/// The same, where the operation has such data; any data are where elements are only moved.
bool is_exact(Fill fill, const reference::Resolution& resolution,
              const concord_arithmetic& arithmetic);

/// True if results may be NaN or infinite, so that judge_special() applies.
bool has_special_results(Fill fill);

/// True if what Fill::kSpecial makes of the problem's results follows from its formula: not of the
/// gradient by theta, all of which a NaN reaches, nor of the cubic of Keys, whose weight between
/// two channels is 0 and may be left out.
bool has_special_fill(const Problem& problem);

/// Why there are no such data for the problem: a sentence; nothing if there are. fill_inputs() then
/// gives other data, which judge_data() judges by what they are.
std::optional<std::string> why_no_fill(Fill fill, const Problem& problem);

/// True if the signs of all values are independent and fair, so that judge_statistical() applies.
bool has_random_signs(Fill fill);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_FILL_H_
