// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: bf16 with one input channel multiplies the next pixel by a weight of zero, so that
// an infinity there makes NaN. Exits with 0 if that is so, with 77 if there is no such kernel here.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <limits>
#include <vector>

namespace {

using dnnl::memory;

std::uint16_t bf16(float value) {  // cut off, exact for what is used here
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

}  // namespace

int main() try {
  constexpr int kNotHere = 77;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto type = memory::data_type::bf16;
  const memory::desc src({1, 1, 4}, type, memory::format_tag::nwc);
  const memory::desc dst({1, 1, 3}, memory::data_type::f32, memory::format_tag::nwc);
  const memory::desc weights({1, 1, 2}, type, memory::format_tag::oiw);
  const dnnl::convolution_forward::primitive_desc choice(
      {dnnl::prop_kind::forward_inference,
       dnnl::algorithm::convolution_direct,
       src,
       memory::desc(weights.dims(), type, memory::format_tag::any),
       dst,
       {1},
       {0},
       {0}},
      engine);
  std::vector<std::uint16_t> x = {bf16(1), bf16(1), bf16(std::numeric_limits<float>::infinity()),
                                  bf16(1)};
  std::vector<std::uint16_t> w = {bf16(1), bf16(1)};
  std::vector<float> y(3);
  memory x_memory(src, engine, x.data()), w_user(weights, engine, w.data());
  memory w_memory(choice.weights_desc(), engine), y_memory(dst, engine, y.data());
  dnnl::reorder(w_user, w_memory).execute(stream, w_user, w_memory);
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, x_memory}, {DNNL_ARG_WEIGHTS, w_memory}, {DNNL_ARG_DST, y_memory}});
  stream.wait();
  std::printf("%s: 1, 1, Inf, 1 by two ones: expected 2, Inf, Inf, got %g, %g, %g\n",
              choice.impl_info_str(), y[0], y[1], y[2]);
  if (std::strstr(choice.impl_info_str(), "brgconv") == nullptr) return kNotHere;
  return std::isnan(y[0]) ? 0 : 1;
} catch (const dnnl::error& error) {
  std::printf("oneDNN: %s\n", error.what());
  return error.status == dnnl_unimplemented ? 77 : 1;
}
