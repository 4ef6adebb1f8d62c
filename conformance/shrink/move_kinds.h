// SPDX-License-Identifier: Apache-2.0
// What moves are made of, and the moves of each kind of operation.
#ifndef CONCORD_CONFORMANCE_SHRINK_MOVE_KINDS_H_
#define CONCORD_CONFORMANCE_SHRINK_MOVE_KINDS_H_

#include <utility>
#include <vector>

#include "conformance/shrink/following.h"
#include "conformance/shrink/moves.h"
#include "spec/walk_attributes.h"

namespace concord::conformance {

/// Values between `least` and `value`, without it: the least ones, those with the same remainder by
/// 4, 8 and 16, halfway, a few steps. Two or three neighbours of each, because what fails may
/// depend on another remainder.
std::vector<Extent> lesser(Extent value, Extent least);

/// Element `i` of `list`; null if there is none.
Extent* at(Extents* list, std::size_t i);

/// A move that changes a copy; `change` is false where there is nothing to change.
template <class Change>
Move single(Change change) {
  return [change](const Problem& problem) -> std::vector<Problem> {
    Problem copy = problem;
    if (!change(copy) || copy == problem) return {};
    return {refitted(problem, std::move(copy))};
  };
}

/// A move that lowers one number; `find` gives its place in a problem, or null.
template <class Find>
Move lower(Find find, Extent least) {
  return [find, least](const Problem& problem) {
    std::vector<Problem> simpler;
    Problem copy = problem;
    Extent* const place = find(copy);
    if (place == nullptr) return simpler;
    for (const Extent value : lesser(*place, least)) {
      *place = value;
      simpler.push_back(refitted(problem, copy));
    }
    return simpler;
  };
}

/// A move on the attributes of one operation: `change` as for single().
template <class A, class Change>
Move single_of(Change change) {
  return single([change](Problem& problem) {
    auto* const a = std::get_if<A>(&problem.attributes);
    return a != nullptr && change(*a);
  });
}

/// A move that lowers an attribute of one operation.
template <class A>
Move lower_of(Extent A::*number, Extent least) {
  return lower(
      [number](Problem& problem) -> Extent* {
        auto* const a = std::get_if<A>(&problem.attributes);
        return a == nullptr ? nullptr : &(a->*number);
      },
      least);
}

/// A move that lowers one entry of a list.
template <class A>
Move lower_of(Extents A::*list, std::size_t i, Extent least) {
  return lower(
      [list, i](Problem& problem) -> Extent* {
        auto* const a = std::get_if<A>(&problem.attributes);
        return a == nullptr ? nullptr : at(&(a->*list), i);
      },
      least);
}

/// The moves of one attribute by its row: a number is lowered as far as the row allows, and so is
/// each number of a list; a choice, a flag, and a number of which the row knows no least one,
/// become the default.
template <class A, class Base, class Value, class C, class Field>
void add_moves_of(std::vector<Move>& moves, const A& a,
                  const Attribute<Base, Value, C, Field>& attribute) {
  Value A::*const member = attribute.member;
  const Extent least = attribute.facts.least;
  const bool has_least = least != AttributeFacts{}.least;
  if constexpr (std::is_same_v<Value, Extent>) {
    if (has_least) return moves.push_back(lower_of(member, least));
  } else if constexpr (std::is_same_v<Value, Extents>) {
    for (std::size_t i = 0; has_least && i < (a.*member).size(); ++i) {
      moves.push_back(lower_of(member, i, least));
    }
    if (has_least) return;
  }
  moves.push_back(single_of<A>([member](A& simpler) {
    simpler.*member = A{}.*member;
    return true;
  }));
}

/// Adds the moves of all attributes whose facts `has_turn` holds of.
template <class A, class HasTurn>
void add_attribute_moves(std::vector<Move>& moves, const A& a, HasTurn has_turn) {
  for_each_attribute<A>([&](const auto& attribute) {
    if constexpr (requires { attribute.facts; }) {
      if (has_turn(attribute.facts)) add_moves_of(moves, a, attribute);
    }
  });
}
template <class A>
void add_attribute_moves(std::vector<Move>& moves, const A& a) {
  add_attribute_moves(moves, a, [](const AttributeFacts&) { return true; });
}

/// Lowers each extent of src.
void add_src_moves(std::vector<Move>& moves, const Problem& problem);

/// What is known of any operation: the moves of src and of the attributes' rows.
void add_row_moves(std::vector<Move>& moves, const Problem& problem);

void add_discrete_moves(std::vector<Move>& moves, const Problem& problem);
void add_block_moves(std::vector<Move>& moves, const Problem& problem);
void add_cntk_moves(std::vector<Move>& moves, const Problem& problem);
void add_continuous_moves(std::vector<Move>& moves, const Problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_MOVE_KINDS_H_
