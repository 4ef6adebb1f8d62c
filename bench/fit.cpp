// SPDX-License-Identifier: Apache-2.0
#include "bench/fit.h"

#include <fmt/core.h>
#include <fnmatch.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "optimized/describe.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/targets/fit.h"
#include "vectors/write_file.h"

namespace concord::bench {
namespace {

using optimized::MeasuredTiling;
using optimized::Plan;
using optimized::Target;
using optimized::Tiling;

// The measured plans of a layer, one for each number of vectors.
using Choices = std::vector<MeasuredTiling>;

class Fitter {
 public:
  explicit Fitter(const Method& method) : method_(method), peak_(1, Dtype::kF32) {}

  bool can_measure() const { return peak_.operations() > 0; }

  // Nothing if the layer has no register tiles that read src in place. Tiles of a grid's layer are
  // of one size.
  Choices measure(const Layer& layer, bool only_widest) {
    const Problem problem =
        with_setting(layer.problem, {.dtype = Dtype::kF32, .batch = 0, .threads = 1});
    const auto plan = optimized::make_plan(problem, {});
    if (!plan || plan->as<Tiling>() == nullptr || plan->as<Tiling>()->stages_src) return {};
    Choices choices;
    for (int vectors = 1; vectors <= optimized::kMaxVectors; ++vectors) {
      auto tiling = optimized::tiling_of_vectors(*plan, vectors);
      if (!tiling) continue;
      if (only_widest) choices.clear();
      choices.push_back({fmt::format("{} by {} vectors", layer.name, vectors), *std::move(tiling)});
    }
    time(problem, *plan, &choices);
    return choices;
  }

 private:
  void time(const Problem& problem, const Plan& plan, Choices* choices) {
    const Inputs inputs(problem);
    const Operands in = inputs.operands(problem, plan.shape);
    Elements dst(plan.shape.dst_tensor, problem.dtype, 3);
    std::vector<optimized::Packed> packed;
    std::vector<std::function<void()>> calls;
    for (const MeasuredTiling& choice : *choices) {
      const auto bytes = static_cast<std::size_t>(choice.tiling.packed_elements()) * sizeof(float);
      optimized::pack(plan, choice.tiling, in.weights, in.bias, packed.emplace_back(bytes).data());
    }
    for (std::size_t i = 0; i < choices->size(); ++i) {
      calls.emplace_back([&, i] {
        optimized::run(plan, (*choices)[i].tiling, packed[i].data(), in.src, dst.data(), nullptr);
      });
    }
    calls.emplace_back([this] { peak_.run(); });
    const Rounds rounds =
        take_turns(calls, method_.rounds, method_.milliseconds * 1e-3, Clock::kWall);
    for (std::size_t i = 0; i < choices->size(); ++i) {
      std::vector<double> cycles;
      for (std::size_t r = 0; r < rounds[i].size(); ++r) {
        cycles.push_back(rounds[i][r] / rounds.back()[r]);
      }
      const double peak_cycles =
          peak_.operations() / optimized::vector_operations(plan, lanes_of(plan));
      (*choices)[i].cycles = spread_of(cycles).median * peak_cycles;
    }
  }

  static Extent lanes_of(const Plan& plan) { return plan.as<Tiling>()->lanes(); }

  Method method_;
  Peak peak_;
};

// How much longer the choices of a target take than the best ones: geometric mean and worst.
struct Loss {
  double mean = 1, worst = 1;
  std::string worst_name{};
};

Loss loss_of(const Target& target, const std::vector<Choices>& layers) {
  Loss loss;
  double sum = 0;
  for (const Choices& choices : layers) {
    const MeasuredTiling* chosen = nullptr;
    double least = std::numeric_limits<double>::infinity();
    double best = least;
    for (const MeasuredTiling& choice : choices) {
      const double cycles = terms_of(target, choice.tiling).cycles(target.tiles);
      best = std::min(best, choice.cycles);
      if (cycles >= least) continue;
      least = cycles;
      chosen = &choice;
    }
    const double part = chosen->cycles / best;
    sum += std::log(part);
    if (part <= loss.worst) continue;
    loss.worst = part;
    loss.worst_name = chosen->name;
  }
  if (!layers.empty()) loss.mean = std::exp(sum / static_cast<double>(layers.size()));
  return loss;
}

std::vector<MeasuredTiling> joined(const std::vector<Choices>& layers) {
  std::vector<MeasuredTiling> all;
  for (const Choices& choices : layers) all.insert(all.end(), choices.begin(), choices.end());
  return all;
}

optimized::Cache cache_of(int bytes, int ways, Extent line, const optimized::Cache& other) {
  optimized::Cache cache = {.bytes = sysconf(bytes), .sets = 0, .ways = sysconf(ways)};
  if (cache.bytes <= 0 || cache.ways <= 0) return other;
  cache.sets = cache.bytes / cache.ways / line;
  return cache;
}

// The numbers to start from, with this machine's caches as far as the system states them.
Target base_target(const Target& target, const std::string& file) {
  static std::string name;
  name = std::filesystem::path(file).stem().string();
  Target base = target;
  base.name = name.c_str();
  base.first =
      cache_of(_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, base.line_bytes, base.first);
  base.second =
      cache_of(_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, base.line_bytes, base.second);
  return base;
}

std::string summary(const char* what, const Target& target, const std::vector<Choices>& layers) {
  const auto r = residuals_of(target, joined(layers));
  const Loss loss = loss_of(target, layers);
  return fmt::format(
      "{}: {} layers, off by {:.3f} (median), {:.3f} (95th percentile), {:.3f} ({});\n"
      "  choices take {:.4f} of the best one's time, at most {:.3f} ({})\n",
      what, layers.size(), r.median, r.percentile_95, r.worst, r.worst_name, loss.mean, loss.worst,
      loss.worst_name.empty() ? "none" : loss.worst_name);
}

}  // namespace

std::vector<Layer> grid_layers() {
  std::vector<Layer> layers;
  const auto& family = optimized::tiles_for(*optimized::choose_isa({}), Dtype::kF32);
  constexpr double kProducts = 6e6;
  for (int vectors = 1; vectors <= optimized::kMaxVectors; ++vectors) {
    for (int pixels = 1; pixels <= family.max_pixels[vectors]; ++pixels) {
      for (const Extent channels : {4, 16, 64, 250, 1024}) {
        for (const Extent panels : {1, 3}) {
          const Extent out = panels * vectors * family.lanes;
          const double row = static_cast<double>(9 * channels * out * pixels);
          const Extent rows = std::clamp<Extent>(static_cast<Extent>(kProducts / row), 2, 64);
          const auto problem = parse(fmt::format(
              "Convolution f32 src=1x{}x{}x{} weights=3x3x{}x{} data_format=NXC weights_format=XIO",
              rows + 2, pixels + 2, channels, channels, out));
          const auto name = fmt::format("grid_{}x{}_{}-{}", pixels, vectors, channels, out);
          layers.push_back({name, "grid", *problem});
        }
      }
    }
  }
  return layers;
}

std::optional<std::string> fit_target(const FitMaterial& material, const Method& method,
                                      const std::string& file, const std::string& command) {
  Fitter fitter(method);
  if (!fitter.can_measure()) return "no loop measures the peak of this processor";
  const Target old = optimized::target_for(optimized::this_processor(), *optimized::choose_isa({}));
  const auto measure = [&](const std::vector<Layer>& layers, bool is_grid) {
    std::vector<Choices> all;
    for (const Layer& layer : layers) {
      if (fnmatch(material.filter.c_str(), layer.name.c_str(), 0) != 0) continue;
      auto choices = fitter.measure(layer, is_grid);
      if (!choices.empty()) all.push_back(std::move(choices));
    }
    return all;
  };
  const auto grid = measure(grid_layers(), true);
  const auto fitted = measure(material.fitted, false);
  const auto held_out = measure(material.held_out, false);
  auto all = joined(grid);
  const auto drawn = joined(fitted);
  all.insert(all.end(), drawn.begin(), drawn.end());
  if (all.empty()) return "no layer matches '" + material.filter + "' and has register tiles";

  const Target base = base_target(old, file);
  const Target target = fit_tile_costs(base, all);
  fmt::print("{:20} {:>10} {:>10}\n", "cost", "before", "fitted");
  for (const auto& cost : optimized::kTileCosts) {
    fmt::print("{:20} {:10.5g} {:10.5g}\n", cost.name, old.tiles.*cost.member,
               target.tiles.*cost.member);
  }
  fmt::print("{:20} {:10.5g} {:10.5g}\n", "second_level_bytes", old.core.second_level_bytes,
             target.core.second_level_bytes);
  std::string text;
  const auto both = [&](const char* what, const std::vector<Choices>& layers) {
    fmt::print("before, {}", summary(what, old, layers));
    const auto after = summary(what, target, layers);
    fmt::print("fitted, {}", after);
    text += after;
  };
  both("grid", grid);
  both("drawn", fitted);
  both("held out", held_out);
  const auto source = source_of(target, "Fitted by: " + command + "\n" + text);
  return vectors::write_file(file, source);
}

}  // namespace concord::bench
