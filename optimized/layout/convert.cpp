// SPDX-License-Identifier: Apache-2.0
#include "optimized/layout/convert.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "spec/check.h"

namespace concord::optimized {
namespace {

constexpr std::uint32_t kInfinity32 = 0x7F800000;
constexpr std::uint32_t kSmallestNormal16 = 0x38800000;  // 2^-14 in f32
constexpr std::uint32_t kOverflow16 = 0x477FF000;        // 65520, halfway to 2^16
constexpr std::uint32_t kRebias16 = (127 - 15) << 10;

// Subnormals of f16 are multiples of 2^-24, which is the last place of numbers in [0.5, 1): adding
// 0.5 makes the processor round to them.
std::uint32_t subnormal_f16(std::uint32_t magnitude) {
  const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
  return std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F);
}

// Each element converted by `convert`.
template <class From, class To, class Convert>
void widen_all(const void* elements, Extent stride, void* numbers, Extent count, Convert convert) {
  const auto* from = static_cast<const From*>(elements);
  auto* to = static_cast<To*>(numbers);
  if (stride == 1) {
    for (Extent i = 0; i < count; ++i) to[i] = convert(from[i]);
    return;
  }
  for (Extent i = 0; i < count; ++i) to[i] = convert(from[i * stride]);
}

template <class From, class To, class Convert>
void narrow_all(const void* numbers, void* elements, Extent stride, Extent count, Convert convert) {
  const auto* from = static_cast<const From*>(numbers);
  auto* to = static_cast<To*>(elements);
  for (Extent i = 0; i < count; ++i) to[i * stride] = convert(from[i]);
}

// Of a type in which the engine computes.
constexpr auto kAsItIs = [](auto value) { return value; };

// Of a dtype without conversions of its own here.
void widen_each(Dtype dtype, const void* from, Extent stride, void* to, Extent count) {
  const auto* bytes = static_cast<const std::byte*>(from);
  auto* const floats = static_cast<float*>(to);
  const Extent step = stride * static_cast<Extent>(size_of(dtype));
  for (Extent i = 0; i < count; ++i) floats[i] = static_cast<float>(load(dtype, bytes + i * step));
}
void narrow_each(Dtype dtype, const void* from, void* to, Extent stride, Extent count) {
  const auto* const floats = static_cast<const float*>(from);
  auto* bytes = static_cast<std::byte*>(to);
  const Extent step = stride * static_cast<Extent>(size_of(dtype));
  for (Extent i = 0; i < count; ++i) store(dtype, static_cast<double>(floats[i]), bytes + i * step);
}

}  // namespace

float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude >= 0x7C00) {  // infinity and NaN
    return std::bit_cast<float>(sign | kInfinity32 | (magnitude & 0x3FFU) << 13U);
  }
  if (magnitude < 0x400) {  // zero and subnormals: multiples of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | (magnitude + kRebias16) << 13U);
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16U & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t result = 0;
  if (magnitude > kInfinity32) {
    result = 0x7E00U | (magnitude >> 13U & 0x3FFU);
  } else if (magnitude >= kOverflow16) {
    result = 0x7C00;
  } else if (magnitude < kSmallestNormal16) {
    result = subnormal_f16(magnitude);
  } else {
    result = ((magnitude + 0xFFFU + (magnitude >> 13U & 1U)) >> 13U) - kRebias16;
  }
  return static_cast<std::uint16_t>(sign | result);
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > kInfinity32) {
    return static_cast<std::uint16_t>(bits >> 16U | 0x40U);  // quiet, so that it stays a NaN
  }
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

void widen(Dtype dtype, const void* from, Extent stride, void* to, Extent count) {
  switch (dtype) {
    case Dtype::kF32:
      return widen_all<float, float>(from, stride, to, count, kAsItIs);
    case Dtype::kF16:
      return widen_all<std::uint16_t, float>(from, stride, to, count, from_f16);
    case Dtype::kBF16:
      return widen_all<std::uint16_t, float>(from, stride, to, count, from_bf16);
    case Dtype::kF64:
      return widen_all<double, double>(from, stride, to, count, kAsItIs);
    default:
      return widen_each(dtype, from, stride, to, count);
  }
}

void narrow(Dtype dtype, const void* from, void* to, Extent stride, Extent count) {
  switch (dtype) {
    case Dtype::kF32:
      return narrow_all<float, float>(from, to, stride, count, kAsItIs);
    case Dtype::kF16:
      return narrow_all<float, std::uint16_t>(from, to, stride, count, to_f16);
    case Dtype::kBF16:
      return narrow_all<float, std::uint16_t>(from, to, stride, count, to_bf16);
    case Dtype::kF64:
      return narrow_all<double, double>(from, to, stride, count, kAsItIs);
    default:
      return narrow_each(dtype, from, to, stride, count);
  }
}

}  // namespace concord::optimized
