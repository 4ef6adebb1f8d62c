// SPDX-License-Identifier: Apache-2.0
#include "bench/competitor.h"

namespace concord::bench {
namespace {

class EngineCompetitor : public Competitor {
 public:
  EngineCompetitor(optimized::Plan plan, const Operands& operands, bool packed, void* dst)
      : plan_(std::move(plan)),
        operands_(operands),
        dst_(dst),
        memory_(std::max(plan_.workspace_bytes, plan_.one_shot_workspace_bytes) + kAlignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    workspace_ = memory_.data() + (kAlignment - address % kAlignment) % kAlignment;
    if (packed) packed_ = pack(plan_, operands.weights, operands.bias);
  }

  void run() override {
    if (packed_) {
      execute(plan_, *packed_, operands_.src, dst_, workspace_);
    } else {
      execute(plan_, operands_.src, operands_.weights, operands_.bias, dst_, workspace_);
    }
  }

  std::string implementation() const override {
    const std::string chosen = plan_.choice ? to_string(*plan_.choice) : plan_.name();
    return chosen + " " + plan_.kernel();
  }

  std::optional<Footprint> footprint() const override {
    if (packed_) return Footprint{plan_.packed_bytes, plan_.workspace_bytes};
    return Footprint{0, plan_.one_shot_workspace_bytes};
  }

 private:
  static constexpr std::size_t kAlignment = 64;

  optimized::Plan plan_;
  Operands operands_;
  void* dst_;
  std::vector<std::byte> memory_;
  std::byte* workspace_;
  std::optional<optimized::Packed> packed_;
};

class F32EngineCompetitor : public Competitor {
 public:
  F32EngineCompetitor(const Operands& operands, const Setting& setting,
                      const optimized::Options& options, void* dst)
      : problem_(in_f32(operands.problem)), inputs_(problem_) {
    engine_ = make_engine(inputs_.operands(problem_, operands.shape), setting, options, dst);
  }

  void run() override { engine_->run(); }
  std::string implementation() const override { return engine_->implementation(); }
  std::optional<Footprint> footprint() const override { return engine_->footprint(); }
  bool is_ready() const { return engine_ != nullptr; }

 private:
  static Problem in_f32(Problem problem) {
    problem.dtype = Dtype::kF32;
    return problem;
  }

  Problem problem_;
  Inputs inputs_;
  std::unique_ptr<Competitor> engine_{};
};

}  // namespace

Inputs::Inputs(const Problem& problem)
    : src_(problem.src, problem.dtype, 1), weights_(problem.weights, problem.dtype, 2) {
  if (problem.bias) bias_.emplace(*problem.bias, problem.dtype, 4);
}

Operands Inputs::operands(const Problem& problem, const optimized::Shape& shape) const {
  return {problem, shape, src_.data(), weights_.data(), bias_ ? bias_->data() : nullptr};
}

std::unique_ptr<Competitor> make_f32_engine(const Operands& operands, const Setting& setting,
                                            const optimized::Options& options, void* dst) {
  auto competitor = std::make_unique<F32EngineCompetitor>(operands, setting, options, dst);
  if (!competitor->is_ready()) return nullptr;
  return competitor;
}

std::unique_ptr<Competitor> make_engine(const Operands& operands, const Setting& setting,
                                        const optimized::Options& options, void* dst) {
  auto plan = optimized::make_plan(operands.problem, options);
  if (!plan) return nullptr;
  return make_engine(*std::move(plan), operands, setting.packed, dst);
}

std::unique_ptr<Competitor> make_engine(optimized::Plan plan, const Operands& operands, bool packed,
                                        void* dst) {
  return std::make_unique<EngineCompetitor>(std::move(plan), operands, packed, dst);
}

}  // namespace concord::bench
