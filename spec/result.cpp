// SPDX-License-Identifier: Apache-2.0
#include "spec/result.h"

namespace concord {

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kSyntax:
      return "syntax";
    case Fault::kDtype:
      return "dtype";
    case Fault::kRank:
      return "rank";
    case Fault::kSize:
      return "size";
    case Fault::kLayout:
      return "layout";
    case Fault::kStrides:
      return "strides";
    case Fault::kScale:
      return "scale";
    case Fault::kDilations:
      return "dilations";
    case Fault::kBlockSize:
      return "block_size";
    case Fault::kPads:
      return "pads";
    case Fault::kPadding:
      return "padding";
    case Fault::kGroups:
      return "groups";
    case Fault::kMapCount:
      return "map_count";
    case Fault::kSharing:
      return "sharing";
    case Fault::kImageLayout:
      return "image_layout";
    case Fault::kChannels:
      return "channels";
    case Fault::kKernel:
      return "kernel";
    case Fault::kWidths:
      return "widths";
    case Fault::kTheta:
      return "theta";
    case Fault::kBias:
      return "bias";
    case Fault::kDiffDst:
      return "diff_dst";
    case Fault::kDst:
      return "dst";
    case Fault::kLimit:
      return "limit";
  }
  CONCORD_CHECK(false) << "fault " << static_cast<int>(fault);
  return {};
}

}  // namespace concord
