// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "spec/dtype.h"

namespace concord::bench {
namespace {

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

// The time of a competitor over that of the first, round by round.
Spread ratio_of(const Rounds& rounds, std::size_t competitor) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < rounds[competitor].size(); ++r) {
    ratios.push_back(rounds[competitor][r] / rounds[0][r]);
  }
  return spread_of(ratios);
}

constexpr double kKiB = 1024;

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : "-";
}

// The entry that computes nothing, and the one whose results are f32.
constexpr const char* kMoving = "memory";
constexpr const char* kF32 = "f32";

// How far results may be apart, as a part of the largest value.
double closeness(Dtype dtype) {
  if (dtype == Dtype::kF64) return 1e-12;
  return dtype == Dtype::kF32 ? 1e-4 : 2e-2;
}

}  // namespace

Bench::Bench(const Method& method, const Setting& setting, const optimized::Options& options)
    : method_(method),
      setting_(setting),
      options_(options),
      peak_(setting.threads, setting.dtype),
      triad_bytes_(measure_triad(setting.threads, clock())) {}

bool Bench::run(const Layer& layer) {
  return measure(layer, method_.rounds,
                 [&](const Operands& operands, const std::vector<Entry>& entries,
                     const Rounds& rounds) { return report(layer, operands, entries, rounds); });
}

void Bench::run_worst_again(const std::vector<Layer>& layers) {
  const Worst worst = worst_of(outcomes_, method_.against);
  for (const std::size_t place : worst.places) {
    Outcome& outcome = outcomes_[place];
    const auto layer = std::ranges::find(layers, outcome.name, &Layer::name);
    measure(*layer, 3 * method_.rounds,
            [&](const Operands&, const std::vector<Entry>& entries, const Rounds& rounds) {
              const auto entry = std::ranges::find(entries, worst.competitor, &Entry::name);
              outcome.again =
                  ratio_of(rounds, static_cast<std::size_t>(entry - entries.begin())).median;
              return true;
            });
  }
}

bool Bench::measure(const Layer& layer, int round_count, const Judge& judge) {
  const Problem problem = with_setting(layer.problem, setting_);
  const auto shape = optimized::infer_shape(problem);
  if (!shape) {
    fmt::print(stderr, "{}: {}\n", layer.name, shape.why().detail);
    return false;
  }
  const Inputs inputs(problem);
  const Operands operands = inputs.operands(problem, *shape);
  std::vector<Entry> entries = competitors(operands);
  if (entries.empty()) return false;
  std::vector<std::function<void()>> calls;
  calls.reserve(entries.size() + 1);
  for (Entry& entry : entries) {
    calls.emplace_back([&entry, anew = method_.first_call] {
      if (anew) entry.competitor = entry.make(entry.dst.data());
      entry.competitor->run();
    });
  }
  if (peak_.operations() > 0) calls.emplace_back([this] { peak_.run(); });
  return judge(operands, entries,
               take_turns(calls, round_count, method_.milliseconds * 1e-3, clock()));
}

void Bench::print_header() const {
  fmt::print("triad {:.1f} GB/s, {} thread(s), {} {} batch {} {}\n", triad_bytes_ * 1e-9,
             setting_.threads, to_string(setting_.dtype), to_string(setting_.data_format),
             setting_.batch > 0 ? std::to_string(setting_.batch) : "of each layer",
             method_.first_call ? "first call"
             : setting_.packed  ? "packed"
                                : "one-shot");
  fmt::print(
      "{:30} {:>9} {:>6} {:>6} {:>8}  ratios: time of the entry over ours, median [quartiles]\n",
      "layer", "us", "%nom", "%valid", "KiB");
}

void Bench::print_summary() const {
  for (const auto& name : method_.against) {
    const auto ratios = ratios_over(outcomes_, name);
    if (ratios.empty()) continue;
    const Aggregate over = aggregate_of(ratios);
    fmt::print("geomean over {}: {:.3f} of {} layers, 5th percentile {:.3f}, least {:.3f}", name,
               over.mean, over.layers, over.low, over.least);
    if (const auto at_limit = limits_.find(name); at_limit != limits_.end()) {
      fmt::print("; at the limit {:.3f}", aggregate_of(at_limit->second).mean);
    }
    fmt::print("\n");
    print_footprints(outcomes_, name);
  }
  if (!peaks_.empty()) {
    const Spread peak = spread_of(peaks_);
    fmt::print("peak {:.0f} [{:.0f} {:.0f}] GFLOP/s\n", peak.median * 1e-9, peak.lower * 1e-9,
               peak.upper * 1e-9);
  }
  if (method_.by_family) print_families(outcomes_, method_.against);
}

nlohmann::json Bench::json() const {
  return {{"peak_flops", peaks_.empty() ? 0 : spread_of(peaks_).median},
          {"triad_bytes", triad_bytes_},
          {"threads", setting_.threads},
          {"batch", setting_.batch},
          {"dtype", to_string(setting_.dtype)},
          {"data_format", to_string(setting_.data_format)},
          {"packed", setting_.packed},
          {"first_call", method_.first_call},
          {"winograd", options_.winograd},
          {"tune_milliseconds", options_.tuning ? options_.tuning->milliseconds : 0},
          {"any_sums", options_.tuning && options_.tuning->any_sums},
          {"isa", to_string(*optimized::choose_isa(options_.isa))},
          {"clock", method_.processor_time ? "processor" : "wall"},
          {"summary", summary_json(outcomes_, method_.against)},
          {"layers", layers_}};
}

std::vector<Bench::Entry> Bench::competitors(const Operands& operands) const {
  const Tensor& dst = operands.shape.dst_tensor;
  std::vector<Entry> entries;
  const auto add = [&](const char* name, auto make) {
    Entry entry{name, Elements(dst, setting_.dtype, 3), make};
    entry.competitor = make(entry.dst.data());
    if (entry.competitor != nullptr) entries.push_back(std::move(entry));
  };
  add("concord", [=, this](void* to) { return make_engine(operands, setting_, options_, to); });
  if (is_against("direct")) {
    auto direct = options_;
    direct.winograd = 0;
    add("direct", [=, this](void* to) { return make_engine(operands, setting_, direct, to); });
  }
  if (is_against("untuned")) {
    add("untuned",
        [=, this](void* to) { return make_engine(operands, setting_, untuned(options_), to); });
  }
  if (is_against("packed")) {
    auto packed = setting_;
    packed.packed = true;
    add("packed", [=, this](void* to) { return make_engine(operands, packed, options_, to); });
  }
  if (is_against(kF32)) {
    add(kF32, [=, this](void* to) { return make_f32_engine(operands, setting_, options_, to); });
  }
  if (is_against("onednn")) {
    add("onednn", [=, this](void* to) { return make_onednn(operands, setting_, to); });
  }
  if (is_against(kMoving)) {
    add(kMoving, [=](void* to) { return make_memory(operands, to); });
  }
  // XNNPACK wants the weights in an order of its own, which no user would turn in every call.
  if (is_against("xnnpack") && !method_.first_call) {
    add("xnnpack", [=, this](void* to) { return make_xnnpack(operands, setting_, to); });
  }
  return entries;
}

std::string Bench::note_footprint(const Entry& entry, nlohmann::json* row, Outcome* outcome) {
  const auto footprint = entry.competitor->footprint();
  if (!footprint) return "";
  (*row)["packed_bytes"] = footprint->packed;
  (*row)["workspace_bytes"] = footprint->workspace;
  outcome->footprints[entry.name] = *footprint;
  return fmt::format(" {:.0f} KiB", total(*footprint) / kKiB);
}

bool Bench::report(const Layer& layer, const Operands& operands, const std::vector<Entry>& entries,
                   const Rounds& rounds) {
  const Operations operations = operations_of(operands.shape);
  const double ours = spread_of(rounds[0]).median;
  const double peak =
      peak_.operations() > 0 ? peak_.operations() / spread_of(rounds.back()).median : 0;
  if (peak > 0) peaks_.push_back(peak);
  nlohmann::json row = {{"name", layer.name},
                        {"network", layer.network},
                        {"problem", print(operands.problem)},
                        {"flops_nominal", operations.nominal},
                        {"flops_valid", operations.valid},
                        {"bytes", bytes_of(operands.problem, operands.shape)},
                        {"peak_flops", peak}};
  fmt::print("{:30} {:9.1f} {:>6} {:>6} {:8.0f} ", layer.name, ours * 1e6,
             percent(operations.nominal / ours, peak), percent(operations.valid / ours, peak),
             total(*entries[0].competitor->footprint()) / kKiB);
  double limit = peak > 0 ? operations.valid / peak : 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == kMoving) limit = std::max(limit, spread_of(rounds[i]).median);
  }
  Outcome outcome{.name = layer.name,
                  .family = layer.network,
                  .problem = print(operands.problem),
                  .algorithm = entries[0].competitor->implementation(),
                  .share = limit / ours};
  row["share"] = outcome.share;
  bool agree = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Spread ratio = ratio_of(rounds, i);
    row["competitors"].push_back({{"name", entries[i].name},
                                  {"implementation", entries[i].competitor->implementation()},
                                  {"seconds", rounds[i]},
                                  {"ratio", {ratio.lower, ratio.median, ratio.upper}}});
    const std::string footprint = note_footprint(entries[i], &row["competitors"].back(), &outcome);
    if (i == 0) continue;
    const Extent count = *element_count(operands.shape.dst_tensor.dims);
    const bool moves = entries[i].name == kMoving;
    const bool is_compared = !moves && entries[i].name != kF32;
    const double apart =
        is_compared ? difference(entries[0].dst, entries[i].dst, count, setting_.dtype) : 0;
    const bool close = apart < closeness(setting_.dtype);
    agree = agree && close;
    outcome.ratios[entries[i].name] = ratio.median;
    fmt::print(" {} {:.3f} [{:.3f} {:.3f}]", entries[i].name, ratio.median, ratio.lower,
               ratio.upper);
    if (limit > 0 && !moves) {
      const double at_limit = spread_of(rounds[i]).median / limit;
      limits_[entries[i].name].push_back(at_limit);
      fmt::print(" of {:.2f}", at_limit);
    }
    fmt::print("{}", footprint);
    if (!close) fmt::print(" DIFFERS by {:.1e}", apart);
  }
  fmt::print("\n");
  std::fflush(stdout);
  outcomes_.push_back(std::move(outcome));
  layers_.push_back(std::move(row));
  return agree;
}

}  // namespace concord::bench
