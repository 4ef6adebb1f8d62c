// SPDX-License-Identifier: Apache-2.0
// concord_bench: the engine against oneDNN and XNNPACK, layer by layer, in turns in one process.
#include <fmt/core.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "bench/bench.h"
#include "bench/fit.h"
#include "bench/random_layers.h"
#include "bench/scaling.h"
#include "optimized/tuning/wisdom.h"
#include "spec/dtype.h"
#include "vectors/write_file.h"

namespace concord::bench {
namespace {

struct Arguments {
  std::string layers = CONCORD_BENCH_LAYERS;
  bool layers_are_given = false;
  std::string filter = "*";
  std::string dtype = "f32", format = "NXC", isa, out, fit;
  std::string families = CONCORD_BENCH_FAMILIES;
  int random = 0;  // layers to draw
  std::uint64_t seed = 1;
  bool list = false;
  std::optional<Extent> batch{};
  int threads = 1;
  int winograd = 0;
  bool one_shot = false;
  int scaling = 0;  // threads, at most
  double tune = 0;  // milliseconds
  bool any_sums = false;
  std::string wisdom;
  Method method{};
};

int fail(const std::string& why) {
  fmt::print(stderr, "concord_bench: {}\n", why);
  return 2;
}

Result<std::vector<Layer>> layers_of(const Arguments& arguments) {
  if (arguments.random == 0) return read_layers(arguments.layers);
  const auto families = read_families(arguments.families);
  if (!families) return families.why();
  return draw_layers(*families, arguments.random, arguments.seed);
}

// What --layers reads.
int list(const std::vector<Layer>& layers) {
  auto all = nlohmann::json::array();
  for (const Layer& layer : layers) {
    all.push_back(
        {{"name", layer.name}, {"network", layer.network}, {"problem", print(layer.problem)}});
  }
  fmt::print("{}\n", all.dump(1));
  return 0;
}

// Half of the drawn layers are fitted to, the other half tells how good the fit is.
int fit(const Arguments& arguments) {
  if (const auto trouble = vectors::why_not_writable(arguments.fit)) return fail(*trouble);
  const auto families = read_families(arguments.families);
  if (!families) return fail(families.why().detail);
  FitMaterial material{.filter = arguments.filter};
  const auto drawn = draw_layers(*families, arguments.random, arguments.seed);
  if (!drawn) return fail(drawn.why().detail);
  for (std::size_t i = 0; i < drawn->size(); ++i) {
    (i % 2 == 0 ? material.fitted : material.held_out).push_back((*drawn)[i]);
  }
  const auto command = fmt::format("concord_bench --fit FILE --random {} --seed {} --rounds {}",
                                   arguments.random, arguments.seed, arguments.method.rounds);
  const auto trouble = fit_target(material, arguments.method, arguments.fit, command);
  return trouble ? fail(*trouble) : 0;
}

Result<optimized::Options> options_of(const Arguments& arguments,
                                      std::optional<optimized::Isa> isa) {
  optimized::Options options{
      .threads = arguments.threads, .isa = isa, .winograd = arguments.winograd};
  if (arguments.tune == 0) return options;
  options.tuning = {.milliseconds = arguments.tune,
                    .packed = !arguments.one_shot,
                    .any_sums = arguments.any_sums};
  if (arguments.wisdom.empty()) return options;
  auto wisdom = optimized::Wisdom::open(arguments.wisdom);
  if (!wisdom) return wisdom.why();
  options.tuning->wisdom = *wisdom;
  return options;
}

std::vector<Layer> matching(const std::vector<Layer>& layers, const std::string& filter) {
  std::vector<Layer> chosen;
  for (const Layer& layer : layers) {
    if (fnmatch(filter.c_str(), layer.name.c_str(), 0) == 0) chosen.push_back(layer);
  }
  return chosen;
}

// Returns the exit code.
int write(const Arguments& arguments, const nlohmann::json& figures, int code) {
  if (arguments.out.empty()) return code;
  const auto trouble = vectors::write_file(arguments.out, figures.dump(1) + "\n");
  return trouble ? fail(*trouble) : code;
}

int compare(const Arguments& arguments, const Setting& setting, const optimized::Options& options,
            const std::vector<Layer>& layers) {
  Method method = arguments.method;
  method.by_family = arguments.random > 0;
  Bench bench(method, setting, options);
  bench.print_header();
  bool agree = true;
  for (const Layer& layer : layers) agree = bench.run(layer) && agree;
  if (method.by_family) bench.run_worst_again(layers);
  bench.print_summary();
  return write(arguments, bench.json(), agree ? 0 : 1);
}

int scale(const Arguments& arguments, const Setting& setting, optimized::Options options,
          const std::vector<Layer>& layers) {
  options.threads = arguments.scaling;
  Scaling scaling(setting, options, arguments.method.rounds, arguments.method.milliseconds);
  scaling.print_header();
  bool serves = true;
  for (const Layer& layer : layers) serves = scaling.run(layer) && serves;
  scaling.print_summary();
  return write(arguments, scaling.json(), serves ? 0 : 1);
}

int run(const Arguments& arguments) {
  if (!arguments.fit.empty()) return fit(arguments);
  Setting setting;
  const auto dtype = parse_dtype(arguments.dtype);
  if (!dtype) return fail("no dtype '" + arguments.dtype + "'");
  setting.dtype = *dtype;
  if (arguments.format != "NXC" && arguments.format != "NCX") {
    return fail("no format '" + arguments.format + "'");
  }
  setting.data_format = arguments.format == "NXC" ? DataFormat::kNXC : DataFormat::kNCX;
  const bool are_given = arguments.random > 0 || arguments.layers_are_given;
  setting.batch = arguments.batch.value_or(are_given ? 0 : 1);
  setting.threads = arguments.threads;
  setting.packed = !arguments.one_shot;
  const auto isa = optimized::parse_isa(arguments.isa);
  if (!isa && !arguments.isa.empty()) return fail("no instruction set '" + arguments.isa + "'");
  const auto chosen = optimized::choose_isa(isa);
  if (!chosen) return fail(chosen.why().detail);
  if (!arguments.out.empty()) {
    const auto trouble = vectors::why_not_writable(arguments.out);
    if (trouble) return fail(*trouble);
  }
  auto layers = layers_of(arguments);
  if (!layers) return fail(layers.why().detail);
  if (arguments.list) return list(*layers);
  layers = matching(*layers, arguments.filter);
  if (layers->empty()) return fail("no layer matches '" + arguments.filter + "'");
  auto options = options_of(arguments, isa);
  if (!options) return fail(options.why().detail);
  if (arguments.scaling > 0) return scale(arguments, setting, *options, *layers);
  return compare(arguments, setting, *options, *layers);
}

void add_tuning(CLI::App& app, Arguments& a) {
  auto* const tune =
      app.add_option("--tune", a.tune,
                     "measure the engine's plans of a layer beforehand, for so many milliseconds")
          ->check(CLI::PositiveNumber);
  app.add_option("--wisdom", a.wisdom, "a file that keeps which plans were the fastest")
      ->needs(tune);
  app.add_flag("--any-sums", a.any_sums, "--tune may choose plans that add in another order")
      ->needs(tune);
}

}  // namespace
}  // namespace concord::bench

int main(int argc, char** argv) {
  concord::bench::Arguments a;
  CLI::App app(
      "Measures the engine against oneDNN and XNNPACK, interleaved in one process.\n"
      "Exit codes: 0 measured, 1 results disagree, 2 could not measure.\n"
      "Example: concord_bench --filter 'rn50*' --threads 2 --out rn50.json");
  const auto* layers =
      app.add_option("--layers", a.layers, "JSON list of layers")->capture_default_str();
  app.add_option("--filter", a.filter, "glob on layer names")->capture_default_str();
  app.add_option("--dtype", a.dtype, "f32, f16, bf16 or f64")->capture_default_str();
  app.add_option("--format", a.format, "NXC or NCX")->capture_default_str();
  app.add_option("--against", a.method.against,
                 "competitors, with commas: onednn, xnnpack, direct, untuned, packed, f32, memory")
      ->delimiter(',')
      ->check(CLI::IsMember({"onednn", "xnnpack", "direct", "untuned", "packed", "f32", "memory"}))
      ->capture_default_str();
  app.add_option("--random", a.random, "draw this many layers instead of reading --layers")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", a.seed, "of what --random draws")->capture_default_str();
  app.add_option("--families", a.families, "JSON list of families to draw from")
      ->capture_default_str();
  app.add_option(
      "--fit", a.fit,
      "fit the costs of register tiles in f32 to this machine, by a grid of layers and half "
      "of those that --random draws, and write a source file for optimized/targets/");
  app.add_flag("--list", a.list, "print the layers as a list for --layers and measure nothing");
  app.add_option("--batch", a.batch,
                 "1 by default; of drawn layers, and those of --layers, their own")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", a.threads)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--scaling", a.scaling,
                 "instead of comparing, measure tasks and simulate up to so many threads")
      ->check(CLI::Range(2, 1024));
  app.add_option("--rounds", a.method.rounds)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--milliseconds", a.method.milliseconds, "duration of each competitor's turn")
      ->capture_default_str();
  app.add_option("--isa", a.isa, "force " + concord::optimized::isa_names() + " on our engine");
  app.add_option("--winograd", a.winograd, "2 or 4: the size of the engine's tiles; 0: direct")
      ->check(CLI::IsMember({0, 2, 4}));
  concord::bench::add_tuning(app, a);
  app.add_flag("--one-shot", a.one_shot, "pack weights on the fly, not beforehand");
  app.add_flag("--first-call", a.method.first_call,
               "measure from the problem on: planning, packing, the first run");
  app.add_flag("--processor-time", a.method.processor_time, "measure CPU time, not wall time");
  app.add_option("--out", a.out, "write the figures as JSON");
  try {
    app.parse(argc, argv);
    a.layers_are_given = layers->count() > 0;
    return concord::bench::run(a);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    return concord::bench::fail(error.what());
  }
}
