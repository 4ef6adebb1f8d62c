// SPDX-License-Identifier: Apache-2.0
// The statistical tier: are the errors of a tensor, taken together, those of the declared class?
// It sees what no single element shows: inputs in TF32, a coarser accumulator, cut-off stores.
// Source: docs/numerics.md#statistical-tier
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_STATISTICAL_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_STATISTICAL_H_

#include <span>
#include <string>
#include <vector>

#include "plugin/concord_plugin.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// Sums over elements. Those of several tensors of one dtype and class add up, so that a run can be
/// judged as a whole.
struct ErrorSums {
  double elements = 0;
  double squares = 0;   ///< of z = e / sigma; sigma bounds the standard deviation of the error e
  double by_scale = 0;  ///< of (e / S)^2
  double biased = 0;    ///< how many elements the next two sums are over
  double drift = 0;     ///< of z
  double growth = 0;    ///< of z times the sign of the wanted value; 0 where ties go away from zero
  /// Of Z and of Z^2, the sum of z over all elements of an output channel, in any class.
  double channels = 0, channel_squares = 0;
  double growth_squares = 0;  ///< of the squares of each channel's share of `growth`
  double shared = 0;  ///< what one rounding that a channel's elements share adds to either, at most
  ErrorSums& operator+=(const ErrorSums& other);
};

/// What the statistical tier has summed up over one tensor of sums of so many products.
struct TensorErrors {
  Extent products = 0;
  ErrorSums sums{};
};

/// A bound on |x w| and on |bias|. Shapes: any.
double largest_term(std::span<const double> src, std::span<const double> weights,
                    std::span<const double> bias);

/// What the errors of a tensor depend on besides its values.
struct ErrorModel {
  Dtype dtype;
  const concord_arithmetic& arithmetic;
  Extent products;      ///< the largest number of products that one element sums
  double largest_term;  ///< bounds every |x w| and every |bias|
  bool has_bias = true;
  /// dst is [N, channels, plane], and the weights of each channel have fair signs of their own; 0
  /// channels where it is not, or they have not, or the class may treat signs differently.
  std::size_t channels = 0, plane = 1;
  /// Of a bilinear class: the input channels that are summed, and the axes that are transformed.
  Extent depth = 0;
  std::size_t axes = 2, pairs = 0;  ///< of these, those whose kernel has two taps
  double tile_squares = 0;          ///< what stands for the squares of the terms: TileScale
};

/// True if the tier says something of the class: any but a bilinear one with demoted inputs or an
/// accumulator of 16 bits.
bool has_error_model(Dtype dtype, const concord_arithmetic& arithmetic);

/// Sums up the errors of one tensor. Elements that are not finite, or where nothing may be off, are
/// left out; so are those whose squares f64 may not have.
/// Shapes  all spans have the same size, but `low`, which is added to `want`, may be empty
ErrorSums sum_errors(const ErrorModel& model, std::span<const double> got,
                     std::span<const double> want, std::span<const double> magnitude,
                     std::span<const double> low = {});

/// The sigma that sum_errors() divides an element's error by; 0 for an element that it leaves out.
/// Shapes  want and magnitude have the same size
std::vector<double> error_scales(const ErrorModel& model, std::span<const double> want,
                                 std::span<const double> magnitude);

/// True if errors of the class have mean zero in every direction, so that both the drift and the
/// growth count. Where ties go away from zero only the drift does.
bool has_mean_zero(Dtype dtype, const concord_arithmetic& arithmetic);

/// What the tier says: docs/numerics.md#false-alarms has the probability that it is wrong.
struct StatisticalFinding {
  double elements = 0;
  double mean_square = 0, mean_square_limit = 0;  ///< of z
  double drift = 0, drift_limit = 0;              ///< |sum| / sqrt(count)
  double growth = 0, growth_limit = 0;            ///< the same
  double channels = 0, channels_limit = 0;        ///< |sum of Z| / sqrt(sum of Z^2)
  /// -log2 of the root mean square of e / S: how many bits are right, by the scale of the sum.
  double effective_bits = 0;
  bool passed() const;
};
/// A tensor that fails is drawn a second time; what a run adds up is judged once, by wider limits.
enum class Drawn { kTwice, kOnce };
StatisticalFinding judge_statistical(Dtype dtype, const concord_arithmetic& arithmetic,
                                     const ErrorSums& sums, Drawn drawn = Drawn::kTwice);
/// The numbers behind drift_limit and growth_limit. The absolute value of a sum over `count`
/// elements, whose channels' sums have these `squares`, must not exceed the smaller of
///   independent sqrt(count) + shared   and   by_channel sqrt(squares),
/// or the larger, where errors depend on few numbers; growth may be shrinking * count more.
struct BiasLimit {
  double independent, by_channel, shrinking;
  bool takes_larger;
  double of(double count, double shared, double squares) const;
};
BiasLimit bias_limit(Dtype dtype, const concord_arithmetic& arithmetic,
                     Drawn drawn = Drawn::kTwice);
/// What keeps `finding` from passing, in one sentence's words.
std::string describe(const StatisticalFinding& finding);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_STATISTICAL_H_
