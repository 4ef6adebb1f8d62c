// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/huge.h"

#include <algorithm>
#include <vector>

#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

constexpr Extent kMostCopied = Extent{1} << 26;

/// A tensor in memory, its axes channels first.
class Elements {
 public:
  Elements(Part part, Dtype dtype, const Tensor& tensor, const concord_buffer& buffer,
           OffsetHook hook)
      : part_(part),
        dtype_(dtype),
        bytes_(static_cast<Extent>(size_of(dtype))),
        base_(static_cast<std::byte*>(buffer.data)),
        hook_(hook) {
    const Extents strides = strides_of(tensor);
    if (!strides.empty()) outer_[0] = strides[0];
    if (strides.size() < 2) return;
    outer_[1] = strides[1];
    std::copy_backward(strides.begin() + 2, strides.end(), inner_.end());
  }

  Extent element(Extent first, Extent second, const Spatial& index) const {
    Extent place = first * outer_[0] + second * outer_[1];
    for (std::size_t axis = 0; axis < kSpatialRank; ++axis) place += index[axis] * inner_[axis];
    return place;
  }
  float read(Extent element) const { return static_cast<float>(load(dtype_, at(element))); }
  void write(Extent element, float value) const { store(dtype_, value, at(element)); }
  Extent second_stride() const { return outer_[1]; }

 private:
  std::byte* at(Extent element) const {
    return base_ + (hook_ == nullptr ? element * bytes_ : hook_(part_, element, bytes_));
  }

  Part part_;
  Dtype dtype_;
  Extent bytes_;
  std::byte* base_;
  OffsetHook hook_;
  std::array<Extent, 2> outer_{};
  Spatial inner_{};
};

/// A product of an output: an element of src that is not zero, and the tap that meets it.
struct Met {
  Extent ic;
  Spatial k;
  float value;
};

// What the window of the group's outputs at a place has besides zeros.
std::vector<Met> met_at(const Nest& nest, const Elements& src, const At& at) {
  std::vector<Met> met;
  for (Extent ic = 0; ic < nest.ICG(); ++ic) {
    for (const Spatial& k : Grid(nest.K)) {
      const Tap tap = tap_at(nest, at, ic, k);
      if (!tap.counts) continue;
      const float value = src.read(src.element(tap.n, tap.c, tap.i));
      if (value != 0) met.push_back({ic, k, value});
    }
  }
  return met;
}

}  // namespace

bool is_huge(const Nest& nest) {
  return nest.N * nest.IC * volume(nest.I) > kMostCopied ||
         nest.OC * nest.ICG() * volume(nest.K) > kMostCopied ||
         nest.N * nest.OC * volume(nest.O) > kMostCopied;
}

void convolve_in_place(OffsetHook offset, const Nest& nest, const Run& run) {
  const Dtype dtype = run.problem.dtype;
  const Elements src(Part::kSrc, dtype, run.views.src, run.buffers.src, offset);
  const Elements weights(Part::kWeights, dtype, run.views.weights, run.buffers.weights, offset);
  const Elements dst(Part::kDst, dtype, run.views.dst, run.buffers.dst, offset);
  const Elements bias(Part::kBias, dtype, run.views.bias.value_or(Tensor{}), run.buffers.bias,
                      offset);
  std::vector<float> biases(static_cast<std::size_t>(nest.OC));
  for (Extent oc = 0; run.views.bias && oc < nest.OC; ++oc) {
    biases[static_cast<std::size_t>(oc)] = bias.read(bias.element(oc, 0, {}));
  }
  if (nest.OC == 0) return;
  for (const auto [n, g] : Grid<2>{{nest.N, nest.G}}) {
    for (const Spatial& o : Grid(nest.O)) {
      const Extent first = g * nest.OCG();
      const auto met = met_at(nest, src, {n, first, o});
      Extent place = dst.element(n, first, o);
      for (Extent oc = first; oc < first + nest.OCG(); ++oc, place += dst.second_stride()) {
        float sum = 0;
        for (const Met& tap : met) {
          sum += tap.value * weights.read(weights.element(oc, tap.ic, tap.k));
        }
        dst.write(place, sum + biases[static_cast<std::size_t>(oc)]);
      }
    }
  }
}

}  // namespace concord::backends::faulty
