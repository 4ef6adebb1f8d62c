// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous.h"

#include <algorithm>
#include <cstring>

#include "optimized/operations/continuous_phases.h"
#include "optimized/operations/continuous_stage.h"
#include "optimized/operations/continuous_tiles.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

// Larger than any memory, but small enough that workspace sizes do not overflow.
constexpr Extent kMostElements = Extent{1} << 40;

Refusal too_large(const std::string& what) {
  return {Fault::kLimit, what + " is more than memory can hold"};
}

// Sizes that must fit memory, however the layer is computed.
std::optional<Refusal> check_sizes(const ContinuousShape& s) {
  for (const Tensor* tensor : {&s.src, &s.dst, &s.theta}) {
    if (element_count(tensor->dims).value_or(kMostElements) >= kMostElements) {
      return too_large("a tensor of " + to_string(*tensor) + " elements");
    }
  }
  const auto columns = element_count({s.inputs(), 2 + 2 * (s.net.w1 + s.net.w2)});
  const auto pixels = element_count({s.slots(), std::max<Extent>(s.Cin, 1), s.net.w2 + 1});
  if (!columns || *columns >= kMostElements || !pixels || *pixels >= kMostElements) {
    return too_large("the kernel's net at all neighbours of an output");
  }
  return std::nullopt;
}

ContinuousWay choose_way(const ContinuousShape& s, const ContinuousOptions& options) {
  if (s.is_empty()) return ContinuousWay::kNothing;
  if (s.is_zero()) return ContinuousWay::kZeros;
  if (options.way) return *options.way;
  return phases_pay(s) ? ContinuousWay::kPhases : ContinuousWay::kTiles;
}

void set_memory(ContinuousPlan* plan) {
  const bool phases = plan->way == ContinuousWay::kPhases;
  const std::size_t scratch =
      phases ? continuous_phases_scratch_bytes(*plan) : continuous_tiles_scratch_bytes(*plan);
  plan->workspace_bytes =
      static_cast<std::size_t>(plan->thread_pool->threads()) * plan->thread_bytes +
      Arena::kAlignment;
  plan->packed_bytes += Arena::kAlignment;
  plan->one_shot_workspace_bytes = plan->packed_bytes + std::max(plan->workspace_bytes, scratch);
}

void write_zeros(const ContinuousShape& s, void* dst) {
  const std::size_t size = size_of(s.dtype);
  const Extents& strides = s.dst.strides;
  for (const auto [n, co, i, j] : Grid<4>{{s.N, s.Cout, s.vertical.out, s.horizontal.out}}) {
    const Extent at = n * strides[0] + co * strides[1] + i * strides[2] + j * strides[3];
    std::memset(static_cast<std::byte*>(dst) + at * static_cast<Extent>(size), 0, size);
  }
}

void pack_to(const ContinuousPlan& plan, const void* theta, void* packed, void* scratch) {
  Arena arena(packed);
  if (plan.way == ContinuousWay::kTiles) {
    pack_continuous_tiles(plan, theta, lay_out_packed_tiles(plan, &arena), scratch);
  } else if (plan.way == ContinuousWay::kPhases) {
    pack_continuous_phases(plan, theta, arena.take<float>(0), scratch);
  }
}

void run(const ContinuousPlan& plan, const void* packed, const void* src, void* dst,
         void* workspace) {
  Arena arena(const_cast<void*>(packed));  // only read, as the plan's functions say
  Arena work(workspace);
  auto* const memory = work.take<std::byte>(0);
  if (plan.way == ContinuousWay::kZeros) write_zeros(plan.shape, dst);
  if (plan.way == ContinuousWay::kTiles) {
    run_continuous_tiles(plan, lay_out_packed_tiles(plan, &arena), src, dst, memory);
  } else if (plan.way == ContinuousWay::kPhases) {
    run_continuous_phases(plan, arena.take<float>(0), src, dst, memory);
  }
}

}  // namespace

std::string_view to_string(ContinuousWay way) {
  constexpr std::string_view kNames[] = {"nothing", "zeros", "tiles", "phases"};
  return kNames[static_cast<std::size_t>(way)];
}

Result<ContinuousPlan> make_continuous_plan(const ContinuousShape& shape,
                                            const ContinuousOptions& options) {
  const auto isa = choose_isa(options.isa);
  if (!isa) return isa.why();
  if (auto refused = refuse_threads(options)) return *refused;
  ContinuousPlan plan;
  plan.shape = shape;
  plan.way = choose_way(shape, options);
  plan.thread_pool = std::make_shared<const ThreadPool>(options.threads);
  if (plan.way == ContinuousWay::kNothing || plan.way == ContinuousWay::kZeros) return plan;
  if (auto refused = check_sizes(shape)) return *refused;
  if (plan.way == ContinuousWay::kPhases && !has_phases(shape)) {
    return Refusal{Fault::kSyntax,
                   "the layer has no phases: its weights depend on the place, or a "
                   "stride is above 2^30"};
  }
  plan.io = continuous_reorders(shape, *isa);
  auto refused = plan.way == ContinuousWay::kPhases ? plan_continuous_phases(options, &plan)
                                                    : plan_continuous_tiles(options, &plan);
  if (refused) return *refused;
  set_memory(&plan);
  return plan;
}

std::string describe(const ContinuousPlan& plan) {
  std::string text(to_string(plan.way));
  if (plan.way == ContinuousWay::kTiles) {
    text += ": " + std::to_string(plan.tiles.blocks) + " blocks of outputs, " +
            std::to_string(plan.tiles.blocks_per_tile) + " a tile, " +
            std::to_string(plan.tiles.features) + " features an output, product by " +
            plan.tiles.product.kernel();
  } else if (plan.way == ContinuousWay::kPhases) {
    const ContinuousBand& band = plan.phases.full;
    text += ": " + std::to_string(band.plans.size()) + " convolutions, bands of " +
            std::to_string(band.rows) + " rows, by " + band.plans[0].kernel();
  }
  return text + "; " + std::to_string(plan.thread_bytes) + " bytes of workspace a thread";
}

ContinuousPacked pack(const ContinuousPlan& plan, const void* theta) {
  ContinuousPacked packed;
  packed.memory.resize(plan.packed_bytes);
  std::vector<std::byte> scratch(plan.one_shot_workspace_bytes - plan.packed_bytes);
  if (plan.packed_bytes > 0) pack_to(plan, theta, packed.memory.data(), scratch.data());
  return packed;
}

void execute(const ContinuousPlan& plan, const ContinuousPacked& packed, const void* src, void* dst,
             void* workspace) {
  run(plan, packed.memory.data(), src, dst, workspace);
}

void execute(const ContinuousPlan& plan, const void* src, const void* theta, void* dst,
             void* workspace) {
  std::byte* const rest = static_cast<std::byte*>(workspace) + plan.packed_bytes;
  if (plan.packed_bytes > 0) pack_to(plan, theta, workspace, rest);
  run(plan, workspace, src, dst, rest);
}

}  // namespace concord::optimized
