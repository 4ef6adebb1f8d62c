// SPDX-License-Identifier: Apache-2.0
// Tables 5 and 6: time and memory of the layer in three ways, and of a convolution; as ratios, for
// this machine has no V100.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "experiments/experiment.h"
#include "experiments/passes.h"
#include "experiments/picture.h"
#include "experiments/scales.h"

namespace concord::experiments {
namespace {

constexpr Extent kChannels = 32;
constexpr Extent kPaperBatch = 50;
constexpr double kMostBytes = 1e9;  // that the standard way may take

// A scale whose numerator is no smaller than any output, so that nothing repeats: the backend has
// to compute the kernel anew for each output, chunk by chunk.
const Rational kNearTwoThirds(2001, 3001), kNearOne(1001, 1003);

struct Way {
  const char* name;
  const char* colour;
};
constexpr Way kWays[] = {
    {"standard", "#c33"}, {"chunked", "#e69f00"}, {"phases", "#1a6fb0"}, {"convolution", "#333"}};

// The paper's times of the four, in milliseconds, forward and backward, batch 50.
struct Printed {
  Extent key;
  double times[4];
};
constexpr Printed kTable5[] = {{32, {8.7, 19.7, 3.5, 0.8}},
                               {64, {30.0, 76.1, 3.6, 1.3}},
                               {96, {72.3, 155.4, 5.1, 2.7}},
                               {128, {131.5, 285.9, 7.6, 4.0}}};
// 0: out of memory.
constexpr Printed kTable6[] = {{1, {71.7, 158.7, 3.5, 1.3}},  {2, {0, 317.9, 7.0, 2.8}},
                               {4, {0, 635.0, 14.1, 6.0}},    {8, {0, 1270.2, 27.1, 12.5}},
                               {16, {0, 2538.7, 54.6, 25.2}}, {32, {0, 5074.7, 111.3, 51.6}}};

struct Measurement {
  Extent key = 0, batch = 1;
  double standard_mebibytes = 0;             ///< of the standard way at the paper's batch
  std::vector<std::optional<Cost>> costs{};  ///< one for each way; nothing where it is not run
};

Extents scaled(Extent side, const Rational& scale) {
  return {(scale * side).ceil(), (scale * side).ceil()};
}

// `count` layers in a row, of one way.
Cost measure(Backend& backend, std::size_t way, const PassShape& shape, const Rational& scale,
             Extent count, int repeats) {
  Random random(70);
  std::vector<std::unique_ptr<Pass>> layers;
  const Extents size = scaled(shape.src[2], scale);
  const Rational near = scale == Rational(1) ? kNearOne : kNearTwoThirds;
  for (Extent i = 0; i < count; ++i) {
    switch (way) {
      case 0:
        layers.push_back(standard_pass(shape, {scale, scale, size}, random));
        break;
      case 1:
        layers.push_back(layer_pass(backend, shape, {near, near, size}, random));
        break;
      case 2:
        layers.push_back(layer_pass(backend, shape, {scale, scale, size}, random));
        break;
      default:
        layers.push_back(convolution_pass(backend, shape, {}, random));
    }
  }
  return cost_of(layers, repeats);
}

double printed_ratio(const Printed& row, std::size_t way) { return row.times[way] / row.times[3]; }

template <std::size_t n>
const Printed* printed(const Printed (&table)[n], Extent key) {
  for (const Printed& row : table) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

template <std::size_t n>
void report(const std::vector<Measurement>& all, const Printed (&table)[n], Outcome& outcome) {
  for (const auto& [key, batch, standard_mebibytes, costs] : all) {
    for (std::size_t way = 0; way < costs.size(); ++way) {
      if (!costs[way]) continue;
      const Cost& cost = *costs[way];
      const double forward = cost.forward / costs.back()->forward;
      const double both = cost.both() / costs.back()->both();
      nlohmann::ordered_json row{{"key", key},
                                 {"batch", batch},
                                 {"way", kWays[way].name},
                                 {"forward_ms", cost.forward},
                                 {"backward_ms", cost.backward},
                                 {"mebibytes", cost.mebibytes},
                                 {"forward_ratio", forward},
                                 {"both_ratio", both}};
      if (way == 0) row["mebibytes_at_batch_50"] = standard_mebibytes;
      std::string paper = "     -";
      const Printed* const theirs = printed(table, key);
      if (theirs != nullptr && theirs->times[way] > 0) {
        row["paper_ratio"] = printed_ratio(*theirs, way);
        paper = fmt::format("{:6.1f}", printed_ratio(*theirs, way));
      }
      outcome.numbers["rows"].push_back(row);
      outcome.summary += fmt::format(
          "{:4} batch {:2} {:12} forward {:8.2f} ms ({:6.1f}x)  with backward {:9.2f} ms "
          "({:6.1f}x, paper "
          "{}x) "
          " {:8.2f} MiB\n",
          key, batch, kWays[way].name, cost.forward, forward, cost.both(), both, paper,
          cost.mebibytes);
    }
  }
}

std::string draw(const std::vector<Measurement>& all, const std::string& x_name) {
  Picture picture(820, 330);
  double most = 0, least = 1e300;
  for (const auto& [key, batch, standard_mebibytes, costs] : all) {
    for (const auto& cost : costs) {
      if (!cost) continue;
      most = std::max(most, cost->both());
      least = std::min(least, cost->forward);
    }
  }
  const double end = static_cast<double>(all.back().key) * 1.05;
  double x = 70;
  for (const bool both : {false, true}) {
    picture.text(x, 20, both ? "forward and backward" : "forward", "font-weight=\"bold\"");
    picture.axes({x, 50, 290, 210},
                 {0, end, least / 1.5, most * 1.5, true, x_name, "milliseconds"});
    for (std::size_t way = 0; way < std::size(kWays); ++way) {
      Points points;
      for (const auto& [key, batch, standard_mebibytes, costs] : all) {
        if (!costs[way]) continue;
        points.emplace_back(key, both ? costs[way]->both() : costs[way]->forward);
      }
      picture.line(points, kWays[way].colour);
      picture.points(points, kWays[way].colour);
    }
    x += 380;
  }
  picture.text(70, 318, "red: standard; orange: chunked; blue: by phases; black: convolution");
  return picture.svg();
}

// Table 5's layer and sampling.
PassShape shape_of(Extent batch, Extent side) {
  return {{batch, kChannels, side, side}, kChannels, 3};
}

double standard_way(Extent batch, Extent side, const Rational& scale) {
  return standard_bytes(shape_of(batch, side), {scale, scale, {}});
}

// The paper's batch, or the largest at which the standard way fits.
Extent largest_batch(Extent side, const Rational& scale) {
  Extent batch = kPaperBatch;
  while (batch > 1 && standard_way(batch, side, scale) > kMostBytes) --batch;
  return batch;
}

}  // namespace

Outcome table5(Backend& backend, Effort effort) {
  const bool fast = effort == Effort::kFast;
  const Rational scale(2, 3);
  std::vector<Measurement> all;
  for (const Extent side : fast ? Extents{16, 32} : Extents{16, 32, 64, 96, 128}) {
    const Extent batch = fast ? 1 : largest_batch(side, scale);
    Measurement measured{side, batch, standard_way(kPaperBatch, side, scale) / (1 << 20)};
    for (std::size_t way = 0; way < std::size(kWays); ++way) {
      const int repeats = way == 0 && !fast ? 1 : 3;  // seconds each, of little deviation
      measured.costs.emplace_back(measure(backend, way, shape_of(batch, side), scale, 1, repeats));
    }
    all.push_back(measured);
  }
  Outcome outcome;
  report(all, kTable5, outcome);
  outcome.svg = draw(all, "input size");
  return outcome;
}

// The standard way has one row, as in the paper, where it runs out of memory at two layers.
Outcome table6(Backend& backend, Effort effort) {
  const bool fast = effort == Effort::kFast;
  std::vector<Measurement> all;
  const Extent side = fast ? 24 : 64;
  for (const Extent layers : fast ? Extents{1, 2, 4} : Extents{1, 2, 4, 8, 16, 32}) {
    const PassShape shape = shape_of(1, side);
    Measurement measured{layers, 1, standard_way(kPaperBatch, side, 1) / (1 << 20)};
    for (std::size_t way = 0; way < std::size(kWays); ++way) {
      measured.costs.emplace_back();
      if (way == 0 && layers > 1) continue;
      measured.costs.back() = measure(backend, way, shape, 1, layers, 3);
    }
    all.push_back(measured);
  }
  Outcome outcome;
  report(all, kTable6, outcome);
  outcome.svg = draw(all, "layers");
  return outcome;
}

}  // namespace concord::experiments
