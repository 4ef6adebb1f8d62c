// SPDX-License-Identifier: Apache-2.0
// One attribute of an operation: its key in problem lines, its member in a struct of
// spec/attributes.h, its field in a struct of the plugin ABI.
#ifndef CONCORD_SPEC_ATTRIBUTE_H_
#define CONCORD_SPEC_ATTRIBUTE_H_

#include <limits>
#include <optional>

#include "spec/attributes.h"

namespace concord {

/// What is said of an attribute apart from where it lies.
struct AttributeFacts {
  std::string_view key;           ///< of problem lines, such as "autoPadding"
  std::string_view field;         ///< of the C struct, such as "auto_padding"
  std::string_view protocol_key;  ///< of the exec protocol
  /// 0 and 1 are written false and true. Other numbers are kept, for the operation to refuse.
  bool is_flag = false;
  /// A list with one element a spatial axis of src, each of them this one by default. Any other
  /// attribute has the default that its struct gives it.
  std::optional<Extent> each_axis{};
  bool is_always_printed = false;
  /// The least value that the documents allow. Nothing is refused here: that is for the reference
  /// and for each backend.
  Extent least = std::numeric_limits<Extent>::min();
};

/// `Value` is Extents (a list), Extent, Rational, Rationals (a list) or an enumeration, as which
/// the plugin ABI has concord_list, int64_t, concord_rational, concord_rational_list and int32_t.
template <class A, class Value, class C, class Field>
struct Attribute {
  AttributeFacts facts;
  Value A::*member;
  Field C::*field;

  constexpr Attribute(std::string_view key, Value A::*ours, Field C::*theirs, std::string_view name)
      : facts{key, name, key}, member(ours), field(theirs) {}

  constexpr Attribute flag() const {
    return with([](AttributeFacts& f) { f.is_flag = true; });
  }
  constexpr Attribute each_axis(Extent value) const {
    return with([=](AttributeFacts& f) { f.each_axis = value; });
  }
  constexpr Attribute at_least(Extent value) const {
    return with([=](AttributeFacts& f) { f.least = value; });
  }
  constexpr Attribute always_printed() const {
    return with([](AttributeFacts& f) { f.is_always_printed = true; });
  }
  constexpr Attribute protocol_key(std::string_view key) const {
    return with([=](AttributeFacts& f) { f.protocol_key = key; });
  }

 private:
  template <class Change>
  constexpr Attribute with(Change change) const {
    Attribute copy = *this;
    change(copy.facts);
    return copy;
  }
};

/// The two numbers of one key, such as scale=2/3,0.7, which are two fields of the C struct. One
/// number is both; they have no default.
template <class A, class C>
struct RationalPair {
  std::string_view key;
  Rational A::*first, A::*second;
  concord_rational C::*first_field, C::*second_field;
  std::string_view first_name, second_name;
};

/// AtrousConv2d's padding, which its document spells in capitals: any other text is kept, for the
/// operation to refuse. It has no default, since neither value would be a neutral one. In C it is 1
/// for SAME, 0 for VALID and 2 for the rest.
template <class A, class C>
struct PaddingText {
  std::string_view key;
  TfPadding A::*padding;
  std::string A::*other;
  std::int32_t C::*field;
  std::string_view name;
};

}  // namespace concord

#endif  // CONCORD_SPEC_ATTRIBUTE_H_
