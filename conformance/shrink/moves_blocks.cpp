// SPDX-License-Identifier: Apache-2.0
// Moves for space_to_batch and batch_to_space, whose extents a block has to divide, and the chain.
#include "conformance/shrink/move_kinds.h"
#include "spec/operations.h"

namespace concord::conformance {
namespace {

// The padded image is so many blocks high and wide; they stay as many.
bool set_block(Problem& problem, SpaceToBatchAttributes& a, Extent block) {
  if (problem.src.rank() != 4 || a.paddings.size() != 4 || a.block_size < 1) return false;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const Extent padding = a.paddings[2 * axis] + a.paddings[2 * axis + 1];
    Extent& extent = problem.src.dims[1 + axis];
    extent = (extent + padding) / a.block_size * block - padding;
    if (extent < 1) return false;
  }
  a.block_size = block;
  return true;
}

// The images of a block become fewer.
bool set_block(Problem& problem, BatchToSpaceAttributes& a, Extent block) {
  if (problem.src.rank() != 4 || a.block_size < 1) return false;
  problem.src.dims[0] = problem.src.dims[0] / (a.block_size * a.block_size) * block * block;
  a.block_size = block;
  return true;
}

template <class A>
Move lower_block() {
  return [](const Problem& problem) {
    std::vector<Problem> simpler;
    const auto& a = std::get<A>(problem.attributes);
    for (const Extent block : lesser(a.block_size, 1)) {
      Problem copy = problem;
      if (set_block(copy, std::get<A>(copy.attributes), block)) {
        simpler.push_back(refitted(problem, copy));
      }
    }
    return simpler;
  };
}

// One extent of src less by `step`, or no more than `step`.
Move shorten(std::size_t axis, Extent step) {
  return [axis, step](const Problem& problem) {
    std::vector<Problem> simpler;
    if (axis >= problem.src.rank() || step < 1) return simpler;
    const Extent extent = problem.src.dims[axis];
    const Extent rest = extent % step;
    for (const Extent less : {rest == 0 ? step : rest, extent - step}) {
      if (less < 1 || less >= extent) continue;
      Problem copy = problem;
      copy.src.dims[axis] = less;
      simpler.push_back(refitted(problem, copy));
    }
    return simpler;
  };
}

// A row of padding becomes one of the image, so that the sum stays what the block divides.
Move fill_padding(std::size_t edge) {
  return single([edge](Problem& problem) {
    auto& a = std::get<SpaceToBatchAttributes>(problem.attributes);
    Extent* const padding = at(&a.paddings, edge);
    Extent* const extent = at(&problem.src.dims, 1 + edge / 2);
    if (padding == nullptr || extent == nullptr || *padding < 1) return false;
    --*padding;
    ++*extent;
    return true;
  });
}

// The moves of an operation's attributes.
struct AddMoves {
  std::vector<Move>& moves;

  void operator()(const SpaceToBatchAttributes& a) const {
    moves.push_back(lower_block<SpaceToBatchAttributes>());
    for (const std::size_t axis : {1U, 2U}) moves.push_back(shorten(axis, a.block_size));
    for (std::size_t edge = 0; edge < 4; ++edge) {
      moves.push_back(lower_of(&SpaceToBatchAttributes::paddings, edge, 0));
      moves.push_back(fill_padding(edge));
    }
  }
  void operator()(const BatchToSpaceAttributes& a) const {
    moves.push_back(lower_block<BatchToSpaceAttributes>());
    moves.push_back(shorten(0, a.block_size * a.block_size));
    for (std::size_t edge = 0; edge < 4; ++edge) {
      moves.push_back(lower_of(&BatchToSpaceAttributes::crops, edge, 0));
    }
  }
  void operator()(const AtrousChainAttributes& a) const {
    add_attribute_moves(moves, a);
    for (const std::size_t axis : {0U, 1U, 2U}) {
      moves.push_back(lower([axis](Problem& p) { return at(&p.weights.dims, axis); }, 1));
    }
    moves.push_back(single([](Problem& p) {
      if (p.src.rank() != 4 || p.weights.rank() != 5 || p.src.dims[3] < 2) return false;
      --p.src.dims[3];
      p.weights.dims[3] = p.weights.dims[4] = p.src.dims[3];
      return true;
    }));
  }
  template <class Other>
  void operator()(const Other& a) const {
    if constexpr (kRowOf<Other>.facts.family == Family::kBlocks) add_attribute_moves(moves, a);
  }
};

}  // namespace

void add_block_moves(std::vector<Move>& moves, const Problem& problem) {
  add_src_moves(moves, problem);
  std::visit(AddMoves{moves}, problem.attributes);
}

}  // namespace concord::conformance
