// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_net.h"
#include "optimized/operations/continuous_phases.h"

namespace concord::optimized {
namespace {

// Memory while weights are evaluated.
struct PackScratch {
  double* theta;
  double* hidden;
  double* outputs;  // of the net, a column a distance
  float* weights;   // [Cout,Cin,K]
};
PackScratch lay_out_pack_scratch(const ContinuousPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  return {arena->take<double>(s.theta.dims[0]),
          arena->take<double>(Net::hidden_elements(s.net, s.inputs())),
          arena->take<double>(s.net.outputs * s.inputs()),
          arena->take<float>(s.Cout * s.Cin * s.slots())};
}

// The weights of one phase, [Cout,Cin,count,count].
void evaluate_weights(const ContinuousShape& s, Extent p, Extent q, const PackScratch& scratch) {
  const Support vertical = s.vertical.support(p);
  const Support horizontal = s.horizontal.support(q);
  const Extent count = vertical.count * horizontal.count;
  if (s.function == KernelFunction::kKeys) {
    for (Extent at = 0; at < s.Cout * s.Cin * count; ++at) {
      const Extent pair = at / count;
      const Extent a = at % count / horizontal.count;
      const Extent b = at % horizontal.count;
      const bool equal = pair / s.Cin == pair % s.Cin;
      scratch.weights[at] =
          equal ? static_cast<float>(keys(vertical.distance(a)) * keys(horizontal.distance(b)))
                : 0.0F;
    }
    return;
  }
  const bool all = predicts_all(s.function);
  const Net net(s, scratch.theta);
  Net::Hidden hidden = net.hidden(scratch.hidden, s.inputs());
  write_phase_distances(s, vertical, horizontal, &hidden.d);
  net.evaluate(&hidden);
  MatrixMap outputs(scratch.outputs, s.net.outputs, s.inputs());
  net.finish(hidden, &outputs);
  const Extent columns = s.horizontal.slots();
  float* weight = scratch.weights;
  for (Extent pair = 0; pair < s.Cout * s.Cin; ++pair) {
    for (Extent k = 0; k < count; ++k) {
      const Extent slot = k / horizontal.count * columns + k % horizontal.count;
      *weight++ = static_cast<float>(all ? outputs(pair * s.slots() + slot, 0) : outputs(pair, k));
    }
  }
}

}  // namespace

void pack_continuous_phases(const ContinuousPlan& plan, const void* theta, float* packed,
                            void* scratch) {
  const ContinuousShape& s = plan.shape;
  Arena arena(scratch);
  const PackScratch memory = lay_out_pack_scratch(plan, &arena);
  widen_theta(s, theta, memory.theta);
  const ContinuousPhases& phases = plan.phases;
  const bool differ = phases.last.rows != phases.full.rows;
  const Extent columns = s.horizontal.phases();
  for (std::size_t at = 0; at < phases.full.plans.size(); ++at) {
    evaluate_weights(s, static_cast<Extent>(at) / columns, static_cast<Extent>(at) % columns,
                     memory);
    pack_into(phases.full.plans[at], memory.weights, nullptr, packed + phases.full.packed_at[at]);
    if (!differ) continue;
    pack_into(phases.last.plans[at], memory.weights, nullptr, packed + phases.last.packed_at[at]);
  }
}

void write_phase_distances(const ContinuousShape& s, const Support& vertical,
                           const Support& horizontal, MatrixMap* to) {
  to->setZero();
  if (predicts_all(s.function)) {
    (*to)(0, 0) = vertical.offset(s.function);
    (*to)(1, 0) = horizontal.offset(s.function);
    return;
  }
  for (Extent k = 0; k < vertical.count * horizontal.count; ++k) {
    (*to)(0, k) = vertical.distance(k / horizontal.count);
    (*to)(1, k) = horizontal.distance(k % horizontal.count);
  }
}

std::size_t continuous_phases_scratch_bytes(const ContinuousPlan& plan) {
  Arena arena(nullptr);
  lay_out_pack_scratch(plan, &arena);
  return arena.bytes() + Arena::kAlignment;
}

}  // namespace concord::optimized
