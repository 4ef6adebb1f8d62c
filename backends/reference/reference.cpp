// SPDX-License-Identifier: Apache-2.0
// The reference as a backend: what the suite must find right, whatever it tries. One rounding of
// the f64 value to the dtype.
#include "reference/reference.h"

#include <array>

#include "backends/adapter/adapter.h"
#include "spec/tensor_values.h"

namespace concord::backends {
namespace {

class ReferencePrepared : public Prepared {
 public:
  ReferencePrepared(Problem problem, reference::Resolution geometry)
      : problem_(std::move(problem)), geometry_(std::move(geometry)) {}

  std::optional<Refused> execute(const Buffers& buffers) override {
    const concord_buffer* const given[] = {&buffers.src, &buffers.weights, &buffers.bias,
                                           &buffers.diff_dst};
    std::array<std::vector<double>, std::size(kInputs)> values;
    for (const Input input : kInputs) {
      const auto place = static_cast<std::size_t>(input);
      if (input_of(problem_, input) == nullptr) continue;
      values[place] =
          read_tensor(problem_.dtype, in_reading_order(problem_, input), given[place]->data);
    }
    const reference::Oracle oracle =
        reference::evaluate(problem_, geometry_, {values[0], values[1], values[2], values[3]});
    write_tensor(problem_.dtype, dst_in_reading_order(problem_, geometry_.dst), oracle.value,
                 buffers.dst.data);
    return std::nullopt;
  }

 private:
  Problem problem_;
  reference::Resolution geometry_;
};

class ReferenceBackend : public Backend {
 public:
  Or<Answer> query(const Problem& problem) override {
    const auto geometry = reference::resolve(problem);
    if (!geometry) return invalid(geometry.why().detail);
    if (problem.dtype == Dtype::kF64 && is_continuous(problem.operation())) {
      return declines("the reference computes the continuous layer in f64, which judges no f64");
    }
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
