// SPDX-License-Identifier: Apache-2.0
#include "spec/result.h"

namespace concord {

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kSyntax:
      return "syntax";
    case Fault::kRank:
      return "rank";
    case Fault::kSize:
      return "size";
    case Fault::kLayout:
      return "layout";
    case Fault::kStrides:
      return "strides";
    case Fault::kDilations:
      return "dilations";
    case Fault::kPads:
      return "pads";
    case Fault::kPadding:
      return "padding";
    case Fault::kGroups:
      return "groups";
    case Fault::kChannels:
      return "channels";
    case Fault::kKernel:
      return "kernel";
    case Fault::kBias:
      return "bias";
    case Fault::kDiffDst:
      return "diff_dst";
    case Fault::kDst:
      return "dst";
  }
  CONCORD_CHECK(false) << "fault " << static_cast<int>(fault);
  return {};
}

}  // namespace concord
