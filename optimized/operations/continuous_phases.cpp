// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_phases.h"

#include <algorithm>

#include "optimized/layout/stage.h"
#include "optimized/operations/continuous_stage.h"

namespace concord::optimized {
namespace {

// Bytes of a band's staged inputs and outputs, which stay in a core's own cache between the phases.
constexpr Extent kBandBytes = 256 << 10;
// Weights are worth keeping if a phase has at least so many outputs, and its numbers are no more
// than these.
constexpr Extent kOutputsAPhase = 16;
constexpr Extent kMostPhases = 256;
constexpr Extent kMostWeights = Extent{1} << 24;
// Products of strides and of what lies in memory stay within 64 bits.
constexpr Extent kMostStride = Extent{1} << 30;
// Beyond this many elements no band fits memory.
constexpr Extent kMostBand = Extent{1} << 40;

// One phase of a band, from staged inputs to interleaved outputs, both f32 with channels last.
Shape phase_shape(const ContinuousPlan& plan, const ContinuousBand& band, Extent p, Extent q) {
  const ContinuousShape& s = plan.shape;
  const Support vertical = s.vertical.support(p);
  const Support horizontal = s.horizontal.support(q);
  Shape phase;
  phase.N = 1;
  phase.IC = s.Cin;
  phase.OC = s.Cout;
  phase.K = {1, vertical.count, horizontal.count};
  phase.S = {1, s.vertical.l, s.horizontal.l};
  phase.O = {1, outputs_of_phase(band.rows, p, s.vertical.k),
             outputs_of_phase(s.horizontal.out, q, s.horizontal.k)};
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) {
    phase.I[at] = (phase.O[at] - 1) * phase.S[at] + phase.K[at];
  }
  const Extent src_row = plan.phases.pitch * s.Cin;
  const Extent dst_row = s.horizontal.out * s.Cout;
  phase.src = {.outer = band.staged_rows * src_row,
               .channel = 1,
               .spatial = {band.staged_rows * src_row, src_row, s.Cin}};
  phase.weights = {.outer = s.Cin * phase.K[1] * phase.K[2],
                   .channel = phase.K[1] * phase.K[2],
                   .spatial = {0, phase.K[2], 1}};
  phase.dst = {.outer = band.rows * dst_row,
               .channel = 1,
               .spatial = {band.rows * dst_row, s.vertical.k * dst_row, s.horizontal.k * s.Cout}};
  phase.dst_tensor.dims = {1, phase.O[1], phase.O[2], s.Cout};
  return phase;
}

// Plans a band of `rows` outputs; `floats` counts packed weights.
std::optional<Refusal> plan_band(const Options& options, Extent rows, ContinuousPlan* plan,
                                 std::size_t* floats, ContinuousBand* band) {
  const ContinuousShape& s = plan->shape;
  band->rows = rows;
  band->staged_rows = staged_extent(s.vertical, rows);
  for (Extent p = 0; p < s.vertical.phases(); ++p) {
    for (Extent q = 0; q < s.horizontal.phases(); ++q) {
      const Shape shape = phase_shape(*plan, *band, p, q);
      Plan made;  // of nothing, where a phase has no neighbours
      if (!shape.is_empty() && shape.K[1] > 0 && shape.K[2] > 0) {
        auto result = make_plan(shape, options);
        if (!result) return result.why();
        made = *std::move(result);
        plan->phases.workspace_bytes = std::max(plan->phases.workspace_bytes, made.workspace_bytes);
      }
      band->packed_at.push_back(*floats);
      *floats += (made.packed_bytes + Arena::kAlignment - 1) / Arena::kAlignment *
                 Arena::kAlignment / sizeof(float);
      band->plans.push_back(std::move(made));
    }
  }
  return std::nullopt;
}

// A thread's memory.
struct Scratch {
  float* inputs;   // [staged rows, pitch, Cin]
  float* outputs;  // [rows, W', Cout]
  float* workspace;
};
Scratch lay_out_scratch(const ContinuousPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  const ContinuousBand& band = plan.phases.full;
  return {arena->take<float>(band.staged_rows * plan.phases.pitch * s.Cin),
          arena->take<float>(band.rows * s.horizontal.out * s.Cout),
          arena->take<float>(static_cast<Extent>(plan.phases.workspace_bytes / sizeof(float) + 1))};
}

class BandRunner {
 public:
  BandRunner(const ContinuousPlan& plan, const float* packed, const void* src, void* dst)
      : plan_(plan), s_(plan.shape), packed_(packed), src_(src), dst_(dst) {}

  void run(Extent n, Extent index, std::byte* memory) const {
    Arena arena(memory);
    const Scratch scratch = lay_out_scratch(plan_, &arena);
    const ContinuousBand& band =
        index + 1 == plan_.phases.bands ? plan_.phases.last : plan_.phases.full;
    const Extent first_row = index * plan_.phases.full.rows;
    stage(n, first_row, band, scratch.inputs);
    convolve(band, scratch);
    store(n, first_row, band, scratch.outputs);
  }

 private:
  // Brings the inputs of the outputs from `first_row` on, with what stands outside the image.
  void stage(Extent n, Extent first_row, const ContinuousBand& band, float* to) const {
    const Extent top = s_.vertical.support(first_row).left;
    for (Extent y = 0; y < band.staged_rows; ++y, to += plan_.phases.pitch * s_.Cin) {
      stage_row(s_, plan_.io, plan_.phases.pitch, src_, n, top + y, to);
    }
  }

  void convolve(const ContinuousBand& band, const Scratch& scratch) const {
    const Extent columns = s_.horizontal.phases();
    const auto lacks = [](const Plan& phase) { return phase.as<Nothing>() != nullptr; };
    if (std::any_of(band.plans.begin(), band.plans.end(), lacks)) {
      std::fill_n(scratch.outputs, band.rows * s_.horizontal.out * s_.Cout, 0.0F);
    }
    for (std::size_t at = 0; at < band.plans.size(); ++at) {
      const Extent p = static_cast<Extent>(at) / columns;
      const Extent q = static_cast<Extent>(at) % columns;
      const Extent src =
          (phase_offset(s_.vertical, p) * plan_.phases.pitch + phase_offset(s_.horizontal, q)) *
          s_.Cin;
      run_packed(band.plans[at], packed_ + band.packed_at[at], scratch.inputs + src,
                 scratch.outputs + (p * s_.horizontal.out + q) * s_.Cout, scratch.workspace);
    }
  }

  void store(Extent n, Extent first_row, const ContinuousBand& band, const float* from) const {
    const Extents& strides = s_.dst.strides;
    const Strides to{
        .outer = strides[0], .channel = strides[1], .spatial = {0, strides[2], strides[3]}};
    const Extent width = s_.horizontal.out;
    for (Extent row = 0; row < band.rows; ++row, from += width * s_.Cout) {
      store_dst(plan_.io, to,
                {.n = n,
                 .od = 0,
                 .oh = first_row + row,
                 .ow = 0,
                 .pixels = width,
                 .oc = 0,
                 .channels = s_.Cout},
                from, s_.Cout, dst_);
    }
  }

  const ContinuousPlan& plan_;
  const ContinuousShape& s_;
  const float* packed_;
  const void* src_;
  void* dst_;
};

// True if what is staged is hardly larger than the image or the output: not if outputs lie far
// apart, beyond the image.
bool is_worth_staging(const ContinuousAxis& x) {
  return staged_extent(x, x.out) <= 2 * (std::max(x.in, x.out) + x.slots());
}

}  // namespace

bool has_phases(const ContinuousShape& s) {
  const auto is_small = [](const ContinuousAxis& x) { return std::max(x.k, x.l) <= kMostStride; };
  return s.function != KernelFunction::kNetKGrid && is_small(s.vertical) && is_small(s.horizontal);
}

bool phases_pay(const ContinuousShape& s) {
  if (!has_phases(s)) return false;
  const Extent k_h = s.vertical.phases();
  const Extent k_w = s.horizontal.phases();
  if (k_h > kMostPhases || k_w > kMostPhases || k_h * k_w > kMostPhases) return false;
  const auto weights = element_count({k_h * k_w, s.Cout, s.Cin, s.slots()});
  return weights && *weights <= kMostWeights && s.outputs() >= kOutputsAPhase * k_h * k_w &&
         is_worth_staging(s.vertical) && is_worth_staging(s.horizontal);
}

std::optional<Refusal> plan_continuous_phases(const ContinuousOptions& options,
                                              ContinuousPlan* plan) {
  const ContinuousShape& s = plan->shape;
  ContinuousPhases& phases = plan->phases;
  phases.pitch = staged_extent(s.horizontal, s.horizontal.out);
  const auto src_row = element_count({phases.pitch, s.Cin});
  const auto dst_row = element_count({s.horizontal.out, s.Cout});
  if (!src_row || !dst_row || *src_row > kMostBand || *dst_row > kMostBand) {
    return Refusal{Fault::kLimit, "a row of a phase is more than memory can hold"};
  }
  const Extent k = s.vertical.k;
  const Extent periods = (s.vertical.out + k - 1) / k;
  const Extent period_rows = std::min(s.vertical.l, staged_extent(s.vertical, s.vertical.out));
  const Wide period_floats =
      Wide{period_rows} * *src_row + Wide{std::min(k, s.vertical.out)} * *dst_row;
  if (period_floats > kMostBand) {
    return Refusal{Fault::kLimit, "the rows of a period are more than memory can hold"};
  }
  const Extent period_bytes =
      static_cast<Extent>(period_floats) * static_cast<Extent>(sizeof(float));
  const Extent most =
      std::clamp<Extent>(kBandBytes / std::max<Extent>(period_bytes, 1), 1, periods);
  const Extent in_turn = (periods + most - 1) / most;
  const Extent height = (periods + in_turn - 1) / in_turn * k;
  phases.bands = (s.vertical.out + height - 1) / height;
  const Options one_thread = of_one_thread(options);
  std::size_t floats = 0;
  const Extent last = s.vertical.out - (phases.bands - 1) * height;
  const Extent full = phases.bands == 1 ? last : height;
  if (auto refused = plan_band(one_thread, full, plan, &floats, &phases.full)) return refused;
  if (last == full) {
    phases.last = phases.full;
  } else if (auto refused = plan_band(one_thread, last, plan, &floats, &phases.last)) {
    return refused;
  }
  if (!element_count({phases.full.staged_rows, *src_row})) {
    return Refusal{Fault::kLimit, "a band of a phase is more than memory can hold"};
  }
  plan->thread_bytes = arena_bytes([&](Arena* arena) { lay_out_scratch(*plan, arena); });
  plan->packed_bytes = floats * sizeof(float);
  return std::nullopt;
}

void run_continuous_phases(const ContinuousPlan& plan, const float* packed, const void* src,
                           void* dst, std::byte* workspace) {
  const BandRunner runner(plan, packed, src, dst);
  const Extent bands = plan.phases.bands;
  plan.thread_pool->run(plan.shape.N * bands, [&](Extent task, int slot) {
    runner.run(task / bands, task % bands,
               workspace + static_cast<std::size_t>(slot) * plan.thread_bytes);
  });
}

}  // namespace concord::optimized
