// SPDX-License-Identifier: Apache-2.0
#include "optimized/planes/plan.h"

#include <algorithm>
#include <ostream>

#include "optimized/describe.h"
#include "optimized/layout/stage.h"
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
// Of rows shorter than a vector, transposing costs less than more taps than these.
constexpr Extent kMostTapsOfShortRows = 9;
// Of groups of more, several channels share what is transposed.
constexpr Extent kMostChannelsOfGroups = 4;
// Beyond these hardly two taps or outputs meet.
constexpr Extent kMostStride = PlanesNcx::kMostPhases;
constexpr Extent kMostDilation = 64;
// Products of a task, so that handing it out costs little; and tasks, so that threads end together.
constexpr double kTaskProducts = 1 << 18;
constexpr Extent kTasksOfThread = 4;
// Of fewer vectors, a kernel has too few sums to add to one while others wait.
constexpr Extent kFewestVectors = 4;

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
  const double part = static_cast<double>(p.plane_rows) * static_cast<double>(p.pitch) +
                      static_cast<double>(p.family->lanes);
  return 2 * planes * part * static_cast<double>(computed_bytes(v.dtype));
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

// Vectors that are computed together on average, of so many in blocks as equal as can be.
double together(Extent vectors, Extent at_once) {
  return static_cast<double>(vectors) / static_cast<double>(divide_up(vectors, at_once));
}

Extent at_once(const PlanesNcx& p) {
  return p.family->at_once[plane_kernel(plane_channels(p.view.OCG()))];
}

// Where kernels compute few vectors at once, the way that fills them better.
bool goes_down(const PlanesNcx& p) {
  if (p.is_flat) return false;
  const Extent across = p.columns / p.family->lanes;
  const Extent most = at_once(p);
  if (most >= kFewestVectors || across == 0) return p.rows >= std::min(kFewestVectors, across);
  return together(p.rows, most) > together(across, most);
}

// Kernel rows that read the same rows of src, one after the other, are neighbours.
void order_taps(PlanesNcx* p) {
  const Shape& v = p->view;
  for (const Extent phase : p->row_phases) {
    for (Extent kw = 0; kw < v.K[2]; ++kw) {
      for (Extent kh = 0; kh < v.K[1]; ++kh) {
        if (kh * v.D[1] % v.S[1] == phase) p->taps.push_back({kh, kw});
      }
    }
  }
}

// Where the product of a tap is, from an output's place.
Extent place_of(const PlanesNcx& p, Extent plane, const PlanesNcx::Tap& tap) {
  const Shape& v = p.view;
  const auto phase = [](const std::vector<Extent>& phases, Extent remainder) {
    return std::lower_bound(phases.begin(), phases.end(), remainder) - phases.begin();
  };
  const Extent row = tap.row * v.D[1], column = tap.column * v.D[2];
  const Extent piece =
      phase(p.row_phases, row % v.S[1]) * static_cast<Extent>(p.column_phases.size()) +
      phase(p.column_phases, column % v.S[2]);
  return plane * p.plane_elements() + piece * p.part_elements() + row / v.S[1] * p.pitch +
         column / v.S[2];
}

// Runs of at most so many products.
std::vector<PlaneRun> runs_of(const PlanesNcx& p, Extent longest) {
  std::vector<PlaneRun> runs;
  for (Extent plane = 0; plane < p.view.K[0] * p.view.ICG(); ++plane) {
    const std::size_t first = runs.size();
    for (const PlanesNcx::Tap& tap : p.taps) {
      const Extent place = place_of(p, plane, tap);
      const bool continues = p.goes_down && runs.size() > first && runs.back().count < longest &&
                             place == runs.back().from + runs.back().count * p.pitch;
      if (continues) {
        ++runs.back().count;
      } else {
        runs.push_back({place, 1});
      }
    }
  }
  return runs;
}

void place_products(PlanesNcx* p) {
  p->goes_down = goes_down(*p);
  order_taps(p);
  for (std::size_t i = 0; i < p->runs.size(); ++i) {
    p->runs[i] = runs_of(*p, p->family->longest_run[i]);
  }
}

// Times a core's own cache: a smaller dst comes soon enough by itself.
constexpr Extent kFarDst = 3;

// What comes from memory and goes there is moved along it, unless rows are no longer than a vector.
void choose_order(const Context& context, PlanesNcx* p) {
  const Shape& v = p->view;
  if (p->is_flat || v.O[2] <= p->family->lanes) return;
  const bool has_dense_rows = v.O[1] == 1 || v.dst.spatial[1] == v.O[2];
  const bool is_plain = p->columns == v.O[2] && has_dense_rows;
  p->reads_in_order = is_non_temporal(context, v.N * v.IC * v.I[0] * v.I[1] * v.I[2]);
  p->copies_dst = is_plain && is_non_temporal(context, v.N * v.OC * v.O[0] * v.O[1] * v.O[2]);
  p->expects_dst =
      p->goes_down && !p->copies_dst &&
      multiply(dst_elements(v), computed_bytes(v.dtype)) > kFarDst * context.target->second.bytes;
}

void choose_tasks(const Context& context, PlanesNcx* p) {
  const Shape& v = p->view;
  // More than 64 bits may count.
  const double products = static_cast<double>(p->rows * p->columns) * static_cast<double>(v.OCG()) *
                          static_cast<double>(p->products());
  p->bands_per_task = std::min(p->bands(), PlanesNcx::kMostBands);
  p->groups_per_task = p->groups();
  if (context.threads() == 1) return;
  const Extent tasks = kTasksOfThread * context.threads();
  const Extent wanted = std::max<Extent>(1, static_cast<Extent>(kTaskProducts / products));
  p->bands_per_task =
      std::min({p->bands_per_task, wanted, divide_up(p->bands() * p->groups(), tasks)});
  const Extent most = divide_up(p->groups(), divide_up(tasks, p->band_tasks()));
  p->groups_per_task = std::clamp<Extent>(wanted / p->bands_per_task, 1, most);
}

double elements_of(const Spatial& extents) {
  return static_cast<double>(extents[0]) * static_cast<double>(extents[1]) *
         static_cast<double>(extents[2]);
}

bool is_far(const Context& context) {
  return bytes_of_tensors(context.shape) > static_cast<double>(context.target->second.bytes);
}

// Whether narrow groups would be transposed within a core's own cache, an image of a vector of
// channels after the other.
bool fits_transposed(const Context& context, const Shape& v) {
  const Extent lanes = groups_for(context.isa, v.dtype).lanes;
  return (elements_of(v.I) + elements_of(v.O)) *
             static_cast<double>(lanes * computed_bytes(v.dtype)) <=
         static_cast<double>(context.target->blocks.src_box);
}

// Outputs of a vector.
double pixels_of_vector(const PlanesNcx& p) {
  const Shape& v = p.view;
  const Extent of_row = divide_up(v.O[2], p.family->lanes);
  const Extent vectors = p.is_flat ? p.flat_vectors() : v.O[1] * of_row;
  return static_cast<double>(v.O[1] * v.O[2]) / static_cast<double>(vectors);
}

bool has_long_rows(const PlanesNcx& p) { return p.view.O[2] > p.family->lanes; }
bool has_few_taps(const Shape& v) { return v.K[1] * v.K[2] <= kMostTapsOfShortRows; }

// The outputs that a vector must have, as a part of the widest one. Groups take a time for an
// output, planes for a vector of outputs, the longer the more taps; the only vector of a row takes
// longer, and a stride costs planes more.
double least_part_of_vector(const PlanesNcx& p) {
  const Shape& v = p.view;
  double least = 0.56 + 0.011 * static_cast<double>(v.K[0] * v.K[1] * v.K[2]);
  if (!has_long_rows(p)) least += 0.2;
  if (v.S[2] > 1) least += 0.22;
  return least + 0.03 * static_cast<double>(v.ICG() - 1);
}

// Where tensors come from memory, planes of src and dst that half fill the first-level cache move
// more slowly than what groups transpose.
bool moves_fast(const Context& context, const Shape& v) {
  const auto last_level = static_cast<double>(2 * context.target->blocks.non_temporal_dst);
  const double plane =
      (elements_of(v.I) + elements_of(v.O)) * static_cast<double>(computed_bytes(v.dtype));
  return bytes_of_tensors(context.shape) <= last_level ||
         3 * plane <= static_cast<double>(context.target->first.bytes);
}

// Against narrow groups, whose vectors of channels may have lanes to spare, too.
bool pays_for_groups(const Context& context, const PlanesNcx& p) {
  const Shape& v = p.view;
  if (!fits_transposed(context, v)) return true;
  if (p.is_flat || v.ICG() > kMostChannelsOfGroups) return false;
  const Extent lanes = groups_for(context.isa, v.dtype).lanes;
  const double channels =
      static_cast<double>(v.OC) / static_cast<double>(divide_up(v.OC, lanes) * lanes);
  const double pixels = pixels_of_vector(p) / static_cast<double>(lanes);
  return pixels >= least_part_of_vector(p) * channels && moves_fast(context, v);
}

// Against register tiles, for which src is transposed first and all of it. Of few vectors at once,
// columns of several channels that are copied one by one cost more, unless tiles fill no vector of
// output channels.
bool pays_for_tiles(const Context& context, const PlanesNcx& p) {
  const Shape& v = p.view;
  const bool copies_columns = v.S[2] > 2 && v.ICG() > 1 && v.OCG() > p.family->lanes;
  if (copies_columns && at_once(p) < kFewestVectors) return false;
  if (is_far(context)) return true;
  return !p.is_flat && (has_long_rows(p) || (v.S[2] == 1 && has_few_taps(v)));
}

bool pays(const Context& context, const PlanesNcx& p) {
  const Shape& v = p.view;
  // Vectors of channels would not be filled.
  if (2 * v.OC <= p.family->lanes) return true;
  const double elements = static_cast<double>(v.ICG()) * elements_of(v.I) +
                          static_cast<double>(v.OCG()) * elements_of(v.O);
  if (elements < kFewestElements) return false;
  return v.G > 1 ? pays_for_groups(context, p) : pays_for_tiles(context, p);
}

}  // namespace

std::optional<PlanesNcx> PlanesNcx::make(const Context& context, const Options& options) {
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
  const bool is_filled = pixels_of_vector(p) >= kLeastFilled * static_cast<double>(p.family->lanes);
  if (!options.asks_for(kName) && !(is_filled && pays(context, p))) return std::nullopt;
  if (!choose_band(*context.target, &p)) return std::nullopt;
  place_products(&p);
  choose_order(context, &p);
  choose_tasks(context, &p);
  return p;
}

void describe(const Context& context, const PlanesNcx& p, std::ostream& out) {
  out << "kernels   " << p.family->name << ", vectors of pixels"
      << (p.is_flat ? ", across rows\n" : "\n");
  out << "tasks     " << p.tasks() << ": " << p.groups_per_task << " groups by " << p.bands_per_task
      << " of " << p.bands() << " bands of up to " << p.rows << " rows of " << p.columns
      << " outputs\n";
  out << "packing   [channels at once][" << p.products() << " products][channel], "
      << p.packed_elements() << " elements of " << to_string(p.view.dtype) << "\n";
  out << "src       copied, what a band sees" << (p.reads_in_order ? ", along memory\n" : "\n");
  out << "dst       "
      << (p.is_flat      ? "computed in the workspace"
          : p.copies_dst ? "computed in the workspace, then written past the caches"
                         : "written in place")
      << "\n";
  describe_bound(context, operations_of(context.shape), vector_operations(context, p.family->lanes),
                 out);
}

}  // namespace concord::optimized
