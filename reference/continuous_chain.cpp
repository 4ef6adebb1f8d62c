// SPDX-License-Identifier: Apache-2.0
#include "reference/continuous_chain.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "reference/checks.h"
#include "reference/wide.h"

namespace concord::reference {
namespace {

std::string shape(const char* name, const Extents& dims) {
  return std::string(name) + "=" + to_string(Tensor{dims, {}});
}

// The sizes after each layer along one axis, whose scales are positive.
Result<Extents> sizes_along(const char* name, Extent in, const Rationals& scales) {
  Rational target(1);
  for (const Rational& scale : scales) {
    const auto larger = product(target, scale);
    if (!larger) {
      return Refusal{Fault::kSize, std::string(name) + ": the product does not fit 64 bits"};
    }
    target = *larger;
  }
  auto sizes = chain_sizes(in, scales, target);
  if (sizes) return sizes;
  return Refusal{sizes.why().fault, std::string(name) + ": " + sizes.why().detail};
}

}  // namespace

Result<ContinuousChainGeometry> resolve_continuous_chain(const Extents& src, const Extents& theta,
                                                         const ContinuousChainAttributes& a) {
  if (src.size() != 4 || theta.size() != 2) {
    return Refusal{Fault::kRank, shape("src", src) + " " + shape("weights", theta) +
                                     ": not 4 dimensions, and theta of each layer"};
  }
  if (!element_count(src) || !element_count(theta)) {
    return Refusal{Fault::kSize,
                   shape("src", src) + " " + shape("weights", theta) + ": negative or too large"};
  }
  const std::size_t layers = a.scales_h.size();
  if (a.scales_w.size() != layers) {
    return Refusal{Fault::kSize, std::to_string(layers) + " scales_h and " +
                                     std::to_string(a.scales_w.size()) + " scales_w"};
  }
  for (const Rationals* scales : {&a.scales_h, &a.scales_w}) {
    for (const Rational& scale : *scales) {
      if (scale > Rational(0)) continue;
      return Refusal{Fault::kScale, "a scale must be positive, is " + to_string(scale)};
    }
  }
  Findings findings;
  const auto rows = sizes_along("scales_h", src[2], a.scales_h);
  const auto columns = sizes_along("scales_w", src[3], a.scales_w);
  if (!rows) findings.add(rows.why().fault, rows.why().detail);
  if (!columns) findings.add(columns.why().fault, columns.why().detail);
  if (findings.any()) return findings.first();

  ContinuousChainGeometry chain;
  Extents in = src;
  for (std::size_t j = 0; j < layers; ++j) {
    ContinuousAttributes layer = a.layer(src[1]);
    layer.scale_h = a.scales_h[j];
    layer.scale_w = a.scales_w[j];
    layer.size = {(*rows)[j], (*columns)[j]};
    auto g = resolve_continuous(in, theta[1], layer);
    in = {src[0], src[1], (*rows)[j], (*columns)[j]};
    if (g) {
      chain.layers.push_back(*std::move(g));
    } else {
      findings.add(g.why().fault, "layer " + std::to_string(j + 1) + ": " + g.why().detail);
    }
  }
  if (theta[0] != static_cast<Extent>(layers)) {
    findings.add(Fault::kTheta, shape("weights", theta) + ": not a row for each of " +
                                    std::to_string(layers) + " layers");
  }
  if (findings.any()) return findings.first();
  return chain;
}

Oracle evaluate_continuous_chain(const ContinuousChainGeometry& chain, std::span<const double> src,
                                 std::span<const double> theta) {
  Oracle net{{src.begin(), src.end()}, {}};
  for (const double value : src) net.magnitude.push_back(std::fabs(value));
  const std::size_t parameters = theta.size() / chain.layers.size();
  for (std::size_t j = 0; j < chain.layers.size(); ++j) {
    const ContinuousGeometry& g = chain.layers[j];
    const Oracle weights =
        continuous_weights(g, theta.subspan(j * parameters, parameters), distances(g));
    net = {apply_weights(g, net.value, weights).value,
           apply_weights(g, net.magnitude, {weights.magnitude, weights.magnitude}).value};
  }
  return net;
}

Extent chain_roundings(const ContinuousChainGeometry& chain) {
  Wide roundings = 0;
  for (const ContinuousGeometry& g : chain.layers) roundings += forward_roundings(g);
  return fits(roundings) ? static_cast<Extent>(roundings) : INT64_MAX;
}

}  // namespace concord::reference
