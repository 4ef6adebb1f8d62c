// SPDX-License-Identifier: Apache-2.0
#include "optimized/tuning/tune.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <sstream>

#include "optimized/convolution.h"
#include "optimized/direct/tile_choice.h"
#include "optimized/tuning/contest.h"
#include "optimized/tuning/wisdom.h"

namespace concord::optimized {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Tiles that the model expects to take longer than so many times the best ones are not tried, and
// no more than so many.
constexpr double kClose = 1.25;
constexpr std::size_t kMostTiles = 6;
// With the planners' own, and those of other algorithms.
constexpr double kMostPlans = kMostTiles + 5;
// What the slowest plan multiplies in a second with a lane of a thread.
constexpr double kProductsOfLane = 0.5e9;

// Finite and normal in every dtype, when it is each byte of an element; and so are its products.
constexpr int kByte = 0x3C;

/// Memory of an operand, aligned to a cache line.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : packed_(bytes) { std::memset(data(), kByte, bytes); }
  void* data() { return packed_.data(); }

 private:
  Packed packed_;
};

std::size_t bytes_of(const Tensor& tensor, Dtype dtype) {
  return static_cast<std::size_t>(element_span(tensor).value_or(0)) * size_of(dtype);
}

struct Operation {
  Operation(const Problem& problem, const Plan& plan)
      : src(bytes_of(problem.src, problem.dtype)),
        weights(bytes_of(problem.weights, problem.dtype)),
        bias(problem.bias ? bytes_of(*problem.bias, problem.dtype) : 0),
        dst(bytes_of(plan.shape.dst_tensor, problem.dtype)),
        has_bias(problem.bias.has_value()) {}

  const void* bias_data() { return has_bias ? bias.data() : nullptr; }

  Memory src, weights, bias, dst;
  bool has_bias;
};

/// Runs a plan; what that needs is there from the first run on.
class Runner {
 public:
  Runner(const Plan& plan, bool packs, Operation* operation)
      : plan_(plan), packs_(packs), operation_(*operation) {}

  double operator()(int calls) {
    const auto begin = SteadyClock::now();
    if (!workspace_) prepare();
    for (int i = 0; i < calls; ++i) run();
    const std::chrono::duration<double> passed = SteadyClock::now() - begin;
    return std::max(passed.count(), 1e-9);
  }

 private:
  void prepare() {
    if (packs_) packed_ = pack(plan_, operation_.weights.data(), operation_.bias_data());
    workspace_.emplace(packs_ ? plan_.workspace_bytes : plan_.one_shot_workspace_bytes);
  }

  void run() {
    void* const dst = operation_.dst.data();
    if (packs_) {
      execute(plan_, *packed_, operation_.src.data(), dst, workspace_->data());
    } else {
      execute(plan_, operation_.src.data(), operation_.weights.data(), operation_.bias_data(), dst,
              workspace_->data());
    }
  }

  const Plan& plan_;
  bool packs_;
  Operation& operation_;
  std::optional<Packed> packed_{};
  std::optional<Memory> workspace_{};
};

// What a choice has to say of a plan, so that the same plan is made again.
PlanChoice of_tiles(const TileChoice& tile, const Plan& own, bool any_sums) {
  const Tiling* const tiling = own.as<Tiling>();
  const bool keeps = tiling != nullptr && !any_sums;
  return {.algorithm = Tiling::kName, .tile = tile, .channels = keeps ? tiling->channel_block : 0};
}

std::vector<PlanChoice> choices_beside(const Problem& problem, const Options& options,
                                       const Plan& own, bool any_sums) {
  std::vector<PlanChoice> choices;
  if (own.as<Nothing>() || own.as<Loops>() || own.as<Winograd>()) return choices;
  for (const char* const name :
       {PlanesNcx::kName, Grouping::kName, AmxPlan::kName, PointwiseNcx::kName}) {
    if (name != own.name()) choices.push_back({.algorithm = name});
  }
  Options tiles = options;
  tiles.choice = PlanChoice{.algorithm = Tiling::kName};
  const auto context = make_plan(problem, tiles);
  if (!context) return choices;
  const auto ranked = rank_tiles(*context);
  for (std::size_t i = 0; i < std::min(ranked.size(), kMostTiles); ++i) {
    if (ranked[i].cycles > kClose * ranked[0].cycles) break;
    choices.push_back(of_tiles(ranked[i].choice, own, any_sums));
  }
  return choices;
}

// False for what takes so long that nothing can be measured.
bool is_short(const Plan& plan, const Tuning& tuning) {
  const auto lanes = static_cast<double>(tiles_for(plan.isa, plan.shape.dtype).lanes);
  const double in_a_second = kProductsOfLane * lanes * plan.threads();
  return plan.shape.products() <= tuning.milliseconds * 1e-3 * in_a_second;
}

// Leaves out the last plans, whose memory would be too much beside the tensors and that of the
// others.
void fit_in_memory(const Problem& problem, std::vector<Plan>* plans) {
  double bytes = 0;
  for (const Tensor& tensor : {problem.src, problem.weights, plans->front().shape.dst_tensor}) {
    bytes += static_cast<double>(bytes_of(tensor, problem.dtype));
  }
  const auto first_too_large = std::ranges::find_if(*plans, [&](const Plan& plan) {
    bytes += static_cast<double>(plan.one_shot_workspace_bytes);
    return bytes > static_cast<double>(kMostTunedBytes);
  });
  plans->erase(first_too_large, plans->end());
}

// The fastest of the plans, of which the planners' own is the first.
Plan fastest_plan(const Problem& problem, const Tuning& tuning, std::vector<Plan> plans) {
  Operation operation(problem, plans.front());
  std::deque<Runner> runners;
  std::vector<Contender> contenders;
  contenders.reserve(plans.size());
  for (const Plan& plan : plans) {
    contenders.emplace_back([&runner = runners.emplace_back(plan, tuning.packed, &operation)](
                                int calls) { return runner(calls); });
  }
  const ContestResult result = fastest_of(contenders, tuning.milliseconds * 1e-3);
  std::ostringstream measured;
  measured << result.seconds.size() << " of " << plans.size() << " plans; this one ";
  if (result.winner == 0) {
    measured << "is the planners' own";
  } else {
    measured.precision(2);
    measured << "takes " << std::fixed << result.seconds[result.winner] / result.seconds[0]
             << " of the time of the planners' own";
  }
  Plan fastest = std::move(plans[result.winner]);
  fastest.measured = measured.str();
  return fastest;
}

// What a measurement holds for, beside the problem.
std::string setting_of(const Plan& plan, const Options& options) {
  const Processor& here = this_processor();
  std::ostringstream out;
  out << here.vendor << ' ' << here.family << ' ' << to_string(plan.isa) << ' ' << plan.target->name
      << ' ' << options.threads << " threads " << (options.tuning->packed ? "packed" : "unpacked")
      << (options.tuning->any_sums ? " any sums" : "");
  return out.str();
}

// The plan of the choice, if it is one that may be made.
std::optional<Plan> chosen_plan(const Problem& problem, const Options& options, const Plan& own,
                                const PlanChoice& choice, bool any_sums) {
  Options chosen = options;
  chosen.choice = choice;
  auto plan = make_plan(problem, chosen);
  if (!plan || !plan->choice) return std::nullopt;
  // What its caller declares of the arithmetic holds for the planners' own.
  if (plan->flushes_subnormals != own.flushes_subnormals) return std::nullopt;
  if (!any_sums && plan->sums() != own.sums()) return std::nullopt;
  return *std::move(plan);
}

// The problem's line in a wisdom file, the same whether a dense dst is stated or not.
std::string line_of(Problem problem) {
  if (problem.dst && strides_of(*problem.dst) == dense_strides(problem.dst->dims)) {
    problem.dst.reset();
  }
  return print(problem);
}

// The plan that the wisdom file has for the problem, if that one may still be made.
std::optional<Plan> known_plan(const Problem& problem, const Options& options, const Plan& own,
                               const std::string& setting, const std::string& line) {
  const Tuning& tuning = *options.tuning;
  if (tuning.wisdom == nullptr) return std::nullopt;
  const auto known = tuning.wisdom->find(setting, line);
  if (!known) return std::nullopt;
  std::optional<Plan> plan = own;
  if (!known->algorithm.empty()) {
    plan = chosen_plan(problem, untuned(options), own, *known, tuning.any_sums);
  }
  if (plan) plan->measured = "before: the wisdom file has " + to_string(*known);
  return plan;
}

}  // namespace

std::vector<Plan> other_plans(const Problem& problem, const Options& options, const Plan& own,
                              bool any_sums) {
  const Options planned = untuned(options);
  std::vector<Plan> plans;
  std::vector<std::string> descriptions = {describe(own)};
  for (const PlanChoice& choice : choices_beside(problem, planned, own, any_sums)) {
    auto plan = chosen_plan(problem, planned, own, choice, any_sums);
    if (!plan) continue;
    const std::string description = describe(*plan);
    if (std::ranges::count(descriptions, description) > 0) continue;
    descriptions.push_back(description);
    plans.push_back(*std::move(plan));
  }
  return plans;
}

Result<Plan> tuned_plan(const Problem& problem, const Options& options) {
  const Tuning& tuning = *options.tuning;
  const auto begin = SteadyClock::now();
  auto own = make_plan(problem, untuned(options));
  const std::chrono::duration<double, std::milli> planning = SteadyClock::now() - begin;
  if (!own) return own;
  if (!(tuning.milliseconds > 0)) {
    return Refusal{Fault::kSyntax, "the time to tune is " + std::to_string(tuning.milliseconds) +
                                       " ms, not positive"};
  }
  // Kernels of very many taps take long to plan.
  const bool is_planned_fast = kMostPlans * planning.count() <= tuning.milliseconds;
  if (!is_planned_fast || !is_short(*own, tuning)) return own;
  const std::string setting = setting_of(*own, options);
  const std::string line = line_of(problem);
  if (auto known = known_plan(problem, options, *own, setting, line)) return *std::move(known);
  auto plans = other_plans(problem, options, *own, tuning.any_sums);
  plans.insert(plans.begin(), *own);
  fit_in_memory(problem, &plans);
  if (plans.size() < 2) return own;
  Plan fastest = fastest_plan(problem, tuning, std::move(plans));
  if (tuning.wisdom != nullptr) {
    tuning.wisdom->add(setting, line, fastest.choice.value_or(PlanChoice{}));
  }
  return fastest;
}

}  // namespace concord::optimized
