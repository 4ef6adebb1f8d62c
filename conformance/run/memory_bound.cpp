// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/memory_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/run/worker_loss.h"

namespace concord::conformance {
namespace {

// The geometry of either form, or of the convolution whose gradient is asked for; null for any
// other operation.
const reference::CntkGeometry* cntk_geometry(const reference::Resolution& resolution) {
  if (const auto* g = std::get_if<reference::CntkGeometry>(&resolution.form)) return g;
  if (const auto* g = std::get_if<reference::CntkGradient>(&resolution.form)) return &g->forward;
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

// Of as many samples of src as are allowed, as they are.
std::optional<Extent> src_elements(const reference::CntkGeometry& g) {
  Extents dims{g.sub_batch};
  for (std::size_t axis = 0; axis < g.rank; ++axis) dims.push_back(g.axes[axis].input);
  return element_count(dims);
}

// The same of the tensor that a gradient comes from.
std::optional<Extent> diff_dst_elements(const reference::CntkGeometry& g) {
  Extents dims{g.sub_batch};
  for (std::size_t axis = 0; axis < g.rank; ++axis) {
    dims.push_back(g.axes[axis].positions);
    dims.push_back(g.axes[axis].map_count);
  }
  return element_count(dims);
}

std::optional<Extent> weights_elements(const reference::CntkGeometry& g) {
  return element_count({g.kernel_count, g.kernel_size});
}

// The elements of as many samples as are allowed, as they are given or unfolded, whichever is more.
std::optional<Extent> allowed_elements(const reference::Resolution& resolution) {
  const reference::CntkGeometry& g = *cntk_geometry(resolution);
  std::vector sizes{src_elements(g), reference::cntk_workspace(g)};
  if (const auto* gradient = std::get_if<reference::CntkGradient>(&resolution.form)) {
    sizes.push_back(diff_dst_elements(g));
    if (gradient->by_weights) sizes.push_back(weights_elements(g));  // the sum of the parts so far
    if (!gradient->by_weights) sizes.push_back(reference::cntk_data_gradient_workspace(g));
  }
  if (!std::all_of(sizes.begin(), sizes.end(), [](const auto& size) { return size.has_value(); })) {
    return std::nullopt;
  }
  return *std::max_element(sizes.begin(), sizes.end());
}

// `problem` with so many samples.
Problem with_samples(Problem problem, Extent samples) {
  problem.src.dims.back() = samples;
  if (problem.diff_dst) problem.diff_dst->dims.back() = samples;
  if (problem.operation() != Operation::kCntkBackwardWeights) problem.dst->dims.back() = samples;
  return problem;
}

// Zeros for `tensor`; none if the problem's own operand has no values either.
std::vector<std::byte> zeros(const Tensor& tensor, Dtype dtype, std::span<const std::byte> own) {
  if (own.empty()) return {};
  return std::vector<std::byte>(static_cast<std::size_t>(element_span(tensor).value_or(0)) *
                                size_of(dtype));
}

// What prepare asks for on one thread if the problem has so many samples; nothing if it is not
// served. What src and diff_dst hold changes nothing.
Step<std::optional<std::size_t>> workspace_for(Extent samples, Host& host, const Asked& asked,
                                               const Ready& ready) {
  const std::optional<std::size_t> nothing;
  const Problem problem = with_samples(asked.complete, samples);
  const auto answer = reply_of(host.query(problem));
  if (!answer) return answer.why();
  if (answer->status != CONCORD_OK) return nothing;
  const auto src = zeros(problem.src, problem.dtype, ready.inputs.src);
  std::vector<std::byte> diff_dst;
  if (problem.diff_dst) diff_dst = zeros(*problem.diff_dst, problem.dtype, ready.inputs.diff_dst);
  const auto reply = reply_of(host.execute({.problem = problem,
                                            .src = src,
                                            .weights = ready.inputs.weights,
                                            .bias = ready.inputs.bias,
                                            .diff_dst = diff_dst,
                                            .constant_weights = !ready.hides_weights}));
  if (!reply) return reply.why();
  return reply->prepare_status == CONCORD_OK ? std::optional(reply->workspace_bytes) : nothing;
}

}  // namespace

std::optional<std::size_t> bound_of_workspace(const Problem& problem,
                                              const reference::Resolution& resolution,
                                              const concord_arithmetic& arithmetic) {
  if (!allowed_samples(resolution)) return std::nullopt;
  const auto elements = allowed_elements(resolution);
  std::size_t bytes = 0;
  if (!elements || __builtin_mul_overflow(static_cast<std::size_t>(*elements),
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
  // An engine that has another way where all samples are allowed at once needs no more for more.
  const auto of_more = workspace_for(samples + allowed, host, asked, ready);
  if (!of_more) return of_more.why();
  if (*of_more && **of_more <= **of_all) return fine;
  return std::optional(fmt::format(
      "on one thread prepare asks for a workspace of {} bytes for {} samples, {} for {}: more by "
      "{} bytes, where maxTempMemSizeInSamples={} allows {} in all",
      **of_all, samples, **of_allowed, allowed, **of_all - **of_allowed, allowed, *bound));
}

}  // namespace concord::conformance
