// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "optimized/layout/stage.h"
#include "optimized/operations/continuous_linear.h"
#include "optimized/operations/continuous_phase_gradient.h"
#include "optimized/operations/continuous_phases.h"
#include "optimized/operations/continuous_stage.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {
namespace {

// Bytes of the sums of a task: at most few times what a core's own cache holds.
constexpr Extent kSumsBytes = 1 << 20;

struct Shared {
  double* theta;
  double* packed;
};
Shared lay_out_shared(const ContinuousGradientPlan& plan, Arena* arena) {
  return {arena->take<double>(plan.shape.theta.dims[0]), arena->take<double>(plan.phases.packed)};
}

// A thread's memory; the first three while weights are evaluated.
struct Scratch {
  double* hidden;
  double* outputs;    // of the net, a column a distance
  double* weights;    // [Cout,neighbours,Cin]
  double* sums;       // [rows,pitch,Cin]
  double* delta;      // [Cout,block]
  double* products;   // [block,neighbours,Cin]
  double* workspace;  // of a product
};
Scratch lay_out_scratch(const ContinuousGradientPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  const GradientPhases& phases = plan.phases;
  return {arena->take<double>(Net::hidden_elements(s.net, s.inputs())),
          arena->take<double>(s.net.outputs * s.inputs()),
          arena->take<double>(s.Cout * s.Cin * s.slots()),
          arena->take<double>(plan.rows_at_once * phases.pitch * s.Cin),
          arena->take<double>(s.Cout * phases.block),
          arena->take<double>(phases.block * s.slots() * s.Cin),
          arena->take<double>(elements_of(plan.products.workspace_bytes))};
}

// From D [Cout,block] to [block, neighbours * Cin].
Product product_of(const ContinuousShape& s, const LayerPhase& phase, Extent block) {
  const Extent out = phase.neighbours() * s.Cin;
  return {.in = s.Cout,
          .out = out,
          .pixels = block,
          .src = {.channel = block, .pixel = 1},
          .weights_in = out,
          .weights_out = 1,
          .dst = {.channel = 1, .pixel = out}};
}

void pack_phase(const ContinuousGradientPlan& plan, Extent index, const Shared& shared,
                const Scratch& scratch) {
  const ContinuousShape& s = plan.shape;
  const LayerPhase phase = phase_at(s, index);
  const Net net(s, shared.theta);
  Net::Hidden hidden = net.hidden(scratch.hidden, s.inputs());
  write_phase_distances(s, phase.vertical, phase.horizontal, &hidden.d);
  net.evaluate(&hidden);
  MatrixMap outputs(scratch.outputs, s.net.outputs, s.inputs());
  net.finish(hidden, &outputs);
  for_each_weight(s, phase, [&](Extent output, Extent column, Extent place) {
    scratch.weights[place] = outputs(output, column);
  });
  const auto at = static_cast<std::size_t>(index);
  pack_into(plan.products.plans[at], scratch.weights, nullptr,
            shared.packed + plan.phases.packed_at[at]);
}

// The rows [first, last) of an image.
class RowsRunner {
 public:
  RowsRunner(const ContinuousGradientPlan& plan, const Shared& shared, const void* diff_dst,
             void* diff_src)
      : plan_(plan), s_(plan.shape), shared_(shared), diff_dst_(diff_dst), diff_src_(diff_src) {}

  void run(Extent n, Extent first, std::byte* memory) const {
    Arena arena(memory);
    const Scratch scratch = lay_out_scratch(plan_, &arena);
    const Extent last = std::min(first + plan_.rows_at_once, s_.vertical.in);
    std::fill_n(scratch.sums, (last - first) * row_size(), 0.0);
    for (Extent index = 0; index < phase_count(s_); ++index) {
      run_phase(index, n, first, last, scratch);
    }
    for (Extent row = first; row < last; ++row) {
      double* const sums = scratch.sums + (row - first) * row_size();
      fold(sums);
      store_row(n, row, sums);
    }
  }

 private:
  Extent row_size() const { return plan_.phases.pitch * s_.Cin; }

  void run_phase(Extent index, Extent n, Extent first, Extent last, const Scratch& scratch) const {
    const LayerPhase phase = phase_at(s_, index);
    if (phase.neighbours() == 0) return;
    const Extent columns = outputs_of_phase(s_.horizontal.out, phase.q, s_.horizontal.k);
    PhaseBlock block;
    const auto flush = [&] {
      if (block.count > 0) run_block(phase, index, block, n, first, last, scratch);
      block.count = 0;
    };
    Extent y = phase.vertical.left;
    for (Extent i = phase.p; i < s_.vertical.out; i += s_.vertical.k, y += s_.vertical.l) {
      if (!sees(y, phase.vertical.count, first, last)) continue;
      for (Extent u = 0; u < columns; ++u) {
        block.places[static_cast<std::size_t>(block.count++)] = {i, u, y};
        if (block.count == plan_.phases.block) flush();
      }
    }
    flush();
  }

  bool sees(Extent y, Extent count, Extent first, Extent last) const {
    for (Extent a = 0; a < count; ++a) {
      const Extent row = s_.vertical.pixel(y + a);
      if (row >= first && row < last) return true;
    }
    return false;
  }

  void run_block(const LayerPhase& phase, Extent index, const PhaseBlock& block, Extent n,
                 Extent first, Extent last, const Scratch& scratch) const {
    const auto at = static_cast<std::size_t>(index);
    gather_phase_delta(s_, phase, block, n, diff_dst_, plan_.phases.block, scratch.delta);
    run_packed(plan_.products.plans[at], shared_.packed + plan_.phases.packed_at[at], scratch.delta,
               scratch.products, scratch.workspace);
    const Extent run = phase.horizontal.count * s_.Cin;
    const Extent offset = phase_offset(s_.horizontal, phase.q);
    const double* from = scratch.products;
    for (Extent b = 0; b < block.count; ++b) {
      const PhaseBlock::Place& place = block.places[static_cast<std::size_t>(b)];
      for (Extent a = 0; a < phase.vertical.count; ++a, from += run) {
        const Extent row = s_.vertical.pixel(place.y + a);
        if (row < first || row >= last) continue;
        double* const to = scratch.sums + (row - first) * row_size() +
                           (offset + place.u * s_.horizontal.l) * s_.Cin;
        for (Extent x = 0; x < run; ++x) to[x] += from[x];
      }
    }
  }

  // Adds the columns outside the image to those whose pixels they show. Outputs are spread about
  // the middle of the image, so where some see beyond it, some see each of its columns.
  void fold(double* sums) const {
    const Extent left = s_.horizontal.support(0).left;
    for (Extent x = 0; x < plan_.phases.pitch; ++x) {
      const Extent column = s_.horizontal.pixel(left + x);
      if (column < 0 || column == left + x) continue;
      CONCORD_CHECK(column >= left && column - left < plan_.phases.pitch) << "column " << column;
      double* const to = sums + (column - left) * s_.Cin;
      for (Extent ci = 0; ci < s_.Cin; ++ci) to[ci] += sums[x * s_.Cin + ci];
    }
  }

  void store_row(Extent n, Extent row, const double* sums) const {
    const Extents& strides = plan_.diff_src.strides;
    const Extent left = s_.horizontal.support(0).left;
    const Extent begin = std::clamp<Extent>(left, 0, s_.horizontal.in);
    const Extent end = std::clamp<Extent>(left + plan_.phases.pitch, begin, s_.horizontal.in);
    constexpr double kZero = 0;
    for (Extent ci = 0; ci < s_.Cin; ++ci) {
      const Extent at = n * strides[0] + ci * strides[1] + row * strides[2];
      const auto write = [&](const double* from, Extent step, Extent column, Extent count) {
        store_sums(s_.dtype, from, step, count,
                   element_at(diff_src_, at + column * strides[3], s_.dtype), strides[3]);
      };
      write(&kZero, 0, 0, begin);
      write(sums + (begin - left) * s_.Cin + ci, s_.Cin, begin, end - begin);
      write(&kZero, 0, end, s_.horizontal.in - end);
    }
  }

  const ContinuousGradientPlan& plan_;
  const ContinuousShape& s_;
  const Shared& shared_;
  const void* diff_dst_;
  void* diff_src_;
};

// Outputs of a phase that a task's rows see, or about as many.
Extent outputs_of_task(const ContinuousGradientPlan& plan) {
  const ContinuousAxis& x = plan.shape.vertical;
  const Extent rows =
      std::min((plan.rows_at_once + x.slots()) / x.l + 1, outputs_of_phase(x.out, 0, x.k));
  return rows * outputs_of_phase(plan.shape.horizontal.out, 0, plan.shape.horizontal.k);
}

}  // namespace

std::optional<Refusal> plan_input_phases(const Options& options, ContinuousGradientPlan* plan) {
  const ContinuousShape& s = plan->shape;
  GradientPhases& phases = plan->phases;
  phases.pitch = staged_extent(s.horizontal, s.horizontal.out);
  // Of ties=open, no output may have a neighbour.
  const Extent row_bytes =
      std::max<Extent>(phases.pitch * s.Cin, 1) * static_cast<Extent>(sizeof(double));
  const Extent most = std::clamp<Extent>(kSumsBytes / row_bytes, 1, s.vertical.in);
  const Extent tasks = (s.vertical.in + most - 1) / most;
  plan->rows_at_once = (s.vertical.in + tasks - 1) / tasks;
  phases.block = phase_block(s, outputs_of_task(*plan));
  for (Extent index = 0; index < phase_count(s); ++index) {
    const Product product = product_of(s, phase_at(s, index), phases.block);
    if (auto refused = add_product(product, options, &plan->products)) return refused;
    phases.packed_at.push_back(phases.packed);
    phases.packed += elements_of(plan->products.plans.back().packed_bytes);
  }
  set_gradient_memory(
      options, [&](Arena* arena) { lay_out_shared(*plan, arena); },
      [&](Arena* arena) { lay_out_scratch(*plan, arena); }, plan);
  return std::nullopt;
}

void run_input_phases(const ContinuousGradientPlan& plan, const void* theta, const void* diff_dst,
                      void* diff_src, void* workspace) {
  const ContinuousShape& s = plan.shape;
  Arena arena(workspace);
  const Shared shared = lay_out_shared(plan, &arena);
  auto* const memory = arena.take<std::byte>(0);
  const auto of_thread = [&](int slot) {
    return memory + static_cast<std::size_t>(slot) * plan.thread_bytes;
  };
  widen_theta(s, theta, shared.theta);
  plan.thread_pool->run(phase_count(s), [&](Extent index, int slot) {
    Arena scratch(of_thread(slot));
    pack_phase(plan, index, shared, lay_out_scratch(plan, &scratch));
  });
  const RowsRunner runner(plan, shared, diff_dst, diff_src);
  const Extent tasks = (s.vertical.in + plan.rows_at_once - 1) / plan.rows_at_once;
  plan.thread_pool->run(s.N * tasks, [&](Extent task, int slot) {
    runner.run(task / tasks, task % tasks * plan.rows_at_once, of_thread(slot));
  });
}

}  // namespace concord::optimized
