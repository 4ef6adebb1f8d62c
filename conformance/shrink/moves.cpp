// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/moves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "conformance/shrink/move_kinds.h"
#include "conformance/shrink/roles.h"
#include "reference/reference.h"
#include "spec/operations.h"

namespace concord::conformance {
namespace {

/// A move that lowers one of the extents.
template <class Find>
Move lower_extent(Find find, Extent least) {
  return [find, least](const Problem& problem) {
    std::vector<Problem> simpler;
    auto shape = fitting_shape(problem);
    if (!shape) return simpler;
    Extent* const place = find(*shape);
    if (place == nullptr) return simpler;
    for (const Extent value : lesser(*place, least)) {
      *place = value;
      simpler.push_back(refitted(problem, reshaped(problem, *shape)));
    }
    return simpler;
  };
}

Move drop_axis(std::size_t axis) {
  return [axis](const Problem& problem) -> std::vector<Problem> {
    auto simpler = without_axis(problem, axis);
    if (!simpler) return {};
    return {refitted(problem, *std::move(simpler))};
  };
}

// Every tensor of a problem; null where it has none.
using Pick = Tensor* (*)(Problem&);
constexpr Pick kTensors[] = {[](Problem& p) { return &p.src; },
                             [](Problem& p) { return &p.weights; },
                             [](Problem& p) { return p.bias ? &*p.bias : nullptr; },
                             [](Problem& p) { return p.diff_dst ? &*p.diff_dst : nullptr; },
                             [](Problem& p) { return p.dst ? &*p.dst : nullptr; }};

void add_tensor_moves(std::vector<Move>& moves) {
  moves.push_back(
      single([](Problem& p) { return std::exchange(p.bias, std::nullopt).has_value(); }));
  moves.push_back(
      single([](Problem& p) { return std::exchange(p.dst, std::nullopt).has_value(); }));
  moves.push_back(single([](Problem& p) {
    for (const Pick pick : kTensors) {
      if (Tensor* const tensor = pick(p)) make_dense(p, *tensor);
    }
    return true;
  }));
  for (const Pick pick : kTensors) {
    moves.push_back(single([pick](Problem& p) {
      Tensor* const tensor = pick(p);
      if (tensor != nullptr) make_dense(p, *tensor);
      return tensor != nullptr;
    }));
  }
  moves.push_back([](const Problem& problem) { return with_smaller_gaps(problem); });
}

void add_extent_moves(std::vector<Move>& moves) {
  for (std::size_t axis = 0; axis < reference::kSpatialRank; ++axis) {
    moves.push_back(drop_axis(axis));
  }
  moves.push_back(lower_extent([](Shape& r) { return &r.N; }, 1));
  moves.push_back(lower_extent([](Shape& r) { return &r.G; }, 1));
  moves.push_back(lower_extent([](Shape& r) { return &r.OCG; }, 1));
  moves.push_back(lower_extent([](Shape& r) { return &r.ICG; }, 1));
  for (std::size_t axis = 0; axis < reference::kSpatialRank; ++axis) {
    moves.push_back(lower_extent([axis](Shape& r) { return at(&r.K, axis); }, 1));
  }
  for (std::size_t axis = 0; axis < reference::kSpatialRank; ++axis) {
    moves.push_back(lower_extent([axis](Shape& r) { return at(&r.I, axis); }, 1));
  }
}

// auto_pad as the pads that it comes to, and without any.
Move plain_pads() {
  return [](const Problem& problem) {
    std::vector<Problem> simpler;
    Problem copy = problem;
    SpatialAttributes* const a = spatial_attributes(copy);
    if (a == nullptr || a->auto_pad == AutoPad::kNone) return simpler;
    a->auto_pad = AutoPad::kNone;
    a->pads_begin.assign(a->strides.size(), 0);
    a->pads_end = a->pads_begin;
    simpler.push_back(refitted(problem, copy));
    const auto geometry = reference::resolve(problem);
    if (!geometry) return simpler;
    const reference::Geometry& g = geometry->discrete();
    const auto rank = static_cast<std::ptrdiff_t>(g.spatial_rank);
    a->pads_begin.assign(g.P_begin.end() - rank, g.P_begin.end());
    a->pads_end.assign(g.P_end.end() - rank, g.P_end.end());
    simpler.push_back(refitted(problem, copy));
    return simpler;
  };
}

// Simplified otherwise: with the tensors, or by plain_pads().
bool has_own_moves(const AttributeFacts& facts) {
  constexpr std::string_view kKeys[] = {"groups", "auto_pad", "data_format", "weights_format",
                                        "filter_format"};
  return std::find(std::begin(kKeys), std::end(kKeys), facts.key) != std::end(kKeys);
}

// What is at least 1, strides and dilations, comes before pads, of which a kernel that reaches less
// far needs fewer.
template <class A>
void add_discrete_attributes(std::vector<Move>& moves, const A& a) {
  for (const bool before_pads : {true, false}) {
    add_attribute_moves(moves, a, [&](const AttributeFacts& facts) {
      return !has_own_moves(facts) && (facts.least >= 1) == before_pads;
    });
  }
}

Move valid_padding() {
  return single_of<AtrousConv2dAttributes>([](AtrousConv2dAttributes& a) {
    if (a.padding == TfPadding::kOther) return false;  // that is what is tried
    a.padding = TfPadding::kValid;
    return true;
  });
}

void add_choice_moves(std::vector<Move>& moves) {
  moves.push_back(single([](Problem& p) {
    p.reading = Reading::kImplemented;
    return true;
  }));
  moves.push_back([](const Problem& problem) { return in_plain_formats(problem); });
  moves.push_back(single([](Problem& p) {
    p.dtype = Dtype::kF32;
    return true;
  }));
}

}  // namespace

std::vector<Extent> lesser(Extent value, Extent least) {
  std::vector<Extent> values;
  const Extent half = least + (value - least) / 2;
  for (const Extent candidate : {least, least + 1, least + 2, value % 4, value % 8, value % 16,
                                 half, half + 1, value - 3, value - 2, value - 1}) {
    if (candidate >= least && candidate < value &&
        std::find(values.begin(), values.end(), candidate) == values.end()) {
      values.push_back(candidate);
    }
  }
  return values;
}

Extent* at(Extents* list, std::size_t i) {
  return list != nullptr && i < list->size() ? &(*list)[i] : nullptr;
}

void add_src_moves(std::vector<Move>& moves, const Problem& problem) {
  for (std::size_t axis = problem.src.rank(); axis-- > 0;) {
    moves.push_back(lower([axis](Problem& p) { return at(&p.src.dims, axis); }, 1));
  }
}

void add_row_moves(std::vector<Move>& moves, const Problem& problem) {
  add_src_moves(moves, problem);
  std::visit([&](const auto& a) { add_attribute_moves(moves, a); }, problem.attributes);
}

void add_discrete_moves(std::vector<Move>& moves, const Problem& problem) {
  if (fitting_shape(problem)) add_extent_moves(moves);
  moves.push_back(plain_pads());
  std::visit([&](const auto& a) { add_discrete_attributes(moves, a); }, problem.attributes);
  moves.push_back(valid_padding());
}

std::vector<Move> moves_for(const Problem& problem) {
  std::vector<Move> moves;
  add_tensor_moves(moves);
  switch (facts_of(problem.operation()).family) {
    case Family::kDiscrete:
      add_discrete_moves(moves, problem);
      break;
    case Family::kBlocks:
      add_block_moves(moves, problem);
      break;
    case Family::kCntk:
      add_cntk_moves(moves, problem);
      break;
    case Family::kContinuous:
      add_continuous_moves(moves, problem);
      break;
  }
  add_choice_moves(moves);
  return moves;
}

}  // namespace concord::conformance
