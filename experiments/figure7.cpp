// SPDX-License-Identifier: Apache-2.0
// Figure 7: a layer learns bicubic resizing from one image at one scale, and is tested at 100 other
// scales. A float scale shows it all distances; 1/2 shows it 16.
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

struct Setup {
  Image image{};
  int steps = 0;
  std::vector<Sampling> tests{};
};

struct Trained {
  std::string name{};
  Sampling where{};
  Points curve{};  // of the error by step
  double train = 0;
  std::vector<double> tests{};
  Image kernel{};

  double mean() const {
    double sum = 0;
    for (const double error : tests) sum += error;
    return sum / static_cast<double>(tests.size());
  }
};

Image teach(const Image& image, const Sampling& where) {
  return resize(image, where.scale_h, where.scale_w, kSupport, bicubic);
}

Trained train(Backend& backend, const Setup& setup, const std::string& name,
              const Sampling& where) {
  Random random(7);  // both nets start from the same theta
  ContinuousLayer layer(1, 1, kSupport, random);
  Trained result{name, where};
  const Lesson lesson{setup.image, teach(setup.image, where), where, setup.steps, 0.02};
  result.train = imitate(backend, layer, lesson, [&](int step, double error) {
    if (step % std::max(1, setup.steps / 200) == 0) result.curve.emplace_back(step, error);
  });
  for (const Sampling& test : setup.tests) {
    const Image got = apply(backend, layer, setup.image, test);
    result.tests.push_back(mean_square_error(got, teach(setup.image, test)));
  }
  result.kernel = sampled_kernel(backend, layer, 25);
  return result;
}

void draw(Picture& picture, const Trained& trained, const Image& truth, double x) {
  Points tests;
  for (std::size_t i = 0; i < trained.tests.size(); ++i) {
    tests.emplace_back(static_cast<double>(i), trained.tests[i]);
  }
  const double count = static_cast<double>(tests.size());
  picture.text(x, 20, "trained at " + trained.name, "font-weight=\"bold\"");
  picture.axes({x, 50, 330, 240}, {0, count, 1e-8, 1, true, "test scale", "mean square error"});
  picture.points(tests, "#c33");
  picture.line({{0, trained.train}, {count, trained.train}}, "#1a6fb0");
  picture.line({{0, trained.mean()}, {count, trained.mean()}}, "#c33", true);
  picture.image({x + 60, 365, 200, 200}, trained.kernel, symmetric_shades(truth));
  picture.text(x + 60, 580, "the kernel that it learnt");
}

nlohmann::ordered_json numbers_of(const Trained& trained) {
  return {{"scale", {to_string(trained.where.scale_h), to_string(trained.where.scale_w)}},
          {"train_mse", trained.train},
          {"test_mse_mean", trained.mean()},
          {"test_mse_largest", *std::max_element(trained.tests.begin(), trained.tests.end())},
          {"test_mse", trained.tests},
          {"curve", trained.curve}};
}

}  // namespace

Outcome figure7(Backend& backend, Effort effort) {
  Random random(3);
  const bool fast = effort == Effort::kFast;
  Setup setup{scene(fast ? 20 : 40, random), fast ? 2000 : 3000};
  const Sampling any{float_scale(random), float_scale(random)};
  const int tests = fast ? 20 : 100;
  for (int i = 0; i < tests; ++i) {
    setup.tests.push_back({float_scale(random), float_scale(random)});
  }
  const Trained of_float =
      train(backend, setup,
            fmt::format("the scale {}, {}", any.scale_h.to_double(), any.scale_w.to_double()), any);
  const Trained of_half = train(backend, setup, "the scale 1/2", {{1, 2}, {1, 2}});

  const Image truth = sampled_kernel(bicubic, kSupport, 25);
  Picture picture(1060, 600);
  picture.text(60, 345, "points: other scales; dashed: their mean; line: the scale of training");
  draw(picture, of_float, truth, 60);
  draw(picture, of_half, truth, 460);
  picture.image({830, 365, 200, 200}, truth, symmetric_shades(truth));
  picture.text(830, 580, "bicubic, the teacher's kernel");

  const double ratio = of_half.mean() / of_float.mean();
  Outcome outcome;
  outcome.numbers = {
      {"float", numbers_of(of_float)}, {"half", numbers_of(of_half)}, {"half_over_float", ratio}};
  outcome.svg = picture.svg();
  outcome.summary = fmt::format(
      "float scale: training {:.1e}, other scales {:.1e}\n"
      "1/2:         training {:.1e}, other scales {:.1e}\n"
      "other scales, 1/2 over float: {:.0f}, orders of magnitude: {:.0f}\n",
      of_float.train, of_float.mean(), of_half.train, of_half.mean(), ratio, std::log10(ratio));
  return outcome;
}

}  // namespace concord::experiments
