// SPDX-License-Identifier: Apache-2.0
// The catalogue of planted bugs: each an error that a real library had or could have.
#ifndef CONCORD_BACKENDS_FAULTY_CATALOGUE_H_
#define CONCORD_BACKENDS_FAULTY_CATALOGUE_H_

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/faulty/convolution.h"
#include "spec/dtype.h"

namespace concord::backends::faulty {

/// When a bug shows where its condition holds; kBeyond32Bits: its condition is that offsets exceed
/// 32 bits, which only suite huge has.
enum class Shows { kAlways, kByChance, kBeyond32Bits };

/// A row of the catalogue.
struct Bug {
  const char* name;
  const char* family;
  const char* sentence;  ///< what the library does wrong, and when
  const char* source;    ///< where a similar bug was reported, or "a common slip"
  Mutation mutation;
  Shows shows = Shows::kAlways;
};

/// Mutations of the operations that are not discrete convolutions.
constexpr Mutation form(const FormHooks& hooks) { return {.forms = hooks}; }
constexpr Mutation cntk(const CntkHooks& hooks) { return form({.cntk = hooks}); }
constexpr Mutation cntk_gradient(const CntkGradientHooks& hooks) {
  return form({.cntk_gradient = hooks});
}
constexpr Mutation blocks(const BlockHooks& hooks) { return form({.blocks = hooks}); }
constexpr Mutation chain(const ChainHooks& hooks) { return form({.chain = hooks}); }
constexpr Mutation continuous(const ContinuousHooks& hooks) { return form({.continuous = hooks}); }

/// FormHooks::results of one kind of operation: zeros for what dtype has only as subnormal numbers.
template <bool (*kIsMine)(Operation)>
void flush_results(const Problem& problem, std::vector<double>& values) {
  if (!kIsMine(problem.operation())) return;
  const double least = std::ldexp(1.0, format_of(problem.dtype).min_exponent);
  for (double& value : values) {
    if (std::fabs(value) < least) value = std::copysign(0.0, value);
  }
}

/// The rows of each source file.
std::span<const Bug> padding_bugs();
std::span<const Bug> window_bugs();
std::span<const Bug> channel_bugs();
std::span<const Bug> layout_bugs();
std::span<const Bug> arithmetic_bugs();
std::span<const Bug> class_bugs();
std::span<const Bug> special_bugs();
std::span<const Bug> memory_bugs();
std::span<const Bug> state_bugs();
std::span<const Bug> behaviour_bugs();
std::span<const Bug> conduct_bugs();
std::span<const Bug> cntk_bugs();
std::span<const Bug> cntk_layout_bugs();
std::span<const Bug> block_bugs();
std::span<const Bug> chain_bugs();
std::span<const Bug> continuous_bugs();
std::span<const Bug> continuous_kernel_bugs();
std::span<const Bug> continuous_gradient_bugs();
std::span<const Bug> continuous_more_bugs();
std::span<const Bug> cntk_narrow_bugs();
std::span<const Bug> cntk_gradient_bugs();
std::span<const Bug> cntk_memory_bugs();
std::span<const Bug> continuous_narrow_bugs();
std::span<const Bug> choice_bugs();
std::span<const Bug> f64_bugs();
std::span<const Bug> offset_bugs();
std::span<const Bug> size_bugs();
std::span<const Bug> split_bugs();

/// All bugs, names unique.
const std::vector<Bug>& catalogue();

/// The bug of that name, or null. "none" is none: a mutation without hooks.
const Bug* find_bug(std::string_view name);

/// The catalogue as text: one line per bug with name, family, sentence, source and "always", "by
/// chance" or "beyond 32 bits", separated by tabs.
const std::string& catalogue_text();

/// Up to five names of bugs that are spelled much like `name`, the nearest first, joined by ", ".
std::string near_names(std::string_view name);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_CATALOGUE_H_
