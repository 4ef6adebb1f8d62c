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
constexpr double kMostBytes = 4e9;  // that the standard way may take

// A scale whose numerator is no smaller than any output, so that nothing repeats: the backend has
// to compute the kernel anew for each output, chunk by chunk.
const Rational kNearTwoThirds(2001, 3001), kNearOne(1001, 1003);

struct Way {
  const char* name;
  const char* colour;
};
constexpr Way kWays[] = {
    {"standard", "#c33"}, {"chunked", "#e69f00"}, {"phases", "#1a6fb0"}, {"convolution", "#333"}};
constexpr std::size_t kConvolution = 3;

// The paper's times of the four, in milliseconds, forward and backward, batch 50, and their memory.
struct Printed {
  Extent key;
  double times[4], gibibytes[4];  // 0: out of memory
};
constexpr Printed kTable5[] = {{32, {8.7, 19.7, 3.5, 0.8}, {0.9, 1.8, 0.1, 0.1}},
                               {64, {30.0, 76.1, 3.6, 1.3}, {3.4, 3.7, 0.2, 0.2}},
                               {96, {72.3, 155.4, 5.1, 2.7}, {7.6, 3.9, 0.4, 0.5}},
                               {128, {131.5, 285.9, 7.6, 4.0}, {13.6, 4.1, 0.7, 0.4}}};
constexpr Printed kTable6[] = {{1, {71.7, 158.7, 3.5, 1.3}, {7.5, 3.8, 0.3, 0.2}},
                               {2, {0, 317.9, 7.0, 2.8}, {0, 3.9, 0.3, 0.3}},
                               {4, {0, 635.0, 14.1, 6.0}, {0, 4.0, 0.4, 0.4}},
                               {8, {0, 1270.2, 27.1, 12.5}, {0, 4.2, 0.7, 0.6}},
                               {16, {0, 2538.7, 54.6, 25.2}, {0, 4.6, 1.1, 1.0}},
                               {32, {0, 5074.7, 111.3, 51.6}, {0, 5.5, 2.0, 1.8}}};

// One way, and a convolution of the same batch.
struct Measured {
  Extent batch = 1;
  Cost cost{}, convolution{};
};

struct Measurement {
  Extent key = 0;
  double standard_mebibytes = 0;                ///< of the standard way at the paper's batch
  std::vector<std::optional<Measured>> ways{};  ///< nothing where one is not run
};

Extents scaled(Extent side, const Rational& scale) {
  return {(scale * side).ceil(), (scale * side).ceil()};
}

// `count` layers in a chain, of one way.
Cost measure(Backend& backend, std::size_t way, const PassShape& shape, const Rational& scale,
             Extent count, int repeats) {
  Random random(70);
  const Extents size = scaled(shape.src[2], scale);
  const Rational near = scale == Rational(1) ? kNearOne : kNearTwoThirds;
  Chain chain(random_values(shape.src, random));
  for (Extent i = 0; i < count; ++i) {
    switch (way) {
      case 0:
        chain.append(standard_pass(shape, {scale, scale, size}, random));
        break;
      case 1:
        chain.append(layer_pass(backend, shape, {near, near, size}, random));
        break;
      case 2:
        chain.append(layer_pass(backend, shape, {scale, scale, size}, random));
        break;
      default:
        chain.append(convolution_pass(backend, shape, {}, random));
    }
  }
  return cost_of(chain, repeats);
}

double printed_ratio(const Printed& row, std::size_t way) {
  return row.times[way] / row.times[kConvolution];
}

template <std::size_t n>
const Printed* printed(const Printed (&table)[n], Extent key) {
  for (const Printed& row : table) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

nlohmann::ordered_json row_of(Extent key, std::size_t way, const Measured& measured,
                              const Printed* theirs) {
  const auto& [batch, cost, convolution] = measured;
  nlohmann::ordered_json row{{"key", key},
                             {"batch", batch},
                             {"way", kWays[way].name},
                             {"forward_ms", cost.forward},
                             {"backward_ms", cost.backward},
                             {"both_ms", cost.both()},
                             {"mebibytes", cost.mebibytes},
                             {"activation_mebibytes", cost.activation_mebibytes},
                             {"forward_ratio", cost.forward / convolution.forward},
                             {"both_ratio", cost.both() / convolution.both()}};
  if (theirs != nullptr && theirs->times[way] > 0) {
    row["paper_ratio"] = printed_ratio(*theirs, way);
    row["paper_gibibytes"] = theirs->gibibytes[way];
  }
  return row;
}

std::string line_of(const nlohmann::ordered_json& row) {
  const auto number = [&](const char* name) { return row[name].get<double>(); };
  std::string paper;
  if (row.contains("paper_ratio")) {
    paper = fmt::format("  paper {:5.1f}x, {:.1f} GiB", number("paper_ratio"),
                        number("paper_gibibytes"));
  }
  return fmt::format(
      "{:4} batch {:2} {:12} forward {:8.2f} ms ({:6.1f}x)  both {:9.2f} ms ({:6.1f}x)  {:7.2f} "
      "MiB and {:7.2f} of activations{}\n",
      row["key"].get<Extent>(), row["batch"].get<Extent>(), row["way"].get<std::string>(),
      number("forward_ms"), number("forward_ratio"), number("both_ms"), number("both_ratio"),
      number("mebibytes"), number("activation_mebibytes"), paper);
}

template <std::size_t n>
void report(const std::vector<Measurement>& all, const Printed (&table)[n], Outcome& outcome) {
  for (const Measurement& at : all) {
    for (std::size_t way = 0; way < at.ways.size(); ++way) {
      if (!at.ways[way]) continue;
      auto row = row_of(at.key, way, *at.ways[way], printed(table, at.key));
      if (way == 0) row["mebibytes_at_batch_50"] = at.standard_mebibytes;
      outcome.summary += line_of(row);
      outcome.numbers["rows"].push_back(std::move(row));
    }
  }
}

// Milliseconds of an image.
double time_of(const Measured& measured, bool both) {
  const double all = both ? measured.cost.both() : measured.cost.forward;
  return all / static_cast<double>(measured.batch);
}

std::string draw(const std::vector<Measurement>& all, const std::string& x_name) {
  Picture picture(820, 330);
  double most = 0, least = 1e300;
  for (const Measurement& at : all) {
    for (const auto& way : at.ways) {
      if (!way) continue;
      most = std::max(most, time_of(*way, true));
      least = std::min(least, time_of(*way, false));
    }
  }
  const double end = static_cast<double>(all.back().key) * 1.05;
  double x = 70;
  for (const bool both : {false, true}) {
    picture.text(x, 20, both ? "forward and backward" : "forward", "font-weight=\"bold\"");
    picture.axes({x, 50, 290, 210},
                 {0, end, least / 1.5, most * 1.5, true, x_name, "milliseconds of an image"});
    for (std::size_t way = 0; way < std::size(kWays); ++way) {
      Points points;
      for (const Measurement& at : all) {
        if (at.ways[way]) points.emplace_back(at.key, time_of(*at.ways[way], both));
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

// All ways but the standard one have the paper's batch in each row.
Outcome table5(Backend& backend, Effort effort) {
  const bool fast = effort == Effort::kFast;
  const Rational scale(2, 3);
  std::vector<Measurement> all;
  for (const Extent side : fast ? Extents{16, 32} : Extents{16, 32, 64, 96, 128}) {
    Measurement at{side, standard_way(kPaperBatch, side, scale) / (1 << 20)};
    const auto cost = [&](std::size_t way, Extent batch, int repeats) {
      return measure(backend, way, shape_of(batch, side), scale, 1, repeats);
    };
    const Extent batch = fast ? 1 : kPaperBatch;
    const Cost convolution = cost(kConvolution, batch, 3);
    // Seconds, of little deviation: one run suffices.
    const Extent fits = fast ? 1 : largest_batch(side, scale);
    at.ways.push_back(Measured{fits, cost(0, fits, fast ? 3 : 1),
                               fits == batch ? convolution : cost(kConvolution, fits, 3)});
    for (const std::size_t way : {1U, 2U}) {
      at.ways.push_back(Measured{batch, cost(way, batch, 3), convolution});
    }
    at.ways.push_back(Measured{batch, convolution, convolution});
    all.push_back(std::move(at));
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
  const PassShape shape = shape_of(1, fast ? 24 : 64);
  for (const Extent layers : fast ? Extents{1, 2, 4} : Extents{1, 2, 4, 8, 16, 32}) {
    Measurement at{layers, standard_way(kPaperBatch, shape.src[2], 1) / (1 << 20)};
    const Cost convolution = measure(backend, kConvolution, shape, 1, layers, 3);
    for (std::size_t way = 0; way < kConvolution; ++way) {
      at.ways.emplace_back();
      if (way == 0 && layers > 1) continue;
      at.ways.back() = Measured{1, measure(backend, way, shape, 1, layers, 3), convolution};
    }
    at.ways.push_back(Measured{1, convolution, convolution});
    all.push_back(std::move(at));
  }
  Outcome outcome;
  report(all, kTable6, outcome);
  outcome.svg = draw(all, "layers");
  return outcome;
}

}  // namespace concord::experiments
