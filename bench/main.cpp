// SPDX-License-Identifier: Apache-2.0
// concord_bench: the engine against oneDNN and XNNPACK, layer by layer, in turns in one process.
#include <fmt/core.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/contender.h"
#include "bench/measure.h"
#include "spec/dtype.h"

namespace concord::bench {
namespace {

struct Arguments {
  std::string layers = CONCORD_BENCH_LAYERS;
  std::string filter = "*";
  std::string dtype = "f32", format = "NXC", isa, out;
  std::string against = "onednn,xnnpack";
  Extent batch = 1;
  int threads = 1, rounds = 11;
  double milliseconds = 5;
  int winograd = 0;
  bool one_shot = false, processor_time = false, first_call = false;
};

// The largest difference of two results, as a part of the largest value.
double difference(const Elements& a, const Elements& b, Extent count, Dtype dtype) {
  double largest = 0;
  double apart = 0;
  for (Extent i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i) * size_of(dtype);
    const double x = load(dtype, static_cast<const std::byte*>(a.data()) + at);
    const double y = load(dtype, static_cast<const std::byte*>(b.data()) + at);
    largest = std::max(largest, std::fabs(x));
    apart = std::max(apart, std::fabs(x - y));
    if (std::isnan(x) || std::isnan(y)) return INFINITY;
  }
  return largest > 0 ? apart / largest : apart;
}

struct Peer {
  std::string name;
  Elements dst;
  std::function<std::unique_ptr<Contender>(void* dst)> make{};
  std::unique_ptr<Contender> contender{};
};

class Bench {
 public:
  Bench(const Arguments& arguments, const Setting& setting, const optimized::Options& options)
      : arguments_(arguments),
        setting_(setting),
        options_(options),
        limits_(measure_limits(setting.threads, clock())) {}

  /// Measures one layer, prints its row and adds it to the report. False if results disagree.
  bool run(const Layer& layer) {
    const Problem problem = with_setting(layer.problem, setting_);
    const auto shape = optimized::infer_shape(problem);
    if (!shape) {
      fmt::print(stderr, "{}: {}\n", layer.name, shape.why().detail);
      return false;
    }
    const Elements src(problem.src, problem.dtype, 1);
    const Elements weights(problem.weights, problem.dtype, 2);
    const Operands operands{problem, *shape, src.data(), weights.data()};
    std::vector<Peer> peers = contenders(operands);
    if (peers.empty()) return false;
    std::vector<std::function<void()>> sides;
    sides.reserve(peers.size());
    for (Peer& peer : peers) {
      sides.emplace_back([&peer, anew = arguments_.first_call] {
        if (anew) peer.contender = peer.make(peer.dst.data());
        peer.contender->run();
      });
    }
    const Rounds rounds =
        take_turns(sides, arguments_.rounds, arguments_.milliseconds * 1e-3, clock());
    return report(layer, operands, peers, rounds);
  }

  void print_header() const {
    fmt::print("peak {:.0f} GFLOP/s, triad {:.1f} GB/s, {} thread(s), {} {} batch {} {}\n",
               limits_.flops * 1e-9, limits_.bytes * 1e-9, setting_.threads,
               to_string(setting_.dtype), to_string(setting_.data_format), setting_.batch,
               arguments_.first_call ? "first call"
               : setting_.packed     ? "packed"
                                     : "one-shot");
    fmt::print("{:30} {:>9} {:>6} {:>6}  ratios: time of the peer over ours, median [quartiles]\n",
               "layer", "us", "%nom", "%valid");
  }

  void print_summary() const {
    for (const auto& [name, logs] : logs_) {
      double sum = 0;
      double least = INFINITY;
      for (const double log : logs) {
        sum += log;
        least = std::min(least, log);
      }
      fmt::print("geomean over {}: {:.3f} of {} layers, least {:.3f}\n", name,
                 std::exp(sum / static_cast<double>(logs.size())), logs.size(), std::exp(least));
    }
  }

  nlohmann::json json() const {
    return {{"peak_flops", limits_.flops},
            {"triad_bytes", limits_.bytes},
            {"threads", setting_.threads},
            {"batch", setting_.batch},
            {"dtype", to_string(setting_.dtype)},
            {"data_format", to_string(setting_.data_format)},
            {"packed", setting_.packed},
            {"first_call", arguments_.first_call},
            {"winograd", options_.winograd},
            {"isa", to_string(*optimized::choose_isa(options_.isa))},
            {"clock", arguments_.processor_time ? "processor" : "wall"},
            {"layers", layers_}};
  }

 private:
  Clock clock() const { return arguments_.processor_time ? Clock::kProcessor : Clock::kWall; }

  std::vector<Peer> contenders(const Operands& operands) const {
    const Tensor& dst = operands.shape.dst_tensor;
    std::vector<Peer> peers;
    const auto add = [&](const char* name, auto make) {
      Peer peer{name, Elements(dst, setting_.dtype, 3), make};
      peer.contender = make(peer.dst.data());
      if (peer.contender != nullptr) peers.push_back(std::move(peer));
    };
    add("concord", [=, this](void* to) { return make_engine(operands, setting_, options_, to); });
    if (arguments_.against.find("direct") != std::string::npos) {
      auto direct = options_;
      direct.winograd = 0;
      add("direct", [=, this](void* to) { return make_engine(operands, setting_, direct, to); });
    }
    if (arguments_.against.find("onednn") != std::string::npos) {
      add("onednn", [=, this](void* to) { return make_onednn(operands, setting_, to); });
    }
    if (arguments_.against.find("memory") != std::string::npos) {
      add("memory", [=](void* to) { return make_memory(operands, to); });
    }
    // XNNPACK wants the weights in an order of its own, which no user would turn in every call.
    if (arguments_.against.find("xnnpack") != std::string::npos && !arguments_.first_call) {
      add("xnnpack", [=, this](void* to) { return make_xnnpack(operands, setting_, to); });
    }
    return peers;
  }

  bool report(const Layer& layer, const Operands& operands, const std::vector<Peer>& peers,
              const Rounds& rounds) {
    const Operations operations = operations_of(operands.shape);
    const double ours = spread_of(rounds[0]).median;
    nlohmann::json row = {{"name", layer.name},
                          {"network", layer.network},
                          {"problem", print(operands.problem)},
                          {"flops_nominal", operations.nominal},
                          {"flops_valid", operations.valid},
                          {"bytes", bytes_of(operands.problem, operands.shape)}};
    fmt::print("{:30} {:9.1f} {:6.1f} {:6.1f} ", layer.name, ours * 1e6,
               100 * operations.nominal / ours / limits_.flops,
               100 * operations.valid / ours / limits_.flops);
    bool agree = true;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      std::vector<double> ratios;
      for (std::size_t r = 0; r < rounds[i].size(); ++r) {
        ratios.push_back(rounds[i][r] / rounds[0][r]);
      }
      const Spread ratio = spread_of(ratios);
      row["sides"].push_back({{"name", peers[i].name},
                              {"implementation", peers[i].contender->implementation()},
                              {"seconds", rounds[i]},
                              {"ratio", {ratio.lower, ratio.median, ratio.upper}}});
      if (i == 0) continue;
      const Extent count = *element_count(operands.shape.dst_tensor.dims);
      const double apart = difference(peers[0].dst, peers[i].dst, count, setting_.dtype);
      const bool close =
          peers[i].name == "memory" || apart < (setting_.dtype == Dtype::kF32 ? 1e-4 : 2e-2);
      agree = agree && close;
      logs_[peers[i].name].push_back(std::log(ratio.median));
      fmt::print(" {} {:.3f} [{:.3f} {:.3f}]{}", peers[i].name, ratio.median, ratio.lower,
                 ratio.upper, close ? "" : fmt::format(" DIFFERS by {:.1e}", apart));
    }
    fmt::print("\n");
    std::fflush(stdout);
    layers_.push_back(std::move(row));
    return agree;
  }

  const Arguments& arguments_;
  Setting setting_;
  optimized::Options options_;
  Limits limits_;
  std::map<std::string, std::vector<double>> logs_{};
  nlohmann::json layers_ = nlohmann::json::array();
};

int fail(const std::string& why) {
  fmt::print(stderr, "concord_bench: {}\n", why);
  return 2;
}

int run(const Arguments& arguments) {
  Setting setting;
  const auto dtype = parse_dtype(arguments.dtype);
  if (!dtype) return fail("no dtype '" + arguments.dtype + "'");
  setting.dtype = *dtype;
  if (arguments.format != "NXC" && arguments.format != "NCX") {
    return fail("no format '" + arguments.format + "'");
  }
  setting.data_format = arguments.format == "NXC" ? DataFormat::kNXC : DataFormat::kNCX;
  setting.batch = arguments.batch;
  setting.threads = arguments.threads;
  setting.packed = !arguments.one_shot;
  const auto isa = optimized::parse_isa(arguments.isa);
  if (!isa && !arguments.isa.empty()) return fail("no instruction set '" + arguments.isa + "'");
  const auto chosen = optimized::choose_isa(isa);
  if (!chosen) return fail(chosen.why().detail);
  const auto layers = read_layers(arguments.layers);
  if (!layers) return fail(layers.why().detail);

  Bench bench(arguments, setting,
              {.threads = setting.threads, .isa = isa, .winograd = arguments.winograd});
  bench.print_header();
  bool agree = true;
  for (const Layer& layer : *layers) {
    if (fnmatch(arguments.filter.c_str(), layer.name.c_str(), 0) != 0) continue;
    agree = bench.run(layer) && agree;
  }
  bench.print_summary();
  if (!arguments.out.empty()) {
    std::ofstream file(arguments.out);
    file << bench.json().dump(1) << "\n";
    if (!file) return fail("cannot write " + arguments.out);
  }
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace concord::bench

int main(int argc, char** argv) {
  concord::bench::Arguments a;
  CLI::App app(
      "Measures the engine against oneDNN and XNNPACK in turns in one process.\n"
      "Exit codes: 0 measured, 1 results disagree, 2 could not measure.\n"
      "Example: concord_bench --filter 'rn50*' --threads 2 --out rn50.json");
  app.add_option("--layers", a.layers, "JSON list of layers")->capture_default_str();
  app.add_option("--filter", a.filter, "glob on layer names")->capture_default_str();
  app.add_option("--dtype", a.dtype, "f32, f16 or bf16")->capture_default_str();
  app.add_option("--format", a.format, "NXC or NCX")->capture_default_str();
  app.add_option("--against", a.against, "peers, with commas: onednn, xnnpack, direct, memory")
      ->capture_default_str();
  app.add_option("--batch", a.batch)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--threads", a.threads)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--rounds", a.rounds)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--milliseconds", a.milliseconds, "a side's turn")->capture_default_str();
  app.add_option("--isa", a.isa, "force " + concord::optimized::isa_names() + " on our engine");
  app.add_option("--winograd", a.winograd, "2 or 4: the size of the engine's tiles; 0: direct")
      ->check(CLI::IsMember({0, 2, 4}));
  app.add_flag("--one-shot", a.one_shot, "weights are not packed beforehand");
  app.add_flag("--first-call", a.first_call,
               "what is measured begins with the problem: planning, packing, the first run");
  app.add_flag("--processor-time", a.processor_time, "instead of the wall clock's");
  app.add_option("--out", a.out, "write the figures as JSON");
  CLI11_PARSE(app, argc, argv);
  try {
    return concord::bench::run(a);
  } catch (const std::exception& error) {
    return concord::bench::fail(error.what());
  }
}
