// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/lowering.h"

#include "conformance/run/lowering_cntk.h"
#include "spec/unusual_attributes.h"

namespace concord::conformance {
namespace {

Extents innermost(const reference::Spatial& all, std::size_t count) {
  return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
}

// False for atrous_conv2d's VALID as documented where that leaves windows out: a Convolution never
// does.
bool has_all_that_fits(const reference::Geometry& g, std::size_t axis) {
  const Extent padded = g.P_begin[axis] + g.I[axis] + g.P_end[axis];
  const Extent room = padded - ((g.K[axis] - 1) * g.D[axis] + 1);
  return room < 0 || room / g.S[axis] + 1 == g.O[axis];
}

struct Lower {
  const Problem& problem;
  const reference::Resolution& resolution;

  std::optional<Lowered> operator()(const Convolution1Attributes& a) const {
    return same_tensors(a.data_format, a.filter_format);
  }
  std::optional<Lowered> operator()(const AtrousConv2dAttributes&) const {
    return same_tensors(DataFormat::kNXC, WeightsFormat::kXIO);
  }
  std::optional<Lowered> operator()(const CntkConvolutionAttributes&) const {
    return lower_cntk(problem, resolution);
  }
  std::optional<Lowered> operator()(const CntkConvolution2dAttributes&) const {
    return lower_cntk_2d(problem, resolution);
  }
  // A Convolution is one already; others are none, or nobody says how.
  template <class Other>
  std::optional<Lowered> operator()(const Other&) const {
    return std::nullopt;
  }

 private:
  std::optional<Lowered> same_tensors(DataFormat data_format, WeightsFormat weights_format) const {
    const reference::Geometry& g = resolution.discrete();
    if (g.spatial_rank > 3) return std::nullopt;  // the Convolution has no more
    if (!unusual_attributes(problem, kDiscreteKeys).empty()) return std::nullopt;
    // One element of bias for all channels is Convolution-1's alone.
    if (problem.bias && problem.bias->dims != Extents{g.OC}) return std::nullopt;
    for (std::size_t axis = g.first_axis(); axis < reference::kSpatialRank; ++axis) {
      if (!has_all_that_fits(g, axis)) return std::nullopt;
    }
    ConvolutionAttributes attributes;
    attributes.strides = innermost(g.S, g.spatial_rank);
    attributes.dilations = innermost(g.D, g.spatial_rank);
    attributes.pads_begin = innermost(g.P_begin, g.spatial_rank);
    attributes.pads_end = innermost(g.P_end, g.spatial_rank);
    attributes.groups = g.G;
    attributes.data_format = data_format;
    attributes.weights_format = weights_format;
    Lowered lowered{problem, resolution.dst};
    lowered.problem.reading = Reading::kImplemented;  // its pads are written out
    lowered.problem.attributes = attributes;
    return lowered;
  }
};

}  // namespace

Problem Lowered::complete() const {
  Problem whole = problem;
  whole.dst = dst;
  return whole;
}

std::optional<Lowered> lower(const Problem& problem, const reference::Resolution& resolution) {
  return std::visit(Lower{problem, resolution}, problem.attributes);
}

}  // namespace concord::conformance
