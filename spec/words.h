// SPDX-License-Identifier: Apache-2.0
// The words of enumerations. A word's place in the table is its enumerator's number, which is also
// the number that the plugin ABI has for it.
#ifndef CONCORD_SPEC_WORDS_H_
#define CONCORD_SPEC_WORDS_H_

#include <array>
#include <cstddef>
#include <string_view>

#include "spec/check.h"

namespace concord {

/// Specialised, beside each enumeration, by the array of its words.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kWords{};

/// The enumerator's word, such as "same_upper".
template <class Enum>
requires(kWords<Enum>.size() > 0) std::string_view to_string(Enum value) {
  const auto place = static_cast<std::size_t>(value);
  CONCORD_CHECK(place < kWords<Enum>.size()) << "enumerator " << place;
  return kWords<Enum>[place];
}

/// All enumerators, in the order of their words.
template <class Enum>
inline constexpr auto kAll = [] {
  std::array<Enum, kWords<Enum>.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}();

}  // namespace concord

#endif  // CONCORD_SPEC_WORDS_H_
