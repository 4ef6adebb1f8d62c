// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: a bf16 convolution over three axes on AMX is wrong with two threads. Exits with 0
// if that is so, with 77 if oneDNN does not choose AMX here.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <string>
#include <vector>

extern "C" void omp_set_num_threads(int threads);

namespace {

using dnnl::memory;

std::uint16_t bf16(float value) {  // of small integers, which it holds exactly
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

/// Small integers, the same on every call.
std::vector<std::uint16_t> integers(memory::dim count, unsigned seed) {
  std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
  for (auto& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = bf16(static_cast<float>(static_cast<int>(seed >> 28) - 8));
  }
  return values;
}

/// dst of the convolution with so many threads; the kernel's name in `kernel`.
std::vector<std::uint16_t> convolve(int threads, std::string& kernel) {
  omp_set_num_threads(threads);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto bf16_type = memory::data_type::bf16;
  const memory::desc src({2, 15, 5, 11, 50}, bf16_type, memory::format_tag::ndhwc);
  const memory::desc dst({2, 15, 2, 4, 17}, bf16_type, memory::format_tag::ndhwc);
  const memory::desc weights({15, 15, 2, 2, 2}, bf16_type, memory::format_tag::oidhw);
  const memory::desc packed(weights.dims(), bf16_type, memory::format_tag::any);
  const dnnl::convolution_forward::primitive_desc choice({dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct,
                                                          src,
                                                          packed,
                                                          dst,
                                                          {3, 3, 3},
                                                          {0, 0, 0},
                                                          {0, 0, 0}},
                                                         engine);
  kernel = choice.impl_info_str();
  auto x = integers(2 * 15 * 5 * 11 * 50, 1), w = integers(15 * 15 * 8, 2);
  std::vector<std::uint16_t> y(2 * 15 * 2 * 4 * 17);
  memory x_memory(src, engine, x.data()), w_user(weights, engine, w.data());
  memory w_memory(choice.weights_desc(), engine), y_memory(dst, engine, y.data());
  dnnl::reorder(w_user, w_memory).execute(stream, w_user, w_memory);
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, x_memory}, {DNNL_ARG_WEIGHTS, w_memory}, {DNNL_ARG_DST, y_memory}});
  stream.wait();
  return y;
}

constexpr int kNotHere = 77;  // of this processor

}  // namespace

int main() try {
  std::string kernel;
  const auto want = convolve(1, kernel);
  if (kernel.find("amx") == std::string::npos) {
    std::printf("oneDNN chooses %s here\n", kernel.c_str());
    return kNotHere;
  }
  std::size_t most = 0;
  for (int attempt = 0; attempt < 10000 && most == 0; ++attempt) {
    const auto got = convolve(2, kernel);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != want[i];
    most = wrong > most ? wrong : most;
  }
  std::printf("%s: of %zu elements %zu differ between one and two threads\n", kernel.c_str(),
              want.size(), most);
  return most > 0 ? 0 : 1;
} catch (const dnnl::error& error) {
  std::printf("oneDNN says: %s\n", error.what());
  return error.status == dnnl_unimplemented ? kNotHere : 1;
}
