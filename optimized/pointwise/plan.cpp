// SPDX-License-Identifier: Apache-2.0
#include "optimized/pointwise/plan.h"

#include <algorithm>
#include <ostream>

#include "optimized/describe.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// If fewer lanes than this hold pixels, transposing the tensors is cheaper; of few products a
// pixel, transposing costs more.
constexpr double kLeastFilled = 0.85, kLeastFilledOfFew = 0.75;
// With so few, what dst takes to go to memory counts, and staged outputs go past the caches.
constexpr Extent kFewProducts = 64;

bool is_pointwise_ncx(const Shape& s) {
  if (s.dtype != computed_in(s.dtype) || s.ICG() == 0) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_pointwise(s, axis)) return false;
  }
  const Strides& to = s.dst;
  const Extent pixels = s.O[0] * s.O[1] * s.O[2];
  const bool dst_is_dense = to.spatial[2] == 1 && (s.O[1] == 1 || to.spatial[1] == s.O[2]) &&
                            (s.O[0] == 1 || to.spatial[0] == s.O[1] * s.O[2]) &&
                            (s.OC == 1 || to.channel >= pixels);
  return dst_is_dense && s.src.spatial[2] == 1 && (s.IC == 1 || s.src.channel >= s.I[2]);
}

Extent panel_bytes(const PointwiseNcx& p) {
  return p.vectors * p.lanes() * p.products() * computed_bytes(p.view.dtype);
}

// With larger panels transposing the tensors is faster.
Extent most_panel_bytes(const Context& context, const PointwiseNcx& p) {
  constexpr Extent kManyPanels = 6;
  const Blocks& blocks = context.target->blocks;
  return p.panels >= kManyPanels ? blocks.far_pixels : blocks.near_pixels;
}

// Against transposing the tensors, if so many vectors hold a plane's pixels.
bool pays(const Context& context, const PointwiseNcx& p, Extent vectors) {
  const bool has_few = p.products() <= kFewProducts;
  const double filled = static_cast<double>(p.pixels) / static_cast<double>(vectors * p.lanes());
  if (filled < (has_few ? kLeastFilledOfFew : kLeastFilled)) return false;
  if (has_few && is_non_temporal(context, p.view.N * p.view.OC * p.pixels)) return false;
  return panel_bytes(p) <= most_panel_bytes(context, p);
}

void choose_tasks(const Context& context, PointwiseNcx* p) {
  const int threads = context.threads();
  p->panels_per_task =
      std::clamp<Extent>(context.target->blocks.task_pixels / panel_bytes(*p), 1, p->panels);
  p->channels_per_task = p->view.OCG();
  if (threads == 1) return;
  const Extent wanted = 4 * static_cast<Extent>(threads);
  while (p->tasks() < wanted && p->panels_per_task > 1) {
    p->panels_per_task = (p->panels_per_task + 1) / 2;
  }
  // Each part of the channels brings the same panels again.
  const Extent most = p->most_channels(p->vectors);
  while (p->tasks() < wanted && p->channels_per_task > 2 * most) {
    p->channels_per_task = (p->channels_per_task + 1) / 2;
  }
}

// A tile reads a row of weights for each of its output channels at once. Where they would push one
// another out of the first-level cache, they lie an odd number of lines apart, in all of its sets.
Extent packed_row_of(const Target& target, const PointwiseNcx& p) {
  const Extent element = computed_bytes(p.view.dtype);
  const Extent apart = target.places_apart(multiply(p.products(), element));
  const bool fits = p.most_channels(p.narrow_vectors) * apart <=
                    target.tiles.pixels_of_a_set * target.set_period();
  return fits ? p.products() : odd_lines(p.products(), target.line_bytes / element);
}

}  // namespace

std::optional<PointwiseNcx> PointwiseNcx::make(const Context& context, const Options& options) {
  const Shape& shape = context.shape;
  const TileFamily& family = tiles_for(context.isa, shape.dtype);
  if (family.channels != 1 || !is_pointwise_ncx(shape)) return std::nullopt;
  PointwiseNcx p;
  p.family = &family;
  p.view = shape;
  clear_unused_strides(&p.view);
  join_axes(&p.view);
  // Images of one pixel each are a row of pixels that need not be neighbours.
  const bool are_neighbours = p.view.src.spatial[2] == 1 && p.view.dst.spatial[2] == 1;
  if (p.view.O[2] > 1 && !are_neighbours) return std::nullopt;
  p.pixels = p.view.O[0] * p.view.O[1] * p.view.O[2];
  const Extent all = (p.pixels + p.lanes() - 1) / p.lanes();
  const int wide = family.max_pixels[kMaxVectors] > 0 ? kMaxVectors : 2;
  p.vectors = static_cast<int>(std::min<Extent>(wide, all));
  p.panels = (all + p.vectors - 1) / p.vectors;
  if (!options.asks_for(kName) && !pays(context, p, all)) return std::nullopt;
  p.wider = all % p.panels;
  p.narrow_vectors = all / p.panels;
  p.packed_row = packed_row_of(*context.target, p);
  choose_tasks(context, &p);
  return p;
}

void describe(const Context& context, const PointwiseNcx& p, std::ostream& out) {
  out << "kernels   " << p.family->name << ", " << p.panels << " panels of up to " << p.vectors
      << " vectors of pixels, of " << p.pixels << " pixels a plane\n";
  out << "tasks     " << p.tasks() << ": " << p.panels_per_task << " of " << p.panels
      << " panels by " << p.channels_per_task << " of " << p.view.OCG() << " channels\n";
  out << "packing   [output channel][" << p.products() << " products], rows of " << p.packed_row
      << ", " << p.packed_elements() << " elements of " << to_string(p.view.dtype) << "\n";
  out << "src       copied, a panel at a time\n";
  out << "dst       written in place\n";
  describe_bound(context, operations_of(context.shape), vector_operations(context, p.lanes()), out);
}

}  // namespace concord::optimized
