// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: a pad of 2^31 - 1, which its int can hold, makes the kernel read far outside of
// src. Making a primitive takes time in proportion to the padding. Exits with 0 if the former is
// so, with 77 if oneDNN does not choose its kernel for AVX-512 here.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <string>

namespace {

using dnnl::memory;

constexpr int kNotHere = 77;  // of this processor

/// `pixels` of one column or row, `taps` taps `dilation` apart; one channel in and three out.
struct Line {
  bool is_row;
  std::int64_t pixels, taps, stride, dilation, pad_begin, pad_end;
  std::int64_t outputs() const {
    return (pad_begin + pixels + pad_end - (taps - 1) * dilation - 1) / stride + 1;
  }
  /// Three such lines beside one another.
  memory::dims dims(std::int64_t first, std::int64_t second, std::int64_t along,
                    std::int64_t across) const {
    return is_row ? memory::dims{first, second, across, along}
                  : memory::dims{first, second, along, across};
  }
  memory::dims pair(std::int64_t along, std::int64_t across) const {
    return is_row ? memory::dims{across, along} : memory::dims{along, across};
  }
};

memory::desc described(const memory::dims& dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

dnnl::convolution_forward::primitive_desc choice_for(const Line& l, const dnnl::engine& engine) {
  return {{dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
           described(l.dims(1, 1, l.pixels, 3)), described(l.dims(3, 1, l.taps, 1)),
           described(l.dims(1, 3, l.outputs(), 3)), l.pair(l.stride, 1), l.pair(l.dilation - 1, 0),
           l.pair(l.pad_begin, 0), l.pair(l.pad_end, 0)},
          engine};
}

// Ends the process with SIGSEGV where the defect is.
void run(const Line& line, const dnnl::engine& engine) {
  const auto choice = choice_for(line, engine);
  dnnl::stream stream(engine);
  memory src(choice.src_desc(), engine), weights(choice.weights_desc(), engine);
  memory dst(choice.dst_desc(), engine);
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
  stream.wait();
}

double seconds_to_make(std::int64_t stride, const dnnl::engine& engine) {
  // Three outputs, of which the last sees the last pixel.
  const Line row{true, 3, 1, stride, 1, 2 * stride - 2, 0};
  const auto begin = std::chrono::steady_clock::now();
  const dnnl::convolution_forward made(choice_for(row, engine));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main() try {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  // 2^30 + 1 between the taps: the last of them sees the pixels.
  const Line column{false, 6, 3, 1, 1073741825, 2147483647, 1};
  const std::string kernel = choice_for(column, engine).impl_info_str();
  if (kernel.find("brgconv") == std::string::npos) {
    std::printf("oneDNN chooses %s here\n", kernel.c_str());
    return kNotHere;
  }
  for (const std::int64_t stride : {1 << 14, 1 << 16, 1 << 18}) {
    std::printf("%s, stride %lld and pad %lld: made in %.3f s\n", kernel.c_str(),
                static_cast<long long>(stride), static_cast<long long>(2 * stride - 2),
                seconds_to_make(stride, engine));
  }
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    run(column, engine);
    _exit(0);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  const bool died = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGSEGV;
  std::printf("pad %lld: %s\n", static_cast<long long>(column.pad_begin),
              died ? "a segmentation fault" : "no segmentation fault");
  return died ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const dnnl::error& error) {
  std::printf("oneDNN says: %s\n", error.what());
  return error.status == dnnl_unimplemented ? kNotHere : 1;
}
