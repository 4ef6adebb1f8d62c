// SPDX-License-Identifier: Apache-2.0
// Data on which every order of summation is exact.
#ifndef CONCORD_FUZZ_INTEGER_DATA_H_
#define CONCORD_FUZZ_INTEGER_DATA_H_

#include <cstdint>
#include <vector>

#include "reference/discrete.h"

namespace concord::fuzz {

/// The values of a problem's inputs.
/// Shapes  src [N,IC,ID,IH,IW], weights [OC,IC/G,KD,KH,KW], bias [OC] or empty; dense
struct Data {
  std::vector<double> src, weights, bias;
};

/// Integers from -9 to 9: every sum of a small problem is exact, in any order, in f32, too.
Data integer_data(const Problem& problem, const reference::Geometry& geometry, std::uint32_t seed);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_INTEGER_DATA_H_
