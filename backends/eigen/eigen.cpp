// SPDX-License-Identifier: Apache-2.0
// Eigen's tensor module behind the plugin ABI, composed as its users do: patches of src contracted
// with the weights, group by group, or its convolution of one channel.
#include <Eigen/Core>
#include <string>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"
#include "backends/eigen/patches.h"

namespace concord::backends {
namespace {

class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(Dtype dtype, const PaddedConvolution& p, const PrepareOptions& options)
      : StagedConvolution(dtype, p, options, channels_last(), /*adapter_pads=*/false),
        dtype_(dtype) {}

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    const PaddedConvolution& p = problem();
    backends::convolve(dtype_, window(), p.spatial_rank == 3,
                       {p.N, p.ICG(), p.OCG(), group.src, group.weights, group.bias, group.dst});
    return std::nullopt;
  }

  Dtype dtype_;
};

/// Names what Eigen's patches cannot do with the convolution.
std::optional<std::string> why_not(const PaddedConvolution& p) {
  if (p.spatial_rank == 3 && p.D != Extents{1, 1, 1}) {
    return "Eigen's volume patches have no dilation";
  }
  // The number of patches along an axis is a quotient in f32, exact up to here.
  constexpr Extent kLargest = Extent{1} << 24;
  for (std::size_t axis = 0; axis < p.spatial_rank; ++axis) {
    const Extent padded = p.I[axis] + p.pad_begin[axis] + p.pad_end[axis];
    if (padded >= kLargest || p.S[axis] >= kLargest) {
      return "Eigen counts patches in f32: a padded input of " + std::to_string(padded) +
             " elements, stride " + std::to_string(p.S[axis]);
    }
  }
  return std::nullopt;
}

/// The operations of Eigen that compute a group.
const char* implementation_of(const PaddedConvolution& p) {
  if (is_one_channel(window_of(p), p.N, p.ICG(), p.OCG())) return "pad, convolve, stride";
  return p.spatial_rank == 3 ? "extract_volume_patches, contract"
                             : "extract_image_patches, contract";
}

class EigenTensor : public LoweringBackend {
 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (!accumulator_of(problem.dtype)) {
      return declines("Eigen has no " + std::string(to_string(problem.dtype)));
    }
    if (auto no = beyond_three_axes(p)) return no;
    if (auto no = without_elements(p)) return no;
    if (const auto why = why_not(p)) return declines(*why);
    return std::nullopt;
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    answer.arithmetic.accumulator = accumulator_of(problem.dtype).value();
    answer.same_bits_any_threads = true;  // it is always one
    answer.adapter_part = lowering_part(problem);
    if (!answer.adapter_part.empty()) answer.adapter_part += ", ";
    answer.adapter_part += "copies src, weights and dst to and from channels last";
    if (p.spatial_rank == 1) answer.adapter_part += ", one spatial axis as height 1";
    if (p.G > 1) answer.adapter_part += ", composed by group";
    answer.implementation = implementation_of(p);
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(
        std::make_unique<PreparedConvolution>(problem.dtype, p, options));
  }

  // Nothing for a dtype that Eigen has no type of.
  static std::optional<int32_t> accumulator_of(Dtype dtype) {
    switch (dtype) {
      case Dtype::kF32:
        return CONCORD_ACCUMULATE_F32;
      case Dtype::kF16:
        return CONCORD_ACCUMULATE_F16;
      case Dtype::kBF16:
        return CONCORD_ACCUMULATE_BF16;
      case Dtype::kF64:
        return CONCORD_ACCUMULATE_F64;
      default:
        return std::nullopt;
    }
  }
};

const char* version_text() {
  static const std::string text = std::to_string(EIGEN_WORLD_VERSION) + "." +
                                  std::to_string(EIGEN_MAJOR_VERSION) + "." +
                                  std::to_string(EIGEN_MINOR_VERSION);
  return text.c_str();
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("eigen", concord::backends::version_text(),
                concord::backends::open_plain<concord::backends::EigenTensor>)
