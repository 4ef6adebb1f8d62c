// SPDX-License-Identifier: Apache-2.0
#include "optimized/convolution.h"

#include <new>
#include <sstream>
#include <type_traits>

#include "optimized/layout/pairs.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"
#include "optimized/tuning/tune.h"

namespace concord::optimized {
namespace {

constexpr std::align_val_t kLine{64};
// Larger than any memory, but small enough that workspace sizes do not overflow.
constexpr Extent kMostElements = Extent{1} << 52;

constexpr Extent kMostTaps = Extent{1} << 22;

bool is_too_large(const Tensor& tensor) {
  return element_count(tensor.dims).value_or(kMostElements) >= kMostElements;
}

// Without input channels nothing is read, and the kernel, whose tensor has no elements, may have
// too many taps to count: one tap that never meets padding replaces it.
Shape without_window(Shape shape) {
  shape.I = shape.O;
  shape.K = shape.S = shape.D = {1, 1, 1};
  shape.P = {};
  shape.src = shape.weights = {};
  for (OuterAxis& x : shape.outer) {
    x.I = x.O;
    x.K = x.S = x.D = 1;
    x.P = x.src_step = x.weights_step = 0;
  }
  return shape;
}

// A plan lists the taps of each axis.
std::optional<Refusal> refuse_taps(const Shape& shape) {
  if (shape.is_empty() || shape.IC == 0) return std::nullopt;
  std::vector<Extent> kernel(shape.K.begin(), shape.K.end());
  for (const OuterAxis& x : shape.outer) kernel.push_back(x.K);
  for (const Extent taps : kernel) {
    if (taps <= kMostTaps) continue;
    return Refusal{Fault::kLimit, "a window of " + std::to_string(taps) +
                                      " taps along an axis, more than " +
                                      std::to_string(kMostTaps)};
  }
  return std::nullopt;
}

// What one of these serves, others may serve, too.
template <class A>
constexpr bool kIsOneOfSeveral =
    std::is_same_v<A, PlanesNcx> || std::is_same_v<A, Grouping> || std::is_same_v<A, AmxPlan> ||
    std::is_same_v<A, PointwiseNcx> || std::is_same_v<A, Tiling>;

template <class A>
bool is_chosen(const Options& options, Plan* plan) {
  if (kIsOneOfSeveral<A> && options.choice && !options.asks_for(A::kName)) return false;
  auto made = A::make(*plan, options);
  if (!made) return false;
  plan->flushes_subnormals = made->flushes_subnormals();
  const auto bytes_of = [&](Extent elements) {
    return static_cast<std::size_t>(elements * plan->element_bytes());
  };
  plan->packed_bytes = bytes_of(made->packed_elements());
  plan->workspace_bytes = bytes_of(made->staged_src() + plan->threads() * made->staged_dst());
  plan->one_shot_workspace_bytes = plan->packed_bytes + plan->workspace_bytes;
  plan->algorithm = *std::move(made);
  plan->choice = kIsOneOfSeveral<A> ? options.choice : std::nullopt;
  return true;
}

// The first algorithm whose planner accepts the shape; the last one accepts all but a choice that
// does not serve.
template <class... A>
bool choose_algorithm(const Options& options, Plan* plan, std::variant<A...>* /*all*/) {
  return (is_chosen<A>(options, plan) || ...);
}

void choose_algorithm(const Options& options, Plan* plan) {
  if (choose_algorithm(options, plan, &plan->algorithm)) return;
  Options planned = options;
  planned.choice.reset();
  const bool found = choose_algorithm(planned, plan, &plan->algorithm);
  CONCORD_CHECK(found) << "no algorithm";
}

// Plans the shape that the plan has.
void plan_window(const Options& options, Plan* plan) {
  const Dtype dtype = plan->shape.dtype;
  if (tiles_for(plan->isa, dtype).channels == 2) fold_odd_taps(&plan->shape);
  if (dtype == computed_in(dtype)) view_channels_as_depth(&plan->shape);
  choose_algorithm(options, plan);
}

// True if padding may be multiplied as zeros. It is then for all outputs alike, and no tap may be
// left out only because all outputs find padding there.
bool multiplies_padding(const Plan& plan) {
  const bool may = plan.as<AmxPlan>() || plan.as<PlanesNcx>() || plan.as<Winograd>();
  return may && meets_padding(plan.shape);
}

// The first of the weights that the plan's shape has.
const void* first_weights(const Plan& plan, const void* weights) {
  const auto dropped = plan.dropped_weights * static_cast<Extent>(size_of(plan.shape.dtype));
  return dropped == 0 ? weights : static_cast<const std::byte*>(weights) + dropped;
}

// For algorithms that have no better way.
template <class A>
void run_unpacked(const Context& context, const A& algorithm, const void* weights, const void* bias,
                  void* packed, const void* src, void* dst, void* workspace) {
  pack(context, algorithm, weights, bias, packed);
  run(context, algorithm, packed, src, dst, workspace);
}

}  // namespace

Result<Plan> make_plan(const Problem& problem, const Options& options) {
  if (options.tuning) return tuned_plan(problem, options);
  auto shape = infer_shape(problem);
  if (!shape) return shape.why();
  for (const Tensor& tensor : {problem.src, problem.weights, shape->dst_tensor}) {
    if (shape->is_empty() || !is_too_large(tensor)) continue;
    return Refusal{Fault::kLimit,
                   "a tensor of " + to_string(tensor) + " elements is more than memory can hold"};
  }
  if (auto refused = refuse_taps(*shape)) return *refused;
  return make_plan(*shape, options);
}

Result<Plan> make_plan(const Shape& shape, const Options& options) {
  const auto isa = choose_isa(options.isa);
  if (!isa) return isa.why();
  if (auto refused = refuse_threads(options)) return *refused;
  if (options.winograd != 0 && options.winograd != 2 && options.winograd != 4) {
    return Refusal{Fault::kSyntax, "the option winograd is " + std::to_string(options.winograd) +
                                       ", which is none of 0, 2, 4"};
  }
  Plan plan;
  plan.isa = *isa;
  plan.target = options.target != nullptr ? options.target : &target_for(this_processor(), *isa);
  plan.reorders = &reorders_for(*isa, shape.dtype);
  // What wakes no other thread is planned for one.
  const bool has_few = shape.products() < ThreadPool::kFewProducts;
  plan.thread_pool =
      std::make_shared<const ThreadPool>(has_few ? 1 : options.threads, shape.products());
  const Shape whole = shape.IC == 0 ? without_window(shape) : shape;
  plan.shape = whole;
  if (!shape.is_empty()) plan.dropped_weights = drop_padded_taps(&plan.shape);
  const bool drops = plan.shape.K != whole.K;
  plan_window(options, &plan);
  if (drops && multiplies_padding(plan)) {
    plan.shape = whole;
    plan.dropped_weights = 0;
    plan_window(options, &plan);
  }
  return plan;
}

std::string Plan::name() const {
  return std::visit([](const auto& chosen) { return chosen.kName; }, algorithm);
}

std::string Plan::kernel() const {
  return std::visit([](const auto& chosen) { return chosen.kernel(); }, algorithm);
}

std::string Plan::sums() const {
  return std::visit(
      [](const auto& chosen) {
        if constexpr (requires { chosen.sums(); }) return chosen.sums();
        return std::string(chosen.kernel());
      },
      algorithm);
}

std::string describe(const Plan& plan) {
  std::ostringstream out;
  out << "dst       " << to_string(plan.shape.dst_tensor) << "\n";
  out << "algorithm " << plan.name() << ", " << to_string(plan.isa) << ", " << plan.threads()
      << " threads\n";
  out << "target    " << plan.target->name << ", " << plan.target->first.bytes
      << " bytes of first-level cache, " << plan.target->second.bytes << " of second\n";
  std::visit([&](const auto& chosen) { describe(plan, chosen, out); }, plan.algorithm);
  if (!plan.measured.empty()) out << "measured  " << plan.measured << "\n";
  out << "sums      " << plan.sums() << "\n";
  out << "memory    " << plan.packed_bytes << " bytes packed, " << plan.workspace_bytes
      << " bytes workspace (" << plan.one_shot_workspace_bytes << " when packing on the way)\n";
  return out.str();
}

void pack_into(const Plan& plan, const void* weights, const void* bias, void* to) {
  const void* const first = first_weights(plan, weights);
  std::visit([&](const auto& chosen) { pack(plan, chosen, first, bias, to); }, plan.algorithm);
}

void run_packed(const Plan& plan, const void* packed, const void* src, void* dst, void* workspace) {
  std::visit([&](const auto& chosen) { run(plan, chosen, packed, src, dst, workspace); },
             plan.algorithm);
}

Packed::Packed(std::size_t bytes) : memory_(new (kLine) std::byte[bytes]) {}

void Packed::Delete::operator()(std::byte* memory) const { ::operator delete[](memory, kLine); }

Packed pack(const Plan& plan, const void* weights, const void* bias) {
  Packed packed(plan.packed_bytes);
  pack_into(plan, weights, bias, packed.data());
  return packed;
}

void execute(const Plan& plan, const Packed& packed, const void* src, void* dst, void* workspace) {
  run_packed(plan, packed.data(), src, dst, workspace);
}

void execute(const Plan& plan, const void* src, const void* weights, const void* bias, void* dst,
             void* workspace) {
  std::byte* const rest = static_cast<std::byte*>(workspace) + plan.packed_bytes;
  const void* const first = first_weights(plan, weights);
  const auto execute_by = [&](const auto& chosen) {
    run_unpacked(plan, chosen, first, bias, workspace, src, dst, rest);
  };
  std::visit(execute_by, plan.algorithm);
}

}  // namespace concord::optimized
