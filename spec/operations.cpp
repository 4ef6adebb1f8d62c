// SPDX-License-Identifier: Apache-2.0
#include "spec/operations.h"

#include "spec/problem.h"

namespace concord {
namespace {

constexpr auto kFacts =
    std::apply([](const auto&... row) { return std::array{row.facts...}; }, kOperationTable);

template <std::size_t... i>
constexpr auto default_makers(std::index_sequence<i...>) {
  return std::array{+[] { return Attributes(std::in_place_index<i>); }...};
}

bool takes(Operation operation, Input input) {
  const Operands operands = facts_of(operation).operands;
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Operand& operand) { return operand.input == input; });
}

// The plugin ABI counts operations and dtypes from 1: spec/dtype.cpp compares those of dtypes. Its
// other enumerators have the numbers of ours.
constexpr bool counts_from_1() {
  int next = 1;
  for (const OperationFacts& facts : kFacts) {
    if (facts.code != next++) return false;
  }
  return true;
}
static_assert(counts_from_1());
static_assert(static_cast<int>(AutoPad::kNone) == CONCORD_PAD_NONE &&
              static_cast<int>(AutoPad::kSameUpper) == CONCORD_PAD_SAME_UPPER &&
              static_cast<int>(AutoPad::kSameLower) == CONCORD_PAD_SAME_LOWER &&
              static_cast<int>(AutoPad::kValid) == CONCORD_PAD_VALID &&
              static_cast<int>(DataFormat::kNXC) == CONCORD_NXC &&
              static_cast<int>(DataFormat::kNCX) == CONCORD_NCX &&
              static_cast<int>(WeightsFormat::kXIO) == CONCORD_XIO &&
              static_cast<int>(WeightsFormat::kOIX) == CONCORD_OIX &&
              static_cast<int>(Reading::kImplemented) == CONCORD_READING_IMPLEMENTED &&
              static_cast<int>(Reading::kDocumented) == CONCORD_READING_DOCUMENTED &&
              static_cast<int>(Reading::kFirstVersion) == CONCORD_READING_FIRST_VERSION &&
              static_cast<int>(CntkLayout::kCudnn) == CONCORD_LAYOUT_CUDNN &&
              static_cast<int>(CntkLayout::kHwc) == CONCORD_LAYOUT_HWC &&
              static_cast<int>(KernelFunction::kNet) == CONCORD_KERNEL_NET &&
              static_cast<int>(KernelFunction::kNetK) == CONCORD_KERNEL_NET_K &&
              static_cast<int>(KernelFunction::kKeys) == CONCORD_KERNEL_KEYS &&
              static_cast<int>(KernelFunction::kNetKNearest) == CONCORD_KERNEL_NET_K_NEAREST &&
              static_cast<int>(KernelFunction::kNetKGrid) == CONCORD_KERNEL_NET_K_GRID &&
              static_cast<int>(Ties::kHalfOpen) == CONCORD_TIES_HALF_OPEN &&
              static_cast<int>(Ties::kOpen) == CONCORD_TIES_OPEN &&
              static_cast<int>(Ties::kClosed) == CONCORD_TIES_CLOSED &&
              static_cast<int>(Boundary::kZero) == CONCORD_BOUNDARY_ZERO &&
              static_cast<int>(Boundary::kReplicate) == CONCORD_BOUNDARY_REPLICATE &&
              static_cast<int>(Boundary::kReflect) == CONCORD_BOUNDARY_REFLECT &&
              static_cast<int>(Boundary::kSymmetric) == CONCORD_BOUNDARY_SYMMETRIC);

}  // namespace

const OperationFacts& facts_of(Operation operation) {
  return kFacts.at(static_cast<std::size_t>(operation));
}

std::string_view to_string(Operation operation) { return facts_of(operation).name; }

Attributes default_attributes(Operation operation) {
  constexpr auto kMakers =
      default_makers(std::make_index_sequence<std::variant_size_v<Attributes>>());
  return kMakers.at(static_cast<std::size_t>(operation))();
}

bool is_discrete(Operation operation) { return facts_of(operation).family == Family::kDiscrete; }
bool is_column_major(Operation operation) { return facts_of(operation).family == Family::kCntk; }
bool is_dst_column_major(Operation operation) {
  return is_column_major(operation) && operation != Operation::kCntkBackwardWeights;
}
bool is_column_major(Operation operation, Input input) {
  return is_column_major(operation) && (input == Input::kSrc || input == Input::kDiffDst);
}
bool is_continuous(Operation operation) {
  return facts_of(operation).family == Family::kContinuous;
}
bool has_weights(Operation operation) { return takes(operation, Input::kWeights); }
bool has_bias(Operation operation) { return takes(operation, Input::kBias); }
bool has_diff_dst(Operation operation) { return takes(operation, Input::kDiffDst); }

}  // namespace concord
