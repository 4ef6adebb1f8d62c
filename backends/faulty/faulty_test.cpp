// SPDX-License-Identifier: Apache-2.0
// That the catalogue of planted bugs is whole, and that faulty:none has none of them: it does what
// the reference does. That each bug is one, the test grade shows: it changes what is judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "backends/adapter/load_plugin.h"
#include "backends/adapter/session.h"

namespace concord::backends {
namespace {

const std::string kFaulty = CONCORD_PLUGIN_DIRECTORY "/faulty.so";

struct Row {
  std::string name, family, sentence, source, shows;
};

std::vector<Row> read_catalogue() {
  EXPECT_TRUE(load_plugin(kFaulty));
  using Catalogue = const char* (*)();
  const auto symbol = reinterpret_cast<Catalogue>(find_symbol(kFaulty, "concord_faulty_catalogue"));
  EXPECT_NE(symbol, nullptr);
  std::vector<Row> rows;
  std::istringstream lines(symbol());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Row row;
    std::getline(fields, row.name, '\t');
    std::getline(fields, row.family, '\t');
    std::getline(fields, row.sentence, '\t');
    std::getline(fields, row.source, '\t');
    std::getline(fields, row.shows, '\t');
    rows.push_back(row);
  }
  return rows;
}

struct Probe {
  std::string problem;
  Data data = Data::kReals;
  int repetitions = 2;
};

constexpr const char* kF64Problems[] = {
    "Convolution f64 src=2x6x7x3 weights=3x2x3x4 bias=4 strides=2,1 data_format=NXC "
    "weights_format=XIO",
    "Convolution1 f64 src=1x4x6x5 weights=6x2x3x2 groups=2 data_format=NCX filter_format=OIX",
    "AtrousConv2d f64 src=1x6x7x3 weights=3x2x3x4 rate=2 padding=SAME",
};

constexpr const char* kAtrousProblems[] = {
    "AtrousConv2d f32 src=1x9x10x2 weights=3x3x2x3 rate=4 padding=SAME",
    "AtrousConv2d f32 src=1x9x10x2 weights=2x2x2x3 rate=3 padding=SAME",
    "AtrousConv2d bf16 src=2x11x9x2 weights=3x2x2x3 rate=2 padding=VALID",
    "AtrousConv2d f32 src=1x8x9x2 weights=3x2x2x3 rate=7 padding=SAME",
    "AtrousConv2d f32 src=2x9x8x3 weights=2x3x3x4 rate=4 padding=VALID reading=documented",
    "AtrousConv2d f32 src=2x9x8x3 weights=2x3x3x4 rate=2 padding=SAME reading=documented",
    "AtrousConv2d f32 src=1x8x9x4 weights=3x2x2x3 rate=1 padding=SAME",
    "AtrousConv2d f32 src=1x5x6x2 weights=3x3x2x4 rate=4 padding=VALID",
};

constexpr const char* kOtherProblems[] = {
    "Convolution1 f32 src=1x2x9x8 weights=3x2x3x3 auto_pad=same_upper strides=2,2 "
    "reading=documented data_format=NCX filter_format=OIX",
    "Convolution f32 src=1x2x9x8 weights=3x2x3x3 auto_pad=same_upper strides=2,2 "
    "reading=documented data_format=NCX weights_format=OIX",
    "Convolution1 f32 src=1x2x4x5x3x6 weights=3x2x2x2x2x2 bias=3 strides=2,1,1,1 "
    "dilations=2,1,1,2 pads_begin=1,0,1,0 data_format=NCX filter_format=OIX",
    "Convolution1 bf16 src=1x3x2x4x3x2x2x4 weights=2x2x3x1x2x1x2x4 strides=1,2,1,1,1,1 groups=2 "
    "auto_pad=same_upper data_format=NXC filter_format=XIO",
};

// Of Convolution; each breaks one rule.
constexpr const char* kInvalidProblems[] = {
    "src=1x2x4x4 weights=3x2x5x5 strides=2,2",     "src=1x2x4x4 weights=3x2x3x3 dilations=2,2",
    "src=1x2x6x6 weights=3x2x3x3 pads_begin=-1,0", "src=1x2x6x6 weights=3x2x3x3 strides=0,1",
    "src=1x2x6x6 weights=3x2x3x3 bias=2",          "src=1x3x6x6 weights=2x1x3x3 groups=2",
    "src=1x2x6x6 weights=3x2x3x3 dilations=0,1",   "src=1x2x6x6 weights=3x2x3x3 pads_begin=0",
    "src=1x2x6x6 weights=3x2x3x3 strides=()",      "src=1x2x6x6 weights=3x2x3x3 dst_dtype=f16",
};

// Small problems in which the axes' sizes differ, so that a swap shows; between them they have
// every attribute, every layout and every dtype.
std::vector<Probe> probes() {
  const std::string ncx = " data_format=NCX weights_format=OIX";
  const std::string nxc = " data_format=NXC weights_format=XIO";
  std::vector<Probe> all;
  for (const std::string& line : {
           "src=2x5x9x7 weights=10x5x3x2 bias=10 pads_begin=1,0 pads_end=0,1" + ncx,
           "src=1x8x7x6 weights=8x4x3x3 bias=8 pads_begin=1,1 pads_end=1,1 groups=2" + ncx,
           "src=2x9x7x6 weights=3x2x3x12 bias=12 groups=2 strides=2,1 pads_begin=2,1" + nxc,
           "src=1x4x8x9 weights=8x2x1x1 bias=8 groups=2 strides=1,2 pads_begin=1,1" + ncx,
           "src=2x6x5x7 weights=12x1x3x3 bias=12 groups=6 auto_pad=same_upper" + ncx,
           "src=1x3x8x9 weights=4x3x2x4 auto_pad=same_lower strides=2,3" + ncx,
           "src=1x3x9x8 weights=4x3x3x3 auto_pad=same_upper strides=2,2 dilations=1,2" + ncx,
           "src=1x3x9x8 weights=4x3x1x1 auto_pad=same_upper strides=3,3" + ncx,
           "src=1x2x9x9 weights=3x2x2x3 auto_pad=valid pads_begin=2,1 dilations=2,1" + ncx,
           "src=1x2x9x9 weights=3x2x3x3 auto_pad=same_upper pads_begin=1,2 pads_end=1,1" + ncx,
           "src=1x2x13x12 weights=3x2x3x3 dilations=2,3" + ncx,
           "src=1x2x14x7 weights=3x2x3x2 dilations=4,2 strides=2,3 bias=3" + ncx,
           "src=1x2x5x11 weights=3x2x1x7 pads_begin=3,5 pads_end=2,6" + ncx,
           "src=1x2x9x6x7 weights=3x2x3x2x2 strides=2,1,1 dilations=2,1,1 pads_begin=1,0,0" + ncx,
           "src=1x1x2x2 weights=2x1x3x3 pads_begin=1,1 pads_end=1,1" + ncx,
           "src=1x3x3x3 weights=2x3x2x2 pads_begin=3,3 pads_end=3,3 bias=2" + ncx,
           "src=1x12x12x12 weights=9x12x3x3 bias=9" + ncx,
           "src=1x7x6x3:200x28x4x1 weights=3x2x3x4 bias=4:2 dst=1x5x5x4:160x32x6x1" + nxc,
           "src=1x7x6x1:999x60x9x3 weights=3x2x1x4:40x20x9x2" + nxc,
           "src=3x4x20 weights=6x2x3 groups=2 strides=3 pads_begin=2" + ncx,
           "src=1x3x9x9 weights=3x3x3x3" + ncx,
       }) {
    all.push_back({"Convolution f32 " + line});
  }
  for (const Data data :
       {Data::kReals, Data::kIntegers, Data::kSpecial, Data::kTiny, Data::kHuge}) {
    for (const char* dtype : {"f32 ", "f16 ", "bf16 "}) {
      all.push_back(
          {std::string("Convolution ") + dtype + "src=1x6x7x9 weights=8x6x3x3 bias=8" + ncx, data});
    }
  }
  all.push_back({"Convolution f32 src=0x2x5x5 weights=3x2x3x3" + ncx});
  all.push_back({"Convolution f32 src=2x3x5x6 weights=0x3x2x3" + ncx});
  for (const char* const line : kAtrousProblems) all.push_back({line});
  for (const char* const line : kOtherProblems) all.push_back({line});
  for (const char* const line : kF64Problems) {
    for (const Data data : {Data::kReals, Data::kTiny}) all.push_back({line, data});
  }
  for (const char* const invalid : kInvalidProblems) {
    all.push_back({std::string("Convolution f32 ") + invalid + ncx});
  }
  all.push_back({"Convolution f32 src=1x1x3x3 weights=1x1x2x2" + ncx, Data::kReals, 50});
  return all;
}

// The operations that are no discrete convolutions: a place where each of their bugs shows.
constexpr const char* kFormProblems[] = {
    "SpaceToBatch f32 src=2x7x8x3 block_size=3 paddings=1,1,0,1",
    "SpaceToBatch f16 src=1x5x9x5 block_size=4 paddings=0,3,2,1",
    "BatchToSpace f32 src=18x3x4x2 block_size=3 crops=1,2,0,3",
    "AtrousChain f32 src=1x7x11x2 weights=3x3x3x2x2 rate=3",
    "AtrousChain f32 src=1x7x11x2 weights=2x3x3x2x2 rate=3 reading=documented",
    "CntkConvolution f32 src=11x10x3x2 weights=4x18 kernel=3,2,3 stride=3,2,3 "
    "autoPadding=true,true,false",
    "CntkConvolution f32 src=11x10x2x2 weights=3x4 kernel=1,2,2 stride=4,5,2 "
    "autoPadding=true,true,false",
    "CntkConvolution f32 src=9x8x2x2 weights=3x12 kernel=3,2,2 autoPadding=true,false,false "
    "stride=1,1,2",
    "CntkConvolution f32 src=8x7x2x3 weights=3x24 kernel=4,3,2 stride=1,1,2 "
    "autoPadding=false lowerPad=1,0,0 upperPad=2,1,0",
    "CntkConvolution f32 src=7x7x3x2 weights=4x27 kernel=3,3,3 stride=2,1,3 "
    "autoPadding=false",
    "CntkConvolution f32 src=9x7x2 weights=6x6 kernel=3,2 mapCount=2,3 stride=2,1 "
    "autoPadding=false",
    "CntkConvolution f32 src=6x5x4x2 weights=2x12 kernel=3,2,2 mapCount=1,1,2 "
    "autoPadding=false reading=documented",
    "CntkConvolution f32 src=6x5x2x3 weights=32x12 kernel=3,2,2 mapCount=2 stride=1,1,2 "
    "sharing=false,false,true autoPadding=false maxTempMemSizeInSamples=2",
    "CntkConvolution f32 src=3x4x2x5x4x2 weights=3x32 kernel=2,2,2,2,2 mapCount=3 "
    "stride=1,2,1,2,2 autoPadding=false",
    "CntkConvolution f32 src=3x3x2x3x4x2 weights=6x16 kernel=2,2,1,2,2 mapCount=2 stride=1 "
    "sharing=true,true,true,true,false autoPadding=false",
    "CntkConvolution f32 src=3x2x4x2x3x2x2x2 weights=2x48 kernel=2,1,3,2,2,1,2 "
    "stride=1,1,2,1,2,1,2 autoPadding=false",
    "CntkConvolution2d f32 src=3x10x8x2 weights=4x24 kernelWidth=4 kernelHeight=2 "
    "zeroPadding=true imageLayout=HWC horizontalStride=2 verticalStride=3",
    "ContinuousConvolution f32 src=2x2x8x7 weights=73 scale=2/3,3/2 channels=3 widths=4,5 "
    "slope=1/4",
    "ContinuousConvolution f32 src=1x2x9x7 weights=73 scale=7/9,9/7 channels=3 widths=4,5",
    "ContinuousConvolution f32 src=1x2x8x7 weights=73 scale=1/2,1 channels=3 kernel=4,2 "
    "widths=4,5",
    "ContinuousConvolution f32 src=1x2x7x6 weights=73 scale=2/3,3/2 channels=3 widths=4,5 "
    "size=6,8",
    "ContinuousConvolution f32 src=1x2x8x7 weights=253 scale=2/3,3/4 channels=2 widths=4,5 "
    "function=net_k boundary=reflect",
    "ContinuousConvolution f32 src=1x2x6x5 weights=73 scale=2/3,3/2 channels=3 kernel=4,5 "
    "widths=4,5 boundary=symmetric",
    "ContinuousConvolution f32 src=1x2x9x8 weights=0 scale=2/3,3/4 channels=2 kernel=4,4 "
    "widths=4,5 function=keys boundary=replicate",
    "ContinuousBackwardData f32 src=1x2x6x5 weights=73 diff_dst=1x3x4x8 scale=2/3,3/2 "
    "channels=3 widths=4,5 boundary=replicate",
    "ContinuousBackwardWeights f32 src=2x2x8x7 weights=61 diff_dst=2x2x6x6 scale=2/3,3/4 "
    "channels=2 widths=4,5 slope=5/4",
    // Where one combination of attributes alone shows a bug, or another choice.
    "CntkConvolution f32 src=2x4x2x2x3x1 weights=12x8 kernel=1,2,2,1,2 mapCount=4 stride=1 "
    "sharing=true,false,true,true,true autoPadding=false",
    "CntkConvolution f32 src=2x2x3x2x3 weights=8x4 kernel=1,1,2,2 mapCount=1,1,2,2 stride=1 "
    "sharing=true,true,false,true autoPadding=false maxTempMemSizeInSamples=2",
    "CntkConvolution f32 src=3x2x3x3 weights=12x1 kernel=1,1,1 mapCount=2,3,2 stride=1,1,2 "
    "sharing=true autoPadding=false",
    "CntkConvolution f32 src=3x3x5x2x3x2x1 weights=1x16 kernel=1,2,2,1,2,2 mapCount=1 "
    "stride=2,1,3,1,1,2 autoPadding=false",
    "CntkConvolution f32 src=3x2x4x4 weights=6x4 kernel=2,1,2 mapCount=2 stride=1,1,1 "
    "sharing=true,true,false autoPadding=false maxTempMemSizeInSamples=2",
    "CntkConvolution f32 src=4x3x3 weights=1x12 kernel=3,2 mapCount=2 stride=1,3 "
    "autoPadding=true,false lowerPad=1,0",
    "CntkConvolution f32 src=3x2x2x4x1 weights=2x16 kernel=2,2,2,2 mapCount=2 stride=1,1,1,1 "
    "autoPadding=true reading=documented",
    "CntkConvolution f32 src=4x2 weights=2x5 kernel=5 mapCount=2 stride=4 autoPadding=true",
    "CntkConvolution f32 src=4x2 weights=2x5 kernel=5 mapCount=2 stride=4 autoPadding=true "
    "reading=documented",
    "ContinuousConvolution f32 src=1x1x5x4 weights=0 scale=3/2,1/2 kernel=3,3 widths=4,5 "
    "function=keys",
    "CntkConvolution f32 src=4x3x2 weights=2x12 kernel=4 mapCount=2 stride=1 autoPadding=false",
    "CntkConvolution f32 src=4x3x2 weights=2x12 kernel=4 mapCount=2 stride=1 autoPadding=false "
    "reading=documented",
    "CntkConvolution f32 src=6x3 weights=2x3 kernel=3 mapCount=2 stride=4 autoPadding=false "
    "lowerPad=2",
    "CntkConvolution f32 src=6x3 weights=2x3 kernel=3 mapCount=2 stride=4 autoPadding=false "
    "lowerPad=2 reading=documented",
    "CntkConvolution f32 src=6x3 weights=1x6 kernel=3 mapCount=2 autoPadding=false "
    "reading=documented",
    "CntkConvolution f32 src=6x5x3 weights=2x9 kernel=3,3 mapCount=2 autoPadding=true",
    "CntkConvolution f32 src=6x5x3 weights=2x9 kernel=3,3 mapCount=2 autoPadding=true "
    "reading=documented",
    "CntkConvolution2d f32 src=2x7x8x1 weights=3x4 kernelWidth=2 verticalStride=3 "
    "zeroPadding=true imageLayout=HWC reading=documented",
    "CntkConvolution2d f32 src=2x7x8x1 weights=3x4 kernelWidth=2 verticalStride=3 "
    "zeroPadding=true imageLayout=HWC",
    "CntkConvolution2d f32 src=5x4x2x3 weights=3x8 kernelWidth=2 kernelHeight=2 "
    "maxTempMemSizeInSamples=1",
    "CntkConvolution2d f32 src=6x5x1x1 weights=2x4 kernelWidth=2 kernelHeight=2 "
    "zeroPadding=true reading=first_version",
    "CntkConvolution2d f32 src=6x5x1x1 weights=2x4 kernelWidth=2 kernelHeight=2 "
    "zeroPadding=true",
    "SpaceToBatch f32 src=1x10x5x17 block_size=5",
    "BatchToSpace f32 src=4x3x2x1 block_size=2 crops=3,0,0,0",
    "ContinuousConvolution f32 src=1x1x1x5 weights=43 scale=3,1025/1024 size=3,8 kernel=2,4 "
    "widths=4,5 slope=-1/2 boundary=reflect",
    "ContinuousConvolution f32 src=1x1x4x5 weights=43 scale=1,4 kernel=2,2 widths=4,5 "
    "ties=closed boundary=replicate",
    "ContinuousConvolution f32 src=1x1x4x3 weights=43 scale=1 size=5,3 kernel=1,4 widths=4,5 "
    "ties=open",
    "ContinuousConvolution f32 src=1x2x0x5 weights=49 scale=2/3,1 channels=1 widths=4,5 "
    "slope=1/4",
    "ContinuousConvolution f32 src=1x1x4x5 weights=43 scale=-1,1 widths=4,5",
    "CntkConvolution f32 src=6x5x2 weights=2x6 kernel=3,2 autoPadding=false imageLayout=HWC",
    "ContinuousConvolution f32 src=1x1x10x20 weights=43 scale=0x1.999999999999ap-4,"
    "0x1.999999999999ap-3 widths=4,5",
    "ContinuousConvolution f32 src=1x1x8x7 weights=73 scale=1/2,3/2 kernel=2,3 widths=4,5 "
    "function=net_k_nearest",
    "ContinuousConvolution f32 src=1x1x8x7 weights=91 scale=2/3,3/4 widths=4,5 "
    "function=net_k_grid",
    "ContinuousBackwardGrid f32 src=2x3x7x6 weights=109 diff_dst=2x4x5x3 scale=2/3,1/2 "
    "channels=4 widths=4,5 slope=1/4",
    "ContinuousBackwardKernel f32 src=2x3x7x6 weights=73 diff_dst=2x2x5x3 scale=2/3,1/2 "
    "channels=2 widths=4,5",
    "ContinuousChain f32 src=1x2x8x8 weights=3x61 scales_h=5/6,9/10,2/3 scales_w=3/4,2/3,1 "
    "widths=4,5",
    "ContinuousChain f32 src=1x2x8x9 weights=2x61 scales_h=3/4,2/3 scales_w=2/3,5/6 widths=4,5",
    "ContinuousBackwardData f32 src=1x1x3x3 weights=43 diff_dst=1x1x5x3 scale=1 size=5,3 "
    "widths=4,5",
    "ContinuousBackwardWeights f32 src=1x1x4x5 weights=109 diff_dst=1x1x4x5 scale=1 "
    "kernel=3,2 widths=4,5 function=net_k ties=closed boundary=reflect",
    "CntkBackwardData f32 src=11x9x4x2 weights=5x60 diff_dst=4x5x5x2 kernel=5,3,4 stride=3,2,4 "
    "autoPadding=true,true,false",
    "CntkBackwardData f32 src=8x7x2x3 weights=3x24 diff_dst=8x7x3x3 kernel=4,3,2 stride=1,1,2 "
    "autoPadding=false lowerPad=2,1,0 upperPad=1,1,0",
    "CntkBackwardData f32 src=8x7x2x3 weights=3x24 diff_dst=8x4x3x3 kernel=4,3,2 stride=1,2,2 "
    "autoPadding=false lowerPad=1,0,0 upperPad=2,2,0",
    "CntkBackwardData f32 src=9x7x2 weights=6x6 diff_dst=8x18x2 kernel=3,2 mapCount=2,3 stride=2,1 "
    "autoPadding=false",
    "CntkBackwardData f32 src=7x6x3x2 weights=100x18 diff_dst=5x5x4x2 kernel=3,2,3 mapCount=4 "
    "stride=1,1,3 sharing=false,false,true autoPadding=false",
    "CntkBackwardWeights f32 src=11x9x4x2 weights=5x60 diff_dst=4x5x5x2 kernel=5,3,4 stride=3,2,4 "
    "autoPadding=true,true,false",
    "CntkBackwardWeights f32 src=8x7x2x3 weights=3x24 diff_dst=8x7x3x3 kernel=4,3,2 stride=1,1,2 "
    "autoPadding=false lowerPad=2,1,0 upperPad=1,1,0",
    "CntkBackwardWeights f32 src=8x7x2x3 weights=3x24 diff_dst=8x4x3x3 kernel=4,3,2 stride=1,2,2 "
    "autoPadding=false lowerPad=1,0,0 upperPad=2,2,0",
    "CntkBackwardWeights f32 src=9x8x2x3 weights=5x16 diff_dst=5x3x5x3 kernel=4,2,2 stride=2,3,2 "
    "autoPadding=true,true,false",
    "CntkBackwardWeights f32 src=7x6x3x2 weights=100x18 diff_dst=5x5x4x2 kernel=3,2,3 mapCount=4 "
    "stride=1,1,3 sharing=false,false,true autoPadding=false",
    "CntkBackwardWeights f32 src=9x8x3x5 weights=4x18 diff_dst=4x7x4x5 kernel=3,2,3 stride=2,1,3 "
    "autoPadding=false maxTempMemSizeInSamples=2",
};

std::vector<Probe> form_probes() {
  std::vector<Probe> all;
  for (const char* const line : kFormProblems) all.push_back({line});
  all.push_back({"SpaceToBatch f32 src=2x6x8x3 block_size=2", Data::kSpecial});
  for (const char* const line :
       {"CntkConvolution f32 src=9x7x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 autoPadding=false",
        "ContinuousConvolution f32 src=1x2x8x7 weights=73 scale=2/3,3/2 channels=3 widths=4,5"}) {
    all.push_back({line, Data::kTiny});
  }
  all.push_back(
      {"CntkConvolution f32 src=9x7x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 autoPadding=false",
       Data::kSpecial});
  all.push_back(
      {"ContinuousConvolution f32 src=1x2x8x7 weights=73 scale=2/3,3/2 channels=3 widths=4,5",
       Data::kSpecial});
  return all;
}

std::string run(const Probe& probe, const std::string& plugin, const std::string& config,
                bool bits_only = false) {
  return run_session({plugin, config, probe.problem, probe.data, bits_only, probe.repetitions});
}

TEST(Catalogue, HasOneWholeRowABugAndManyOfThem) {
  const auto rows = read_catalogue();
  EXPECT_GE(rows.size(), 200U);
  std::set<std::string> names, families;
  for (const Row& row : rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " occurs twice";
    families.insert(row.family);
    EXPECT_THAT(row.name, testing::MatchesRegex("[a-z0-9_]+"));
    EXPECT_FALSE(row.sentence.empty() || row.sentence.back() != '.') << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_EQ(row.shows, row.family == "offsets"           ? "beyond 32 bits"
                         : row.name == "race_at_tile_edge" ? "by chance"
                                                           : "always")
        << row.name;
  }
  EXPECT_GE(families.size(), 20U);
  EXPECT_FALSE(names.contains("none"));
}

TEST(Catalogue, NamesNearBugsForAnUnknownOne) {
  const auto loaded = load_plugin(kFaulty);
  void* backend = nullptr;
  char reason[CONCORD_TEXT] = "";
  const concord_plugin& plugin = **loaded;
  EXPECT_EQ(plugin.open("kernal_flip", &backend, reason), CONCORD_INVALID);
  EXPECT_THAT(reason, testing::HasSubstr("kernel_flip"));
  EXPECT_EQ(plugin.open("", &backend, reason), CONCORD_INVALID);
  EXPECT_EQ(backend, nullptr);
}

TEST(Faulty, IsRightWithoutABug) {
  for (Probe probe : probes()) {
    // Integers: any order of summation is exact, so that all bits must agree.
    if (probe.data == Data::kReals) probe.data = Data::kIntegers;
    if (probe.data != Data::kIntegers) continue;
    EXPECT_EQ(run(probe, kFaulty, "none", true),
              run(probe, CONCORD_PLUGIN_DIRECTORY "/reference.so", "", true))
        << probe.problem;
  }
}

TEST(Faulty, IsRightWithANarrowOffsetWhereItHasRoom) {
  for (const Row& row : read_catalogue()) {
    if (row.family != "offsets") continue;
    for (Probe probe : probes()) {
      if (probe.data == Data::kReals) probe.data = Data::kIntegers;
      if (probe.data != Data::kIntegers || probe.problem.find(" f64 ") != std::string::npos) {
        continue;
      }
      EXPECT_EQ(run(probe, kFaulty, row.name, true), run(probe, kFaulty, "none", true))
          << row.name << ": " << probe.problem;
    }
  }
}

TEST(Faulty, IsRightWithoutABugInTheOtherOperations) {
  for (const Probe& probe : form_probes()) {
    if (probe.data != Data::kReals) continue;
    EXPECT_EQ(run(probe, kFaulty, "none", true),
              run(probe, CONCORD_PLUGIN_DIRECTORY "/reference.so", "", true))
        << probe.problem;
  }
}

TEST(Faulty, WithoutABugSurvivesEveryProbe) {
  auto all = probes();
  const auto more = form_probes();
  all.insert(all.end(), more.begin(), more.end());
  for (const Probe& probe : all) {
    const std::string text = run(probe, kFaulty, "none");
    EXPECT_THAT(text, testing::EndsWith("exited with 0")) << probe.problem;
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("wrote"))) << probe.problem;
  }
}

TEST(Faulty, DiesAsItsBugsSay) {
  const Probe probe{
      "Convolution f32 src=1x2x3x3 weights=2x1x2x3 groups=2 data_format=NCX "
      "weights_format=OIX"};
  using testing::EndsWith;
  using testing::HasSubstr;
  EXPECT_THAT(run(probe, kFaulty, "crashes"), EndsWith("died of signal 11"));
  EXPECT_THAT(run(probe, kFaulty, "crashes_in_prepare"), EndsWith("died of signal 6"));
  EXPECT_THAT(run(probe, kFaulty, "hangs"), EndsWith("died of signal 14")) << "the alarm's";
  EXPECT_THAT(run(probe, kFaulty, "reads_past_src"), EndsWith("died of signal 11"));
  EXPECT_THAT(run(probe, kFaulty, "reads_before_src"), EndsWith("died of signal 11"));
  EXPECT_THAT(run(probe, kFaulty, "exits"), testing::Not(HasSubstr("bits")));
  EXPECT_THAT(run(probe, kFaulty, "throws"), HasSubstr("execute 3"));
  EXPECT_THAT(run(probe, kFaulty, "declines_in_execute"), HasSubstr("execute 1"));
  EXPECT_THAT(run(probe, kFaulty, "claims_then_declines"), HasSubstr("prepare 1"));
}

}  // namespace
}  // namespace concord::backends
