// SPDX-License-Identifier: Apache-2.0
#include "reference/discrete.h"

#include <cstdlib>

#include "reference/convolution_1.h"
#include "reference/onednn_graph.h"
#include "reference/tf_atrous.h"
#include "spec/check.h"
#include "spec/operations.h"

namespace concord::reference {
namespace {

struct Resolve {
  const Problem& problem;

  Result<Geometry> operator()(const Convolution1Attributes& a) const {
    return resolve_convolution_1(problem, a);
  }
  Result<Geometry> operator()(const ConvolutionAttributes& a) const {
    return resolve_onednn_graph(problem, a);
  }
  Result<Geometry> operator()(const AtrousConv2dAttributes& a) const {
    return resolve_tf_atrous(problem, a);
  }
  template <class Other>
  Result<Geometry> operator()(const Other&) const {
    static_assert(kRowOf<Other>.facts.family != Family::kDiscrete);
    CONCORD_CHECK(false) << to_string(problem.operation()) << " is not a discrete convolution";
    std::abort();
  }
};

struct Evaluate {
  const Geometry& geometry;
  std::span<const double> src, weights, bias;

  Oracle operator()(const Convolution1Attributes&) const {
    return evaluate_convolution_1(geometry, src, weights, bias);
  }
  Oracle operator()(const ConvolutionAttributes&) const {
    return evaluate_onednn_graph(geometry, src, weights, bias);
  }
  Oracle operator()(const AtrousConv2dAttributes&) const {
    return evaluate_tf_atrous(geometry, src, weights);
  }
  template <class Other>
  Oracle operator()(const Other&) const {
    static_assert(kRowOf<Other>.facts.family != Family::kDiscrete);
    CONCORD_CHECK(false) << "no discrete convolution";
    std::abort();
  }
};

}  // namespace

std::array<Extent, kSpatialRank + 1> joined(Extent first, const Spatial& spatial) {
  std::array<Extent, kSpatialRank + 1> all{first};
  std::copy(spatial.begin(), spatial.end(), all.begin() + 1);
  return all;
}

std::array<Extent, kSpatialRank + 2> joined(Extent first, Extent second, const Spatial& spatial) {
  std::array<Extent, kSpatialRank + 2> all{first, second};
  std::copy(spatial.begin(), spatial.end(), all.begin() + 2);
  return all;
}

std::string axis_name(std::size_t axis, std::size_t spatial_rank) {
  if (spatial_rank <= 3) return std::string(1, "DHW"[axis - kDepth]);
  return "X" + std::to_string(axis + spatial_rank + 1 - kSpatialRank);
}

Result<Geometry> resolve_discrete(const Problem& problem) {
  return std::visit(Resolve{problem}, problem.attributes);
}

Oracle evaluate_discrete(const Problem& problem, const Geometry& geometry,
                         std::span<const double> src, std::span<const double> weights,
                         std::span<const double> bias) {
  return oracle_of(problem.dtype,
                   std::visit(Evaluate{geometry, src, weights, bias}, problem.attributes));
}

}  // namespace concord::reference
