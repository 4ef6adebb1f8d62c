// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "optimized/layout/stage.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/continuous_linear.h"
#include "optimized/operations/continuous_phase_gradient.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {
namespace {

// Partial sums of theta's gradient: a number that follows from the outputs alone, so that the order
// of additions does not depend on the threads.
constexpr Extent kMostChains = 16;

Extent blocks_of(const ContinuousShape& s) {
  return (s.outputs() + kContinuousBlock - 1) / kContinuousBlock;
}
Extent matrix_elements(const ContinuousShape& s) {
  return has_net(s) ? s.Cout * feature_count(s) : 0;
}
// A chain's sums: those of the hidden layers, then those of the matrix.
Extent sums_of(const ContinuousShape& s) {
  return has_net(s) ? s.net.hidden_parameters() + matrix_elements(s) : 0;
}

// The products of a plan.
enum : std::size_t { kFeatures, kMatrix };

// From a block's features, whose outputs are the channels, to the matrix' gradient
// [Cout, features]; weights are a block of diff_dst.
Product matrix_product(const ContinuousShape& s) {
  const Extent features = feature_count(s);
  return {.in = kContinuousBlock,
          .out = s.Cout,
          .pixels = features,
          .src = {.channel = features, .pixel = 1},
          .weights_in = s.Cout,
          .weights_out = 1,
          .dst = {.channel = features, .pixel = 1}};
}

struct Shared {
  double* theta;
  double* matrix;  // [Cout, features]
  double* packed;  // the same, packed
  double* sums;    // [chains, sums]
};
Shared lay_out_shared(const ContinuousGradientPlan& plan, Arena* arena) {
  return {arena->take<double>(plan.shape.theta.dims[0]),
          arena->take<double>(matrix_elements(plan.shape)),
          arena->take<double>(packed_elements(plan, kFeatures)),
          arena->take<double>(plan.chains * sums_of(plan.shape))};
}

struct Scratch {
  float* pixels;  // [block, slots, Cin]
  double* delta;  // [Cout] a column
  double* hidden;
  double* packed_delta;
  double* matrix_sums;        // of a block, [Cout, features]
  double* workspace;          // of a product
  double* features;           // [features] a column
  double* features_gradient;  // the same
  double* g2;                 // [w2] a column
  double* g1;                 // [w1] a column
  double* gd;                 // [2] a column
};
Scratch lay_out_scratch(const ContinuousGradientPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  const Extent columns = has_net(s) ? kContinuousBlock * s.inputs() : 0;
  const Extent features = has_net(s) ? kContinuousBlock * feature_count(s) : 0;
  return {arena->take<float>(kContinuousBlock * s.slots() * s.Cin),
          arena->take<double>(kContinuousBlock * s.Cout),
          arena->take<double>(has_net(s) ? Net::hidden_elements(s.net, columns) : 0),
          arena->take<double>(packed_elements(plan, kMatrix)),
          arena->take<double>(matrix_elements(s)),
          arena->take<double>(elements_of(plan.products.workspace_bytes)),
          arena->take<double>(features),
          arena->take<double>(features),
          arena->take<double>(s.net.w2 * columns),
          arena->take<double>(s.net.w1 * columns),
          arena->take<double>(2 * columns)};
}

class ChainRunner {
 public:
  ChainRunner(const ContinuousGradientPlan& plan, const Shared& shared, const void* src,
              const void* diff_dst, double* grid)
      : plan_(plan), s_(plan.shape), shared_(shared), src_(src), diff_dst_(diff_dst), grid_(grid) {}

  void run(Extent chain, std::byte* memory) const {
    Arena arena(memory);
    const Scratch scratch = lay_out_scratch(plan_, &arena);
    double* const sums = shared_.sums + chain * sums_of(s_);
    std::fill_n(sums, sums_of(s_), 0.0);
    const Extent blocks = blocks_of(s_);
    for (Extent b = chain * blocks / plan_.chains; b < (chain + 1) * blocks / plan_.chains; ++b) {
      const Extent first = b * kContinuousBlock;
      const OutputBlock block =
          block_at(s_, first, std::min(kContinuousBlock, s_.outputs() - first));
      if (has_net(s_)) {
        run_block(block, scratch, sums);
      } else if (grid_ != nullptr) {
        run_keys(block, scratch);
      }
    }
  }

 private:
  void gather(const OutputBlock& block, Extent n, const Scratch& scratch) const {
    gather_delta(s_, block, n, diff_dst_, scratch.delta);
    for (Extent p = 0; p < block.size; ++p) {
      gather_pixels(s_, block.places[static_cast<std::size_t>(p)], n, src_, pixels_of(scratch, p));
    }
  }
  float* pixels_of(const Scratch& scratch, Extent p) const {
    return scratch.pixels + p * s_.slots() * s_.Cin;
  }

  void run_block(const OutputBlock& block, const Scratch& scratch, double* sums) const {
    const Net net(s_, shared_.theta);
    const Extent columns = kContinuousBlock * s_.inputs();
    const Extent F = feature_count(s_);
    Net::Hidden hidden = net.hidden(scratch.hidden, columns);
    write_distances(s_, block, &hidden.d);
    net.evaluate(&hidden);
    MatrixMap g2(scratch.g2, s_.net.w2, columns);
    MatrixMap g1(scratch.g1, s_.net.w1, columns);
    MatrixMap gd(scratch.gd, 2, columns);
    MatrixMap features(scratch.features, F, kContinuousBlock);
    MatrixMap gradient(scratch.features_gradient, F, kContinuousBlock);
    g2.setZero();
    for (Extent n = 0; n < s_.N; ++n) {
      gather(block, n, scratch);
      features.setZero();
      run_features_product(plan_, shared_.packed, scratch.delta, scratch.features_gradient,
                           scratch.workspace);
      for (Extent p = 0; p < block.size; ++p) {
        through_features(p, hidden, pixels_of(scratch, p), &features, gradient, &g2);
      }
      add_to_matrix(scratch, sums + s_.net.hidden_parameters());
    }
    net.pull_back(hidden, &g2, &g1, &gd, sums);
    if (grid_ == nullptr) return;
    for (Extent p = 0; p < block.size; ++p) {
      double vertical = 0;
      double horizontal = 0;
      for (Extent k = 0; k < s_.inputs(); ++k) {
        vertical += gd(0, p * s_.inputs() + k);
        horizontal += gd(1, p * s_.inputs() + k);
      }
      write_grid(block.places[static_cast<std::size_t>(p)], vertical, horizontal);
    }
  }

  // Adds the products of a block's features with its part of diff_dst.
  void add_to_matrix(const Scratch& scratch, double* sums) const {
    if (!has_products(s_)) return;
    const Plan& product = plan_.products.plans[kMatrix];
    pack_into(product, scratch.delta, nullptr, scratch.packed_delta);
    run_packed(product, scratch.packed_delta, scratch.features, scratch.matrix_sums,
               scratch.workspace);
    for (Extent at = 0; at < matrix_elements(s_); ++at) sums[at] += scratch.matrix_sums[at];
  }

  // The features of output p, and the gradient with respect to its hidden values.
  void through_features(Extent p, const Net::Hidden& hidden, const float* pixels,
                        MatrixMap* features, const MatrixMap& gradient, MatrixMap* g2) const {
    for (Extent k = 0; k < s_.slots(); ++k, pixels += s_.Cin) {
      const Extent input = predicts_all(s_.function) ? p : p * s_.inputs() + k;
      for (Extent h = 0; h <= s_.net.w2; ++h) {
        const Extent first = feature_at(s_, h, k, 0);
        const double value = h < s_.net.w2 ? hidden.a2(h, input) : 1.0;
        double sum = 0;
        for (Extent ci = 0; ci < s_.Cin; ++ci) {
          (*features)(first + ci, p) += value * pixels[ci];
          sum += gradient(first + ci, p) * pixels[ci];
        }
        if (h < s_.net.w2) (*g2)(h, input) += sum;
      }
    }
  }

  void run_keys(const OutputBlock& block, const Scratch& scratch) const {
    std::array<double, kContinuousBlock> vertical{};
    std::array<double, kContinuousBlock> horizontal{};
    const Extent columns = s_.horizontal.slots();
    for (Extent n = 0; n < s_.N; ++n) {
      gather(block, n, scratch);
      for (Extent p = 0; p < block.size; ++p) {
        const auto at = static_cast<std::size_t>(p);
        for (Extent k = 0; k < s_.slots(); ++k) {
          const double v = block.places[at].vertical.distance(k / columns);
          const double h = block.places[at].horizontal.distance(k % columns);
          double sum = 0;
          for (Extent c = 0; c < std::min(s_.Cin, s_.Cout); ++c) {
            sum += scratch.delta[p * s_.Cout + c] * pixels_of(scratch, p)[k * s_.Cin + c];
          }
          vertical[at] += sum * keys_slope(v) * keys(h);
          horizontal[at] += sum * keys(v) * keys_slope(h);
        }
      }
    }
    for (std::size_t p = 0; p < static_cast<std::size_t>(block.size); ++p) {
      write_grid(block.places[p], vertical[p], horizontal[p]);
    }
  }

  void write_grid(const OutputPlace& at, double vertical, double horizontal) const {
    const Extent place = at.i * s_.horizontal.out + at.j;
    grid_[place] = vertical;
    grid_[s_.outputs() + place] = horizontal;
  }

  const ContinuousGradientPlan& plan_;
  const ContinuousShape& s_;
  const Shared& shared_;
  const void* src_;
  const void* diff_dst_;
  double* grid_;
};

// Adds the chains up, in order, into the first; then rounds.
void finish(const ContinuousGradientPlan& plan, const Shared& shared, const Tensor& layout,
            void* diff_theta) {
  const ContinuousShape& s = plan.shape;
  const Extent count = sums_of(s);
  for (Extent chain = 1; chain < plan.chains; ++chain) {
    for (Extent i = 0; i < count; ++i) shared.sums[i] += shared.sums[chain * count + i];
  }
  const Extent step = strides_of(layout)[0];
  const Extent hidden = s.net.hidden_parameters();
  const Extent features = feature_count(s);
  const auto write = [&](Extent at, double value) {
    const auto size = static_cast<Extent>(size_of(s.dtype));
    store(s.dtype, value, static_cast<std::byte*>(diff_theta) + at * step * size);
  };
  for (Extent i = 0; i < hidden; ++i) write(i, shared.sums[i]);
  for_each_entry(s, [&](Extent co, Extent feature, Extent place) {
    write(hidden + place, shared.sums[hidden + co * features + feature]);
  });
}

}  // namespace

Result<ContinuousGradientPlan> plan_theta_gradient(const ContinuousShape& shape,
                                                   const Options& options,
                                                   std::optional<GradientWay> way) {
  if (auto refused = check_gradient(shape, options)) return *refused;
  ContinuousGradientPlan plan;
  plan.shape = shape;
  plan.thread_pool = std::make_shared<const ThreadPool>(options.threads);
  const auto chosen = choose_gradient_way(shape, way);
  if (!chosen) return chosen.why();
  plan.way = *chosen;
  if (plan.way == GradientWay::kPhases) {
    if (auto refused = plan_theta_phases(options, &plan)) return *refused;
    return plan;
  }
  if (has_net(shape)) {
    if (auto refused = add_features_product(options, &plan)) return *refused;
    if (auto refused = add_product(matrix_product(shape), options, &plan.products)) return *refused;
  }
  plan.chains = std::clamp<Extent>(blocks_of(shape), 1, kMostChains);
  set_gradient_memory(
      options, [&](Arena* arena) { lay_out_shared(plan, arena); },
      [&](Arena* arena) { lay_out_scratch(plan, arena); }, &plan);
  return plan;
}

void execute_theta_gradient(const ContinuousGradientPlan& plan, const void* src, const void* theta,
                            const void* diff_dst, const Tensor& layout, void* diff_theta,
                            double* diff_grid, void* workspace) {
  if (plan.way == GradientWay::kPhases) {
    CONCORD_CHECK(diff_grid == nullptr) << "the grid's gradient has no phases";
    return run_theta_phases(plan, src, theta, diff_dst, layout, diff_theta, workspace);
  }
  const ContinuousShape& s = plan.shape;
  Arena arena(workspace);
  const Shared shared = lay_out_shared(plan, &arena);
  auto* const memory = arena.take<std::byte>(0);
  if (has_net(s)) {
    widen_theta(s, theta, shared.theta);
    write_matrix(s, shared.theta, shared.matrix);
    pack_features_product(plan, shared.matrix, shared.packed);
  }
  const ChainRunner runner(plan, shared, src, diff_dst, diff_grid);
  plan.thread_pool->run(plan.chains, [&](Extent chain, int slot) {
    runner.run(chain, memory + static_cast<std::size_t>(slot) * plan.thread_bytes);
  });
  if (has_net(s) && diff_theta != nullptr) finish(plan, shared, layout, diff_theta);
}

}  // namespace concord::optimized
