// SPDX-License-Identifier: Apache-2.0
// XNNPACK (2022-02-16): an operator without bounds turns a NaN into -Inf, one of an input and one
// that comes from padding multiplied by an infinite weight. Exits with 0 if both are so.
#include <xnnpack.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// One pixel by a kernel of one row, with as much padding to its left as keeps the output one pixel;
// 0 where XNNPACK refuses.
float convolve(float pixel, const std::vector<float>& kernel) {
  const auto width = static_cast<std::uint32_t>(kernel.size());
  // XNNPACK reads up to XNN_EXTRA_BYTES behind an input.
  std::vector<float> src(1 + XNN_EXTRA_BYTES / sizeof(float));
  src[0] = pixel;
  float dst = 0;
  xnn_operator_t op = nullptr;
  if (xnn_create_convolution2d_nhwc_f32(0, 0, 0, width - 1, 1, width, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                        kernel.data(), nullptr, -kInf, kInf, 0,
                                        &op) != xnn_status_success ||
      xnn_setup_convolution2d_nhwc_f32(op, 1, 1, 1, src.data(), &dst, nullptr) !=
          xnn_status_success ||
      xnn_run_operator(op, nullptr) != xnn_status_success) {
    std::printf("XNNPACK refuses\n");
  }
  xnn_delete_operator(op);
  return dst;
}

}  // namespace

int main() {
  if (xnn_initialize(nullptr) != xnn_status_success) return 77;
  const float of_input = convolve(std::nanf(""), {1});
  std::printf("NaN by 1: expected nan, got %g\n", of_input);
  const float of_padding = convolve(1, {kInf, 1});
  std::printf("padding and 1 by Inf and 1: expected 1 or nan, got %g\n", of_padding);
  return of_input == -kInf && of_padding == -kInf ? 0 : 1;
}
