// SPDX-License-Identifier: Apache-2.0
// Our own engine, by the same door as everyone's. Configuration: nothing, or isa=NAME to have the
// kernels of one instruction set.
#include <utility>

#include "backends/adapter/adapter.h"
#include "optimized/engine.h"

namespace concord::backends {
namespace {

using optimized::Isa;
using optimized::Plan;

// kSyntax is about an option, so about us; all else is about the problem.
Refused to_refused(const Refusal& refusal) {
  const concord_status status = refusal.fault == Fault::kSyntax ? CONCORD_FAULT : CONCORD_INVALID;
  return {status, refusal.detail};
}

class OptimizedPrepared : public Prepared {
 public:
  OptimizedPrepared(Plan plan, const PrepareOptions& options, bool has_bias)
      : plan_(std::move(plan)) {
    const bool constant = options.weights != nullptr && (!has_bias || options.bias != nullptr);
    if (constant) packed_ = optimized::pack(plan_, options.weights, options.bias);
    workspace_bytes = constant ? plan_.workspace_bytes : plan_.one_shot_workspace_bytes;
  }

  std::optional<Refused> execute(const Buffers& buffers) override {
    if (packed_) {
      optimized::execute(plan_, *packed_, buffers.src.data, buffers.dst.data, buffers.workspace);
    } else {
      optimized::execute(plan_, buffers.src.data, buffers.weights.data, buffers.bias.data,
                         buffers.dst.data, buffers.workspace);
    }
    return std::nullopt;
  }

 private:
  Plan plan_;
  std::optional<optimized::Packed> packed_{};
};

class OptimizedBackend : public Backend {
 public:
  explicit OptimizedBackend(std::optional<Isa> isa) : isa_(isa) {}

  Or<Answer> query(const Problem& problem) override {
    const auto plan = optimized::make_plan(problem, {1, isa_});
    if (!plan) return to_refused(plan.why());
    Answer answer;
    answer.dst_dims = plan->dst_dims();
    answer.arithmetic.flushes_subnormals = plan->flushes_subnormals ? 1 : 0;
    answer.same_bits_any_threads = true;
    answer.implementation = plan->kernel() + ": " + optimized::describe(*plan);
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare(const Problem& problem,
                                        const PrepareOptions& options) override {
    auto plan = optimized::make_plan(problem, {options.threads, isa_});
    if (!plan) return to_refused(plan.why());
    return std::unique_ptr<Prepared>(
        std::make_unique<OptimizedPrepared>(*std::move(plan), options, problem.bias.has_value()));
  }

 private:
  std::optional<Isa> isa_;
};

Or<std::unique_ptr<Backend>> open_optimized(const std::string& config) {
  std::optional<Isa> isa;
  if (!config.empty()) {
    const std::string key = "isa=";
    if (config.rfind(key, 0) == 0) isa = optimized::parse_isa(config.substr(key.size()));
    if (!isa) return invalid("'" + config + "' is not isa=generic, isa=avx2 or isa=avx512");
  }
  const auto chosen = optimized::choose_isa(isa);
  if (!chosen) return invalid(chosen.why().detail);
  return std::unique_ptr<Backend>(std::make_unique<OptimizedBackend>(isa));
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("optimized", CONCORD_VERSION, concord::backends::open_optimized)
