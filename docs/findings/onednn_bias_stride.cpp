// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: kernels read a bias whose elements do not lie side by side as if they did. Exits
// with 0 if that is so.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <dnnl.hpp>
#include <string>

namespace {

using dnnl::memory;

// One pixel, one tap and no input but zeros: dst is the bias.
constexpr int kChannels = 16, kStride = 2;

}  // namespace

int main() try {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const auto any = memory::format_tag::any;
  const memory::desc bias({kChannels}, f32, memory::dims{kStride});
  const dnnl::convolution_forward::primitive_desc choice({dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct,
                                                          {{1, kChannels, 1, 1}, f32, any},
                                                          {{kChannels, kChannels, 1, 1}, f32, any},
                                                          bias,
                                                          {{1, kChannels, 1, 1}, f32, any},
                                                          {1, 1},
                                                          {0, 0},
                                                          {0, 0}},
                                                         engine);
  memory x(choice.src_desc(), engine), w(choice.weights_desc(), engine),
      b(choice.bias_desc(), engine), y(choice.dst_desc(), engine);
  for (const memory& zeros : {x, w}) {
    auto* const data = static_cast<float*>(zeros.get_data_handle());
    std::fill(data, data + zeros.get_desc().get_size() / sizeof *data, 0.0F);
  }
  // Element i of the bias is 2 i; what lies between elements is odd.
  auto* const elements = static_cast<float*>(b.get_data_handle());
  for (std::size_t i = 0; i < b.get_desc().get_size() / sizeof *elements; ++i) {
    elements[i] = static_cast<float>(i);
  }
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, y}});
  stream.wait();
  // One pixel: channels follow one another in any format.
  const auto* const got = static_cast<const float*>(y.get_data_handle());
  std::printf("%s: the first three of dst are expected to be 0, 2 and 4, and are %g, %g and %g\n",
              choice.impl_info_str(), got[0], got[1], got[2]);
  return got[0] == 0 && got[1] == 1 && got[2] == 2 ? 0 : 1;
} catch (const dnnl::error& error) {
  std::printf("%s\n", error.what());
  return 1;
}
