// SPDX-License-Identifier: Apache-2.0
// Bugs of NaN and infinities.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"
#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void read_as_largest(Dtype dtype, std::vector<float>& values) {
  const auto largest = static_cast<float>(format_of(dtype).largest());
  for (float& value : values) {
    if (std::isinf(value)) value = std::copysign(largest, value);
  }
}

void clamp(std::vector<float>& values) {
  for (float& value : values) value = std::isnan(value) ? -kInfinity : value;
}

// NaN wherever a weight that is not finite meets padding, as where padding is multiplied as zeros.
void multiply_padding(Run& run) {
  const Nest& nest = run.nest;
  for (const auto [oc, ic] : Grid<2>{{nest.OC, nest.ICG()}}) {
    for (const Spatial& k : Grid(nest.K)) {
      if (std::isfinite(run.weights[weights_place(nest, oc, ic, k)])) continue;
      for (const Spatial& o : Grid(nest.O)) {
        bool meets_padding = false;
        for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
          const Extent i = o[axis] * nest.S[axis] + k[axis] * nest.D[axis] - nest.P_begin[axis];
          meets_padding = meets_padding || !inside(i, nest.I[axis]);
        }
        for (Extent n = 0; meets_padding && n < nest.N; ++n) {
          run.dst[dst_place(nest, {n, oc, o})] = std::nanf("");
        }
      }
    }
  }
}

// One element of dst, with the products by weights other than 0 alone.
float sum_without_zeros(const Run& run, const At& at) {
  const Nest& nest = run.nest;
  const Extent first = at.oc / nest.OCG() * nest.ICG();
  float sum = 0;
  for (Extent ic = 0; ic < nest.ICG(); ++ic) {
    for (const Spatial& k : Grid(nest.K)) {
      const float weight = run.weights[weights_place(nest, at.oc, ic, k)];
      if (weight == 0) continue;
      Spatial i{};
      bool counts = true;
      for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
        i[axis] = at.o[axis] * nest.S[axis] + k[axis] * nest.D[axis] - nest.P_begin[axis];
        counts = counts && inside(i[axis], nest.I[axis]);
      }
      if (counts) sum += run.src[src_place(nest, at.n, first + ic, i)] * weight;
    }
  }
  return run.bias.empty() ? sum : sum + run.bias[static_cast<std::size_t>(at.oc)];
}

void skip_zero_weights(Run& run) {
  const Nest& nest = run.nest;
  for (const auto [n, oc] : Grid<2>{{nest.N, nest.OC}}) {
    for (const Spatial& o : Grid(nest.O)) {
      const At at{n, oc, o};
      float& value = run.dst[dst_place(nest, at)];
      if (std::isnan(value)) value = sum_without_zeros(run, at);
    }
  }
}

const Bug kBugs[] = {
    {"nan_swallowed",
     "special values",
     "Gives zero where NaN should come out.",
     "tensorflow/tensorflow#63391",
     {.outputs =
          [](Run& run) {
            for (float& value : run.dst) value = std::isnan(value) ? 0.0F : value;
          }}},
    {"infinity_read_as_largest",
     "special values",
     "Reads infinity as the largest finite number.",
     "a common slip",
     {.inputs = [](Run& run) { read_as_largest(run.problem.dtype, run.src); }}},
    {"bias_infinity_read_as_largest",
     "special values",
     "Reads an infinite bias as the largest finite number.",
     "a common slip",
     {.inputs = [](Run& run) { read_as_largest(run.problem.dtype, run.bias); }}},
    {"clamp_swallows_nan",
     "special values",
     "Ends with a clamp that makes -Inf of NaN.",
     "google/XNNPACK: docs/findings.md",
     {.outputs = [](Run& run) { clamp(run.dst); }}},
    {"clamp_swallows_nan_of_padding",
     "special values",
     "Multiplies padding as zeros, which it may, and ends with a clamp that makes -Inf of NaN.",
     "google/XNNPACK: docs/findings.md",
     {.outputs =
          [](Run& run) {
            multiply_padding(run);
            clamp(run.dst);
          }}},
    {"leaves_out_nan_products",
     "special values",
     "Skips products by zero, and so those of zero and infinity.",
     "a common slip",
     {.add = [](Dtype, float sum,
                float product) { return std::isnan(product) ? sum : sum + product; }}},
    {"zero_weights_skipped",
     "special values",
     "Skips products by a weight of zero, also where the input is NaN or infinite, without saying "
     "so.",
     "scipy.ndimage, libvips, OpenCV's filter2D",
     {.outputs = skip_zero_weights}},
};

}  // namespace

std::span<const Bug> special_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
