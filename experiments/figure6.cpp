// SPDX-License-Identifier: Apache-2.0
// Figure 6: where a cross is after many layers. Convolutions with 4x4 taps move it by half a pixel
// each; layers on the grid of Eq. 2 do not, at scale 1 or back and forth between fractional scales.
#include <fmt/core.h>

#include <cmath>

#include "experiments/experiment.h"
#include "experiments/imitate.h"
#include "experiments/picture.h"
#include "experiments/scales.h"

namespace concord::experiments {
namespace {

constexpr Extent kSide = 47;  // fractional sizes are rounded up in each step
constexpr Extent kSupport = 4;
constexpr int kRounds = 16;
const Rational kDownH(5, 7), kDownW(4, 5);

double gaussian(double dy, double dx) { return std::exp(-0.5 * (dy * dy + dx * dx) / 0.49); }

Image cross() {
  Image image(kSide, kSide);
  for (Extent i = -10; i <= 10; ++i) {
    for (Extent j = -3; j <= 3; ++j) {
      image(kSide / 2 + i, kSide / 2 + j) = 1;
      image(kSide / 2 + j, kSide / 2 + i) = 1;
    }
  }
  return image;
}

// Where the middle of the brightness lies, from the middle of the image, in its pixels.
std::pair<double, double> drift(const Image& image) {
  double sum = 0, down = 0, right = 0;
  for (Extent i = 0; i < image.rows; ++i) {
    for (Extent j = 0; j < image.columns; ++j) {
      sum += image(i, j);
      down += static_cast<double>(i) * image(i, j);
      right += static_cast<double>(j) * image(i, j);
    }
  }
  return {down / sum - static_cast<double>(image.rows - 1) / 2,
          right / sum - static_cast<double>(image.columns - 1) / 2};
}

// The same brightness in each picture, so that a kernel's sum does not count.
Image normalized(Image image) {
  double most = 1e-30;
  for (const double value : image.at) most = std::max(most, value);
  for (double& value : image.at) value /= most;
  return image;
}

struct Chain {
  std::string name{};
  std::function<Image(const Image&)> once{};
  std::vector<Image> images{};  // after 0 to kRounds times
  double distance() const {
    const auto [down, right] = drift(images.back());
    return std::hypot(down, right);
  }
};

Image plain_convolution(Backend& backend, const Image& image) {
  Problem problem;
  const Values src = values_of(image);
  Values weights({1, 1, kSupport, kSupport});
  double sum = 0;
  const auto tap = [](Extent i) { return static_cast<double>(i) - 1.5; };
  for (Extent k = 0; k < kSupport * kSupport; ++k) {
    sum += gaussian(tap(k / kSupport), tap(k % kSupport));
  }
  for (Extent k = 0; k < kSupport * kSupport; ++k) {
    weights.at[static_cast<std::size_t>(k)] =
        static_cast<float>(gaussian(tap(k / kSupport), tap(k % kSupport)) / sum);
  }
  problem.src.dims = src.dims;
  problem.weights.dims = weights.dims;
  ConvolutionAttributes attributes;
  attributes.strides = attributes.dilations = {1, 1};
  attributes.pads_begin = attributes.pads_end = {0, 0};
  attributes.auto_pad = AutoPad::kSameUpper;  // one before, two after
  attributes.data_format = DataFormat::kNCX;
  attributes.weights_format = WeightsFormat::kOIX;
  problem.attributes = attributes;
  return image_of(backend.run(problem, {&src, &weights}));
}

// The layer with the cubic of Keys in place of a net.
Image engine_bicubic(Backend& backend, const Image& image, const Sampling& where) {
  ContinuousAttributes attributes;
  attributes.function = KernelFunction::kKeys;
  attributes.kernel = {kSupport, kSupport};
  attributes.scale_h = where.scale_h;
  attributes.scale_w = where.scale_w;
  attributes.size = where.size;
  Problem problem;
  const Values src = values_of(image), theta({0});
  problem.src.dims = src.dims;
  problem.weights.dims = theta.dims;
  problem.attributes = attributes;
  return image_of(backend.run(problem, {&src, &theta}));
}

// A layer that has learnt the Gaussian at one float scale.
ContinuousLayer trained(Backend& backend, Effort effort) {
  Random random(11);
  ContinuousLayer layer(1, 1, kSupport, random);
  const Image image = scene(effort == Effort::kFast ? 20 : 40, random);
  const Sampling where{float_scale(random), float_scale(random), {}};
  const Image target = resize(image, where.scale_h, where.scale_w, kSupport, gaussian);
  imitate(backend, layer, {image, target, where, effort == Effort::kFast ? 1000 : 3000, 0.02});
  return layer;
}

std::vector<Rational> nearest_grid(Extent in, Extent out, const Rational& scale) {
  std::vector<Rational> grid;
  for (Extent n = 0; n < out; ++n) {
    grid.emplace_back(std::min((Rational(n) / scale).floor(), in - 1));
  }
  return grid;
}

double nearest(double dy, double dx) { return dy == 0 && dx == 0 ? 1 : 0; }

// Down by fractional scales and up again. Each size is rounded up; the size that the way back has
// to reach is given.
using Resizer = std::function<Image(const Image&, const Sampling&)>;
Image back_and_forth(const Image& image, const Resizer& resizer) {
  const Image small =
      resizer(image, {kDownH, kDownW, {(kDownH * kSide).ceil(), (kDownW * kSide).ceil()}});
  return resizer(small, {Rational(1) / kDownH, Rational(1) / kDownW, {kSide, kSide}});
}

Image by_grids(const Image& image, const Sampling& where, const Kernel& kernel, Extent support,
               const std::function<std::vector<Rational>(Extent, Extent, const Rational&)>& grid) {
  return resize(image, grid(image.rows, where.size[0], where.scale_h),
                grid(image.columns, where.size[1], where.scale_w), support, kernel);
}

std::vector<Chain> chains(Backend& backend, const ContinuousLayer& layer) {
  const Resizer continuous = [&](const Image& image, const Sampling& where) {
    return apply(backend, layer, image, where);
  };
  const Resizer centred = [&](const Image& image, const Sampling& where) {
    return engine_bicubic(backend, image, where);
  };
  const Resizer unrounded = [](const Image& image, const Sampling& where) {
    return by_grids(image, where, bicubic, 4, [](Extent, Extent out, const Rational& scale) {
      return unrounded_grid(out, scale);
    });
  };
  const Resizer nearest_pixel = [](const Image& image, const Sampling& where) {
    return by_grids(image, where, nearest, 1, nearest_grid);
  };
  const auto both_ways = [](const Resizer& resizer) {
    return [resizer](const Image& image) { return back_and_forth(image, resizer); };
  };
  return {
      {"convolution with 4x4 taps", [&](const Image& i) { return plain_convolution(backend, i); }},
      {"CC layer, a learnt Gaussian, scale 1",
       [&](const Image& i) { return apply(backend, layer, i, {}); }},
      {"CC layer, the same, back and forth", both_ways(continuous)},
      {"CC layer, bicubic, back and forth", both_ways(centred)},
      {"bicubic, without the sizes in the grid", both_ways(unrounded)},
      {"nearest pixel, floor(n/s)", both_ways(nearest_pixel)},
  };
}

nlohmann::ordered_json numbers_of(const std::vector<Chain>& all) {
  nlohmann::ordered_json list;
  for (const Chain& chain : all) {
    Points path;
    for (const Image& image : chain.images) path.push_back(drift(image));
    list.push_back({{"name", chain.name}, {"distance", chain.distance()}, {"path", path}});
  }
  return list;
}

std::string draw(const std::vector<Chain>& all) {
  Picture picture(720, 1000);
  const std::vector<std::size_t> shown{0, 1, 4, 8, kRounds};
  double y = 40;
  for (const Chain& chain : all) {
    double x = 10;
    picture.text(x, y - 5, chain.name, "font-weight=\"bold\"");
    for (const std::size_t round : shown) {
      const Frame frame{x, y, 130, 130};
      picture.image(frame, normalized(chain.images[round]), {});
      picture.text(x + 4, y + 124, fmt::format("after {}", round), "fill=\"white\"");
      picture.place_lines(frame, {0, 1, 0, 1});
      picture.line({{0.5, 0}, {0.5, 1}}, "#e08214", true);
      picture.line({{0, 0.5}, {1, 0.5}}, "#e08214", true);
      x += 140;
    }
    y += 160;
  }
  return picture.svg();
}

}  // namespace

Outcome figure6(Backend& backend, Effort effort) {
  ContinuousLayer layer = trained(backend, effort);
  // At scale 1 the outermost neighbours are ties: one policy for both borders keeps the centre.
  layer.attributes().ties = Ties::kOpen;
  Outcome outcome;
  std::vector<Chain> all = chains(backend, layer);
  for (Chain& chain : all) {
    chain.images.push_back(cross());
    for (int i = 0; i < kRounds; ++i) {
      chain.images.push_back(normalized(chain.once(chain.images.back())));
    }
    const auto [down, right] = drift(chain.images.back());
    outcome.summary += fmt::format("{:32} {:7.2f} down {:7.2f} right\n", chain.name, down, right);
  }
  outcome.numbers["chains"] = numbers_of(all);
  outcome.svg = draw(all);
  return outcome;
}

}  // namespace concord::experiments
