// SPDX-License-Identifier: Apache-2.0
// Figure 5: three layers, trained once, applied with many sequences of scales whose product is 1/2;
// the mean and the median of all results against each of them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/experiment.h"
#include "experiments/imitate.h"
#include "experiments/picture.h"
#include "experiments/scales.h"

namespace concord::experiments {
namespace {

constexpr Extent kSupport = 4, kLayers = 3;
constexpr Extent kCut = 4;  // outputs at each edge, which see the zeros outside the image

// A smooth picture that is known everywhere, so that the truth at any scale is known.
double pattern(double y, double x) {
  const auto wave = [](double phase) { return std::cos(2 * std::numbers::pi * phase); };
  return 0.5 + 0.2 * wave(y / 12 + x / 17) + 0.15 * wave(x / 9 - y / 23) + 0.1 * wave(y / 8.5);
}

Image sampled_pattern(const std::vector<Rational>& grid_h, const std::vector<Rational>& grid_w) {
  Image image(static_cast<Extent>(grid_h.size()), static_cast<Extent>(grid_w.size()));
  for (Extent i = 0; i < image.rows; ++i) {
    for (Extent j = 0; j < image.columns; ++j) {
      image(i, j) = pattern(grid_h[static_cast<std::size_t>(i)].to_double(),
                            grid_w[static_cast<std::size_t>(j)].to_double());
    }
  }
  return image;
}

Image inner(const Image& image) {
  Image part(image.rows - 2 * kCut, image.columns - 2 * kCut);
  for (Extent i = 0; i < part.rows; ++i) {
    for (Extent j = 0; j < part.columns; ++j) part(i, j) = image(i + kCut, j + kCut);
  }
  return part;
}

std::vector<ContinuousLayer> trained_layers(Backend& backend, bool fast) {
  std::vector<ContinuousLayer> layers;
  for (Extent i = 0; i < kLayers; ++i) {
    Random random(static_cast<std::uint64_t>(40 + i));
    const Image image = scene(fast ? 20 : 40, random);
    const Sampling where{float_scale(random), float_scale(random), {}};
    layers.emplace_back(1, 1, kSupport, random);
    imitate(backend, layers.back(),
            {image, resize(image, where.scale_h, where.scale_w, kSupport, bicubic), where,
             fast ? 1000 : 3000, 0.02});
  }
  return layers;
}

// One way through the layers, other scales in each axis.
Image member(Backend& backend, const std::vector<ContinuousLayer>& layers, Image image,
             Random& random) {
  const Rational half(1, 2);
  const auto scales_h = scale_sequence(kLayers, half, 0.05, random);
  const auto scales_w = scale_sequence(kLayers, half, 0.05, random);
  const Extents rows = sizes_by_equation_4(image.rows, scales_h);
  const Extents columns = sizes_by_equation_4(image.columns, scales_w);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    image = apply(backend, layers[i], image, {scales_h[i], scales_w[i], {rows[i], columns[i]}});
  }
  return inner(image);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Image aggregate(const std::vector<Image>& members, double (*one)(const std::vector<double>&)) {
  Image result(members[0].rows, members[0].columns);
  for (std::size_t i = 0; i < result.at.size(); ++i) {
    std::vector<double> values;
    values.reserve(members.size());
    for (const Image& image : members) values.push_back(image.at[i]);
    result.at[i] = one(values);
  }
  return result;
}

struct Ensemble {
  Image truth{}, mean{}, median{};
  std::vector<Image> members{};
  std::vector<double> errors{};             // of each member
  Points mean_by_size{}, median_by_size{};  // error of the first so many
  double mean_error() const { return mean_by_size.back().second; }
  double median_error() const { return median_by_size.back().second; }
  double best() const { return *std::min_element(errors.begin(), errors.end()); }
};

Ensemble ensemble(Backend& backend, bool fast) {
  const auto layers = trained_layers(backend, fast);
  const Extent side = 64;
  const auto whole = projected_grid(side, side, 1);
  const auto halved = projected_grid(side, side / 2, {1, 2});
  const Image image = sampled_pattern(whole, whole);
  Ensemble result;
  result.truth = inner(sampled_pattern(halved, halved));
  Random random(50);
  for (int i = 0; i < 25; ++i) {
    result.members.push_back(member(backend, layers, image, random));
    result.errors.push_back(mean_square_error(result.members.back(), result.truth));
    result.mean = aggregate(result.members, mean_of);
    result.median =
        aggregate(result.members, [](const std::vector<double>& v) { return median_of(v); });
    const double size = i + 1;
    result.mean_by_size.emplace_back(size, mean_square_error(result.mean, result.truth));
    result.median_by_size.emplace_back(size, mean_square_error(result.median, result.truth));
  }
  return result;
}

std::string draw(const Ensemble& all) {
  Picture picture(940, 560);
  Points members;
  double most = 0;
  for (std::size_t i = 0; i < all.errors.size(); ++i) {
    members.emplace_back(static_cast<double>(i + 1), all.errors[i]);
    most = std::max(most, all.errors[i]);
  }
  picture.text(60, 20, "three layers, product of their scales 1/2", "font-weight=\"bold\"");
  picture.axes({60, 50, 500, 250},
               {0, 26, 0, 1.1 * most, false, "sequences of scales", "mean square error"});
  picture.points(members, "#888");
  picture.line(all.mean_by_size, "#1a6fb0");
  picture.line(all.median_by_size, "#e08214", true);
  picture.text(580, 80, "points: each sequence alone");
  picture.text(580, 100, "line: mean of all so far");
  picture.text(580, 120, "dashed: median of all so far");
  const auto error_of = [&](const Image& image) {
    Image error = image;
    for (std::size_t i = 0; i < error.at.size(); ++i) error.at[i] -= all.truth.at[i];
    return error;
  };
  const Shades shades = symmetric_shades(error_of(all.members[0]));
  const auto show = [&](double x, const std::string& name, const Image& image, const Shades& in) {
    picture.text(x, 355, name);
    picture.image({x, 360, 170, 170}, image, in);
  };
  show(10, "the truth", all.truth, {});
  show(195, "error of the first", error_of(all.members[0]), shades);
  show(380, "error of the second", error_of(all.members[1]), shades);
  show(565, "error of the mean", error_of(all.mean), shades);
  show(750, "error of the median", error_of(all.median), shades);
  return picture.svg();
}

}  // namespace

Outcome figure5(Backend& backend, Effort effort) {
  const Ensemble all = ensemble(backend, effort == Effort::kFast);
  Outcome outcome;
  outcome.numbers = {{"member_mse", all.errors},
                     {"member_mse_mean", mean_of(all.errors)},
                     {"member_mse_best", all.best()},
                     {"mean_mse", all.mean_error()},
                     {"median_mse", all.median_error()}};
  outcome.svg = draw(all);
  outcome.summary = fmt::format(
      "one sequence: {:.1e}, the best {:.1e}; mean of 25: {:.1e}, median of 25: {:.1e}\n",
      mean_of(all.errors), all.best(), all.mean_error(), all.median_error());
  return outcome;
}

}  // namespace concord::experiments
