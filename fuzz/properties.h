// SPDX-License-Identifier: Apache-2.0
// Properties of every discrete convolution. Each takes the evaluator under test, so that the same
// property can be checked on the reference, on an engine, and on a wrong formula that it must
// reject.
#ifndef CONCORD_FUZZ_PROPERTIES_H_
#define CONCORD_FUZZ_PROPERTIES_H_

#include <functional>
#include <vector>

#include "fuzz/generators.h"
#include "spec/problem.h"

namespace concord::fuzz {

/// The values of dst, [N,OC,OD,OH,OW] dense, of a valid problem on integer data.
using Evaluator = std::function<std::vector<double>(const Problem&, const Data&)>;

/// The reference's.
std::vector<double> evaluate_by_reference(const Problem& problem, const Data& data);

/// A property: does it hold for this problem with data made from `seed`? Exact, no tolerance.
/// True also where the property says nothing, such as of strides where there are none.
using Property = bool (*)(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);

/// False of operations and attributes of which the properties below say nothing.
bool have_properties(const Problem& problem);

/// y(3 a + b) = 3 y(a) + y(b) in src and in weights, without bias; and bias is added to its
/// channel.
bool is_linear(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// Each image of a batch is convolved as if it were alone.
bool splits_by_batch(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// The sum over input channels is the sum over some of them and over the others.
bool splits_by_input_channel(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// Each output channel is computed as if the others were not asked for.
bool splits_by_output_channel(const Problem& problem, std::uint32_t seed,
                              const Evaluator& evaluate);
/// Padding by attribute is zeros put round src by hand.
bool pads_with_zeros(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// Stride S keeps every S-th output of stride 1 under the same padding.
bool strides_by_subsampling(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// Dilation D is a dense filter with D - 1 zeros between neighbours.
bool dilates_by_zeros(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// Groups are one group whose weights are zero outside the blocks of the diagonal.
bool groups_by_blocks(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// The other data format and the other weights format hold the same values, transposed.
bool ignores_formats(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);
/// atrous_conv2d, and Convolution-1 as implemented, are the Convolution with the same attributes.
bool lowers_to_convolution(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_PROPERTIES_H_
