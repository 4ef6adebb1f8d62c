// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "optimized/layout/stage.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/continuous_linear.h"
#include "optimized/operations/continuous_phase_gradient.h"
#include "optimized/runtime/arena.h"
#include "optimized/shape/verdict.h"

namespace concord::optimized {
namespace {

// Bytes of the sums of a task, which stay in a core's own cache.
constexpr Extent kSumsBytes = 1 << 20;

struct Shared {
  double* theta;
  double* matrix;  // [Cout, features]
  double* packed;  // the same, packed
};
Shared lay_out_shared(const ContinuousGradientPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  return {arena->take<double>(s.theta.dims[0]),
          arena->take<double>(has_net(s) ? s.Cout * feature_count(s) : 0),
          arena->take<double>(packed_elements(plan, 0))};
}

struct Scratch {
  double* sums;  // [rows, W, Cin]
  double* hidden;
  double* delta;      // [Cout] a column
  double* features;   // their gradients
  double* workspace;  // of a product
};
Scratch lay_out_scratch(const ContinuousGradientPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  const Extent columns = kContinuousBlock * s.inputs();
  return {arena->take<double>(plan.rows_at_once * s.horizontal.in * s.Cin),
          arena->take<double>(has_net(s) ? Net::hidden_elements(s.net, columns) : 0),
          arena->take<double>(kContinuousBlock * s.Cout),
          arena->take<double>(has_net(s) ? kContinuousBlock * feature_count(s) : 0),
          arena->take<double>(elements_of(plan.products.workspace_bytes))};
}

// The rows [first, last) of an image, and the sums for them.
class RowsRunner {
 public:
  RowsRunner(const ContinuousGradientPlan& plan, const Shared& shared, const void* diff_dst,
             void* diff_src)
      : plan_(plan), s_(plan.shape), shared_(shared), diff_dst_(diff_dst), diff_src_(diff_src) {}

  void run(Extent n, Extent first, std::byte* memory) const {
    Arena arena(memory);
    const Scratch scratch = lay_out_scratch(plan_, &arena);
    const Extent last = std::min(first + plan_.rows_at_once, s_.vertical.in);
    std::fill_n(scratch.sums, (last - first) * s_.horizontal.in * s_.Cin, 0.0);
    for (Extent i = 0; i < s_.vertical.out; ++i) {
      if (!sees(i, first, last)) continue;
      for (Extent j = 0; j < s_.horizontal.out; j += kContinuousBlock) {
        const Extent size = std::min(kContinuousBlock, s_.horizontal.out - j);
        run_block(block_at(s_, i * s_.horizontal.out + j, size), n, first, last, scratch);
      }
    }
    store_rows(n, first, last, scratch.sums);
  }

 private:
  bool sees(Extent i, Extent first, Extent last) const {
    const Support support = s_.vertical.support(i);
    for (Extent a = 0; a < support.count; ++a) {
      const Extent row = s_.vertical.pixel(support.left + a);
      if (row >= first && row < last) return true;
    }
    return false;
  }

  void run_block(const OutputBlock& block, Extent n, Extent first, Extent last,
                 const Scratch& scratch) const {
    gather_delta(s_, block, n, diff_dst_, scratch.delta);
    const auto add = [&](Extent p, auto weigh) {
      for_each_pixel(
          s_, block.places[static_cast<std::size_t>(p)], [&](Extent k, Extent row, Extent column) {
            if (row < first || row >= last) return;
            weigh(k, scratch.sums + ((row - first) * s_.horizontal.in + column) * s_.Cin);
          });
    };
    if (!has_net(s_)) {
      for (Extent p = 0; p < block.size; ++p) {
        const OutputPlace& at = block.places[static_cast<std::size_t>(p)];
        const double* const delta = scratch.delta + p * s_.Cout;
        add(p, [&](Extent k, double* sums) {
          const double weight = keys_weight(s_, at, k);
          for (Extent c = 0; c < std::min(s_.Cin, s_.Cout); ++c) sums[c] += weight * delta[c];
        });
      }
      return;
    }
    const Net net(s_, shared_.theta);
    Net::Hidden hidden = net.hidden(scratch.hidden, kContinuousBlock * s_.inputs());
    write_distances(s_, block, &hidden.d);
    net.evaluate(&hidden);
    const Extent F = feature_count(s_);
    run_features_product(plan_, shared_.packed, scratch.delta, scratch.features, scratch.workspace);
    for (Extent p = 0; p < block.size; ++p) {
      const double* const of_output = scratch.features + p * F;
      add(p, [&](Extent k, double* sums) {
        const Extent input = predicts_all(s_.function) ? p : p * s_.inputs() + k;
        for (Extent h = 0; h <= s_.net.w2; ++h) {
          const double value = h < s_.net.w2 ? hidden.a2(h, input) : 1.0;
          const double* const from = of_output + feature_at(s_, h, k, 0);
          for (Extent ci = 0; ci < s_.Cin; ++ci) sums[ci] += value * from[ci];
        }
      });
    }
  }

  void store_rows(Extent n, Extent first, Extent last, const double* sums) const {
    const Extents& strides = plan_.diff_src.strides;
    const auto size = static_cast<Extent>(size_of(s_.dtype));
    auto* const to = static_cast<std::byte*>(diff_src_);
    for (Extent row = first; row < last; ++row) {
      for (Extent column = 0; column < s_.horizontal.in; ++column) {
        for (Extent ci = 0; ci < s_.Cin; ++ci) {
          const Extent at =
              n * strides[0] + ci * strides[1] + row * strides[2] + column * strides[3];
          store(s_.dtype, *sums++, to + at * size);
        }
      }
    }
  }

  const ContinuousGradientPlan& plan_;
  const ContinuousShape& s_;
  const Shared& shared_;
  const void* diff_dst_;
  void* diff_src_;
};

}  // namespace

Result<ContinuousGradientPlan> plan_input_gradient(const ContinuousShape& shape,
                                                   const Tensor& diff_src, const Options& options,
                                                   std::optional<GradientWay> way) {
  if (auto refused = check_gradient(shape, options)) return *refused;
  Verdict verdict;
  check_tensor("dst", diff_src, shape.dtype, &verdict);
  if (diff_src.dims != shape.src.dims) {
    verdict.add(Fault::kDst,
                "dst is given as " + to_string(diff_src) + " where src is " + to_string(shape.src));
  }
  if (verdict.first()) return *verdict.first();
  ContinuousGradientPlan plan;
  plan.shape = shape;
  plan.diff_src = {diff_src.dims, strides_of(diff_src)};
  plan.thread_pool = std::make_shared<const ThreadPool>(options.threads);
  const auto chosen = choose_gradient_way(shape, way);
  if (!chosen) return chosen.why();
  plan.way = *chosen;
  if (plan.way == GradientWay::kPhases) {
    if (auto refused = plan_input_phases(options, &plan)) return *refused;
    return plan;
  }
  if (has_net(shape)) {
    if (auto refused = add_features_product(options, &plan)) return *refused;
  }
  const Extent row_bytes =
      std::max<Extent>(shape.horizontal.in * shape.Cin, 1) * static_cast<Extent>(sizeof(double));
  plan.rows_at_once =
      std::clamp<Extent>(kSumsBytes / row_bytes, 1, std::max<Extent>(shape.vertical.in, 1));
  set_gradient_memory(
      options, [&](Arena* arena) { lay_out_shared(plan, arena); },
      [&](Arena* arena) { lay_out_scratch(plan, arena); }, &plan);
  return plan;
}

void execute_input_gradient(const ContinuousGradientPlan& plan, const void* theta,
                            const void* diff_dst, void* diff_src, void* workspace) {
  if (plan.way == GradientWay::kPhases) {
    return run_input_phases(plan, theta, diff_dst, diff_src, workspace);
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
  const RowsRunner runner(plan, shared, diff_dst, diff_src);
  const Extent tasks = (s.vertical.in + plan.rows_at_once - 1) / plan.rows_at_once;
  plan.thread_pool->run(s.N * tasks, [&](Extent task, int slot) {
    runner.run(task / tasks, task % tasks * plan.rows_at_once,
               memory + static_cast<std::size_t>(slot) * plan.thread_bytes);
  });
}

}  // namespace concord::optimized
