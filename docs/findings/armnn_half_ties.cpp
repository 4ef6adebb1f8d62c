// SPDX-License-Identifier: Apache-2.0
// Arm NN 20.08, CpuRef: f16 results halfway between two numbers are rounded away from zero, not to
// the even one. Exits with 0 if that is so.
#include <armnn/ArmNN.hpp>
#include <cstdint>
#include <cstdio>
#include <utility>

int main() {
  // 2048 + 1 is halfway between 2048, whose last bit is 0, and 2050. As f16: 0x6800 and 0x3c00.
  const std::uint16_t src[] = {0x6800, 0x3c00}, ones[] = {0x3c00, 0x3c00};
  std::uint16_t dst = 0;
  const auto info = [](unsigned channels) {
    return armnn::TensorInfo({1, channels, 1, 1}, armnn::DataType::Float16);
  };
  armnn::Convolution2dDescriptor description;
  description.m_StrideX = description.m_StrideY = 1;
  auto runtime = armnn::IRuntime::Create({});
  auto network = armnn::INetwork::Create();
  auto* input = network->AddInputLayer(0);
  auto* layer = network->AddConvolution2dLayer(description, armnn::ConstTensor(info(2), ones),
                                               armnn::EmptyOptional());
  input->GetOutputSlot(0).Connect(layer->GetInputSlot(0));
  layer->GetOutputSlot(0).Connect(network->AddOutputLayer(0)->GetInputSlot(0));
  input->GetOutputSlot(0).SetTensorInfo(info(2));
  layer->GetOutputSlot(0).SetTensorInfo(info(1));
  armnn::NetworkId id = 0;
  runtime->LoadNetwork(
      id, armnn::Optimize(*network, {armnn::Compute::CpuRef}, runtime->GetDeviceSpec()));
  runtime->EnqueueWorkload(id, {{0, armnn::ConstTensor(info(2), src)}},
                           {{0, armnn::Tensor(info(1), &dst)}});
  std::printf("2048 + 1 in f16: expected 0x6800, got 0x%04x\n", dst);
  return dst == 0x6801 ? 0 : 1;
}
