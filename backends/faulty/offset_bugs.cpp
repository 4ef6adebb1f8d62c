// SPDX-License-Identifier: Apache-2.0
// Offsets in integers that are too narrow. They show where a tensor spans more than 2 or 4 GiB, or
// as many elements, and nowhere else.
#include <cstdint>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

// The bytes of an offset whose elements are counted in `Integer`.
template <class Integer, Part narrow>
Extent elements_in(Part part, Extent element, Extent element_bytes) {
  return (part == narrow ? static_cast<Integer>(element) : element) * element_bytes;
}

// The same, whose bytes are counted in it.
template <class Integer, Part narrow>
Extent bytes_in(Part part, Extent element, Extent element_bytes) {
  const Extent bytes = element * element_bytes;
  return part == narrow ? static_cast<Integer>(bytes) : bytes;
}

using Int = std::int32_t;
using Unsigned = std::uint32_t;

constexpr Bug row(const char* name, const char* sentence, OffsetHook offset) {
  return {name, "offsets", sentence, "a common slip", {.offset = offset}, Shows::kBeyond32Bits};
}

constexpr Bug kBugs[] = {
    row("src_elements_int32", "Counts the elements of src in int32.", elements_in<Int, Part::kSrc>),
    row("src_elements_uint32", "Counts the elements of src in uint32.",
        elements_in<Unsigned, Part::kSrc>),
    row("src_bytes_int32", "Counts the bytes of src in int32.", bytes_in<Int, Part::kSrc>),
    row("src_bytes_uint32", "Counts the bytes of src in uint32.", bytes_in<Unsigned, Part::kSrc>),
    row("weights_elements_int32", "Counts the elements of weights in int32.",
        elements_in<Int, Part::kWeights>),
    row("weights_elements_uint32", "Counts the elements of weights in uint32.",
        elements_in<Unsigned, Part::kWeights>),
    row("weights_bytes_uint32", "Counts the bytes of weights in uint32.",
        bytes_in<Unsigned, Part::kWeights>),
    row("bias_elements_int32", "Counts the elements from bias to bias in int32.",
        elements_in<Int, Part::kBias>),
    row("dst_elements_int32", "Counts the elements of dst in int32.", elements_in<Int, Part::kDst>),
    row("dst_elements_uint32", "Counts the elements of dst in uint32.",
        elements_in<Unsigned, Part::kDst>),
    row("dst_bytes_uint32", "Counts the bytes of dst in uint32.", bytes_in<Unsigned, Part::kDst>),
};

}  // namespace

std::span<const Bug> offset_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
