// SPDX-License-Identifier: Apache-2.0
// Moves for the continuous layer and its gradients.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "conformance/shrink/move_kinds.h"

namespace concord::conformance {
namespace {

ContinuousAttributes* attributes_of(Problem& problem) {
  return std::visit(
      [](auto& a) -> ContinuousAttributes* {
        if constexpr (std::is_base_of_v<ContinuousAttributes, std::decay_t<decltype(a)>>) return &a;
        return nullptr;
      },
      problem.attributes);
}

template <class Change>
Move change_layer(Change change) {
  return single([change](Problem& problem) {
    ContinuousAttributes* const a = attributes_of(problem);
    return a != nullptr && change(*a);
  });
}

template <class Find>
Move lower_in_layer(Find find, Extent least) {
  return lower(
      [find](Problem& problem) -> Extent* {
        ContinuousAttributes* const a = attributes_of(problem);
        return a == nullptr ? nullptr : find(*a);
      },
      least);
}

template <class Enum>
Move set_choice(Enum ContinuousAttributes::*choice, Enum plain) {
  return change_layer([choice, plain](ContinuousAttributes& a) {
    a.*choice = plain;
    return true;
  });
}

// How many digits' worth a reader has to think of.
Extent size_of_parts(const Rational& r) {
  Extent size = 0;
  const bool is_large = __builtin_add_overflow(r.numerator(), r.denominator(), &size);
  return is_large ? INT64_MAX : size;
}

// Simpler positive fractions: 1, its neighbours, and what the continued fraction of `scale` comes
// to when it is broken off; the smallest parts first.
std::vector<Rational> simpler_scales(const Rational& scale) {
  if (scale <= Rational(0)) return {};
  std::vector<Rational> candidates{Rational(1), Rational(1, 2), Rational(2), Rational(2, 3),
                                   Rational(3, 2)};
  Extent p = scale.numerator(), q = scale.denominator();
  Extent p1 = 1, q1 = 0, p2 = 0, q2 = 1;  // the last two convergents
  while (q != 0) {
    const Extent digit = p / q, rest = p % q;
    const Extent p0 = digit * p1 + p2, q0 = digit * q1 + q2;
    if (p0 > 0) candidates.emplace_back(p0, q0);
    p2 = p1, q2 = q1, p1 = p0, q1 = q0;
    p = q, q = rest;
  }
  std::erase_if(candidates,
                [&](const Rational& r) { return size_of_parts(r) >= size_of_parts(scale); });
  std::stable_sort(candidates.begin(), candidates.end(), [](const Rational& a, const Rational& b) {
    return size_of_parts(a) < size_of_parts(b);
  });
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

Move simplify_scale(Rational ContinuousAttributes::*scale) {
  return [scale](const Problem& problem) {
    std::vector<Problem> simpler;
    Problem copy = problem;
    Rational& value = attributes_of(copy)->*scale;
    const Rational before = value;
    for (const Rational& candidate : simpler_scales(before)) {
      value = candidate;
      simpler.push_back(refitted(problem, copy));
    }
    return simpler;
  };
}

// The net in place of its efficient variants, either in place of the cubic.
Move plain_function() {
  return change_layer([](ContinuousAttributes& a) {
    a.function = KernelFunction::kNet;
    return true;
  });
}

// A chain with a layer less, a scale of 1, a smaller support or net, no pixels outside the image.
void add_chain_moves(std::vector<Move>& moves, const ContinuousChainAttributes& a) {
  const auto change = [&](auto changed) {
    moves.push_back(single([changed](Problem& p) {
      return changed(std::get<ContinuousChainAttributes>(p.attributes));
    }));
  };
  for (std::size_t j = 0; j < a.scales_h.size(); ++j) {
    change([j](ContinuousChainAttributes& chain) {
      if (chain.scales_h.size() < 2 || j >= chain.scales_h.size() || j >= chain.scales_w.size()) {
        return false;
      }
      chain.scales_h.erase(chain.scales_h.begin() + static_cast<std::ptrdiff_t>(j));
      chain.scales_w.erase(chain.scales_w.begin() + static_cast<std::ptrdiff_t>(j));
      return true;
    });
    for (Rationals ContinuousChainAttributes::*scales :
         {&ContinuousChainAttributes::scales_h, &ContinuousChainAttributes::scales_w}) {
      change([j, scales](ContinuousChainAttributes& chain) {
        Rationals& list = chain.*scales;
        return j < list.size() && std::exchange(list[j], Rational(1)) != Rational(1);
      });
    }
  }
  // The size times their product has to be an integer, which one without the others may break.
  for (Rationals ContinuousChainAttributes::*scales :
       {&ContinuousChainAttributes::scales_h, &ContinuousChainAttributes::scales_w}) {
    change([scales](ContinuousChainAttributes& chain) {
      const Rationals ones((chain.*scales).size(), Rational(1));
      return std::exchange(chain.*scales, ones) != ones;
    });
  }
  for (std::size_t i = 0; i < 2; ++i) {
    moves.push_back(lower_of<ContinuousChainAttributes>(&ContinuousChainAttributes::kernel, i, 1));
    moves.push_back(lower_of<ContinuousChainAttributes>(&ContinuousChainAttributes::widths, i, 1));
  }
  change([](ContinuousChainAttributes& chain) {
    return std::exchange(chain.boundary, Boundary::kZero) != Boundary::kZero;
  });
}

}  // namespace

void add_continuous_moves(std::vector<Move>& moves, const Problem& problem) {
  if (const auto* chain = std::get_if<ContinuousChainAttributes>(&problem.attributes)) {
    add_src_moves(moves, problem);
    return add_chain_moves(moves, *chain);
  }
  Problem copy = problem;
  if (attributes_of(copy) == nullptr) return add_row_moves(moves, problem);
  using A = ContinuousAttributes;
  add_src_moves(moves, problem);
  moves.push_back(lower_in_layer([](A& a) { return &a.channels; }, 1));
  for (std::size_t i = 0; i < 2; ++i) {
    moves.push_back(lower_in_layer([i](A& a) { return at(&a.kernel, i); }, 1));
    moves.push_back(lower_in_layer([i](A& a) { return at(&a.widths, i); }, 1));
  }
  moves.push_back(change_layer([](A& a) {
    a.size.clear();
    return true;
  }));
  moves.push_back(simplify_scale(&A::scale_h));
  moves.push_back(simplify_scale(&A::scale_w));
  for (std::size_t i = 0; i < 2; ++i) {
    moves.push_back(lower_in_layer([i](A& a) { return at(&a.size, i); }, 1));
  }
  moves.push_back(set_choice<Boundary>(&A::boundary, Boundary::kZero));
  moves.push_back(set_choice<Ties>(&A::ties, Ties::kHalfOpen));
  moves.push_back(change_layer([](A& a) {
    a.slope = A{}.slope;
    return true;
  }));
  moves.push_back(plain_function());
}

}  // namespace concord::conformance
