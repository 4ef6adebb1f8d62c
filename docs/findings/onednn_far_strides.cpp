// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6.3: a depthwise layer whose stride along a row is large reads far before src. Exits
// with 0 if that is so, with 77 if oneDNN does not choose its kernel for AVX-512 here.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <string>

namespace {

using dnnl::memory;

constexpr int kNotHere = 77;  // of this processor
constexpr std::int64_t kChannels = 4, kHeight = 3, kWidth = 5, kTaps = 3, kOutputs = 3;

const char* src_begin = nullptr;  // for the signal handler

void tell_address(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto distance = static_cast<const char*>(info->si_addr) - src_begin;
  std::printf("  a segmentation fault %lld bytes from the beginning of src\n",
              static_cast<long long>(distance));
  std::fflush(stdout);
  _exit(1);
}

memory::desc described(const memory::dims& dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

// Three outputs along a row, of which the last one sees the last two pixels. The windows before it
// lie in the padding, which they see nothing but.
dnnl::convolution_forward::primitive_desc choice_for(std::int64_t stride,
                                                     const dnnl::engine& engine) {
  const std::int64_t pad = (kOutputs - 1) * stride - (kWidth - 2);
  return {{dnnl::prop_kind::forward_inference,
           dnnl::algorithm::convolution_direct,
           described({1, kChannels, kHeight, kWidth}),
           described({kChannels, 1, 1, kTaps, kTaps}),
           described({1, kChannels, 1, kOutputs}),
           {1, stride},
           {0, 0},
           {0, pad},
           {0, 1}},
          engine};
}

void run(const dnnl::convolution_forward::primitive_desc& choice, const dnnl::engine& engine) {
  dnnl::stream stream(engine);
  memory src(choice.src_desc(), engine), weights(choice.weights_desc(), engine);
  memory dst(choice.dst_desc(), engine);
  src_begin = static_cast<const char*>(src.get_data_handle());
  struct sigaction action {};
  action.sa_sigaction = tell_address;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  dnnl::convolution_forward(choice).execute(
      stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
  stream.wait();
}

}  // namespace

int main() try {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  bool has_died = false;
  for (const std::int64_t stride : {std::int64_t{1} << 16, std::int64_t{1} << 28}) {
    const auto choice = choice_for(stride, engine);
    const std::string kernel = choice.impl_info_str();
    std::printf("%s, stride %lld\n", kernel.c_str(), static_cast<long long>(stride));
    std::fflush(stdout);
    if (kernel.find("avx512") == std::string::npos) return kNotHere;
    const pid_t child = fork();
    if (child == 0) {
      run(choice, engine);
      _exit(0);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    has_died = !WIFEXITED(ended) || WEXITSTATUS(ended) != 0;
  }
  return has_died ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const dnnl::error& error) {
  std::printf("oneDNN says: %s\n", error.what());
  return error.status == dnnl_unimplemented ? kNotHere : 1;
}
