// SPDX-License-Identifier: Apache-2.0
#include "optimized/planes/plan.h"

#include <algorithm>
#include <ostream>

#include "optimized/describe.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// If fewer lanes than this hold pixels, transposing the tensors is cheaper.
constexpr double kLeastFilled = 0.4;
// Of more input channels, each output has so many products that transposing costs little.
constexpr Extent kMostChannels = 8;
// Columns that are more than two apart are copied one by one.
constexpr Extent kMostChannelsOfWideStrides = 4;
// Of a group's planes with fewer elements, transposing them costs less than a call for each.
constexpr Extent kFewestElements = 128;
// With more taps, padding that is multiplied and vectors that lie across two lines cost more than
// transposing: each vector is read for one output channel, or for several.
constexpr Extent kMostTaps = 25, kMostTapsOfChannels = 256;
constexpr Extent kSeveralChannels = 4;
constexpr Extent kMostDepth = 16;
// Where src and dst stay in a core's own cache, transposing costs less than more taps than these,
// or a stride, of rows shorter than a vector.
constexpr Extent kMostTapsOfShortRows = 9;
// Beyond these hardly two taps or outputs meet.
constexpr Extent kMostStride = PlanesNcx::kMostPhases;
constexpr Extent kMostDilation = 64;
// Products of a task, so that handing it out costs little; and tasks, so that threads end together.
constexpr Extent kTaskProducts = 1 << 18;
constexpr Extent kTasksOfThread = 4;

Extent divide_up(Extent value, Extent divisor) { return (value + divisor - 1) / divisor; }

// What PointwiseNcx computes without transposing either.
bool is_dense_pointwise(const Shape& s) {
  return s.G == 1 && is_pointwise(s, 0) && is_pointwise(s, 1) && is_pointwise(s, 2);
}

bool is_of_planes(const Shape& s) {
  if (s.dtype != computed_in(s.dtype)) return false;
  if (s.ICG() < 1 || s.ICG() > kMostChannels) return false;
  if (s.S[2] > 2 && s.ICG() > kMostChannelsOfWideStrides) return false;
  // Each input would be copied for one tap alone; register tiles read it in place.
  if (s.G == 1 && s.ICG() == 1 && has_rows_of_patches(s)) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (s.D[axis] > kMostDilation || s.S[axis] > kMostStride) return false;
  }
  const Extent most_taps = s.OCG() < kSeveralChannels ? kMostTaps : kMostTapsOfChannels;
  if (s.K[0] > kMostDepth || s.K[1] > most_taps || s.K[2] > most_taps) return false;
  if (s.K[1] * s.K[2] > most_taps) return false;
  return s.src.spatial[2] == 1 && s.dst.spatial[2] == 1 && !is_dense_pointwise(s);
}

// The remainders modulo the stride of what taps read along an axis.
std::vector<Extent> phases_of(const Shape& s, std::size_t axis) {
  std::vector<Extent> phases;
  for (Extent k = 0; k < s.K[axis]; ++k) phases.push_back(k * s.D[axis] % s.S[axis]);
  std::sort(phases.begin(), phases.end());
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  return phases;
}

// The last tap's distance from the first one.
Extent reach_of(const Shape& s, std::size_t axis) { return (s.K[axis] - 1) * s.D[axis]; }

// Sets what follows from the band's extents.
void lay_out(const Target& target, PlanesNcx* p) {
  const Shape& v = p->view;
  const Extent line = target.line_bytes / computed_bytes(v.dtype);
  const Extent lanes = p->family->lanes;
  const Extent more = reach_of(v, 2) / v.S[2];
  const Extent columns = divide_up(std::min(p->columns, v.O[2]), lanes) * lanes;
  p->pitch = p->is_flat ? v.O[2] + more : odd_lines(columns + more, line);
  p->plane_rows = std::min(p->rows, v.O[1]) + reach_of(v, 1) / v.S[1];
}

// Flat planes have fewer vectors, if rows are much shorter than those.
void choose_flat(const Context& context, PlanesNcx* p) {
  const Shape& v = p->view;
  PlanesNcx flat = *p;
  flat.family = &planes_for(context.isa, v.dtype, kMaxLanes);
  flat.is_flat = true;
  lay_out(*context.target, &flat);
  const Extent vectors = v.O[1] * divide_up(v.O[2], flat.family->lanes);
  const bool is_better = flat.pitch <= flat.family->lanes && flat.flat_vectors() < vectors;
  if (is_better) *p = flat;
}

// Of two bands, which may be more than 64 bits count.
double staged_bytes(const PlanesNcx& p) {
  const Shape& v = p.view;
  const auto pieces = static_cast<double>(p.row_phases.size() * p.column_phases.size());
  const double planes = pieces * static_cast<double>(v.K[0] * v.ICG());
  return 2 * planes * static_cast<double>(p.plane_rows) * static_cast<double>(p.pitch) *
         static_cast<double>(computed_bytes(v.dtype));
}

// Bands as large as the first-level cache holds of what they see, or, where rows see many of the
// same rows, a core's own cache; false if they see more even so.
bool choose_band(const Target& target, PlanesNcx* p) {
  const Shape& v = p->view;
  const auto near = 0.75 * static_cast<double>(target.first.bytes);
  const auto most = 0.25 * static_cast<double>(target.second.bytes);
  constexpr Extent kFewestColumns = 128;
  const auto staged = [&] {
    lay_out(target, p);
    return staged_bytes(*p);
  };
  const auto is_too_much = [&] { return staged() > most; };
  if (p->is_flat) return !is_too_much();
  // More than a band's rows see in common, again and again, would cost as much as the products.
  const auto shares_little = [&] { return p->rows * v.S[1] > 2 * reach_of(v, 1) && p->rows > 4; };
  const auto halve_columns = [&] {
    p->columns = divide_up(p->columns / 2, p->family->lanes) * p->family->lanes;
  };
  while (p->columns > 2 * kFewestColumns && p->rows == 1 && staged() > near) halve_columns();
  while (p->rows > 1 && staged() > near && (shares_little() || is_too_much())) {
    p->rows = divide_up(p->rows, 2);
  }
  while (p->columns > kFewestColumns && is_too_much()) halve_columns();
  return !is_too_much();
}

void place_products(PlanesNcx* p) {
  const Shape& v = p->view;
  const auto phase = [](const std::vector<Extent>& phases, Extent remainder) {
    return std::lower_bound(phases.begin(), phases.end(), remainder) - phases.begin();
  };
  for (Extent plane = 0; plane < v.K[0] * v.ICG(); ++plane) {
    for (Extent kh = 0; kh < v.K[1]; ++kh) {
      for (Extent kw = 0; kw < v.K[2]; ++kw) {
        const Extent row = kh * v.D[1], column = kw * v.D[2];
        const Extent piece =
            phase(p->row_phases, row % v.S[1]) * static_cast<Extent>(p->column_phases.size()) +
            phase(p->column_phases, column % v.S[2]);
        p->products.push_back(plane * p->plane_elements() +
                              (piece * p->plane_rows + row / v.S[1]) * p->pitch + column / v.S[2]);
      }
    }
  }
}

void choose_tasks(const Context& context, PlanesNcx* p) {
  const Shape& v = p->view;
  const Extent products = p->rows * p->columns * v.OCG() * v.K[0] * p->depth_products();
  p->groups_per_task = p->groups();
  if (context.threads() == 1) return;
  const Extent tasks = kTasksOfThread * context.threads();
  const Extent most = divide_up(p->groups(), divide_up(tasks, p->bands()));
  p->groups_per_task = std::clamp<Extent>(kTaskProducts / products, 1, most);
}

double elements_of(const Spatial& extents) {
  return static_cast<double>(extents[0]) * static_cast<double>(extents[1]) *
         static_cast<double>(extents[2]);
}

// Whether src and dst exceed a core's own cache, so that transposing would move them there and
// back.
bool is_far(const Target& target, const Shape& v) {
  const double elements = static_cast<double>(v.N) * (static_cast<double>(v.IC) * elements_of(v.I) +
                                                      static_cast<double>(v.OC) * elements_of(v.O));
  return elements * static_cast<double>(computed_bytes(v.dtype)) >
         static_cast<double>(target.second.bytes);
}

bool pays(const Target& target, const PlanesNcx& p) {
  const Shape& v = p.view;
  // Vectors of channels would not be filled.
  if (2 * v.OC <= p.family->lanes) return true;
  const double elements = static_cast<double>(v.ICG()) * elements_of(v.I) +
                          static_cast<double>(v.OCG()) * elements_of(v.O);
  if (elements < kFewestElements) return false;
  if (is_far(target, v)) return true;
  const bool has_long_rows = v.O[2] > p.family->lanes;
  return !p.is_flat && (has_long_rows || (v.S[2] == 1 && v.K[1] * v.K[2] <= kMostTapsOfShortRows));
}

double filled_part(const PlanesNcx& p) {
  const Shape& v = p.view;
  const Extent of_row = divide_up(v.O[2], p.family->lanes);
  const Extent vectors = p.is_flat ? p.flat_vectors() : v.O[1] * of_row;
  return static_cast<double>(v.O[1] * v.O[2]) / static_cast<double>(vectors * p.family->lanes);
}

}  // namespace

std::optional<PlanesNcx> PlanesNcx::make(const Context& context, const Options&) {
  if (!is_of_planes(context.shape)) return std::nullopt;
  PlanesNcx p;
  p.view = context.shape;
  clear_unused_strides(&p.view);
  join_axes(&p.view);
  if (p.view.src.spatial[2] != 1 || p.view.dst.spatial[2] != 1) return std::nullopt;
  p.family = &planes_for(context.isa, p.view.dtype, p.view.O[2]);
  p.rows = p.view.O[1];
  p.columns = p.view.O[2];
  p.row_phases = phases_of(p.view, 1);
  p.column_phases = phases_of(p.view, 2);
  choose_flat(context, &p);
  if (filled_part(p) < kLeastFilled || !pays(*context.target, p)) return std::nullopt;
  if (!choose_band(*context.target, &p)) return std::nullopt;
  place_products(&p);
  choose_tasks(context, &p);
  return p;
}

void describe(const Context& context, const PlanesNcx& p, std::ostream& out) {
  out << "kernels   " << p.family->name << ", vectors of pixels"
      << (p.is_flat ? ", across rows\n" : "\n");
  out << "tasks     " << p.tasks() << ": " << p.groups_per_task << " groups by one of " << p.bands()
      << " bands of up to " << p.rows << " rows of " << p.columns << " outputs\n";
  out << "packing   [channels at once][" << p.products.size() << " products][channel], "
      << p.packed_elements() << " elements of " << to_string(p.view.dtype) << "\n";
  out << "src       copied, what a band sees\n";
  out << "dst       " << (p.is_flat ? "computed in the workspace\n" : "written in place\n");
  describe_bound(context, operations_of(context.shape), vector_operations(context, p.family->lanes),
                 out);
}

}  // namespace concord::optimized
