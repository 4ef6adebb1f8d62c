// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/widths.h"

namespace concord::optimized::testing {
namespace {

// Vectors hold 2 to 16 elements, panels 1 to 4 vectors, blocks 16 or 32 channels,
// register tiles up to 28 pixels.
constexpr int kAround[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65};
constexpr int kCount = 18;
int around(int index) { return kAround[index % kCount]; }

std::string text(int value) { return std::to_string(value); }

// Extents of one image, of which `spatial` has a trailing x for each axis.
struct Sizes {
  std::string spatial, kernel;
  int ic, oc, groups = 1;
};
std::string line_of(const Sizes& s, bool channels_last, bool is_xio, const std::string& rest) {
  const std::string ic = text(s.ic);
  const std::string icg = text(s.ic / s.groups);
  const std::string spatial = s.spatial.substr(0, s.spatial.size() - 1);
  const std::string kernel = s.kernel.substr(0, s.kernel.size() - 1);
  return " src=1x" + (channels_last ? s.spatial + ic : ic + "x" + spatial) + " weights=" +
         (is_xio ? s.kernel + icg + "x" + text(s.oc) : text(s.oc) + "x" + icg + "x" + kernel) +
         " groups=" + text(s.groups) + " data_format=" + (channels_last ? "NXC" : "NCX") +
         " weights_format=" + (is_xio ? "XIO " : "OIX ") + rest;
}

}  // namespace

Lines dense(bool channels_last) {
  Lines lines;
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      const int width = around(j);
      Sizes s{
          .spatial = text(width) + "x", .kernel = "1x", .ic = around(5 * i + j), .oc = around(i)};
      std::string rest = (i + j / 2) % 2 == 0 ? "bias=" + text(s.oc) : "";
      const int kind = (i + j) % 4;
      if (kind != 0) s.kernel = "3x";
      if (kind == 1) rest += " pads_begin=1 pads_end=1";
      if (kind == 2) rest += " strides=2 pads_begin=1 pads_end=" + text(1 + j % 2);
      if (kind == 3) rest += " dilations=2 pads_begin=2 pads_end=" + text(2 + i % 3);
      lines.push_back(line_of(s, channels_last, (i / 2 + j) % 2 == 0, rest));
    }
  }
  // Of f64 in AVX-512, tiles of 14 pixels by two vectors; of all types, those of one vector.
  lines.push_back(
      line_of({.spatial = "14x", .kernel = "1x", .ic = 3, .oc = 12}, channels_last, true, ""));
  for (int width = 1; width <= 28; ++width) {
    const Sizes s{
        .spatial = text(width) + "x", .kernel = width % 2 == 0 ? "1x" : "3x", .ic = 4, .oc = 7};
    const std::string rest = width % 2 == 0 ? "" : "pads_begin=1 pads_end=1";
    lines.push_back(line_of(s, channels_last, true, rest));
  }
  // Tiles of two vectors, whose taps find padding for any number of pixels at one end.
  for (int width = 4; width <= 14; ++width) {
    const Sizes s{.spatial = text(width) + "x", .kernel = "7x", .ic = 6, .oc = 32};
    lines.push_back(line_of(s, channels_last, true, "pads_begin=3 pads_end=3"));
  }
  return lines;
}

Lines staged() {
  return {
      " src=1x3x9000 weights=33x3x3 pads_begin=2 dilations=2 data_format=NCX weights_format=OIX",
      " src=2x17x11x31 weights=33x17x3x3 pads_begin=1,1 pads_end=1,1 bias=33 data_format=NCX "
      "weights_format=OIX",
      " src=2x3x21x47 weights=3x5x3x17 strides=2,1 pads_begin=1,4 pads_end=1,2 bias=17 "
      "data_format=NCX weights_format=XIO",
      " src=2x2x5x9x17 weights=17x2x3x2x3 pads_begin=1,0,1 dilations=2,1,1 data_format=NCX "
      "weights_format=OIX",
      " src=3x6x9x9 weights=20x3x3x3 groups=2 pads_begin=1,1 pads_end=1,1 data_format=NCX "
      "weights_format=OIX",
      " src=1x65x9x21 weights=20x65x1x1 strides=1,2 data_format=NCX weights_format=OIX",
      " src=2x33x3x5x9 weights=20x33x1x1x1 strides=2,2,3 data_format=NCX weights_format=OIX",
      " src=1x33x17x17 weights=20x33x1x1 strides=2,2 data_format=NCX weights_format=OIX",
      " src=2x33x11x5 weights=20x33x1x1 strides=2,1 data_format=NCX weights_format=OIX",
      " src=1x2x33x40 weights=9x2x3x3 pads_begin=12,12 pads_end=12,12 dilations=12,12 "
      "data_format=NCX weights_format=OIX",
      " src=2x7x9x33 weights=3x3x33x31 strides=2,2 pads_begin=1,1 pads_end=0,1 data_format=NXC "
      "weights_format=XIO",
      " src=2x3x5x9x15 weights=33x15x2x3x3 pads_begin=0,1,1 pads_end=1,1,1 data_format=NXC "
      "weights_format=OIX",
      " src=1x4x5x1500 weights=2x3x1500x33 data_format=NXC weights_format=XIO"};
}

Lines packed_on_the_fly() {
  Lines lines;
  for (const int width : {1, 5, 7, 14, 29}) {
    for (const int oc : {64, 127, 128, 129, 200}) {
      const int ic = around(width + oc) + 16;
      const Sizes s{.spatial = "3x" + text(width) + "x", .kernel = "3x2x", .ic = ic, .oc = oc};
      lines.push_back(line_of(s, oc % 2 == 0, true, "bias=" + text(oc) + " pads_begin=1,1"));
      const Sizes pairs{
          .spatial = text(width) + "x", .kernel = "3x", .ic = 2 * ic, .oc = 2 * oc, .groups = 2};
      lines.push_back(line_of(pairs, true, true, "pads_begin=1 pads_end=1"));
    }
  }
  // A panel of whole vectors is read where it lies.
  for (const int oc : {4, 8, 16, 32}) {
    for (const char* taps : {"5x6x7 weights=3x2x7x", "2x3x4001 weights=1x1x4001x"}) {
      lines.push_back(" src=2x" + std::string(taps) + text(oc) +
                      " data_format=NXC weights_format=XIO bias=" + text(oc));
    }
  }
  lines.emplace_back(" src=1x5x1500 weights=3x1500x96 data_format=NXC weights_format=XIO");
  // In bf16 the taps of a row are channels.
  lines.emplace_back(
      " src=1x8x16x63 weights=4x4x63x512 strides=4,4 data_format=NXC weights_format=XIO");
  lines.emplace_back(" src=2x30x30x300 weights=3x3x300x48 data_format=NXC weights_format=XIO");
  return lines;
}

Lines grouped(bool channels_last) {
  const std::string kinds[][2] = {{"2x", ""},
                                  {"3x", " dilations=2 pads_begin=2 pads_end=2"},
                                  {"3x", " pads_begin=1 pads_end=1"},
                                  {"3x", " strides=2 pads_begin=1 pads_end=1"},
                                  {"5x", " pads_begin=2 pads_end=2"},
                                  {"5x", " strides=2 pads_begin=1 pads_end=2"}};
  Lines lines;
  for (const int width : {1, 2, 4, 8, 16}) {
    for (int i = 1; around(i) * width <= 80 && i < kCount; ++i) {
      for (int kind = 0; kind < 6; ++kind) {
        const int channels = around(i) * width;
        const Sizes s{.spatial = text(around(i + 3 * kind + 1)) + "x",
                      .kernel = kinds[kind][0],
                      .ic = channels,
                      .oc = channels,
                      .groups = around(i)};
        lines.push_back(line_of(
            s, channels_last, (i + kind) % 2 == 0,
            (i + kind / 2) % 2 == 0 ? kinds[kind][1] : "bias=" + text(channels) + kinds[kind][1]));
      }
    }
  }
  // Of groups of 8 and 4, which bands may take, kernels for any stride; and the chunks of a kernel
  // row, the rows and the padding of bands.
  for (const int width : {4, 8}) {
    const Sizes s{.spatial = "35x", .kernel = "3x", .ic = 3 * width, .oc = 3 * width, .groups = 3};
    lines.push_back(line_of(s, channels_last, true, " strides=3 pads_begin=1"));
    for (const int kernel : {1, 2, 4, 7, 9, 11}) {
      const Sizes plane{.spatial = "9x" + text(13 + kernel) + "x",
                        .kernel = "3x" + text(kernel) + "x",
                        .ic = 5 * width,
                        .oc = 5 * width,
                        .groups = 5};
      lines.push_back(
          line_of(plane, channels_last, true,
                  " pads_begin=1," + text(kernel / 2) + " pads_end=2,2 bias=" + text(5 * width)));
      lines.push_back(line_of(plane, channels_last, false, " strides=1,2 pads_begin=1,2"));
    }
  }
  return lines;
}

Lines patches() {
  Lines lines;
  const int rows[] = {1, 2, 3, 4, 5, 7};
  const std::string pads[] = {"", " pads_begin=1,1 pads_end=1,1", " pads_begin=0,1 pads_end=2,0"};
  for (const int stride : {1, 2}) {
    const std::string strides = stride == 1 ? "" : " strides=2,2";
    for (int i = 1; i < kCount; ++i) {
      for (int j = 0; j < 6; ++j) {
        const Sizes s{
            .spatial = text(rows[j] * stride + 2) + "x" + text(around(i + j) * stride + 2) + "x",
            .kernel = "3x3x",
            .ic = around(i),
            .oc = around(i),
            .groups = around(i)};
        lines.push_back(
            line_of(s, true, j % 2 == 0, "bias=" + text(around(i)) + strides + pads[(i + j) % 3]));
      }
    }
  }
  return lines;
}

Lines bands() {
  Lines lines;
  const int taps[] = {1, 2, 4, 5, 6, 7, 8, 9, 11, 15};
  const std::string rests[] = {"", " pads_begin=1,2 pads_end=2,1", " pads_begin=1,9 pads_end=0,20",
                               " dilations=2,3 pads_begin=2,6 pads_end=1,4"};
  for (int outputs = 1; outputs <= 15; ++outputs) {
    for (int i = 0; i < 10; ++i) {
      const int stride = (outputs + i) % 3 == 0 ? 2 : 1;
      const int channels = around(2 * outputs + 5 * i);
      const int width = (outputs - 1) * stride + taps[i];
      const Sizes s{.spatial = text(5 + outputs % 4) + "x" + text(width) + "x",
                    .kernel = text(1 + i % 3) + "x" + text(taps[i]) + "x",
                    .ic = channels,
                    .oc = channels,
                    .groups = channels};
      const std::string& rest = rests[stride == 2 ? i % 3 : i % 4];
      const bool fits = rest.find("dilations") == std::string::npos || width + 10 > 3 * taps[i];
      lines.push_back(
          line_of(s, true, i % 2 == 0, (stride == 2 ? " strides=2,2" : "") + (fits ? rest : "")));
    }
  }
  // Longer strides than bands have.
  for (const int channels : {7, 16, 33}) {
    const Sizes s{
        .spatial = "5x23x", .kernel = "3x5x", .ic = channels, .oc = channels, .groups = channels};
    lines.push_back(line_of(s, true, true, " strides=1,3 pads_begin=1,2 pads_end=1,2"));
  }
  return lines;
}

Lines pointwise_ncx() {
  Lines lines;
  for (const int pixels :
       {7, 8, 14, 15, 16, 29, 30, 31, 32, 47, 48, 62, 63, 64, 79, 80, 127, 128}) {
    for (int i = 0; i < kCount; i += 2) {
      const Sizes s{.spatial = text(pixels) + "x",
                    .kernel = "1x",
                    .ic = around(i + pixels),
                    .oc = around(i + pixels % 2)};
      lines.push_back(line_of(s, false, i % 4 == 0, i % 3 == 0 ? "bias=" + text(s.oc) : ""));
    }
  }
  for (const char* line :
       {" src=1x6x16x31 weights=10x6x1x1 strides=1,2 bias=10 data_format=NCX weights_format=OIX",
        " src=2x6x31x32 weights=10x6x1x1 strides=2,2 data_format=NCX weights_format=OIX",
        " src=2x18x8x16 weights=10x9x1x1 groups=2 bias=10 data_format=NCX weights_format=OIX"}) {
    lines.emplace_back(line);
  }
  return lines;
}

Lines planes() {
  const char* kinds[] = {
      "", " pads_begin=1,1 pads_end=1,1", " strides=2,2 pads_begin=2,1 pads_end=0,3",
      " dilations=2,3 pads_begin=0,4 pads_end=3,0", " strides=1,3 pads_begin=1,0"};
  Lines lines;
  for (int i = 0; i < kCount; ++i) {
    for (int kind = 0; kind < 5; ++kind) {
      const int groups = 1 + (i + kind) % 3, width = 1 << (i + 2 * kind) % 5;
      const Sizes s{.spatial = text(5 + 2 * kind + i) + "x" + text(around(i) + 7) + "x",
                    .kernel = kind % 2 == 0 ? "3x3x" : "2x3x",
                    .ic = groups * width,
                    .oc = groups * (1 + (i * kind) % 9),
                    .groups = groups};
      if (groups > 1 || width == 1) {
        lines.push_back(line_of(s, false, i % 2 == 0, "bias=" + text(s.oc) + kinds[kind]));
      }
    }
  }
  for (const char* line :
       {" src=1x2x200x230 weights=2x1x3x3 groups=2 pads_begin=1,1 pads_end=1,1",
        " src=1x2x70001 weights=2x1x7 groups=2 strides=2 pads_begin=3 pads_end=3",
        " src=2x3x6x20x18 weights=3x1x1x1x1 groups=3",
        " src=1x2x4x9x20 weights=4x1x3x3x3 groups=2 pads_begin=1,1,1 pads_end=1,1,1"}) {
    lines.push_back(std::string(line) + " data_format=NCX weights_format=OIX");
  }
  return lines;
}

Lines winograd() {
  Lines lines;
  for (int i = 0; i < kCount; ++i) {
    const Sizes s{.spatial = text(1 + i % 6) + "x" + text(around(i) % 20 + 1) + "x",
                  .kernel = "3x3x",
                  .ic = around(i),
                  .oc = around(5 * i + 3)};
    lines.push_back(
        line_of(s, true, i % 2 == 0,
                (i % 3 == 0 ? "bias=" + text(s.oc) : "") + " pads_begin=1,1 pads_end=1,1"));
  }
  return lines;
}

}  // namespace concord::optimized::testing
