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

double geomean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : "-";
}

// The peer that computes nothing.
constexpr const char* kMoving = "memory";

}  // namespace

Bench::Bench(const Manner& manner, const Setting& setting, const optimized::Options& options)
    : manner_(manner),
      setting_(setting),
      options_(options),
      peak_(setting.threads, setting.dtype),
      triad_bytes_(measure_triad(setting.threads, clock())) {}

bool Bench::run(const Layer& layer) {
  const Problem problem = with_setting(layer.problem, setting_);
  const auto shape = optimized::infer_shape(problem);
  if (!shape) {
    fmt::print(stderr, "{}: {}\n", layer.name, shape.why().detail);
    return false;
  }
  const Elements src(problem.src, problem.dtype, 1);
  const Elements weights(problem.weights, problem.dtype, 2);
  std::optional<Elements> bias;
  if (problem.bias) bias.emplace(*problem.bias, problem.dtype, 4);
  const Operands operands{problem, *shape, src.data(), weights.data(),
                          bias ? bias->data() : nullptr};
  std::vector<Peer> peers = contenders(operands);
  if (peers.empty()) return false;
  std::vector<std::function<void()>> sides;
  sides.reserve(peers.size() + 1);
  for (Peer& peer : peers) {
    sides.emplace_back([&peer, anew = manner_.first_call] {
      if (anew) peer.contender = peer.make(peer.dst.data());
      peer.contender->run();
    });
  }
  if (peak_.operations() > 0) sides.emplace_back([this] { peak_.run(); });
  const Rounds rounds = take_turns(sides, manner_.rounds, manner_.milliseconds * 1e-3, clock());
  return report(layer, operands, peers, rounds);
}

void Bench::print_header() const {
  fmt::print("triad {:.1f} GB/s, {} thread(s), {} {} batch {} {}\n", triad_bytes_ * 1e-9,
             setting_.threads, to_string(setting_.dtype), to_string(setting_.data_format),
             setting_.batch,
             manner_.first_call ? "first call"
             : setting_.packed  ? "packed"
                                : "one-shot");
  fmt::print("{:30} {:>9} {:>6} {:>6}  ratios: time of the peer over ours, median [quartiles]\n",
             "layer", "us", "%nom", "%valid");
}

void Bench::print_summary() const {
  for (const auto& [name, ratios] : ratios_) {
    fmt::print("geomean over {}: {:.3f} of {} layers, least {:.3f}", name, geomean(ratios),
               ratios.size(), *std::min_element(ratios.begin(), ratios.end()));
    if (const auto at_limit = limits_.find(name); at_limit != limits_.end()) {
      fmt::print("; at the limit {:.3f}", geomean(at_limit->second));
    }
    fmt::print("\n");
  }
  if (!peaks_.empty()) {
    const Spread peak = spread_of(peaks_);
    fmt::print("peak {:.0f} [{:.0f} {:.0f}] GFLOP/s\n", peak.median * 1e-9, peak.lower * 1e-9,
               peak.upper * 1e-9);
  }
}

nlohmann::json Bench::json() const {
  return {{"peak_flops", peaks_.empty() ? 0 : spread_of(peaks_).median},
          {"triad_bytes", triad_bytes_},
          {"threads", setting_.threads},
          {"batch", setting_.batch},
          {"dtype", to_string(setting_.dtype)},
          {"data_format", to_string(setting_.data_format)},
          {"packed", setting_.packed},
          {"first_call", manner_.first_call},
          {"winograd", options_.winograd},
          {"isa", to_string(*optimized::choose_isa(options_.isa))},
          {"clock", manner_.processor_time ? "processor" : "wall"},
          {"layers", layers_}};
}

std::vector<Bench::Peer> Bench::contenders(const Operands& operands) const {
  const Tensor& dst = operands.shape.dst_tensor;
  std::vector<Peer> peers;
  const auto add = [&](const char* name, auto make) {
    Peer peer{name, Elements(dst, setting_.dtype, 3), make};
    peer.contender = make(peer.dst.data());
    if (peer.contender != nullptr) peers.push_back(std::move(peer));
  };
  add("concord", [=, this](void* to) { return make_engine(operands, setting_, options_, to); });
  if (is_peer("direct")) {
    auto direct = options_;
    direct.winograd = 0;
    add("direct", [=, this](void* to) { return make_engine(operands, setting_, direct, to); });
  }
  if (is_peer("packed")) {
    auto packed = setting_;
    packed.packed = true;
    add("packed", [=, this](void* to) { return make_engine(operands, packed, options_, to); });
  }
  if (is_peer("onednn")) {
    add("onednn", [=, this](void* to) { return make_onednn(operands, setting_, to); });
  }
  if (is_peer(kMoving)) {
    add(kMoving, [=](void* to) { return make_memory(operands, to); });
  }
  // XNNPACK wants the weights in an order of its own, which no user would turn in every call.
  if (is_peer("xnnpack") && !manner_.first_call) {
    add("xnnpack", [=, this](void* to) { return make_xnnpack(operands, setting_, to); });
  }
  return peers;
}

bool Bench::report(const Layer& layer, const Operands& operands, const std::vector<Peer>& peers,
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
  fmt::print("{:30} {:9.1f} {:>6} {:>6} ", layer.name, ours * 1e6,
             percent(operations.nominal / ours, peak), percent(operations.valid / ours, peak));
  double limit = peak > 0 ? operations.valid / peak : 0;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (peers[i].name == kMoving) limit = std::max(limit, spread_of(rounds[i]).median);
  }
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
    const bool moves = peers[i].name == kMoving;
    const bool close = moves || apart < (setting_.dtype == Dtype::kF32 ? 1e-4 : 2e-2);
    agree = agree && close;
    ratios_[peers[i].name].push_back(ratio.median);
    fmt::print(" {} {:.3f} [{:.3f} {:.3f}]", peers[i].name, ratio.median, ratio.lower, ratio.upper);
    if (limit > 0 && !moves) {
      const double at_limit = spread_of(rounds[i]).median / limit;
      limits_[peers[i].name].push_back(at_limit);
      fmt::print(" of {:.2f}", at_limit);
    }
    if (!close) fmt::print(" DIFFERS by {:.1e}", apart);
  }
  fmt::print("\n");
  std::fflush(stdout);
  layers_.push_back(std::move(row));
  return agree;
}

}  // namespace concord::bench
