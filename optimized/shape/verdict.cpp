// SPDX-License-Identifier: Apache-2.0
#include "optimized/shape/verdict.h"

#include <limits>

namespace concord::optimized {
namespace {

bool is_needed_for_sizes(Fault fault) {
  return fault == Fault::kSize || fault == Fault::kStrides || fault == Fault::kDilations ||
         fault == Fault::kPads || fault == Fault::kPadding || fault == Fault::kKernel;
}

}  // namespace

void Verdict::add(Fault fault, std::string detail) {
  forbids_sizes_ = forbids_sizes_ || is_needed_for_sizes(fault);
  if (!first_ || fault < first_->fault) first_ = Refusal{fault, std::move(detail)};
}

std::string text_of(const Extents& values) {
  std::string text;
  for (const Extent value : values) {
    text += text.empty() ? "" : ",";
    text += std::to_string(value);
  }
  return "(" + text + ")";
}

bool fits_memory(std::optional<Extent> elements, Dtype dtype) {
  return elements &&
         *elements <= std::numeric_limits<Extent>::max() / static_cast<Extent>(size_of(dtype));
}

void check_tensor(const char* name, const Tensor& tensor, Dtype dtype, Verdict* verdict) {
  const std::string what = std::string(name) + " " + to_string(tensor);
  if (!fits_memory(element_count(tensor.dims), dtype)) {
    verdict->add(Fault::kSize, what + " has a negative extent or too many elements for 64 bits");
  } else if (tensor.strides.empty()) {
    return;
  } else if (tensor.strides.size() != tensor.rank()) {
    verdict->add(Fault::kLayout, what + " does not have one stride for each dimension");
  } else if (!fits_memory(element_span(tensor), dtype)) {
    verdict->add(Fault::kLayout, what + " has a negative stride or reaches beyond 64 bits");
  } else if (!is_injective(tensor)) {
    verdict->add(Fault::kLayout, what + " has two indices that share an element");
  }
}

std::optional<Refusal> with_tensors(const std::optional<Refusal>& refusal, Dtype dtype,
                                    std::initializer_list<NamedTensor> tensors) {
  if (refusal && refusal->fault == Fault::kRank) return refusal;
  Verdict verdict;
  if (refusal) verdict.add(refusal->fault, refusal->detail);
  for (const auto& [name, tensor] : tensors) {
    if (tensor != nullptr) check_tensor(name, *tensor, dtype, &verdict);
  }
  return verdict.first();
}

}  // namespace concord::optimized
