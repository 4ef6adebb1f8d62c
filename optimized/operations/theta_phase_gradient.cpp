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

// Bytes of a band's staged inputs, and of the weights' gradients, which stay in a core's own cache.
constexpr Extent kBandBytes = 256 << 10;
constexpr Extent kGroupBytes = 512 << 10;
// Partial sums of theta's gradient: a number that follows from the shape alone, so that the order
// of additions does not depend on the threads.
constexpr Extent kMostChains = 16;
// Outputs of a phase in a part, beside which the way back through the net costs little.
constexpr Extent kOutputsOfChunk = 1024;

struct Shared {
  double* theta;
  double* sums;  // [chains,parameters]
};
Shared lay_out_shared(const ContinuousGradientPlan& plan, Arena* arena) {
  const Extent parameters = plan.shape.theta.dims[0];
  return {arena->take<double>(parameters), arena->take<double>(plan.chains * parameters)};
}

// A thread's memory.
struct Scratch {
  float* inputs;    // [staged rows, pitch, Cin]
  double* pixels;   // [block,neighbours,Cin]
  double* delta;    // [Cout,block]
  double* packed;   // the same, packed
  double* product;  // [Cout,neighbours,Cin]
  double* weights;  // the gradients of the group's weights, the same for each phase
  double* workspace;
  double* hidden;
  double* outputs;  // the gradients of the net's, a column a distance
  double* g2;
  double* g1;
  double* gd;
};
Extent weights_of(const ContinuousShape& s) { return s.Cout * s.slots() * s.Cin; }
Scratch lay_out_scratch(const ContinuousGradientPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  const GradientPhases& phases = plan.phases;
  return {arena->take<float>(phases.staged_rows * phases.pitch * s.Cin),
          arena->take<double>(phases.block * s.slots() * s.Cin),
          arena->take<double>(s.Cout * phases.block),
          arena->take<double>(phases.packed),
          arena->take<double>(weights_of(s)),
          arena->take<double>(phases.group * weights_of(s)),
          arena->take<double>(elements_of(plan.products.workspace_bytes)),
          arena->take<double>(Net::hidden_elements(s.net, s.inputs())),
          arena->take<double>(s.net.outputs * s.inputs()),
          arena->take<double>(s.net.w2 * s.inputs()),
          arena->take<double>(s.net.w1 * s.inputs()),
          arena->take<double>(2 * s.inputs())};
}

// From P [block, neighbours * Cin], whose outputs are the channels, to [Cout, neighbours * Cin].
Product product_of(const ContinuousShape& s, const LayerPhase& phase, Extent block) {
  const Extent pixels = phase.neighbours() * s.Cin;
  return {.in = block,
          .out = s.Cout,
          .pixels = pixels,
          .src = {.channel = pixels, .pixel = 1},
          .weights_in = 1,
          .weights_out = block,
          .dst = {.channel = pixels, .pixel = 1}};
}

class ChainRunner {
 public:
  ChainRunner(const ContinuousGradientPlan& plan, const Shared& shared, const void* src,
              const void* diff_dst)
      : plan_(plan),
        s_(plan.shape),
        phases_(plan.phases),
        shared_(shared),
        src_(src),
        diff_dst_(diff_dst) {}

  void run(Extent chain, std::byte* memory) const {
    Arena arena(memory);
    const Scratch scratch = lay_out_scratch(plan_, &arena);
    double* const sums = shared_.sums + chain * s_.theta.dims[0];
    std::fill_n(sums, s_.theta.dims[0], 0.0);
    const Extent parts = phases_.groups * phases_.chunks;
    for (Extent at = chain * parts / plan_.chains; at < (chain + 1) * parts / plan_.chains; ++at) {
      const Extent first = at / phases_.chunks * phases_.group;
      const Extent last = std::min(first + phases_.group, phase_count(s_));
      sum_weights(first, last, at % phases_.chunks, scratch);
      for (Extent index = first; index < last; ++index) {
        pull_back(phase_at(s_, index), scratch.weights + (index - first) * weights_of(s_), scratch,
                  sums);
      }
    }
  }

 private:
  // The gradients of the weights of phases [first,last), over a part of the bands of all images.
  void sum_weights(Extent first, Extent last, Extent chunk, const Scratch& scratch) const {
    std::fill_n(scratch.weights, (last - first) * weights_of(s_), 0.0);
    const Extent bands = s_.N * phases_.bands;
    for (Extent at = chunk * bands / phases_.chunks; at < (chunk + 1) * bands / phases_.chunks;
         ++at) {
      const Extent n = at / phases_.bands;
      const Extent row = at % phases_.bands * phases_.rows;
      const Extent rows = std::min(phases_.rows, s_.vertical.out - row);
      const Extent top = s_.vertical.support(row).left;
      const Extent staged = staged_extent(s_.vertical, rows);
      for (Extent y = 0; y < staged; ++y) {
        stage_row(s_, phases_.io, phases_.pitch, src_, n, top + y,
                  scratch.inputs + y * phases_.pitch * s_.Cin);
      }
      for (Extent index = first; index < last; ++index) {
        run_phase(index, n, row, rows, scratch, scratch.weights + (index - first) * weights_of(s_));
      }
    }
  }

  void run_phase(Extent index, Extent n, Extent row, Extent rows, const Scratch& scratch,
                 double* weights) const {
    const LayerPhase phase = phase_at(s_, index);
    if (phase.neighbours() == 0) return;
    const Extent columns = outputs_of_phase(s_.horizontal.out, phase.q, s_.horizontal.k);
    PhaseBlock block;
    const auto flush = [&] {
      if (block.count > 0) run_block(phase, index, block, n, scratch, weights);
      block.count = 0;
    };
    Extent y = phase_offset(s_.vertical, phase.p);
    for (Extent i = phase.p; i < rows; i += s_.vertical.k, y += s_.vertical.l) {
      for (Extent u = 0; u < columns; ++u) {
        block.places[static_cast<std::size_t>(block.count++)] = {row + i, u, y};
        if (block.count == phases_.block) flush();
      }
    }
    flush();
  }

  void run_block(const LayerPhase& phase, Extent index, const PhaseBlock& block, Extent n,
                 const Scratch& scratch, double* weights) const {
    const Plan& product = plan_.products.plans[static_cast<std::size_t>(index)];
    gather_phase_delta(s_, phase, block, n, diff_dst_, phases_.block, scratch.delta);
    pack_into(product, scratch.delta, nullptr, scratch.packed);
    gather_pixels(phase, block, scratch);
    run_packed(product, scratch.packed, scratch.pixels, scratch.product, scratch.workspace);
    const Extent count = s_.Cout * phase.neighbours() * s_.Cin;
    for (Extent at = 0; at < count; ++at) weights[at] += scratch.product[at];
  }

  // The pixels of a block, zeros behind the last one.
  void gather_pixels(const LayerPhase& phase, const PhaseBlock& block,
                     const Scratch& scratch) const {
    const Extent run = phase.horizontal.count * s_.Cin;
    const Extent offset = phase_offset(s_.horizontal, phase.q);
    double* to = scratch.pixels;
    for (Extent b = 0; b < block.count; ++b) {
      const PhaseBlock::Place& place = block.places[static_cast<std::size_t>(b)];
      const float* from =
          scratch.inputs + (place.y * phases_.pitch + offset + place.u * s_.horizontal.l) * s_.Cin;
      for (Extent a = 0; a < phase.vertical.count; ++a, from += phases_.pitch * s_.Cin) {
        to = std::copy_n(from, run, to);
      }
    }
    std::fill_n(to, (phases_.block - block.count) * phase.vertical.count * run, 0.0);
  }

  // Adds theta's gradient from that of the weights of a phase.
  void pull_back(const LayerPhase& phase, const double* weights, const Scratch& scratch,
                 double* sums) const {
    const Net net(s_, shared_.theta);
    Net::Hidden hidden = net.hidden(scratch.hidden, s_.inputs());
    write_phase_distances(s_, phase.vertical, phase.horizontal, &hidden.d);
    net.evaluate(&hidden);
    MatrixMap outputs(scratch.outputs, s_.net.outputs, s_.inputs());
    outputs.setZero();
    for_each_weight(s_, phase, [&](Extent output, Extent column, Extent place) {
      outputs(output, column) = weights[place];
    });
    MatrixMap g2(scratch.g2, s_.net.w2, s_.inputs());
    MatrixMap g1(scratch.g1, s_.net.w1, s_.inputs());
    MatrixMap gd(scratch.gd, 2, s_.inputs());
    net.pull_back_last(hidden, outputs, &g2, sums);
    net.pull_back(hidden, &g2, &g1, &gd, sums);
  }

  const ContinuousGradientPlan& plan_;
  const ContinuousShape& s_;
  const GradientPhases& phases_;
  const Shared& shared_;
  const void* src_;
  const void* diff_dst_;
};

// Bands of rows of outputs, blocks and products of a phase.
std::optional<Refusal> plan_bands(const Options& options, ContinuousGradientPlan* plan) {
  const ContinuousShape& s = plan->shape;
  GradientPhases& phases = plan->phases;
  const Extent k = s.vertical.k;
  const Extent periods = (s.vertical.out + k - 1) / k;
  const Extent period_bytes =
      s.vertical.l * phases.pitch * s.Cin * static_cast<Extent>(sizeof(float));
  const Extent most =
      std::clamp<Extent>(kBandBytes / std::max<Extent>(period_bytes, 1), 1, periods);
  phases.bands = (periods + most - 1) / most;
  const Extent periods_of_band = (periods + phases.bands - 1) / phases.bands;
  phases.rows = std::min(periods_of_band * k, s.vertical.out);
  phases.bands = (s.vertical.out + phases.rows - 1) / phases.rows;
  phases.staged_rows = staged_extent(s.vertical, phases.rows);
  const Extent outputs =
      outputs_of_phase(phases.rows, 0, k) * outputs_of_phase(s.horizontal.out, 0, s.horizontal.k);
  phases.block = phase_block(s, outputs);
  for (Extent index = 0; index < phase_count(s); ++index) {
    const Product product = product_of(s, phase_at(s, index), phases.block);
    if (auto refused = add_product(product, options, &plan->products)) return refused;
    phases.packed = std::max(phases.packed, elements_of(plan->products.plans.back().packed_bytes));
  }
  return std::nullopt;
}

// Parts by phases and by bands: about kMostChains, where the layer has as many.
void plan_parts(ContinuousGradientPlan* plan) {
  const ContinuousShape& s = plan->shape;
  GradientPhases& phases = plan->phases;
  const Extent count = phase_count(s);
  const Extent outputs = outputs_of_phase(s.vertical.out, 0, s.vertical.k) *
                         outputs_of_phase(s.horizontal.out, 0, s.horizontal.k) * s.N;
  const Extent chunks =
      std::clamp<Extent>(std::min(outputs / kOutputsOfChunk, s.N * phases.bands), 1, kMostChains);
  const Extent wanted = std::min((kMostChains + chunks - 1) / chunks, count);
  const Extent weights_bytes = weights_of(s) * static_cast<Extent>(sizeof(double));
  const Extent most = std::clamp<Extent>(kGroupBytes / weights_bytes, 1, count);
  phases.group = std::min(most, (count + wanted - 1) / wanted);
  phases.groups = (count + phases.group - 1) / phases.group;
  phases.chunks = std::clamp<Extent>(kMostChains / phases.groups, 1, chunks);
  plan->chains = std::min(kMostChains, phases.groups * phases.chunks);
}

}  // namespace

std::optional<Refusal> plan_theta_phases(const Options& options, ContinuousGradientPlan* plan) {
  const ContinuousShape& s = plan->shape;
  GradientPhases& phases = plan->phases;
  const auto isa = choose_isa(options.isa);
  if (!isa) return isa.why();
  phases.io = continuous_reorders(s, *isa);
  phases.pitch = staged_extent(s.horizontal, s.horizontal.out);
  if (auto refused = plan_bands(options, plan)) return refused;
  plan_parts(plan);
  set_gradient_memory(
      options, [&](Arena* arena) { lay_out_shared(*plan, arena); },
      [&](Arena* arena) { lay_out_scratch(*plan, arena); }, plan);
  return std::nullopt;
}

void run_theta_phases(const ContinuousGradientPlan& plan, const void* src, const void* theta,
                      const void* diff_dst, const Tensor& layout, void* diff_theta,
                      void* workspace) {
  const ContinuousShape& s = plan.shape;
  Arena arena(workspace);
  const Shared shared = lay_out_shared(plan, &arena);
  auto* const memory = arena.take<std::byte>(0);
  widen_theta(s, theta, shared.theta);
  const ChainRunner runner(plan, shared, src, diff_dst);
  plan.thread_pool->run(plan.chains, [&](Extent chain, int slot) {
    runner.run(chain, memory + static_cast<std::size_t>(slot) * plan.thread_bytes);
  });
  const Extent parameters = s.theta.dims[0];
  for (Extent chain = 1; chain < plan.chains; ++chain) {
    for (Extent i = 0; i < parameters; ++i) shared.sums[i] += shared.sums[chain * parameters + i];
  }
  store_sums(s.dtype, shared.sums, 1, parameters, diff_theta, strides_of(layout)[0]);
}

}  // namespace concord::optimized
