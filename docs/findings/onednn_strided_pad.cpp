// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: bf16 is wrong behind a pad that is smaller than the stride. Exits with 0 if that is
// so, with 77 if oneDNN does not choose its kernel for AVX-512 here.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <string>
#include <vector>

extern "C" void omp_set_num_threads(int threads);

namespace {

using dnnl::memory;

// Three pixels of padding, then eight. The window of four taps lies at -3 to 0 and at 1 to 4.
constexpr int kChannels = 2, kWidth = 8, kTaps = 4, kStride = 4, kPad = 3, kOutputs = 2;
constexpr std::uint16_t kOne = 0x3F80, kTwo = 0x4000, kEight = 0x4100;  // in bf16
constexpr int kNotHere = 77;                                            // of this processor

}  // namespace

int main() try {
  omp_set_num_threads(1);  // on two threads each computes an output of its own, and both are right
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto bf16 = memory::data_type::bf16;
  const memory::desc src({1, kChannels, kWidth}, bf16, memory::format_tag::any);
  const memory::desc weights({1, kChannels, kTaps}, bf16, memory::format_tag::any);
  const memory::desc dst({1, 1, kOutputs}, bf16, memory::format_tag::any);
  const dnnl::convolution_forward::primitive_desc choice({dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct,
                                                          src,
                                                          weights,
                                                          dst,
                                                          {kStride},
                                                          {0},
                                                          {kPad},
                                                          {0}},
                                                         engine);
  const std::string kernel = choice.impl_info_str();
  memory x(choice.src_desc(), engine), w(choice.weights_desc(), engine),
      y(choice.dst_desc(), engine);
  if (kernel.find("avx512_core_bf16") == std::string::npos) {
    std::printf("oneDNN chooses %s here\n", kernel.c_str());
    return kNotHere;
  }
  for (const memory& input : {x, w}) {
    auto* const data = static_cast<std::uint16_t*>(input.get_data_handle());
    std::fill(data, data + input.get_desc().get_size() / sizeof *data, kOne);
  }
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}});
  stream.wait();
  const auto* const got = static_cast<const std::uint16_t*>(y.get_data_handle());
  std::printf("%s: expected %04x and %04x in bf16, got %04x and %04x\n", kernel.c_str(), kTwo,
              kEight, got[0], got[1]);
  return got[0] == kTwo && got[1] != kEight ? 0 : 1;
} catch (const dnnl::error& error) {
  std::printf("oneDNN says: %s\n", error.what());
  return error.status == dnnl_unimplemented ? kNotHere : 1;
}
