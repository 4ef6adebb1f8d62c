// SPDX-License-Identifier: Apache-2.0
// Walks over the attributes of an operation by the table of spec/operations.h.
#ifndef CONCORD_SPEC_WALK_ATTRIBUTES_H_
#define CONCORD_SPEC_WALK_ATTRIBUTES_H_

#include "spec/operations.h"

namespace concord {

/// Calls f(attribute) for each attribute of the operation whose attributes are an `A`.
template <class A, class F>
void for_each_attribute(F f) {
  std::apply([&](const auto&... attribute) { (f(attribute), ...); }, kRowOf<A>.attributes);
}

/// How many spatial axes src has, whatever its format: what the lists of a discrete convolution
/// have one element for.
inline std::size_t spatial_rank(const Tensor& src) { return src.rank() < 2 ? 0 : src.rank() - 2; }

namespace table {

template <class Visitor, class A, class Base, class Value, class C, class Field>
void show(Visitor& visitor, A& a, std::size_t rank,
          const Attribute<Base, Value, C, Field>& attribute) {
  Value usual = Base{}.*attribute.member;
  if constexpr (std::is_same_v<Value, Extents>) {
    if (attribute.facts.each_axis) usual.assign(rank, *attribute.facts.each_axis);
  }
  visitor(attribute.facts, a.*attribute.member, std::as_const(usual));
}
template <class Visitor, class A, class Base, class C>
void show(Visitor& visitor, A& a, std::size_t, const RationalPair<Base, C>& pair) {
  visitor.pair(pair.key, a.*pair.first, a.*pair.second);
}
template <class Visitor, class A, class Base, class C>
void show(Visitor& visitor, A& a, std::size_t, const PaddingText<Base, C>& text) {
  visitor.padding(text.key, a.*text.padding, a.*text.other);
}

}  // namespace table

/// Shows `visitor` the attributes of `a`, const or not, in the order of problem lines:
///   visitor(facts, value, usual)          value: Extents, Extent, Rational, Rationals or an
///   enumeration visitor.pair(key, first, second) visitor.padding(key, padding, other)
template <class Visitor, class A>
void walk_attributes(A& a, std::size_t spatial_rank, Visitor& visitor) {
  for_each_attribute<std::remove_const_t<A>>(
      [&](const auto& attribute) { table::show(visitor, a, spatial_rank, attribute); });
}

/// True if the operation has an attribute of that key.
inline bool has_attribute(Operation operation, std::string_view key) {
  bool has = false;
  const auto look = [&](const auto& attribute) {
    if constexpr (requires { attribute.facts; }) {
      has = has || attribute.facts.key == key;
    } else {
      has = has || attribute.key == key;
    }
  };
  std::visit([&]<class A>(const A&) { for_each_attribute<A>(look); },
             default_attributes(operation));
  return has;
}

/// The attribute of type `Value`, such as WeightsFormat; null where the operation has none.
/// `Variant` is Attributes, const or not.
template <class Value, class Variant>
auto find_attribute(Variant& attributes) {
  std::conditional_t<std::is_const_v<Variant>, const Value, Value>* found = nullptr;
  std::visit(
      [&](auto& a) {
        for_each_attribute<std::decay_t<decltype(a)>>([&](const auto& attribute) {
          if constexpr (requires { attribute.member; }) {
            if constexpr (std::is_same_v<std::decay_t<decltype(a.*attribute.member)>, Value>) {
              found = &(a.*attribute.member);
            }
          }
        });
      },
      attributes);
  return found;
}

}  // namespace concord

#endif  // CONCORD_SPEC_WALK_ATTRIBUTES_H_
