// SPDX-License-Identifier: Apache-2.0
// oneDNN as a user with dense NXC or NCX tensors calls it: NXC in place, NCX in the library's own
// formats with reorders on both sides; weights in its own format.
#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "bench/competitor.h"

namespace concord::bench {
namespace {

using dnnl::memory;

memory::data_type type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return memory::data_type::f32;
    case Dtype::kF16:
      return memory::data_type::f16;
    case Dtype::kBF16:
      return memory::data_type::bf16;
    default:  // oneDNN 2 refuses it on CPUs
      return memory::data_type::undef;
  }
}

memory::desc data_desc(const Tensor& tensor, DataFormat format, Dtype dtype) {
  const Tensor first = permute(tensor, channels_first_axes(format, tensor.rank()));
  return {first.dims, type_of(dtype), first.strides};
}

memory::desc weights_desc(const Problem& problem, Extent groups) {
  const Tensor first = permute(
      problem.weights, channels_first_axes(weights_format_of(problem), problem.weights.rank()));
  memory::dims dims = first.dims;
  memory::dims strides = first.strides;
  if (groups > 1) {
    dims.insert(dims.begin(), groups);
    dims[1] /= groups;
    strides.insert(strides.begin(), dims[1] * strides[0]);
  }
  return {dims, type_of(problem.dtype), strides};
}

// Empty where there is none, which the library takes for no bias.
memory::desc bias_desc(const Problem& problem) {
  if (!problem.bias) return {};
  return {problem.bias->dims, type_of(problem.dtype), memory::format_tag::a};
}

memory::desc any(const memory::desc& desc) {
  return {desc.dims(), desc.data_type(), memory::format_tag::any};
}

memory::dims list(const optimized::Spatial& values, std::size_t spatial_rank, Extent less = 0) {
  memory::dims dims;
  for (std::size_t axis = 3 - spatial_rank; axis < 3; ++axis) dims.push_back(values[axis] - less);
  return dims;
}

class OneDnnCompetitor : public Competitor {
 public:
  OneDnnCompetitor(const Operands& operands, const Setting& setting, void* dst)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        threads_(setting.threads),
        packed_(setting.packed) {
    const DataFormat format = data_format_of(operands.problem);
    const auto user_src = data_desc(operands.problem.src, format, setting.dtype);
    const auto user_dst = data_desc(operands.shape.dst_tensor, format, setting.dtype);
    const auto user_weights = weights_desc(operands.problem, operands.shape.G);
    const bool reorders = format == DataFormat::kNCX;
    const auto bias = bias_desc(operands.problem);
    primitive_desc_ = describe(operands.shape, operands.problem.src.rank() - 2,
                               reorders ? any(user_src) : user_src, any(user_weights), bias,
                               reorders ? any(user_dst) : user_dst);
    primitive_ = dnnl::convolution_forward(primitive_desc_);
    src_ = hold(user_src, primitive_desc_.src_desc(), const_cast<void*>(operands.src));
    weights_ =
        hold(user_weights, primitive_desc_.weights_desc(), const_cast<void*>(operands.weights));
    dst_ = hold(user_dst, primitive_desc_.dst_desc(), dst);
    arguments_ = {
        {DNNL_ARG_SRC, src_.own}, {DNNL_ARG_WEIGHTS, weights_.own}, {DNNL_ARG_DST, dst_.own}};
    if (operands.bias != nullptr) {
      arguments_.emplace(DNNL_ARG_BIAS, memory(bias, engine_, const_cast<void*>(operands.bias)));
    }
    if (packed_) weights_.reorder(stream_, false);
    stream_.wait();
  }

  void run() override {
    omp_set_num_threads(threads_);
    src_.reorder(stream_, false);
    if (!packed_) weights_.reorder(stream_, false);
    primitive_.execute(stream_, arguments_);
    dst_.reorder(stream_, true);
    stream_.wait();
  }

  std::string implementation() const override { return primitive_desc_.impl_info_str(); }

  std::optional<Footprint> footprint() const override {
    const auto scratchpad = primitive_desc_.query_s64(dnnl::query::memory_consumption_s64);
    const std::size_t tensors =
        src_.own_bytes() + dst_.own_bytes() + static_cast<std::size_t>(scratchpad);
    if (packed_) return Footprint{weights_.own_bytes(), tensors};
    return Footprint{0, tensors + weights_.own_bytes()};
  }

 private:
  // A tensor as the user holds it and as the primitive wants it; the same memory where they agree.
  struct Held {
    memory user, own;
    dnnl::reorder to_own, to_user;
    bool differs = false;

    std::size_t own_bytes() const { return differs ? own.get_desc().get_size() : 0; }

    void reorder(dnnl::stream& stream, bool outwards) {
      if (!differs) return;
      if (outwards) {
        to_user.execute(stream, own, user);
      } else {
        to_own.execute(stream, user, own);
      }
    }
  };

  Held hold(const memory::desc& user, const memory::desc& own, void* data) {
    Held held;
    held.user = memory(user, engine_, data);
    held.differs = user != own;
    held.own = held.differs ? memory(own, engine_) : held.user;
    if (!held.differs) return held;
    held.to_own = dnnl::reorder(held.user, held.own);
    held.to_user = dnnl::reorder(held.own, held.user);
    return held;
  }

  dnnl::convolution_forward::primitive_desc describe(const optimized::Shape& s, std::size_t rank,
                                                     const memory::desc& src,
                                                     const memory::desc& weights,
                                                     const memory::desc& bias,
                                                     const memory::desc& dst) {
    optimized::Spatial after{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      after[axis] =
          (s.O[axis] - 1) * s.S[axis] + (s.K[axis] - 1) * s.D[axis] + 1 - s.I[axis] - s.P[axis];
    }
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src, weights, bias,
        dst, list(s.S, rank), list(s.D, rank, 1), list(s.P, rank), list(after, rank));
    return {desc, engine_};
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  int threads_;
  bool packed_;
  dnnl::convolution_forward::primitive_desc primitive_desc_;
  dnnl::convolution_forward primitive_;
  Held src_, weights_, dst_;
  std::unordered_map<int, memory> arguments_;
};

}  // namespace

std::unique_ptr<Competitor> make_onednn(const Operands& operands, const Setting& setting,
                                        void* dst) {
  if (setting.dtype == Dtype::kF64) return nullptr;
  omp_set_num_threads(setting.threads);
  // A first call is one that finds nothing kept from an earlier one.
  dnnl::set_primitive_cache_capacity(0);
  try {
    return std::make_unique<OneDnnCompetitor>(operands, setting, dst);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace concord::bench
