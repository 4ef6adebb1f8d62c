// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/blocks.h"

#include <cstdlib>

#include "backends/faulty/asked.h"
#include "spec/check.h"
#include "spec/grid.h"
#include "spec/operations.h"

namespace concord::backends::faulty {
namespace {

BlockNest::Images images_of(const Extents& dims) { return {dims[0], dims[1], dims[2], dims[3]}; }

bool exists(const BlockNest::Images& images, const Move::Place& at) {
  return inside(at.n, images.N) && inside(at.h, images.H) && inside(at.w, images.W) &&
         inside(at.c, images.C);
}

Extent batch_of(const BlockHooks& hooks, const BlockNest& nest, const Phase& phase) {
  if (hooks.batch_of != nullptr) return hooks.batch_of(nest, phase);
  return (phase.row * nest.block + phase.column) * nest.space.N + phase.image;
}

// Calls `visit` with each place of the padded image and the place of the same element in its phase.
template <class Visit>
void for_each_element(const BlockHooks& hooks, const BlockNest& nest, Visit visit) {
  const Extent N = nest.space.N, block = nest.block;
  for (const auto [row, column, image, h, w, c] :
       Grid<6>{{block, block, N, nest.batch.H, nest.batch.W, nest.space.C}}) {
    const Move::Place whole{image, h * block + row - nest.top, w * block + column - nest.left, c};
    visit(whole, Move::Place{batch_of(hooks, nest, {row, column, image}), h, w, c});
  }
}

std::size_t offset(const BlockNest::Images& images, const Move::Place& at) {
  return Grid<4>{{images.N, images.H, images.W, images.C}}.offset({at.n, at.h, at.w, at.c});
}

struct NestOf {
  BlockNest::Images src, dst;

  BlockNest operator()(const SpaceToBatchAttributes& a) const {
    const Extents& p = a.paddings;
    return {true, src, dst, a.block_size, p[0], p[1], p[2], p[3]};
  }
  BlockNest operator()(const BatchToSpaceAttributes& a) const {
    const Extents& c = a.crops;
    return {false, dst, src, a.block_size, c[0], c[1], c[2], c[3]};
  }
  template <class Other>
  BlockNest operator()(const Other&) const {
    CONCORD_CHECK(false) << kRowOf<Other>.facts.name << " moves no blocks";
    std::abort();
  }
};

}  // namespace

BlockNest nest_of(const Problem& problem, const Extents& dst) {
  return std::visit(NestOf{images_of(problem.src.dims), images_of(dst)}, problem.attributes);
}

void rearrange(const BlockHooks& hooks, const BlockNest& right, const std::vector<double>& src,
               std::vector<double>& dst) {
  BlockNest nest = right;
  if (hooks.nest != nullptr) hooks.nest(nest);
  for_each_element(hooks, nest, [&](const Move::Place& whole, const Move::Place& phase) {
    Move move{nest.to_batch ? phase : whole, nest.to_batch ? whole : phase, true};
    if (!exists(nest.dst(), move.to)) return;
    move.inside = exists(nest.src(), move.from);
    if (hooks.move != nullptr) hooks.move(nest, move);
    if (!move.written) return;
    const bool copied = move.inside && exists(nest.src(), move.from);
    dst[offset(nest.dst(), move.to)] = copied ? src[offset(nest.src(), move.from)] : 0;
  });
}

}  // namespace concord::backends::faulty
