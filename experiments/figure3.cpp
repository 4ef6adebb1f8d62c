// SPDX-License-Identifier: Apache-2.0
// Figure 3: the kernels that a layer learns from bicubic resizing and from a rotated Gaussian, as
// pictures along the training.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiments/experiment.h"
#include "experiments/imitate.h"
#include "experiments/picture.h"
#include "experiments/scales.h"

namespace concord::experiments {
namespace {

constexpr Extent kSupport = 4;

// Of a pixel: 200x200 of the kernel, as in the paper.
Extent points(Effort effort) { return effort == Effort::kFast ? 25 : 50; }

struct Snapshot {
  int step = 0;
  double error = 0;        // of the resized image
  double correlation = 0;  // of the kernel with the teacher's
  Image kernel{};
};

// The cosine of the angle between two images: 1 for the same kernel up to a factor.
double correlation(const Image& a, const Image& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.at.size(); ++i) {
    ab += a.at[i] * b.at[i];
    aa += a.at[i] * a.at[i];
    bb += b.at[i] * b.at[i];
  }
  return ab / std::sqrt(aa * bb);
}

std::vector<Snapshot> learn(Backend& backend, const Kernel& teacher, Effort effort) {
  Random random(3);
  const bool fast = effort == Effort::kFast;
  const Image image = scene(fast ? 20 : 40, random);
  const Sampling where{float_scale(random), float_scale(random), {}};
  ContinuousLayer layer(1, 1, kSupport, random);
  const Image truth = sampled_kernel(teacher, kSupport, points(effort));
  const Lesson lesson{image, resize(image, where.scale_h, where.scale_w, kSupport, teacher), where,
                      fast ? 1000 : 3000, 0.02};
  const std::vector<int> shown{0, 30, 100, 300, 1000, 3000};
  std::vector<Snapshot> snapshots;
  imitate(backend, layer, lesson, [&](int step, double error) {
    if (std::find(shown.begin(), shown.end(), step) == shown.end()) return;
    Image kernel = sampled_kernel(backend, layer, points(effort));
    snapshots.push_back({step, error, correlation(kernel, truth), std::move(kernel)});
  });
  return snapshots;
}

void draw(Picture& picture, const std::string& name, const Kernel& teacher,
          const std::vector<Snapshot>& snapshots, double y, Effort effort) {
  const Image truth = sampled_kernel(teacher, kSupport, points(effort));
  picture.text(10, y - 20, name, "font-weight=\"bold\"");
  double x = 10;
  for (const Snapshot& snapshot : snapshots) {
    picture.image({x, y, 150, 150}, snapshot.kernel, symmetric_shades(truth));
    picture.text(x, y - 5, fmt::format("step {}", snapshot.step));
    picture.text(x, y + 165, fmt::format("error {:.1e}", snapshot.error));
    picture.text(x, y + 179, fmt::format("correlation {:.3f}", snapshot.correlation));
    x += 165;
  }
  picture.image({x, y, 150, 150}, truth, symmetric_shades(truth));
  picture.text(x, y - 5, "the teacher's");
}

nlohmann::ordered_json numbers_of(const std::vector<Snapshot>& snapshots) {
  nlohmann::ordered_json list;
  for (const Snapshot& snapshot : snapshots) {
    list.push_back({{"step", snapshot.step},
                    {"mse", snapshot.error},
                    {"kernel_correlation", snapshot.correlation}});
  }
  return list;
}

}  // namespace

Outcome figure3(Backend& backend, Effort effort) {
  const auto of_bicubic = learn(backend, bicubic, effort);
  const auto of_gaussian = learn(backend, rotated_gaussian, effort);
  Picture picture(static_cast<int>(20 + 165 * (of_bicubic.size() + 1)), 480);
  draw(picture, "bicubic", bicubic, of_bicubic, 50, effort);
  draw(picture, "a Gaussian of deviations 1 and 0.45 pixels, rotated by 45 degrees",
       rotated_gaussian, of_gaussian, 285, effort);
  return {{{"bicubic", numbers_of(of_bicubic)}, {"rotated_gaussian", numbers_of(of_gaussian)}},
          picture.svg(),
          fmt::format("correlation with the teacher's kernel: bicubic {:.2f}, Gaussian {:.2f}\n",
                      of_bicubic.back().correlation, of_gaussian.back().correlation)};
}

}  // namespace concord::experiments
