// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: a dilated window that overhangs a row on both sides reads the next row. Exits with
// 0 if that is so, with 77 if oneDNN does not choose its kernel for AVX-512 here.
#include <cstdio>
#include <dnnl.hpp>
#include <string>
#include <vector>

namespace {

using dnnl::memory;

// Two rows of seven pixels, five taps that lie two pixels apart, four pixels of padding on each
// side.
constexpr int kChannels = 3, kOutputs = 64, kRows = 2, kWidth = 7, kTaps = 5, kDilation = 2,
              kPad = 4;

std::vector<float> counted(int count, int modulus) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i * 7 % modulus - 2));
  return values;
}

float expected(const std::vector<float>& src, const std::vector<float>& weights, int o, int row,
               int column) {
  float sum = 0;
  for (int c = 0; c < kChannels; ++c) {
    for (int tap = 0; tap < kTaps; ++tap) {
      const int at = column + tap * kDilation - kPad;
      if (at < 0 || at >= kWidth) continue;
      const int pixel = (c * kRows + row) * kWidth + at;
      const int weight = (o * kChannels + c) * kTaps + tap;
      sum += src[static_cast<std::size_t>(pixel)] * weights[static_cast<std::size_t>(weight)];
    }
  }
  return sum;
}

constexpr int kNotHere = 77;  // of this processor

}  // namespace

int main() try {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const memory::desc src({1, kChannels, kRows, kWidth}, f32, memory::format_tag::nchw);
  const memory::desc weights({kOutputs, kChannels, 1, kTaps}, f32, memory::format_tag::oihw);
  const memory::desc dst({1, kOutputs, kRows, kWidth}, f32, memory::format_tag::nchw);
  const auto any = [](const memory::desc& as) {
    return memory::desc(as.dims(), memory::data_type::f32, memory::format_tag::any);
  };
  const dnnl::convolution_forward::primitive_desc choice({dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct,
                                                          any(src),
                                                          any(weights),
                                                          any(dst),
                                                          {1, 1},
                                                          {0, kDilation - 1},
                                                          {0, kPad},
                                                          {0, kPad}},
                                                         engine);
  const std::string kernel = choice.impl_info_str();
  if (kernel.find("brgconv") == std::string::npos) {
    std::printf("oneDNN chooses %s here\n", kernel.c_str());
    return kNotHere;
  }
  auto x = counted(kChannels * kRows * kWidth, 11), w = counted(kOutputs * kChannels * kTaps, 5);
  std::vector<float> y(static_cast<std::size_t>(kOutputs) * kRows * kWidth);
  memory x_user(src, engine, x.data()), w_user(weights, engine, w.data());
  memory y_user(dst, engine, y.data());
  memory x_memory(choice.src_desc(), engine), w_memory(choice.weights_desc(), engine);
  memory y_memory(choice.dst_desc(), engine);
  dnnl::reorder(x_user, x_memory).execute(stream, x_user, x_memory);
  dnnl::reorder(w_user, w_memory).execute(stream, w_user, w_memory);
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, x_memory}, {DNNL_ARG_WEIGHTS, w_memory}, {DNNL_ARG_DST, y_memory}});
  dnnl::reorder(y_memory, y_user).execute(stream, y_memory, y_user);
  stream.wait();
  int wrong = 0, elsewhere = 0;
  for (int o = 0; o < kOutputs; ++o) {
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kWidth; ++column) {
        const int place = (o * kRows + row) * kWidth + column;
        const float got = y[static_cast<std::size_t>(place)];
        if (got == expected(x, w, o, row, column)) continue;
        ++(column == kWidth / 2 ? wrong : elsewhere);
      }
    }
  }
  std::printf("%s: %d outputs wrong in the column that overhangs on both sides, %d in others\n",
              kernel.c_str(), wrong, elsewhere);
  return wrong > 0 && elsewhere == 0 ? 0 : 1;
} catch (const dnnl::error& error) {
  std::printf("oneDNN says: %s\n", error.what());
  return error.status == dnnl_unimplemented ? kNotHere : 1;
}
