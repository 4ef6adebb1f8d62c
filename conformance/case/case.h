// SPDX-License-Identifier: Apache-2.0
// A case: a problem with the data that it is run on.
#ifndef CONCORD_CONFORMANCE_CASE_CASE_H_
#define CONCORD_CONFORMANCE_CASE_CASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spec/problem.h"
#include "vectors/manifest.h"

namespace concord::conformance {

/// How the tensors of a case are filled. The first group makes every order of summation exact, and
/// is judged bit for bit; the second is judged element by element within an error bound; in the
/// third some results are not finite.
enum class Fill {
  kIntegers,   ///< integers so small that every partial sum is exact in the declared accumulator
  kImpulse,    ///< src has one 1 per window among zeros, weights full mantissas: dst is weights
  kRamp,       ///< each element encodes its own index, so that a swapped tap names itself
  kSubnormal,  ///< integers by the smallest number: src or weights, and results
  kSparse,     ///< one product per output, of full mantissas, among products that are zero
  kUniform,    ///< random reals in [-1, 1), rounded to the dtype
  kWide,       ///< random reals whose exponents vary, rounded to the dtype
  kSpecial,    ///< kUniform with NaN, infinities, zeros of both signs among it
  kOverflow,   ///< numbers of one sign per sum, a few of them so large that results overflow
  kRecorded,   ///< none: the case has its own data and another system's results
};
/// All that make data: not kRecorded.
inline constexpr Fill kFills[] = {Fill::kIntegers,  Fill::kImpulse, Fill::kRamp,
                                  Fill::kSubnormal, Fill::kSparse,  Fill::kUniform,
                                  Fill::kWide,      Fill::kSpecial, Fill::kOverflow};
/// "integers", "impulse", "ramp", "subnormal", "sparse", "uniform", "wide", "special", "overflow"
/// or "recorded".
std::string_view to_string(Fill fill);

/// A golden vector's values, dense as reference::evaluate() has them.
struct Recorded {
  std::vector<double> src{}, weights{}, bias{}, dst{};
  vectors::Exactness exactness = vectors::Exactness::kExact;
  std::string arithmetic{};  ///< of the producer; empty if unknown
  std::vector<double> diff_dst{};
  int digits = 0;  ///< of dst, for Exactness::kPrinted
};

struct Case {
  /// Unique within a suite: family/name/dtype/fill, such as "resnet50/conv1/f32/integers".
  std::string id{};
  Problem problem{};
  Fill fill = Fill::kIntegers;
  std::uint64_t seed = 0;
  /// Where the problem comes from: a network, or the attributes that a boundary case varies.
  std::string origin{};
  /// What a reader should know, such as "H cut from 224 to 30"; empty for nothing.
  std::string note{};
  /// Of a golden case, whose fill is kRecorded; null for all others.
  std::shared_ptr<const Recorded> recorded{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CASE_CASE_H_
