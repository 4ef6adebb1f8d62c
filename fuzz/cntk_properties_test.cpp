// SPDX-License-Identifier: Apache-2.0
// CNTK's Convolution: the engine and the reference agree, on values as on refusals.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fuzz/cntk_runs.h"
#include "spec/dtype.h"

namespace concord::fuzz {
namespace {

using optimized::CntkTensors;

// Values from `least` below `end`, small ones more often.
Extent draw(Extent least, Extent end) { return *rc::gen::inRange<Extent>(least, end); }
bool chance(int one_in) { return *rc::gen::inRange(0, one_in) == 0; }

Extents draw_list(std::size_t axes, Extent least, Extent end) {
  const std::size_t size = chance(4) ? 1 : axes;
  Extents list;
  for (std::size_t at = 0; at < size; ++at) list.push_back(draw(least, end));
  return list;
}

// Column-major, or with gaps, or with the axes in another order.
void draw_strides(Tensor* tensor) {
  if (chance(2)) return;
  std::vector<std::size_t> order(tensor->rank());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
  if (chance(2)) {
    std::swap(order.front(),
              order[static_cast<std::size_t>(draw(0, static_cast<Extent>(order.size())))]);
  }
  tensor->strides.assign(tensor->rank(), 0);
  Extent step = draw(1, 3);
  for (const std::size_t at : order) {
    tensor->strides[at] = step;
    step *= std::max<Extent>(tensor->dims[at], 1);
    if (chance(3)) step += draw(0, 3);
  }
}

struct Case {
  CntkTensors tensors{};
  CntkConvolutionAttributes attributes{};
  Reading reading{};
};

// Attributes first; then weights that fit them, if they can be resolved at all.
Case draw_case() {
  Case c;
  const auto axes = static_cast<std::size_t>(draw(1, 8));
  c.reading = chance(2) ? Reading::kDocumented : Reading::kImplemented;
  c.tensors.dtype = *rc::gen::element(Dtype::kF32, Dtype::kF32, Dtype::kF16, Dtype::kBF16);
  const Extent most = axes > 4 ? 3 : axes == 4 ? 4 : 7;
  for (std::size_t at = 0; at < axes; ++at) c.tensors.src.dims.push_back(draw(1, most));
  c.tensors.src.dims.push_back(draw(0, 4));
  auto& a = c.attributes;
  for (std::size_t at = 0; at < axes; ++at) {
    const Extent extent = c.tensors.src.dims[at];
    const bool whole = at + 1 == axes && chance(2);  // channels
    a.kernel.push_back(whole ? extent : draw(1, std::min<Extent>(extent, 3) + 1));
  }
  if (c.reading == Reading::kImplemented && chance(4)) a.kernel.pop_back();
  a.map_count = chance(2) ? Extents{draw(1, 5)} : draw_list(a.kernel.size(), 1, 3);
  a.stride = draw_list(a.kernel.size(), 1, 4);
  a.sharing = draw_list(a.kernel.size(), 0, 2);
  a.auto_padding = draw_list(a.kernel.size(), 0, 2);
  a.lower_pad = draw_list(a.kernel.size(), 0, 3);
  a.upper_pad = draw_list(a.kernel.size(), 0, 3);
  a.max_temp_mem_size_in_samples = draw(0, 5);
  return c;
}

// Gives weights the extents that the attributes ask for; false if nothing would fit.
bool fit_weights(Case* c) {
  c->tensors.weights = {{0, 0}, {}};
  const auto resolved = [&] {
    return optimized::infer_cntk(c->tensors, c->attributes, c->reading);
  };
  for (const Extent kernels : {1, 2, 3, 4}) {
    c->tensors.weights.dims = {kernels, 1};
    const auto shape = resolved();
    if (!shape && shape.why().fault != Fault::kChannels) return false;
    reference::CntkOperands operands = operands_of(c->tensors);
    Extent cells = 1;
    for (std::size_t at = 0; at + 1 < c->tensors.src.rank(); ++at) {
      cells *=
          at < c->attributes.kernel.size() ? c->attributes.kernel[at] : c->tensors.src.dims[at];
    }
    for (Extent runs = 1; runs <= 400; ++runs) {
      operands.weights = {runs, cells};
      if (!resolve_cntk(operands, c->attributes, c->reading)) continue;
      c->tensors.weights.dims = operands.weights;
      return true;
    }
  }
  return false;
}

RC_GTEST_PROP(CntkEngine, AgreesWithTheReferenceBitForBitOnIntegers, (std::uint32_t seed)) {
  Case c = draw_case();
  RC_PRE(fit_weights(&c));
  draw_strides(&c.tensors.src);
  if (chance(3)) draw_strides(&c.tensors.weights);
  const auto g = resolve_cntk(operands_of(c.tensors), c.attributes, c.reading);
  RC_ASSERT(static_cast<bool>(g));
  if (chance(2)) {
    c.tensors.dst = Tensor{g->dst, {}};
    draw_strides(&*c.tensors.dst);
  }
  const auto shape = optimized::infer_cntk(c.tensors, c.attributes, c.reading);
  RC_ASSERT(static_cast<bool>(shape));
  RC_ASSERT(shape->dst.dims == g->dst);
  const auto plan = make_cntk_plan(*shape, {.threads = static_cast<int>(draw(1, 4))});
  RC_ASSERT(static_cast<bool>(plan));
  const CntkValues values = cntk_integers(c.tensors, seed);
  const auto want = evaluate_cntk(*g, values.src, values.weights).value;
  const auto got = run_cntk(*plan, values, chance(2));
  RC_ASSERT(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    RC_ASSERT(got[i] == round_to(c.tensors.dtype, want[i]));
  }
}

RC_GTEST_PROP(CntkEngine, AgreesWithTheReferenceOnThe2DForm, (std::uint32_t seed)) {
  const CntkConvolution2dAttributes a{
      .kernel_width = draw(1, 4),
      .kernel_height = draw(1, 4),
      .map_count = 0,
      .horizontal_stride = draw(1, 4),
      .vertical_stride = draw(1, 4),
      .zero_padding = draw(0, 2),
      .max_temp_mem_size_in_samples = draw(0, 3),
      .image_layout = chance(3) ? CntkLayout::kCudnn : CntkLayout::kHwc};
  const Reading reading = chance(2) ? Reading::kDocumented : Reading::kImplemented;
  const Extent W = draw(3, 8);
  const Extent H = draw(3, 8);
  const Extent C = draw(1, 4);
  const Extent N = draw(0, 4);
  CntkTensors tensors;
  tensors.dtype = *rc::gen::element(Dtype::kF32, Dtype::kF16);
  tensors.src.dims = a.image_layout == CntkLayout::kHwc ? Extents{C, W, H, N} : Extents{W, H, C, N};
  tensors.weights.dims = {draw(1, 4), a.kernel_width * a.kernel_height * C};
  draw_strides(&tensors.src);
  if (chance(3)) draw_strides(&tensors.weights);
  const auto g = resolve_cntk_2d(operands_of(tensors), a, reading);
  RC_ASSERT(static_cast<bool>(g));
  if (chance(2)) {
    tensors.dst = Tensor{g->dst, {}};
    draw_strides(&*tensors.dst);
  }
  const auto shape = optimized::infer_cntk_2d(tensors, a, reading);
  RC_ASSERT(static_cast<bool>(shape));
  RC_ASSERT(shape->dst.dims == g->dst);
  const auto plan = make_cntk_plan(*shape, {.threads = static_cast<int>(draw(1, 4))});
  RC_ASSERT(static_cast<bool>(plan));
  const CntkValues values = cntk_integers(tensors, seed);
  const auto want = evaluate_cntk_2d(*g, values.src, values.weights).value;
  const auto got = run_cntk(*plan, values, chance(2));
  RC_ASSERT(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    RC_ASSERT(got[i] == round_to(tensors.dtype, want[i]));
  }
}

// Anything at all in one of the attributes.
void spoil(Case* c) {
  const auto any = [] {
    return *rc::gen::element<Extent>(-1, 0, 1, 2, 3, Extent{1} << 40, INT64_MAX, INT64_MIN);
  };
  auto& a = c->attributes;
  Extents* const lists[] = {&a.kernel,       &a.map_count,         &a.stride,
                            &a.sharing,      &a.lower_pad,         &a.upper_pad,
                            &a.auto_padding, &c->tensors.src.dims, &c->tensors.weights.dims};
  for (Extent i = draw(1, 3); i > 0; --i) {
    Extents& list = *lists[static_cast<std::size_t>(draw(0, 9))];
    if (chance(4)) {
      list.push_back(any());
    } else if (chance(4) && !list.empty()) {
      list.pop_back();
    } else if (!list.empty()) {
      list[static_cast<std::size_t>(draw(0, static_cast<Extent>(list.size())))] = any();
    } else {
      a.max_temp_mem_size_in_samples = any();
    }
  }
}

// Elements that can be counted may have bytes that cannot, about which the reference says nothing.
bool has_uncountable_bytes(const CntkTensors& tensors) {
  const auto is_beyond = [](const Tensor& tensor) {
    const auto elements = element_count(tensor.dims);
    return elements && *elements > INT64_MAX / 4;
  };
  return is_beyond(tensors.src) || is_beyond(tensors.weights);
}

RC_GTEST_PROP(CntkEngine, RefusesForTheSameReasonAsTheReference, ()) {
  Case c = draw_case();
  fit_weights(&c);
  spoil(&c);
  const auto want = resolve_cntk(operands_of(c.tensors), c.attributes, c.reading);
  const auto got = optimized::infer_cntk(c.tensors, c.attributes, c.reading);
  if (has_uncountable_bytes(c.tensors)) return;
  if (!want) {
    RC_ASSERT(!got);
    RC_LOG() << want.why().detail << "; the engine: " << got.why().detail << "\n";
    RC_ASSERT(got.why().fault == want.why().fault);
    RC_ASSERT(!got.why().detail.empty());
  } else if (got) {
    RC_ASSERT(got->dst.dims == want->dst);
    const auto planned = make_cntk_plan(*got);  // it ends, whatever the sizes
    if (!planned) RC_ASSERT(planned.why().fault == Fault::kSize);
  } else {
    RC_ASSERT(got.why().fault == Fault::kSize);  // dst has too many bytes
  }
}

RC_GTEST_PROP(CntkEngine, Refuses2DFormsForTheSameReasonAsTheReference, ()) {
  const auto any = [](Extent usual) {
    return chance(6) ? *rc::gen::element<Extent>(-1, 0, 2, 7, INT64_MAX, INT64_MIN) : usual;
  };
  const CntkConvolution2dAttributes a{.kernel_width = any(2),
                                      .kernel_height = any(3),
                                      .map_count = any(0),
                                      .horizontal_stride = any(1),
                                      .vertical_stride = any(2),
                                      .zero_padding = any(1),
                                      .max_temp_mem_size_in_samples = any(1),
                                      .image_layout = chance(6)   ? static_cast<CntkLayout>(7)
                                                      : chance(2) ? CntkLayout::kCudnn
                                                                  : CntkLayout::kHwc};
  CntkTensors tensors;
  tensors.src.dims = {any(4), any(5), any(4), any(2)};
  tensors.weights.dims = {any(3),
                          6 * tensors.src.dims[a.image_layout == CntkLayout::kHwc ? 0 : 2] % 1000};
  const Reading reading = chance(2) ? Reading::kDocumented : Reading::kImplemented;
  const auto want = resolve_cntk_2d(operands_of(tensors), a, reading);
  const auto got = optimized::infer_cntk_2d(tensors, a, reading);
  if (has_uncountable_bytes(tensors)) return;
  if (!want) {
    RC_ASSERT(!got);
    RC_LOG() << want.why().detail << "; the engine: " << got.why().detail << "\n";
    RC_ASSERT(got.why().fault == want.why().fault);
  } else {
    if (!got) RC_ASSERT(got.why().fault == Fault::kSize);
  }
}

}  // namespace
}  // namespace concord::fuzz
