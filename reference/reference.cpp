// SPDX-License-Identifier: Apache-2.0
#include "reference/reference.h"

#include <algorithm>
#include <cmath>

#include "reference/checks.h"
#include "reference/cntk_value.h"
#include "reference/tf_space_to_batch.h"
#include "spec/operations.h"

namespace concord::reference {
namespace {

// What is true of every operation but the discrete ones, whose order of faults is their own:
// tensors that can lie in memory, and a dst and a diff_dst of the shape that the geometry has.
template <class Form>
Result<Form> with_tensors_checked(const Problem& problem, Result<Form> form) {
  if (!form && form.why().fault == Fault::kRank) return form;
  Findings findings;
  check_tensors(problem, findings);
  if (!form) findings.add(form.why().fault, form.why().detail);
  if (findings.any()) return findings.first();
  return form;
}

Result<Resolution> with_dst(const Problem& problem, const Extents& dims, Resolution resolution) {
  Findings findings;
  resolution.dst = check_dst(problem, dims, findings);
  if (findings.any()) return findings.first();
  return resolution;
}

CntkOperands cntk_operands(const Problem& problem) {
  return {problem.src.dims, problem.weights.dims};
}

struct Resolve {
  const Problem& problem;

  Result<Resolution> operator()(const SpaceToBatchAttributes& a) const {
    return rearranged(resolve_space_to_batch(problem.src.dims, a));
  }
  Result<Resolution> operator()(const BatchToSpaceAttributes& a) const {
    return rearranged(resolve_batch_to_space(problem.src.dims, a));
  }
  Result<Resolution> operator()(const AtrousChainAttributes& a) const {
    const auto g = with_tensors_checked(
        problem, resolve_atrous_chain(problem.src.dims, problem.weights.dims, a, problem.reading));
    if (!g) return g.why();
    return with_dst(problem, problem.src.dims,
                    {.products = g->layers * g->products(),
                     .is_sum_of_products = false,
                     .stores = g->layers - 1,
                     .form = *g});
  }
  Result<Resolution> operator()(const CntkConvolutionAttributes& a) const {
    const auto g =
        with_tensors_checked(problem, resolve_cntk(cntk_operands(problem), a, problem.reading));
    if (!g) return g.why();
    return with_dst(problem, g->dst, {.products = g->kernel_size, .form = *g});
  }
  Result<Resolution> operator()(const CntkBackwardDataAttributes& a) const {
    return cntk_gradient(a, false);
  }
  Result<Resolution> operator()(const CntkBackwardWeightsAttributes& a) const {
    return cntk_gradient(a, true);
  }
  Result<Resolution> operator()(const CntkConvolution2dAttributes& a) const {
    const auto g =
        with_tensors_checked(problem, resolve_cntk_2d(cntk_operands(problem), a, problem.reading));
    if (!g) return g.why();
    return with_dst(problem, g->dst, {.products = g->axes.kernel_size, .form = *g});
  }
  Result<Resolution> operator()(const ContinuousAttributes& a) const {
    const auto g = continuous(a);
    if (!g) return g.why();
    return with_dst(problem, g->dst(),
                    {.products = forward_roundings(*g),
                     .is_sum_of_products = false,
                     .has_exact_data = g->function != KernelFunction::kKeys,
                     .form = *g});
  }
  Result<Resolution> operator()(const ContinuousBackwardDataAttributes& a) const {
    const auto g = backward(a);
    if (!g) return g.why();
    return with_dst(problem, problem.src.dims,
                    {.products = backward_data_roundings(*g),
                     .is_sum_of_products = false,
                     .has_exact_data = g->function != KernelFunction::kKeys,
                     .form = *g});
  }
  Result<Resolution> operator()(const ContinuousBackwardWeightsAttributes& a) const {
    const auto g = backward(a);
    if (!g) return g.why();
    return with_dst(problem, problem.weights.dims,
                    {.products = backward_weights_roundings(*g),
                     .is_sum_of_products = false,
                     .has_exact_data = false,
                     .form = *g});
  }
  Result<Resolution> operator()(const ContinuousBackwardGridAttributes& a) const {
    const auto g = backward(a);
    if (!g) return g.why();
    return with_dst(problem, {2, g->vertical.out, g->horizontal.out},
                    {.products = backward_grid_roundings(*g),
                     .is_sum_of_products = false,
                     .has_exact_data = false,
                     .form = *g});
  }
  Result<Resolution> operator()(const ContinuousBackwardKernelAttributes& a) const {
    const auto g = backward(a);
    if (!g) return g.why();
    return with_dst(
        problem, {1, g->Cout, g->Cin, g->slots(), g->vertical.out, g->horizontal.out},
        {.products = std::max<Extent>(g->N, 1), .is_sum_of_products = false, .form = *g});
  }
  Result<Resolution> operator()(const ContinuousChainAttributes& a) const {
    const auto chain = with_tensors_checked(
        problem, resolve_continuous_chain(problem.src.dims, problem.weights.dims, a));
    if (!chain) return chain.why();
    return with_dst(problem, chain->dst(),
                    {.products = chain_roundings(*chain),
                     .is_sum_of_products = false,
                     .stores = static_cast<Extent>(chain->layers.size()) - 1,
                     .has_exact_data = false,
                     .form = *chain});
  }
  template <class A>
  requires(kRowOf<A>.facts.family == Family::kDiscrete) Result<Resolution>
  operator()(const A&) const { return discrete(); }
  // Every other operation has its own line, also if its attributes are derived from another's.
  template <class Other>
  Result<Resolution> operator()(const Other&) const = delete;

 private:
  Result<Resolution> discrete() const {
    const auto g = resolve_discrete(problem);
    if (!g) return g.why();
    return Resolution{.dst = g->dst, .products = g->products(), .form = *g};
  }

  Result<Resolution> cntk_gradient(const CntkConvolutionAttributes& a, bool by_weights) const {
    const auto g =
        with_tensors_checked(problem, resolve_cntk(cntk_operands(problem), a, problem.reading));
    if (!g) return g.why();
    if (problem.diff_dst->dims != g->dst) {
      return Refusal{Fault::kDiffDst, "diff_dst=" + to_string(*problem.diff_dst) +
                                          ": the convolution's output is " +
                                          to_string(Tensor{g->dst, {}})};
    }
    const CntkGradient gradient{*g, by_weights};
    return with_dst(problem, by_weights ? problem.weights.dims : problem.src.dims,
                    {.products = gradient.products(), .form = gradient});
  }

  Result<Resolution> rearranged(Result<Extents> inferred) const {
    const auto dims = with_tensors_checked(problem, std::move(inferred));
    if (!dims) return dims.why();
    return with_dst(problem, *dims, {.form = Rearrangement{}});
  }

  Result<ContinuousGeometry> continuous(const ContinuousAttributes& a) const {
    if (problem.weights.rank() != 1) {
      return Refusal{Fault::kRank, "weights=" + to_string(problem.weights) + ": " +
                                       std::to_string(problem.weights.rank()) +
                                       " dimensions, theta has 1"};
    }
    return with_tensors_checked(problem,
                                resolve_continuous(problem.src.dims, problem.weights.dims[0], a));
  }

  Result<ContinuousGeometry> backward(const ContinuousAttributes& a) const {
    auto g = continuous(a);
    if (!g || problem.diff_dst->dims == g->dst()) return g;
    return Refusal{Fault::kDiffDst, "diff_dst=" + to_string(*problem.diff_dst) +
                                        ": the layer's output is " +
                                        to_string(Tensor{g->dst(), {}})};
  }
};

struct Evaluate {
  const Problem& problem;
  const Resolution& resolution;
  const Values& values;

  Oracle operator()(const SpaceToBatchAttributes& a) const {
    return moved(evaluate_space_to_batch(problem.src.dims, a, values.src));
  }
  Oracle operator()(const BatchToSpaceAttributes& a) const {
    return moved(evaluate_batch_to_space(problem.src.dims, a, values.src));
  }
  Oracle operator()(const AtrousChainAttributes&) const {
    return evaluate_atrous_chain(std::get<ChainGeometry>(resolution.form), values.src,
                                 values.weights);
  }
  Oracle operator()(const CntkConvolutionAttributes&) const {
    return oracle_of(problem.dtype, evaluate_cntk(std::get<CntkGeometry>(resolution.form),
                                                  values.src, values.weights));
  }
  Oracle operator()(const CntkBackwardDataAttributes&) const {
    const CntkGeometry& g = std::get<CntkGradient>(resolution.form).forward;
    return oracle_of(problem.dtype,
                     cntk_backward_data(g, values.diff_dst, values.weights, zeros_of(g.src())));
  }
  Oracle operator()(const CntkBackwardWeightsAttributes&) const {
    const CntkGeometry& g = std::get<CntkGradient>(resolution.form).forward;
    return oracle_of(problem.dtype,
                     cntk_backward_kernel(g, values.diff_dst, values.src,
                                          zeros_of({g.kernel_count, g.kernel_size})));
  }
  Oracle operator()(const CntkConvolution2dAttributes&) const {
    return oracle_of(problem.dtype, evaluate_cntk_2d(std::get<Cntk2dGeometry>(resolution.form),
                                                     values.src, values.weights));
  }
  Oracle operator()(const ContinuousAttributes&) const {
    return evaluate_continuous(continuous(), values.src, values.weights);
  }
  Oracle operator()(const ContinuousBackwardDataAttributes&) const { return gradients().src; }
  Oracle operator()(const ContinuousBackwardWeightsAttributes&) const { return gradients().theta; }
  Oracle operator()(const ContinuousBackwardGridAttributes&) const { return gradients().grid; }
  Oracle operator()(const ContinuousBackwardKernelAttributes&) const { return gradients().weights; }
  Oracle operator()(const ContinuousChainAttributes&) const {
    return evaluate_continuous_chain(std::get<ContinuousChainGeometry>(resolution.form), values.src,
                                     values.weights);
  }
  template <class A>
  requires(kRowOf<A>.facts.family == Family::kDiscrete) Oracle operator()(const A&) const {
    return discrete();
  }
  template <class Other>
  Oracle operator()(const Other&) const = delete;

 private:
  Oracle discrete() const {
    return evaluate_discrete(problem, resolution.discrete(), values.src, values.weights,
                             values.bias);
  }
  // What a gradient is added to.
  static std::vector<double> zeros_of(const Extents& dims) {
    return std::vector<double>(static_cast<std::size_t>(element_count(dims).value()));
  }
  static Oracle moved(std::vector<double> dst) {
    std::vector<double> magnitude = dst;
    for (double& value : magnitude) value = std::fabs(value);
    return {std::move(dst), std::move(magnitude)};
  }
  const ContinuousGeometry& continuous() const {
    return std::get<ContinuousGeometry>(resolution.form);
  }
  ContinuousGradients gradients() const {
    return continuous_gradients(continuous(), values.src, values.weights, values.diff_dst);
  }
};

}  // namespace

Extent CntkGradient::products() const {
  const auto windows = [](Extent extent, Extent stride) {
    return extent / stride + (extent % stride == 0 ? 0 : 1);
  };
  Extent all = by_weights ? forward.samples : 1;
  for (const CntkAxis& x : forward.axes) {
    if (by_weights) {
      all *= x.sharing ? std::min(x.positions, windows(x.input, x.stride)) : 1;
    } else {
      all *= x.map_count * std::min(x.positions, windows(x.kernel, x.stride));
    }
  }
  return std::max<Extent>(all, 1);
}

Result<Resolution> resolve(const Problem& problem) {
  if (const auto refusal = check_dtypes(problem)) return *refusal;
  return std::visit(Resolve{problem}, problem.attributes);
}

Oracle evaluate(const Problem& problem, const Resolution& resolution, const Values& values) {
  return std::visit(Evaluate{problem, resolution, values}, problem.attributes);
}

}  // namespace concord::reference
