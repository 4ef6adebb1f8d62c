// SPDX-License-Identifier: Apache-2.0
// The structs of the plugin ABI, and data, as C declarations.
#ifndef CONCORD_CONFORMANCE_SHRINK_C_TEXT_H_
#define CONCORD_CONFORMANCE_SHRINK_C_TEXT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "plugin/concord_plugin.h"

namespace concord::conformance {

/// A string literal.
std::string c_string(std::string_view text);

/// `static const uint32_t NAME[] = {...};`, or uint16_t; one zero for no elements.
std::string c_words(std::string_view name, std::span<const std::byte> bytes,
                    std::size_t element_bytes);

/// `static const double NAME[] = {...};`, every bit kept; one zero for no elements.
std::string c_doubles(std::string_view name, std::span<const double> values);

std::string c_tensors(std::string_view name, std::span<const concord_tensor> tensors);

/// The struct that the problem's operation names, as `attributes`.
std::string c_attributes(const concord_problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_C_TEXT_H_
