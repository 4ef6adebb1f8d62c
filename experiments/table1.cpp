// SPDX-License-Identifier: Apache-2.0
// Table 1: how alike the last features of an image and of its shifted copy are, shifted back, for
// the two nets of Table 3. The weights are random: nothing is trained.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiments/convolution.h"
#include "experiments/experiment.h"
#include "experiments/image.h"
#include "experiments/nets.h"
#include "experiments/picture.h"

namespace concord::experiments {
namespace {

constexpr Extent kSide = 32, kMargin = 6, kCut = 2;

class ConvNet {
 public:
  explicit ConvNet(Random& random) {
    Extent in = 3;
    for (const NetRow& row : kNetRows) {
      weights_.push_back(initial_weights({row.channels, in, row.kernel, row.kernel}, random));
      in = row.channels;
    }
  }
  Values features(Backend& backend, Values values) const {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      values = convolve(backend, values, weights_[i], {kNetRows[i].stride, 1});
      relu(values);
    }
    return values;
  }

 private:
  std::vector<Values> weights_{};
};

class ContinuousNet {
 public:
  ContinuousNet(Random& random, KernelFunction function) {
    Extent in = 3;
    for (const NetRow& row : kNetRows) {
      layers_.emplace_back(in, row.channels, row.kernel, random, function);
      in = row.channels;
    }
    path_ = random_path(kSide, random);
  }
  Values features(Backend& backend, Values values) const {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      values = layers_[i].forward(backend, values, path_[i]);
      relu(values);
    }
    return values;
  }

 private:
  std::vector<ContinuousLayer> layers_{};
  Path path_{};
};

// Three channels of an image that is larger than the nets' by a margin on each side.
using Canvas = std::vector<Image>;

Canvas noise(Random& random) {
  std::normal_distribution<double> normal(0, 1);
  Canvas canvas(3, Image(kSide + 2 * kMargin, kSide + 2 * kMargin));
  for (Image& image : canvas) {
    for (double& value : image.at) value = normal(random);
  }
  return canvas;
}

// Disks of random places, sizes and colours, of mean zero.
Canvas disks(Random& random) {
  const Extent side = kSide + 2 * kMargin;
  std::uniform_real_distribution<double> place(0, static_cast<double>(side)), radius(2, 9),
      colour(-1.5, 1.5);
  Canvas canvas(3, Image(side, side));
  for (int disk = 0; disk < 12; ++disk) {
    const double y = place(random), x = place(random), r = radius(random);
    for (Image& image : canvas) {
      const double value = colour(random);
      for (Extent i = 0; i < side; ++i) {
        for (Extent j = 0; j < side; ++j) {
          const double away = std::hypot(static_cast<double>(i) - y, static_cast<double>(j) - x);
          if (away < r) image(i, j) = value;
        }
      }
    }
  }
  return canvas;
}

// The nets' image, moved up and left.
void crop(const Canvas& canvas, Extent down, Extent right, Extent number, Values& batch) {
  auto to = batch.at.begin() + number * 3 * kSide * kSide;
  for (const Image& image : canvas) {
    for (Extent i = 0; i < kSide; ++i) {
      for (Extent j = 0; j < kSide; ++j) {
        *to++ = static_cast<float>(image(kMargin + down + i, kMargin + right + j));
      }
    }
  }
}

Image channel_of(const Values& features, Extent number, Extent channel) {
  Image image(features.dims[2], features.dims[3]);
  const auto first =
      features.at.begin() + (number * features.dims[1] + channel) * image.rows * image.columns;
  std::copy(first, first + image.rows * image.columns, image.at.begin());
  return image;
}

std::vector<Rational> moved_grid(Extent size, Extent shift) {
  std::vector<Rational> grid;
  for (Extent n = 0; n < size; ++n) grid.push_back(Rational(n) - Rational(shift, 4));
  return grid;
}

// Images in pairs: each one and its copy, moved.
struct Pairs {
  Values images{};
  std::vector<std::pair<Extent, Extent>> shifts{};  // down, right
};

Pairs pairs_of(const std::string& input, Extent shift, int count, Random& random) {
  std::uniform_int_distribution<Extent> by(-shift, shift);
  Pairs pairs{Values({2 * count, 3, kSide, kSide})};
  for (Extent i = 0; i < count; ++i) {
    const Canvas canvas = input == "noise" ? noise(random) : disks(random);
    const Extent down = by(random), right = by(random);
    crop(canvas, 0, 0, 2 * i, pairs.images);
    crop(canvas, down, right, 2 * i + 1, pairs.images);
    pairs.shifts.emplace_back(down, right);
  }
  return pairs;
}

// The cosine of the angle between the features of a pair, the second ones shifted back by cubic
// interpolation, two outputs at each edge cut off.
double similarity(const Values& features, Extent pair, Extent down, Extent right) {
  const auto grid_h = moved_grid(features.dims[2], down),
             grid_w = moved_grid(features.dims[3], right);
  double ab = 0, aa = 0, bb = 0;
  for (Extent channel = 0; channel < features.dims[1]; ++channel) {
    const Image a = channel_of(features, 2 * pair, channel);
    const Image b = resize(channel_of(features, 2 * pair + 1, channel), grid_h, grid_w, 4, bicubic);
    for (Extent i = kCut; i < a.rows - kCut; ++i) {
      for (Extent j = kCut; j < a.columns - kCut; ++j) {
        ab += a(i, j) * b(i, j);
        aa += a(i, j) * a(i, j);
        bb += b(i, j) * b(i, j);
      }
    }
  }
  return ab / std::sqrt(aa * bb);
}

double mean_similarity(const Values& features, const Pairs& pairs) {
  double sum = 0;
  Extent pair = 0;
  for (const auto& [down, right] : pairs.shifts) sum += similarity(features, pair++, down, right);
  return sum / static_cast<double>(pair);
}

// Appendix A.1 says that this experiment used the efficient net.
struct Cell {
  std::string input{};
  Extent shift = 0;
  double baseline = 0, efficient = 0, per_neighbour = 0;
};

Cell measure(Backend& backend, const std::string& input, Extent shift, bool fast) {
  Cell cell{input, shift};
  const int nets = fast ? 2 : 20, images = fast ? 8 : 40;
  Random random(60 + static_cast<std::uint64_t>(shift));
  for (int net = 0; net < nets; ++net) {
    const ConvNet baseline(random);
    const ContinuousNet efficient(random, KernelFunction::kNetK);
    const ContinuousNet per_neighbour(random, KernelFunction::kNet);
    const Pairs pairs = pairs_of(input, shift, images, random);
    cell.baseline += mean_similarity(baseline.features(backend, pairs.images), pairs) / nets;
    cell.efficient += mean_similarity(efficient.features(backend, pairs.images), pairs) / nets;
    cell.per_neighbour +=
        mean_similarity(per_neighbour.features(backend, pairs.images), pairs) / nets;
  }
  return cell;
}

std::string draw(const std::vector<Cell>& cells) {
  Picture picture(760, 330);
  double x = 60;
  for (const char* input : {"images", "noise"}) {
    Points baseline, efficient, per_neighbour;
    for (const Cell& cell : cells) {
      if (cell.input != input) continue;
      baseline.emplace_back(cell.shift, cell.baseline);
      efficient.emplace_back(cell.shift, cell.efficient);
      per_neighbour.emplace_back(cell.shift, cell.per_neighbour);
    }
    picture.text(x, 20, input, "font-weight=\"bold\"");
    picture.axes({x, 50, 270, 210}, {1, 7, 0.4, 1, false, "largest shift", "cosine similarity"});
    picture.line(baseline, "#c33");
    picture.points(baseline, "#c33");
    picture.line(efficient, "#1a6fb0");
    picture.points(efficient, "#1a6fb0");
    picture.line(per_neighbour, "#1a6fb0", true);
    picture.points(per_neighbour, "#1a6fb0");
    x += 350;
  }
  picture.text(60, 315,
               "red: convolutions of stride 2; blue: CC layers of gradual scales, of the efficient "
               "net; dashed: of "
               "the net per neighbour");
  return picture.svg();
}

}  // namespace

Outcome table1(Backend& backend, Effort effort) {
  Outcome outcome;
  std::vector<Cell> cells;
  for (const char* input : {"images", "noise"}) {
    for (const Extent shift : {2, 4, 6}) {
      const Cell cell = measure(backend, input, shift, effort == Effort::kFast);
      cells.push_back(cell);
      outcome.numbers["rows"].push_back({{"input", input},
                                         {"shift", shift},
                                         {"baseline", cell.baseline},
                                         {"continuous", cell.efficient},
                                         {"continuous_per_neighbour", cell.per_neighbour}});
      outcome.summary +=
          fmt::format("{:8} +-{}  baseline {:.3f}  CC-net {:.3f}  of a net per neighbour {:.3f}\n",
                      input, shift, cell.baseline, cell.efficient, cell.per_neighbour);
    }
  }
  outcome.svg = draw(cells);
  return outcome;
}

}  // namespace concord::experiments
