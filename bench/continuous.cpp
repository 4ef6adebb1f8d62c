// SPDX-License-Identifier: Apache-2.0
// concord_continuous_bench: the continuous layer by phases against a plain convolution with as many
// multiply-adds, in turns in one process; and its memory as the image grows.
#include "optimized/operations/continuous.h"

#include <fmt/core.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <random>

#include "bench/measure.h"

namespace concord::bench {
namespace {

using optimized::ContinuousOptions;
using optimized::ContinuousPlan;

struct Arguments {
  std::string scale = "2/3", arbitrary = "0.7310585";
  Extent side = 128, channels = 32, kernel = 3, batch = 1;
  int threads = 1, rounds = 21;
  double milliseconds = 20;
  bool processor_time = false;
};

using Floats = std::vector<float>;

Floats random_floats(Extent count) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats values(static_cast<std::size_t>(count));
  for (float& value : values) value = uniform(generator);
  return values;
}

Extent elements(const Extents& dims) { return element_count(dims).value(); }

ContinuousPlan layer_plan(const Arguments& a, Extent side, const Rational& scale, int threads) {
  ContinuousAttributes attributes;
  attributes.scale_h = attributes.scale_w = scale;
  attributes.kernel = {a.kernel, a.kernel};
  attributes.channels = a.channels;
  optimized::ContinuousTensors tensors;
  tensors.src.dims = {a.batch, a.channels, side, side};
  const Extent hidden = 3 * 16 + 17 * 16;
  tensors.theta.dims = {hidden + 17 * a.channels * a.channels};
  const auto shape = infer_continuous(tensors, attributes);
  CONCORD_CHECK(static_cast<bool>(shape)) << shape.why().detail;
  ContinuousOptions options;
  options.threads = threads;
  auto plan = make_continuous_plan(*shape, options);
  CONCORD_CHECK(static_cast<bool>(plan)) << plan.why().detail;
  return *std::move(plan);
}

// The layer, with what theta alone decides computed before, or not.
class LayerRun {
 public:
  LayerRun(ContinuousPlan plan, bool packed)
      : plan_(std::move(plan)),
        src_(random_floats(elements(plan_.shape.src.dims))),
        theta_(random_floats(elements(plan_.shape.theta.dims))),
        dst_(static_cast<std::size_t>(elements(plan_.shape.dst.dims))),
        workspace_(packed ? plan_.workspace_bytes : plan_.one_shot_workspace_bytes) {
    if (packed) packed_ = pack(plan_, theta_.data());
  }
  void run() {
    if (packed_) {
      execute(plan_, *packed_, src_.data(), dst_.data(), workspace_.data());
    } else {
      execute(plan_, src_.data(), theta_.data(), dst_.data(), workspace_.data());
    }
  }
  double bytes() const {
    const std::size_t floats = src_.size() + theta_.size() + dst_.size();
    return static_cast<double>(4 * floats + workspace_.size() +
                               (packed_ ? packed_->memory.size() : 0));
  }
  const ContinuousPlan& plan() const { return plan_; }

 private:
  ContinuousPlan plan_;
  Floats src_, theta_, dst_;
  std::vector<std::byte> workspace_;
  std::optional<optimized::ContinuousPacked> packed_{};
};

// A convolution of stride 1 whose outputs are as many as the layer's: as many multiply-adds.
class PlainRun {
 public:
  PlainRun(const Arguments& a, const Extents& dst, int threads) : plan_(plan_of(a, dst, threads)) {
    const Extents weights{a.channels, a.channels, a.kernel, a.kernel};
    weights_ = random_floats(elements(weights));
    src_ = random_floats(elements(dst));
    dst_.resize(src_.size());
    workspace_.resize(plan_.workspace_bytes);
    packed_ = pack(plan_, weights_.data(), nullptr);
  }
  void run() { execute(plan_, *packed_, src_.data(), dst_.data(), workspace_.data()); }
  double bytes() const {
    return static_cast<double>(4 * (src_.size() + weights_.size() + dst_.size()) +
                               plan_.packed_bytes + workspace_.size());
  }

 private:
  static optimized::Plan plan_of(const Arguments& a, const Extents& dst, int threads) {
    Problem problem;
    problem.src.dims = dst;  // channels are as many
    problem.weights.dims = {a.channels, a.channels, a.kernel, a.kernel};
    ConvolutionAttributes attributes;
    attributes.strides = attributes.dilations = {1, 1};
    attributes.pads_begin = attributes.pads_end = {0, 0};
    attributes.auto_pad = AutoPad::kSameUpper;
    attributes.data_format = DataFormat::kNCX;
    attributes.weights_format = WeightsFormat::kOIX;
    problem.attributes = attributes;
    auto plan = optimized::make_plan(problem, {.threads = threads});
    CONCORD_CHECK(static_cast<bool>(plan)) << plan.why().detail;
    return *std::move(plan);
  }

  optimized::Plan plan_;
  Floats weights_{}, src_{}, dst_{};
  std::vector<std::byte> workspace_{};
  std::optional<optimized::Packed> packed_{};
};

// The largest resident size of a process that does `body`, beyond that of one that does nothing.
double peak_bytes(const std::function<void()>& body) {
  const auto resident = [](const std::function<void()>& what) {
    malloc_trim(0);  // what was freed before would count as there already
    std::fflush(nullptr);
    const pid_t child = fork();
    CONCORD_CHECK(child >= 0) << "cannot fork";
    if (child == 0) {
      what();
      _exit(0);
    }
    int status = 0;
    rusage usage{};
    CONCORD_CHECK(wait4(child, &status, 0, &usage) == child && status == 0) << "the child failed";
    return static_cast<double>(usage.ru_maxrss) * 1024;
  };
  return resident(body) - resident([] {});
}

void print_time(const char* name, const std::vector<double>& side,
                const std::vector<double>& plain) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < side.size(); ++i) ratios.push_back(side[i] / plain[i]);
  const Spread ratio = spread_of(ratios);
  fmt::print("{:28} {:9.1f} us, over the plain convolution {:.3f} [{:.3f} {:.3f}]\n", name,
             spread_of(side).median * 1e6, ratio.median, ratio.lower, ratio.upper);
}

void compare_memory(const Arguments& a, const Rational& scale) {
  const double layer = peak_bytes([&] { LayerRun(layer_plan(a, a.side, scale, 1), true).run(); });
  const Extents dst = layer_plan(a, a.side, scale, 1).shape.dst.dims;
  const double plain = peak_bytes([&] { PlainRun(a, dst, 1).run(); });
  const double planned = LayerRun(layer_plan(a, a.side, scale, 1), true).bytes();
  const double plain_planned = PlainRun(a, dst, 1).bytes();
  fmt::print(
      "peak memory, one thread: {:.2f} MiB, plain {:.2f} MiB, ratio {:.3f} (tensors and "
      "workspace: {:.2f}, {:.2f}, {:.3f})\n",
      layer / 0x1p20, plain / 0x1p20, layer / plain, planned / 0x1p20, plain_planned / 0x1p20,
      planned / plain_planned);
}

void print_growth(const Arguments& a, const Rational& scale) {
  fmt::print("scale {}: peak memory as the image grows, one thread\n", to_string(scale));
  for (const Extent side : {64, 128, 256, 512}) {
    const ContinuousPlan plan = layer_plan(a, side, scale, 1);
    const double tensors =
        4.0 * static_cast<double>(elements(plan.shape.src.dims) + elements(plan.shape.dst.dims));
    const double peak = peak_bytes([&] { LayerRun(plan, true).run(); });
    fmt::print(
        "{:4} a side, {}: {:8.2f} MiB, input and output {:8.2f}, the rest {:6.2f} "
        "(planned {:.2f})\n",
        side, to_string(plan.way), peak / 0x1p20, tensors / 0x1p20, (peak - tensors) / 0x1p20,
        static_cast<double>(plan.workspace_bytes + plan.packed_bytes) / 0x1p20);
  }
}

void compare_time(const Arguments& a, const Rational& scale, const Rational& arbitrary) {
  LayerRun packed(layer_plan(a, a.side, scale, a.threads), true);
  LayerRun one_shot(layer_plan(a, a.side, scale, a.threads), false);
  LayerRun tiles(layer_plan(a, a.side, arbitrary, a.threads), true);
  PlainRun plain(a, packed.plan().shape.dst.dims, a.threads);
  fmt::print("{}\n{}\n", describe(packed.plan()), describe(tiles.plan()));
  const Rounds rounds = take_turns(
      {[&] { plain.run(); }, [&] { packed.run(); }, [&] { one_shot.run(); }, [&] { tiles.run(); }},
      a.rounds, a.milliseconds * 1e-3, a.processor_time ? Clock::kProcessor : Clock::kWall);
  fmt::print("plain convolution            {:9.1f} us\n", spread_of(rounds[0]).median * 1e6);
  print_time("phases, theta known before", rounds[1], rounds[0]);
  print_time("phases, theta in each call", rounds[2], rounds[0]);
  print_time(("scale " + to_string(arbitrary)).c_str(), rounds[3], rounds[0]);
}

}  // namespace
}  // namespace concord::bench

int main(int argc, char** argv) {
  concord::bench::Arguments a;
  CLI::App app(
      "Measures the continuous layer against a plain convolution of as many multiply-adds.\n"
      "Example: concord_continuous_bench --scale 2/3 --threads 2");
  app.add_option("--scale", a.scale, "the scale computed by phases")->capture_default_str();
  app.add_option("--arbitrary", a.arbitrary, "the scale computed by tiles")->capture_default_str();
  app.add_option("--side", a.side)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--channels", a.channels)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--kernel", a.kernel)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--batch", a.batch)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--threads", a.threads)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--rounds", a.rounds)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--milliseconds", a.milliseconds, "duration of each turn")->capture_default_str();
  app.add_flag("--processor-time", a.processor_time, "measure CPU time, not wall time");
  CLI11_PARSE(app, argc, argv);
  const auto scale = concord::parse_rational(a.scale);
  const auto arbitrary = concord::parse_rational(a.arbitrary);
  if (!scale || !arbitrary) {
    fmt::print(stderr, "concord_continuous_bench: '{}' or '{}' is not a scale\n", a.scale,
               a.arbitrary);
    return 2;
  }
  concord::bench::compare_memory(a, *scale);
  concord::bench::print_growth(a, *arbitrary);
  concord::bench::compare_time(a, *scale, *arbitrary);
  return 0;
}
