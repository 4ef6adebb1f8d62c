// SPDX-License-Identifier: Apache-2.0
// darknet (2018-09-14): a kernel of one tap ignores stride and padding. Exits with 0 if that is so.
#include <darknet.h>

#include <cstdio>
#include <vector>

// Exported by libdarknet.so, and declared in headers of its sources alone.
extern "C" {
layer make_convolutional_layer(int batch, int h, int w, int c, int n, int groups, int size,
                               int stride, int padding, ACTIVATION activation, int batch_normalize,
                               int binary, int xnor, int adam);
void forward_convolutional_layer(layer l, network net);
}

namespace {

/// The outputs of a 4x4 image of 1, 2, ... 16, followed by eight zeros, by one tap of weight 1.
std::vector<float> convolve(int stride, int padding) {
  layer l = make_convolutional_layer(1, 4, 4, 1, 1, 1, 1, stride, padding, LINEAR, 0, 0, 0, 0);
  l.weights[0] = 1;
  l.biases[0] = 0;
  std::vector<float> image(64), workspace(1024);
  for (std::size_t i = 0; i < 16; ++i) image[i] = static_cast<float>(i + 1);
  network net{};
  net.input = image.data();
  net.workspace = workspace.data();
  forward_convolutional_layer(l, net);
  return {l.output, l.output + l.outputs};
}

}  // namespace

int main() {
  const std::vector<float> strided = convolve(2, 0), padded = convolve(1, 1);
  std::printf("stride 2: expected 1 3 9 11, got %g %g %g %g\n", strided[0], strided[1], strided[2],
              strided[3]);
  // The padded output has six columns: its first row lies in the padding.
  std::printf("padding 1: expected 0 0 0 0 0 0 0 1, got %g %g %g %g %g %g %g %g\n", padded[0],
              padded[1], padded[2], padded[3], padded[4], padded[5], padded[6], padded[7]);
  const bool strided_wrong = strided == std::vector<float>{1, 2, 3, 4};
  return strided_wrong && padded[0] == 1 && padded[7] == 8 ? 0 : 1;
}
