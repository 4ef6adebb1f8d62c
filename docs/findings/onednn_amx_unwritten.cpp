// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: a bf16 convolution over three axes on AMX leaves outputs unwritten where the last
// tap sees nothing but the padding at the end. Exits with 0 if that is so, with 77 if oneDNN does
// not choose AMX here.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <string>
#include <vector>

namespace {

using dnnl::memory;

constexpr std::uint16_t kOne = 0x3f80, kNan = 0xffff;  // in bf16
constexpr int kChannels = 33, kWidth = 17;

memory::desc of(const memory::dims& dims, memory::format_tag format) {
  return {dims, memory::data_type::bf16, format};
}

constexpr int kNotHere = 77;  // of this processor

}  // namespace

int main() try {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::dims src = {1, kChannels, 1, 1, kWidth}, weights = {1, kChannels, 2, 1, 1};
  const memory::dims dst = {1, 1, 1, 1, kWidth};
  const auto any = memory::format_tag::any;
  // Two taps along the depth, two apart; the second one lies in the padding.
  const dnnl::convolution_forward::primitive_desc choice({dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct,
                                                          of(src, any),
                                                          of(weights, any),
                                                          of(dst, any),
                                                          {1, 1, 1},
                                                          {1, 0, 0},
                                                          {0, 0, 0},
                                                          {2, 0, 0}},
                                                         engine);
  const std::string kernel = choice.impl_info_str();
  if (kernel.find("amx") == std::string::npos) {
    std::printf("oneDNN chooses %s here\n", kernel.c_str());
    return kNotHere;
  }
  std::vector<std::uint16_t> x(kChannels * kWidth, kOne), w(kChannels * 2, kOne), y(kWidth);
  memory x_user(of(src, memory::format_tag::ncdhw), engine, x.data());
  memory w_user(of(weights, memory::format_tag::oidhw), engine, w.data());
  memory y_user(of(dst, memory::format_tag::ncdhw), engine, y.data());
  memory x_memory(choice.src_desc(), engine), w_memory(choice.weights_desc(), engine);
  memory y_memory(choice.dst_desc(), engine);
  std::memset(y_memory.get_data_handle(), 0xff, choice.dst_desc().get_size());
  dnnl::reorder(x_user, x_memory).execute(stream, x_user, x_memory);
  dnnl::reorder(w_user, w_memory).execute(stream, w_user, w_memory);
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, x_memory}, {DNNL_ARG_WEIGHTS, w_memory}, {DNNL_ARG_DST, y_memory}});
  dnnl::reorder(y_memory, y_user).execute(stream, y_memory, y_user);
  stream.wait();
  int unwritten = 0;
  for (const std::uint16_t value : y) unwritten += value == kNan ? 1 : 0;
  std::printf("%s: %d of %d outputs are never written\n", kernel.c_str(), unwritten, kWidth);
  return unwritten > 0 ? 0 : 1;
} catch (const dnnl::error& error) {
  std::printf("oneDNN says: %s\n", error.what());
  return error.status == dnnl_unimplemented ? kNotHere : 1;
}
