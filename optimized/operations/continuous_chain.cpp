// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_chain.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "optimized/operations/continuous_shape.h"
#include "optimized/shape/verdict.h"

namespace concord::optimized {
namespace {

// A positive fraction, or an extent of 0, in lowest terms.
struct Fraction {
  Extent p = 1, q = 1;

  /// False if a part of the product does not fit 64 bits.
  bool multiply(const Rational& by) {
    const Extent left = std::gcd(p, by.denominator());
    const Extent right = std::gcd(by.numerator(), q);
    const Wide top = Wide{p / left} * (by.numerator() / right);
    const Wide bottom = Wide{q / right} * (by.denominator() / left);
    if (!is_extent(top) || !is_extent(bottom)) return false;
    p = static_cast<Extent>(top);
    q = static_cast<Extent>(bottom);
    return true;
  }
  Extent rounded_up() const { return p / q + (p % q == 0 ? 0 : 1); }
};

// What is between two layers, and behind the last one, along an axis. Nothing if a product
// overflows or the last size is not whole.
std::optional<Extents> sizes_of(Extent in, const Rationals& scales) {
  constexpr Extent kMost = Extent{1} << 30;
  if (in > kMost || scales.empty()) return std::nullopt;
  Fraction all, size{in, 1};
  Extents sizes;
  for (const Rational& scale : scales) {
    if (!all.multiply(scale) || !size.multiply(scale)) return std::nullopt;
    sizes.push_back(size.rounded_up());
  }
  if (size.q != 1) return std::nullopt;
  return sizes;
}

bool all_positive(const Rationals& scales) {
  return std::all_of(scales.begin(), scales.end(),
                     [](const Rational& scale) { return scale.numerator() > 0; });
}

// One layer of a problem whose tensors have the ranks of a chain.
Problem layer_of(const Problem& chain, const ContinuousChainAttributes& a, std::size_t j,
                 Extents src, Extents size) {
  ContinuousAttributes layer = a.layer(chain.src.dims[1]);
  layer.scale_h = a.scales_h[j];
  layer.scale_w = a.scales_w[j];
  layer.size = std::move(size);
  Problem problem;
  problem.dtype = chain.dtype;
  problem.src.dims = std::move(src);
  problem.weights.dims = {chain.weights.dims[1]};
  problem.attributes = layer;
  return problem;
}

Result<std::vector<Problem>> layers_of(const Problem& chain, const ContinuousChainAttributes& a) {
  const Extents &src = chain.src.dims, &theta = chain.weights.dims;
  if (src.size() != 4 || theta.size() != 2) {
    return Refusal{Fault::kRank, "src has " + std::to_string(src.size()) + " and weights " +
                                     std::to_string(theta.size()) + " dimensions, not 4 and 2"};
  }
  Verdict verdict;
  check_tensor("src", without_strides(chain.src), chain.dtype, &verdict);
  check_tensor("weights", without_strides(chain.weights), chain.dtype, &verdict);
  if (verdict.first()) return *verdict.first();
  if (a.scales_h.size() != a.scales_w.size()) {
    return Refusal{Fault::kSize, "the axes have " + std::to_string(a.scales_h.size()) + " and " +
                                     std::to_string(a.scales_w.size()) + " scales"};
  }
  if (!all_positive(a.scales_h) || !all_positive(a.scales_w)) {
    return Refusal{Fault::kScale, "a scale is not positive"};
  }
  const auto rows = sizes_of(src[2], a.scales_h);
  const auto columns = sizes_of(src[3], a.scales_w);
  if (!rows || !columns) {
    return Refusal{Fault::kSize, "the scales give src " + to_string(chain.src) +
                                     " no whole size, or one of more than 64 bits"};
  }
  std::vector<Problem> layers;
  Extents in = src;
  for (std::size_t j = 0; j < rows->size(); ++j) {
    layers.push_back(layer_of(chain, a, j, in, {(*rows)[j], (*columns)[j]}));
    const Problem& layer = layers.back();
    const auto shape = infer_continuous(
        {.dtype = layer.dtype, .src = layer.src, .theta = layer.weights, .dst = {}},
        std::get<ContinuousAttributes>(layer.attributes));
    if (!shape) {
      verdict.add(shape.why().fault, "layer " + std::to_string(j + 1) + ": " + shape.why().detail);
    }
    in = {src[0], src[1], (*rows)[j], (*columns)[j]};
  }
  if (theta[0] != static_cast<Extent>(layers.size())) {
    verdict.add(Fault::kTheta, "weights " + to_string(chain.weights) + " are not those of " +
                                   std::to_string(layers.size()) + " layers");
  }
  if (verdict.first()) return *verdict.first();
  return layers;
}

}  // namespace

Result<ChainStages> continuous_chain_stages(const Problem& problem,
                                            const ContinuousChainAttributes& a) {
  const auto layers = layers_of(problem, a);
  const Tensor* const given = problem.dst ? &*problem.dst : nullptr;
  if (auto refused =
          with_tensors(layers ? std::nullopt : std::optional(layers.why()), problem.dtype,
                       {{"src", &problem.src}, {"weights", &problem.weights}, {"dst", given}})) {
    return *refused;
  }
  std::vector<Problem> stages = *layers;
  const Extents& size = std::get<ContinuousAttributes>(stages.back().attributes).size;
  const Tensor dst{{problem.src.dims[0], problem.src.dims[1], size[0], size[1]}, {}};
  if (given != nullptr && given->dims != dst.dims) {
    return Refusal{Fault::kDst, "dst is given as " + to_string(*given) + " where the chain makes " +
                                    to_string(dst)};
  }
  ChainStages all;
  const auto size_of_element = static_cast<Extent>(size_of(problem.dtype));
  const Extents theta = strides_of(problem.weights);
  for (std::size_t j = 0; j < stages.size(); ++j) {
    Problem& layer = stages[j];
    layer.weights.strides = {theta[1]};
    if (j > 0) {
      const Extent elements = element_count(layer.src.dims).value_or(0);
      all.buffer_bytes = std::max(
          all.buffer_bytes, in_whole_lines(static_cast<std::size_t>(elements * size_of_element)));
    }
    all.stages.push_back({std::move(layer), static_cast<std::size_t>(static_cast<Extent>(j) *
                                                                     theta[0] * size_of_element)});
  }
  all.stages.front().problem.src = problem.src;
  all.stages.back().problem.dst = given != nullptr ? *given : dst;
  return all;
}

}  // namespace concord::optimized
