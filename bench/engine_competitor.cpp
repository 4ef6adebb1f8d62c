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

  std::string implementation() const override { return plan_.name() + " " + plan_.kernel(); }

 private:
  static constexpr std::size_t kAlignment = 64;

  optimized::Plan plan_;
  Operands operands_;
  void* dst_;
  std::vector<std::byte> memory_;
  std::byte* workspace_;
  std::optional<optimized::Packed> packed_;
};

}  // namespace

std::unique_ptr<Competitor> make_engine(const Operands& operands, const Setting& setting,
                                        const optimized::Options& options, void* dst) {
  auto plan = optimized::make_plan(operands.problem, options);
  if (!plan) return nullptr;
  return std::make_unique<EngineCompetitor>(*std::move(plan), operands, setting.packed, dst);
}

}  // namespace concord::bench
