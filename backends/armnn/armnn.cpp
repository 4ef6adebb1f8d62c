// SPDX-License-Identifier: Apache-2.0
// Arm NN's Convolution2d on its backend CpuRef behind the plugin ABI, as a network of one layer:
// two spatial axes, any padding, dilation, channels first; no groups. Weights and bias are
// constants of the network.
#include <armnn/ArmNN.hpp>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"

namespace concord::backends {
namespace {

armnn::DataType type_of(Dtype dtype) {
  return dtype == Dtype::kF32   ? armnn::DataType::Float32
         : dtype == Dtype::kF16 ? armnn::DataType::Float16
                                : armnn::DataType::BFloat16;
}

unsigned narrow(Extent value) { return static_cast<unsigned>(value); }

armnn::TensorInfo info_of(Dtype dtype, std::initializer_list<Extent> dims) {
  std::vector<unsigned> shape;
  for (const Extent extent : dims) shape.push_back(narrow(extent));
  return {armnn::TensorShape(static_cast<unsigned>(shape.size()), shape.data()), type_of(dtype)};
}

armnn::Convolution2dDescriptor describe(const PaddedConvolution& p, const Window& w) {
  armnn::Convolution2dDescriptor layer;
  layer.m_PadTop = narrow(w.pad_begin[1]);
  layer.m_PadBottom = narrow(w.pad_end[1]);
  layer.m_PadLeft = narrow(w.pad_begin[2]);
  layer.m_PadRight = narrow(w.pad_end[2]);
  layer.m_StrideY = narrow(w.S[1]);
  layer.m_StrideX = narrow(w.S[2]);
  layer.m_DilationY = narrow(w.D[1]);
  layer.m_DilationX = narrow(w.D[2]);
  layer.m_BiasEnabled = p.bias_stride.has_value();
  layer.m_DataLayout = armnn::DataLayout::NCHW;
  return layer;
}

/// A network that the runtime has loaded.
class Loaded {
 public:
  Loaded(armnn::IRuntime& runtime, armnn::INetworkPtr network) : runtime_(runtime) {
    auto optimized = armnn::Optimize(*network, {armnn::Compute::CpuRef}, runtime.GetDeviceSpec());
    if (!optimized) throw std::runtime_error("Arm NN cannot compute this on CpuRef");
    std::string why;
    if (runtime.LoadNetwork(id_, std::move(optimized), why) != armnn::Status::Success) {
      throw std::runtime_error("Arm NN cannot load the network: " + why);
    }
  }
  ~Loaded() { runtime_.UnloadNetwork(id_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  void run(const void* src, void* dst) {
    const armnn::InputTensors inputs{
        {0, armnn::ConstTensor(runtime_.GetInputTensorInfo(id_, 0), src)}};
    const armnn::OutputTensors outputs{
        {0, armnn::Tensor(runtime_.GetOutputTensorInfo(id_, 0), dst)}};
    if (runtime_.EnqueueWorkload(id_, inputs, outputs) != armnn::Status::Success) {
      throw std::runtime_error("Arm NN cannot run the network");
    }
  }

 private:
  armnn::IRuntime& runtime_;
  armnn::NetworkId id_ = 0;
};

class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(armnn::IRuntime& runtime, const Problem& problem, const PaddedConvolution& p,
                      const PrepareOptions& options)
      : StagedConvolution(problem.dtype, p, options, channels_first(), /*adapter_pads=*/false),
        runtime_(runtime),
        dtype_(problem.dtype) {}

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    Loaded(runtime_, network(group)).run(group.src, group.dst);
    return std::nullopt;
  }

  armnn::INetworkPtr network(const GroupMemory& group) const {
    const PaddedConvolution& p = problem();
    const Window& w = window();
    const armnn::ConstTensor weights(info_of(dtype_, {p.OCG(), p.ICG(), w.K[1], w.K[2]}),
                                     group.weights);
    const std::vector<float> widened =
        dtype_ == Dtype::kBF16 ? widen(group.bias) : std::vector<float>();
    armnn::Optional<armnn::ConstTensor> bias;
    if (group.bias != nullptr) {
      const bool is_widened = dtype_ == Dtype::kBF16;
      bias = armnn::ConstTensor(info_of(is_widened ? Dtype::kF32 : dtype_, {p.OCG()}),
                                is_widened ? static_cast<const void*>(widened.data()) : group.bias);
    }
    armnn::INetworkPtr network = armnn::INetwork::Create();
    armnn::IConnectableLayer* input = network->AddInputLayer(0);
    armnn::IConnectableLayer* layer = network->AddConvolution2dLayer(describe(p, w), weights, bias);
    input->GetOutputSlot(0).Connect(layer->GetInputSlot(0));
    layer->GetOutputSlot(0).Connect(network->AddOutputLayer(0)->GetInputSlot(0));
    input->GetOutputSlot(0).SetTensorInfo(info_of(dtype_, {p.N, p.ICG(), w.I[1], w.I[2]}));
    layer->GetOutputSlot(0).SetTensorInfo(info_of(dtype_, {p.N, p.OCG(), w.O[1], w.O[2]}));
    return network;
  }

  /// A bias of bf16 as f32, which Arm NN asks for beside it; empty without one.
  std::vector<float> widen(const std::byte* bias) const {
    std::vector<float> values(bias == nullptr ? 0 : static_cast<std::size_t>(problem().OCG()));
    for (std::size_t oc = 0; oc < values.size(); ++oc) {
      std::memcpy(reinterpret_cast<std::byte*>(&values[oc]) + 2, bias + 2 * oc, 2);
    }
    return values;
  }

  armnn::IRuntime& runtime_;
  Dtype dtype_;
};

class ArmNn : public LoweringBackend {
 public:
  ArmNn() : runtime_(armnn::IRuntime::Create({})) {}

 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32 && problem.dtype != Dtype::kF16 &&
        problem.dtype != Dtype::kBF16) {
      return declines("Arm NN has no " + std::string(to_string(problem.dtype)));
    }
    if (p.spatial_rank > 2) return declines("Arm NN's Convolution2d has two spatial axes");
    return cannot_stage(problem.dtype, p);
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    // Its half precision is the library "half", which rounds ties away from zero by default.
    if (problem.dtype == Dtype::kF16) {
      answer.arithmetic.output_rounding = CONCORD_ROUND_NEAREST_AWAY;
    }
    answer.same_bits_any_threads = true;  // it is always one
    const bool widens = problem.dtype == Dtype::kBF16 && p.bias_stride;
    answer.adapter_part =
        staging_part(problem, p, /*adapter_pads=*/false, widens ? "bias widened to f32" : "");
    answer.implementation = "Convolution2d, CpuRef";
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(
        std::make_unique<PreparedConvolution>(*runtime_, problem, p, options));
  }

  armnn::IRuntimePtr runtime_;
};

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("armnn", "20.08", concord::backends::open_plain<concord::backends::ArmNn>)
