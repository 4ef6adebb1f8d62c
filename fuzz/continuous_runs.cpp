// SPDX-License-Identifier: Apache-2.0
#include "fuzz/continuous_runs.h"

#include <algorithm>

#include "fuzz/tensor_bytes.h"
#include "optimized/testing/guarded.h"
#include "spec/check.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

using optimized::ContinuousShape;
using optimized::ContinuousWay;
using optimized::testing::Guarded;
using optimized::testing::Side;

Extent draw(Extent least, Extent end) { return *rc::gen::inRange<Extent>(least, end); }

Rational draw_scale(Extent most) { return Rational(draw(1, most), draw(1, most)); }

// Dense, or with gaps behind the axes, or channels last.
Tensor draw_layout(const Extents& dims) {
  Tensor tensor{dims, {}};
  const Extent kind = draw(0, 3);
  if (kind == 0) return tensor;
  const std::vector<std::size_t> order =
      kind == 1 ? std::vector<std::size_t>{3, 2, 1, 0} : std::vector<std::size_t>{1, 3, 2, 0};
  tensor.strides.resize(4);
  Extent step = 1;
  for (const std::size_t axis : order) {
    tensor.strides[axis] = step;
    step = step * std::max<Extent>(dims[axis], 1) + (kind == 1 ? draw(0, 3) : 0);
  }
  return tensor;
}

ContinuousAttributes draw_attributes() {
  ContinuousAttributes a;
  a.kernel = {draw(1, 5), draw(1, 5)};
  a.channels = draw(1, 10);
  a.function =
      *rc::gen::element(KernelFunction::kNet, KernelFunction::kNetK, KernelFunction::kKeys);
  a.ties = *rc::gen::element(Ties::kHalfOpen, Ties::kOpen, Ties::kClosed);
  a.boundary = *rc::gen::element(Boundary::kZero, Boundary::kReplicate, Boundary::kReflect,
                                 Boundary::kSymmetric);
  return a;
}

Layer finish(const ContinuousAttributes& a) {
  Layer layer;
  layer.attributes = a;
  const Extents dims{draw(1, 3), draw(1, 10), draw(1, 12), draw(1, 12)};
  if (draw(0, 3) == 0) layer.attributes.size = {draw(1, 15), draw(1, 15)};
  layer.tensors.src = draw_layout(dims);
  layer.tensors.theta.dims = {parameters_of(dims, layer.attributes)};
  if (draw(0, 4) == 0) layer.tensors.theta.strides = {2};
  const Extents dst = geometry_of(layer).dst();
  if (draw(0, 2) == 0) layer.tensors.dst = draw_layout(dst);
  return layer;
}

std::uint32_t next(std::uint32_t* state) {
  *state = *state * 1664525U + 1013904223U;
  return *state >> 8;
}

}  // namespace

Extent parameters_of(const Extents& src, const ContinuousAttributes& a) {
  if (a.function == KernelFunction::kKeys) return 0;
  const Extent more = a.ties == Ties::kClosed ? 1 : 0;
  const Extent slots = (a.kernel[0] + more) * (a.kernel[1] + more);
  const Extent outputs = src[1] * a.channels * (predicts_all(a.function) ? slots : 1);
  return 3 * a.widths[0] + (a.widths[0] + 1) * a.widths[1] + (a.widths[1] + 1) * outputs;
}

Layer draw_layer() {
  ContinuousAttributes a = draw_attributes();
  if (draw(0, 4) == 0) a.function = KernelFunction::kNetKNearest;
  a.scale_h = draw_scale(8);
  a.scale_w = draw_scale(8);
  a.widths = {draw(1, 20), draw(1, 20)};
  a.slope = Rational(draw(-2, 5), 4);
  Layer layer = finish(a);
  layer.tensors.dtype = *rc::gen::element(Dtype::kF32, Dtype::kF32, Dtype::kF16, Dtype::kBF16);
  return layer;
}

Layer draw_exact_layer(std::uint32_t seed) {
  ContinuousAttributes a = draw_attributes();
  a.scale_h = Rational(*rc::gen::element<Extent>(1, 2, 4), draw(1, 8));
  a.scale_w = Rational(*rc::gen::element<Extent>(1, 2, 4), draw(1, 8));
  // Of Keys' cubic fewer bits are left for the distances.
  if (a.function == KernelFunction::kKeys) a.scale_h = Rational(1, draw(1, 4));
  if (a.function == KernelFunction::kKeys) a.scale_w = Rational(1, draw(1, 4));
  a.widths = {draw(1, 4), draw(1, 4)};
  a.slope = *rc::gen::element(Rational(0), Rational(1, 2), Rational(1), Rational(-1, 2));
  Layer layer = finish(a);
  const Extents& dims = layer.tensors.src.dims;
  layer.src = integers(*element_count(dims), seed);
  std::uint32_t state = seed ^ 0x9E3779B9U;
  for (Extent i = 0; i < layer.tensors.theta.dims[0]; ++i) {
    layer.theta.push_back(static_cast<double>(next(&state) % 3) - 1);
  }
  return layer;
}

std::vector<double> integers(Extent count, std::uint32_t seed) {
  std::vector<double> values;
  for (Extent i = 0; i < count; ++i) values.push_back(static_cast<double>(next(&seed) % 19) - 9);
  return values;
}

std::vector<double> reals(Extent count, Dtype dtype, std::uint32_t seed) {
  std::vector<double> values;
  for (Extent i = 0; i < count; ++i) {
    values.push_back(round_to(dtype, static_cast<double>(next(&seed)) / 0x1p23 - 1));
  }
  return values;
}

reference::ContinuousGeometry geometry_of(const Layer& layer) {
  const auto resolved = reference::resolve_continuous(
      layer.tensors.src.dims, layer.tensors.theta.dims[0], layer.attributes);
  CONCORD_CHECK(static_cast<bool>(resolved)) << resolved.why().detail;
  return *resolved;
}

std::vector<double> run_layer(const Layer& layer, const optimized::ContinuousOptions& options,
                              bool one_shot) {
  const auto shape = infer_continuous(layer.tensors, layer.attributes);
  CONCORD_CHECK(static_cast<bool>(shape)) << shape.why().detail;
  const auto plan = make_continuous_plan(*shape, options);
  CONCORD_CHECK(static_cast<bool>(plan)) << plan.why().detail;
  const Dtype dtype = shape->dtype;
  // Everything between guard pages, which one layer ends at and the next begins at.
  const Side side = layer.src.size() % 2 == 0 ? Side::kAfter : Side::kBefore;
  const auto bytes = [&](const Tensor& tensor) {
    return static_cast<std::size_t>(*element_span(tensor)) * size_of(dtype);
  };
  Guarded src(bytes(shape->src), side, 0xFF, "src");
  Guarded theta(bytes(shape->theta), side, 0xFF, "theta");
  src.hold(bytes_of(dtype, shape->src, layer.src));
  theta.hold(bytes_of(dtype, shape->theta, layer.theta));
  Guarded dst(bytes(shape->dst), side, 0xFF, "dst");
  Guarded workspace(one_shot ? plan->one_shot_workspace_bytes : plan->workspace_bytes, side, 0xFF,
                    "workspace");
  if (one_shot) {
    execute(*plan, src.data(), theta.data(), dst.data(), workspace.data());
  } else {
    execute(*plan, pack(*plan, theta.data()), src.data(), dst.data(), workspace.data());
  }
  return read_tensor(dtype, shape->dst, dst.data());
}

double roundings(const ContinuousShape& s, ContinuousWay way) {
  const auto K = static_cast<double>(s.slots());
  const auto Cin = static_cast<double>(s.Cin);
  const auto H = static_cast<double>(s.net.w2 + 1);
  if (way == ContinuousWay::kPhases) return 1 + Cin * K + 1;
  if (s.function == KernelFunction::kKeys) return 1 + K + 1;
  if (predicts_all(s.function)) return 2 + Cin * K * H + 1;
  return 1 + K + Cin * H + 1;
}

bool within_bound(const Layer& layer, const std::vector<double>& got, double roundings) {
  const auto want = evaluate_continuous(geometry_of(layer), layer.src, layer.theta);
  if (got.size() != want.value.size()) return false;
  const double u = format_of(Dtype::kF32).unit_roundoff();
  const double gamma = roundings * u / (1 - roundings * u);
  const double tiny = roundings * format_of(Dtype::kF32).smallest();
  for (std::size_t i = 0; i < got.size(); ++i) {
    // The reference's own f64, and its magnitude's, are far within the second order of u.
    const double allowed = gamma * (1 + u) * want.magnitude[i] + tiny;
    const Dtype dtype = layer.tensors.dtype;
    const bool inside = got[i] >= round_to(dtype, want.value[i] - allowed) &&
                        got[i] <= round_to(dtype, want.value[i] + allowed);
    if (!inside) return false;
  }
  return true;
}

}  // namespace concord::fuzz
