// SPDX-License-Identifier: Apache-2.0
#include "optimized/targets/fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>

namespace concord::optimized {
namespace {

constexpr auto kCosts = static_cast<Eigen::Index>(std::size(kTileCosts));

// Bytes a cycle, in the order in which they are tried.
constexpr double kSecondLevelBytes[] = {16, 20, 25, 32, 40, 48, 64};

const NamedCost& cost_at(Eigen::Index i) { return kTileCosts[static_cast<std::size_t>(i)]; }

// A measured plan is a row: how often each cost counts, and the cycles beyond the limits, both as
// parts of the measured cycles.
struct Rows {
  Eigen::MatrixXd counts;
  Eigen::VectorXd rest;
};

Rows rows_of(const Target& target, const std::vector<MeasuredTiling>& measured) {
  const auto count = static_cast<Eigen::Index>(measured.size());
  Rows rows{Eigen::MatrixXd(count, kCosts), Eigen::VectorXd(count)};
  for (Eigen::Index row = 0; row < count; ++row) {
    const MeasuredTiling& plan = measured[static_cast<std::size_t>(row)];
    const CostTerms terms = terms_of(target, plan.tiling);
    for (Eigen::Index i = 0; i < kCosts; ++i) {
      rows.counts(row, i) = terms.counts.*cost_at(i).member / plan.cycles;
    }
    rows.rest(row) = (plan.cycles - terms.limit) / plan.cycles;
  }
  return rows;
}

// Least squares of costs >= 0, one cost after the other until none moves: the problem is convex.
Eigen::VectorXd solve(const Eigen::MatrixXd& squares, const Eigen::VectorXd& right,
                      Eigen::VectorXd costs) {
  constexpr int kMostSteps = 200000;
  for (int step = 0; step < kMostSteps; ++step) {
    double moved = 0;
    for (Eigen::Index i = 0; i < costs.size(); ++i) {
      if (squares(i, i) <= 0) continue;
      const double before = costs(i);
      const double gradient = squares.row(i).dot(costs) - right(i);
      costs(i) = std::max(0.0, before - gradient / squares(i, i));
      moved = std::max(moved, std::fabs(costs(i) - before) / (std::fabs(before) + 1e-9));
    }
    if (moved < 1e-10) break;
  }
  return costs;
}

struct Fit {
  TileCosts costs{};
  double squares = 0;
};

Fit fit_linear(const Target& target, const std::vector<MeasuredTiling>& measured) {
  const Rows rows = rows_of(target, measured);
  Eigen::VectorXd costs(kCosts);
  for (Eigen::Index i = 0; i < kCosts; ++i) costs(i) = target.tiles.*cost_at(i).member;
  const Eigen::MatrixXd squares = rows.counts.transpose() * rows.counts;
  costs = solve(squares, rows.counts.transpose() * rows.rest, costs);
  Fit fit{target.tiles, (rows.counts * costs - rows.rest).squaredNorm()};
  for (Eigen::Index i = 0; i < kCosts; ++i) fit.costs.*cost_at(i).member = costs(i);
  return fit;
}

std::string blocks_text(const Blocks& b) {
  std::ostringstream out;
  const struct {
    const char* name;
    Extent bytes;
  } all[] = {{"near_weights", b.near_weights},
             {"matrix_panels", b.matrix_panels},
             {"prefetched_src", b.prefetched_src},
             {"kept_weights", b.kept_weights},
             {"src", b.src},
             {"panel", b.panel},
             {"near_layer", b.near_layer},
             {"src_box", b.src_box},
             {"staged_dst", b.staged_dst},
             {"kept_dst", b.kept_dst},
             {"kept_groups", b.kept_groups},
             {"near_pixels", b.near_pixels},
             {"far_pixels", b.far_pixels},
             {"near_rows", b.near_rows},
             {"task_pixels", b.task_pixels},
             {"matrix_slab", b.matrix_slab},
             {"matrix_row", b.matrix_row},
             {"matrix_weights", b.matrix_weights},
             {"transformed", b.transformed},
             {"non_temporal_dst", b.non_temporal_dst}};
  const char* before = "";
  for (const auto& block : all) {
    out << before << "." << block.name << " = " << block.bytes;
    before = ",\n               ";
  }
  return out.str();
}

// "sapphire_rapids" becomes "kSapphireRapids".
std::string constant_of(const std::string& name) {
  std::string constant = "k";
  bool begins = true;
  for (const char c : name) {
    if (c == '_') {
      begins = true;
      continue;
    }
    constant += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = false;
  }
  return constant;
}

void write_cache(const char* name, const Cache& cache, std::ostream& out) {
  out << "    ." << name << " = {.bytes = " << cache.bytes << ", .sets = " << cache.sets
      << ", .ways = " << cache.ways << "},\n";
}

}  // namespace

Target fit_tile_costs(const Target& base, const std::vector<MeasuredTiling>& measured) {
  Target best = base;
  double least = std::numeric_limits<double>::infinity();
  for (const double bytes : kSecondLevelBytes) {
    Target tried = base;
    tried.core.second_level_bytes = bytes;
    const Fit fit = fit_linear(tried, measured);
    if (fit.squares >= least) continue;
    least = fit.squares;
    tried.tiles = fit.costs;
    best = tried;
  }
  TileCosts& costs = best.tiles;
  costs.far_byte = std::max(costs.far_byte, costs.kept_byte);
  costs.crowded_reload = std::max(costs.crowded_reload, costs.reload);
  costs.store_of_part = std::max(costs.store_of_part, costs.store);
  return best;
}

Residuals residuals_of(const Target& target, const std::vector<MeasuredTiling>& measured) {
  Residuals residuals;
  std::vector<double> all;
  for (const MeasuredTiling& plan : measured) {
    const double model = terms_of(target, plan.tiling).cycles(target.tiles);
    all.push_back(std::fabs(model - plan.cycles) / plan.cycles);
    if (all.back() < residuals.worst) continue;
    residuals.worst = all.back();
    residuals.worst_name = plan.name;
  }
  if (all.empty()) return residuals;
  std::sort(all.begin(), all.end());
  const auto at = [&](double part) {
    return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
  };
  residuals.median = at(0.5);
  residuals.percentile_95 = at(0.95);
  return residuals;
}

std::string source_of(const Target& target, const std::string& comment) {
  std::ostringstream out;
  out << "// SPDX-License-Identifier: Apache-2.0\n";
  std::istringstream lines(comment);
  for (std::string line; std::getline(lines, line);) out << "// " << line << "\n";
  out << "#include \"optimized/targets/target.h\"\n\nnamespace concord::optimized {\n\n";
  out << "constinit const Target " << constant_of(target.name) << " = {\n";
  out << "    .name = \"" << target.name << "\",\n";
  write_cache("first", target.first, out);
  write_cache("second", target.second, out);
  const Core& core = target.core;
  out << "    .core = {.multiply_adds = " << core.multiply_adds
      << ",\n             .loads = " << core.loads << ",\n             .latency = " << core.latency
      << ",\n             .half_vector = " << core.half_vector
      << ",\n             .whole_stores = " << (core.whole_stores ? "true" : "false")
      << ",\n             .second_level_bytes = " << core.second_level_bytes
      << ",\n             .memory_bytes = " << core.memory_bytes
      << ",\n             .far_piece = " << core.far_piece
      << ",\n             .far_panel = " << core.far_panel
      << ",\n             .matrix_cycles = " << core.matrix_cycles << ",\n             .far_src = {"
      << core.far_src.stride_1 << ", " << core.far_src.stride_2
      << "},\n             .far_src_of_bands = {" << core.far_src_of_bands.stride_1 << ", "
      << core.far_src_of_bands.stride_2 << "}"
      << ",\n             .band_vectors = " << core.band_vectors
      << ",\n             .band_rows = " << core.band_rows << "},\n";
  out << "    .tiles = {";
  for (const auto& cost : kTileCosts) {
    out << "." << cost.name << " = " << target.tiles.*cost.member << ",\n              ";
  }
  out << ".turning = " << target.tiles.turning
      << ",\n              .pixels_of_a_set = " << target.tiles.pixels_of_a_set << "},\n";
  const MatrixCosts& matrix = target.matrix;
  out << "    .matrix = {.pixel = " << matrix.pixel
      << ",\n               .least_step = " << matrix.least_step
      << ",\n               .tile = " << matrix.tile
      << ",\n               .copied_bytes = " << matrix.copied_bytes << "},\n";
  out << "    .blocks = {" << blocks_text(target.blocks) << "},\n};\n\n";
  out << "}  // namespace concord::optimized\n";
  return out.str();
}

}  // namespace concord::optimized
