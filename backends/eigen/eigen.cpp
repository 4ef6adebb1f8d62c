// SPDX-License-Identifier: Apache-2.0
// Eigen's tensor module behind the plugin ABI, composed as its users do: patches of src contracted
// with the weights, group by group.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "backends/adapter/adapter.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/views.h"
#include "backends/eigen/patches.h"
#include "spec/copy.h"

namespace concord::backends {
namespace {

/// A user's tensor, and a dense one of its own with the axes in the order that Eigen reads.
struct Staged {
  Staged(Dtype dtype, const Tensor& user_tensor)
      : element_bytes(size_of(dtype)),
        user(user_tensor),
        packed(dense(user_tensor)),
        bytes(static_cast<std::size_t>(*element_count(user_tensor.dims)) * element_bytes) {}

  void load(const void* from) { copy_elements(element_bytes, user, from, packed, bytes.data()); }
  void store(void* to) const { copy_elements(element_bytes, packed, bytes.data(), user, to); }
  /// The part of one group; groups are the first axis.
  std::byte* part(Extent group, Extent groups) {
    return bytes.data() +
           bytes.size() / static_cast<std::size_t>(groups) * static_cast<std::size_t>(group);
  }

  std::size_t element_bytes;
  Tensor user, packed;
  std::vector<std::byte> bytes;
};

class PreparedConvolution : public Prepared {
 public:
  PreparedConvolution(Dtype dtype, const PaddedConvolution& p, const PrepareOptions& options)
      : PreparedConvolution(dtype, p, views_of(p), options) {}

  std::optional<Refused> execute(const Buffers& buffers) override {
    src_.load(buffers.src.data);
    if (!keeps_weights_) weights_.load(buffers.weights.data);
    if (has_bias_ && !keeps_bias_) bias_.load(buffers.bias.data);
    for (Extent g = 0; g < p_.G; ++g) {
      const void* bias = has_bias_ ? bias_.part(g, p_.G) : nullptr;
      convolve(dtype_, window_of(p_), p_.spatial_rank == 3,
               {p_.N, p_.ICG(), p_.OCG(), src_.part(g, p_.G), weights_.part(g, p_.G), bias,
                dst_.part(g, p_.G)});
    }
    dst_.store(buffers.dst.data);
    return std::nullopt;
  }

 private:
  /// src and dst as [G,N,D,H,W,C/G], weights as [G,KD,KH,KW,IC/G,OC/G].
  PreparedConvolution(Dtype dtype, const PaddedConvolution& p, const Views& views,
                      const PrepareOptions& options)
      : dtype_(dtype),
        p_(p),
        has_bias_(p.bias_stride.has_value()),
        keeps_weights_(options.weights != nullptr),
        keeps_bias_(options.bias != nullptr),
        src_(dtype, ordered(views.src, {1, 0, 3, 4, 5, 2})),
        weights_(dtype, ordered(views.weights, {0, 3, 4, 5, 2, 1})),
        bias_(dtype, views.bias),
        dst_(dtype, ordered(views.dst, {1, 0, 3, 4, 5, 2})) {
    if (keeps_weights_) weights_.load(options.weights);
    if (has_bias_ && keeps_bias_) bias_.load(options.bias);
  }

  Dtype dtype_;
  PaddedConvolution p_;
  bool has_bias_, keeps_weights_, keeps_bias_;
  Staged src_, weights_, bias_, dst_;
};

/// Names what Eigen's patches cannot do with the convolution.
std::optional<std::string> why_not(const PaddedConvolution& p) {
  for (const Tensor* tensor : {&p.src, &p.weights, &p.dst}) {
    if (*element_count(tensor->dims) == 0) {
      return "Eigen takes no patches of a tensor without elements";
    }
  }
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

class EigenTensor : public Backend {
 public:
  Or<Answer> query(const Problem& problem) override {
    const auto lowered = lower_or_decline(problem);
    if (!lowered) return lowered.why();
    const auto& p = *lowered;
    Answer answer;
    answer.dst_dims = p.dst_dims;
    answer.arithmetic.accumulator = accumulator_of(problem.dtype);
    answer.same_bits_any_threads = true;  // it is always one
    answer.adapter_part = lowering_part(problem);
    if (!answer.adapter_part.empty()) answer.adapter_part += ", ";
    answer.adapter_part += "copies src, weights and dst to and from channels last";
    if (p.spatial_rank == 1) answer.adapter_part += ", one spatial axis as height 1";
    if (p.G > 1) answer.adapter_part += ", composed by group";
    answer.implementation = p.spatial_rank == 3 ? "extract_volume_patches, contract"
                                                : "extract_image_patches, contract";
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare(const Problem& problem,
                                        const PrepareOptions& options) override {
    const auto lowered = lower_or_decline(problem);
    if (!lowered) return lowered.why();
    return std::unique_ptr<Prepared>(
        std::make_unique<PreparedConvolution>(problem.dtype, *lowered, options));
  }

 private:
  static Or<PaddedConvolution> lower_or_decline(const Problem& problem) {
    auto lowered = lower(problem);
    if (!lowered) return lowered;
    if (auto no = beyond_three_axes(*lowered)) return *no;
    if (const auto why = why_not(*lowered)) return declines(*why);
    return lowered;
  }

  static int32_t accumulator_of(Dtype dtype) {
    switch (dtype) {
      case Dtype::kF32:
        return CONCORD_ACCUMULATE_F32;
      case Dtype::kF16:
        return CONCORD_ACCUMULATE_F16;
      case Dtype::kBF16:
        return CONCORD_ACCUMULATE_BF16;
      case Dtype::kF64:
        return CONCORD_ACCUMULATE_F64;
    }
    return CONCORD_ACCUMULATE_F32;
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
