// SPDX-License-Identifier: Apache-2.0
// The reference as a backend: what the suite must find right, whatever it tries. One rounding of
// the f64 value to the dtype.
#include "reference/reference.h"

#include "backends/adapter/adapter.h"
#include "spec/tensor_values.h"

namespace concord::backends {
namespace {

// The same tensor channels first: [N,C,spatial] or [OC,IC/G,spatial].
Tensor src_view(const Problem& problem) {
  return permute(problem.src, channels_first_axes(data_format_of(problem), problem.src.rank()));
}
Tensor weights_view(const Problem& problem) {
  return permute(problem.weights,
                 channels_first_axes(weights_format_of(problem), problem.weights.rank()));
}

class ReferencePrepared : public Prepared {
 public:
  ReferencePrepared(Problem problem, reference::Geometry geometry)
      : problem_(std::move(problem)), geometry_(std::move(geometry)) {}

  std::optional<Refused> execute(const Buffers& buffers) override {
    const auto src = read_tensor(problem_.dtype, src_view(problem_), buffers.src.data);
    const auto weights = read_tensor(problem_.dtype, weights_view(problem_), buffers.weights.data);
    std::vector<double> bias;
    if (problem_.bias) bias = read_tensor(problem_.dtype, *problem_.bias, buffers.bias.data);
    const reference::Oracle oracle = reference::evaluate(problem_, geometry_, src, weights, bias);
    const Tensor dst =
        permute(geometry_.dst, channels_first_axes(data_format_of(problem_), geometry_.dst.rank()));
    write_tensor(problem_.dtype, dst, oracle.value, buffers.dst.data);
    return std::nullopt;
  }

 private:
  Problem problem_;
  reference::Geometry geometry_;
};

class ReferenceBackend : public Backend {
 public:
  Or<Answer> query(const Problem& problem) override {
    const auto geometry = reference::resolve(problem);
    if (!geometry) return invalid(geometry.why().detail);
    Answer answer;
    answer.dst_dims = geometry->dst.dims;
    answer.arithmetic.accumulator = CONCORD_ACCUMULATE_F64;
    answer.same_bits_any_threads = true;
    answer.implementation = "the formula, in f64";
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare(const Problem& problem,
                                        const PrepareOptions& /*options*/) override {
    const auto geometry = reference::resolve(problem);
    if (!geometry) return invalid(geometry.why().detail);
    return std::unique_ptr<Prepared>(std::make_unique<ReferencePrepared>(problem, *geometry));
  }
};

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("reference", CONCORD_VERSION,
                concord::backends::open_plain<concord::backends::ReferenceBackend>)
