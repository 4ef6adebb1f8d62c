// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/memory_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/run/worker_loss.h"

namespace concord::conformance {
namespace {

// The geometry of either form; null for any other operation.
const reference::CntkGeometry* cntk_geometry(const reference::Resolution& resolution) {
  if (const auto* g = std::get_if<reference::CntkGeometry>(&resolution.form)) return g;
  const auto* g = std::get_if<reference::Cntk2dGeometry>(&resolution.form);
  return g == nullptr ? nullptr : &g->axes;
}

// The samples that may be treated at once; none where all may.
std::optional<Extent> allowed_samples(const reference::Resolution& resolution) {
  const reference::CntkGeometry* g = cntk_geometry(resolution);
  if (g == nullptr || g->sub_batch >= g->samples) return std::nullopt;
  return g->sub_batch;
}

std::size_t element_bytes(Dtype dtype, const concord_arithmetic& arithmetic) {
  const bool is_wide = dtype == Dtype::kF64 || arithmetic.accumulator == CONCORD_ACCUMULATE_F64;
  return is_wide ? sizeof(double) : sizeof(float);
}

// Of so many samples as they are.
std::optional<Extent> elements_of(const reference::CntkGeometry& g, Extent samples) {
  Extents dims{samples};
  for (std::size_t axis = 0; axis < g.rank; ++axis) dims.push_back(g.axes[axis].input);
  return element_count(dims);
}

// What prepare asks for on one thread if the problem has so many samples;
// nothing if it is not served. What src holds changes nothing.
Step<std::optional<std::size_t>> workspace_for(Extent samples, Host& host, const Asked& asked,
                                               const Ready& ready) {
  const std::optional<std::size_t> nothing;
  Problem problem = asked.complete;
  problem.src.dims.back() = samples;
  problem.dst->dims.back() = samples;
  const auto answer = reply_of(host.query(problem));
  if (!answer) return answer.why();
  if (answer->status != CONCORD_OK) return nothing;
  const auto elements = static_cast<std::size_t>(element_span(problem.src).value_or(0));
  const std::vector<std::byte> src(elements * size_of(problem.dtype));
  const auto reply =
      reply_of(host.execute({.problem = problem,
                             .src = src,
                             .weights = ready.inputs.weights,
                             .bias = ready.inputs.bias,
                             .constant_weights = ready.sequence != Sequence::kOtherInputs}));
  if (!reply) return reply.why();
  return reply->prepare_status == CONCORD_OK ? std::optional(reply->workspace_bytes) : nothing;
}

}  // namespace

std::optional<std::size_t> bound_of_workspace(const Problem& problem,
                                              const reference::Resolution& resolution,
                                              const concord_arithmetic& arithmetic) {
  const auto samples = allowed_samples(resolution);
  if (!samples) return std::nullopt;
  const reference::CntkGeometry& g = *cntk_geometry(resolution);
  const auto unfolded = reference::cntk_workspace(g);
  const auto as_given = elements_of(g, *samples);
  std::size_t bytes = 0;
  if (!unfolded || !as_given ||
      __builtin_mul_overflow(static_cast<std::size_t>(std::max(*unfolded, *as_given)),
                             element_bytes(problem.dtype, arithmetic), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

Step<std::optional<std::string>> trouble_with_workspace(const PreparedCase& prepared, Host& host,
                                                        const Asked& asked, const Ready& ready,
                                                        const TrialReply& reply) {
  const std::optional<std::string> fine;
  if (!prepared.geometry() || !asked.lowered.empty()) return fine;
  const auto bound =
      bound_of_workspace(asked.complete, *prepared.geometry(), asked.reply.arithmetic);
  if (!bound || reply.workspace_bytes <= *bound) return fine;
  const Extent samples = asked.complete.src.dims.back();
  const Extent allowed = allowed_samples(*prepared.geometry()).value();
  const auto of_all = workspace_for(samples, host, asked, ready);
  if (!of_all) return of_all.why();
  const auto of_allowed = workspace_for(allowed, host, asked, ready);
  if (!of_allowed) return of_allowed.why();
  if (!*of_all || !*of_allowed) return fine;
  if (**of_all <= **of_allowed || **of_all - **of_allowed <= *bound) return fine;
  return std::optional(fmt::format(
      "on one thread prepare asks for a workspace of {} bytes for {} samples, {} for {}: more by "
      "{} bytes, where maxTempMemSizeInSamples={} allows {} in all",
      **of_all, samples, **of_allowed, allowed, **of_all - **of_allowed, allowed, *bound));
}

}  // namespace concord::conformance
