// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_linear.h"

#include <algorithm>

#include "optimized/layout/stage.h"

namespace concord::optimized {

bool has_products(const ContinuousShape& s) { return s.Cout > 0 && feature_count(s) > 0; }

std::optional<Refusal> check_gradient(const ContinuousShape& s, const Options& options) {
  if (auto refused = refuse_threads(options)) return refused;
  const Extent values = 2 + 2 * (s.net.w1 + s.net.w2);
  for (const Extents& memory :
       {s.src.dims, s.dst.dims, s.theta.dims, Extents{kContinuousBlock, s.inputs(), values},
        Extents{kContinuousBlock, s.slots(), std::max<Extent>(s.Cin, 1), s.net.w2 + 1},
        Extents{s.Cout, s.slots(), std::max<Extent>(s.Cin, 1), s.net.w2 + 1}}) {
    if (element_count(memory).value_or(kMostGradientElements) < kMostGradientElements) continue;
    return Refusal{Fault::kLimit, "a layer of " + to_string(s.src) + " to " + to_string(s.dst) +
                                      " needs more than memory can hold"};
  }
  return std::nullopt;
}

Extent elements_of(std::size_t bytes) {
  return static_cast<Extent>((bytes + Arena::kAlignment - 1) / Arena::kAlignment *
                             Arena::kAlignment / sizeof(double));
}

Extent packed_elements(const ContinuousGradientPlan& plan, std::size_t product) {
  const std::vector<Plan>& plans = plan.products.plans;
  return plans.empty() ? 0 : elements_of(plans[product].packed_bytes);
}

Shape Product::shape() const {
  Shape s;
  s.dtype = Dtype::kF64;
  s.N = 1;
  s.IC = in;
  s.OC = out;
  s.I = s.O = {1, 1, pixels};
  const Extent all_src = in * pixels;
  const Extent all_dst = out * pixels;
  s.src = {.outer = all_src, .channel = src.channel, .spatial = {all_src, all_src, src.pixel}};
  s.weights = {.outer = weights_out, .channel = weights_in, .spatial = {}};
  s.dst = {.outer = all_dst, .channel = dst.channel, .spatial = {all_dst, all_dst, dst.pixel}};
  s.dst_tensor.dims = {1, out, pixels};
  return s;
}

std::optional<Refusal> add_product(const Product& product, const Options& options,
                                   GradientProducts* products) {
  const Shape shape = product.shape();
  Plan made;  // of nothing, where a phase has no neighbours
  if (!shape.is_empty() && shape.IC > 0) {
    auto result = make_plan(shape, of_one_thread(options));
    if (!result) return result.why();
    made = *std::move(result);
  }
  products->workspace_bytes = std::max(products->workspace_bytes, made.workspace_bytes);
  products->plans.push_back(std::move(made));
  return std::nullopt;
}

std::optional<Refusal> add_features_product(const Options& options, ContinuousGradientPlan* plan) {
  const ContinuousShape& s = plan->shape;
  const Product product = {.in = s.Cout,
                           .out = feature_count(s),
                           .pixels = kContinuousBlock,
                           .src = {.channel = 1, .pixel = s.Cout},
                           .weights_in = 1,
                           .weights_out = s.Cout,
                           .dst = {.channel = 1, .pixel = feature_count(s)}};
  return add_product(product, options, &plan->products);
}

void pack_features_product(const ContinuousGradientPlan& plan, const double* matrix,
                           double* packed) {
  if (has_products(plan.shape)) pack_into(plan.products.plans[0], matrix, nullptr, packed);
}

void run_features_product(const ContinuousGradientPlan& plan, const double* packed,
                          const double* delta, double* to, double* workspace) {
  if (has_products(plan.shape)) {
    return run_packed(plan.products.plans[0], packed, delta, to, workspace);
  }
  std::fill_n(to, kContinuousBlock * feature_count(plan.shape), 0.0);
}

void write_matrix(const ContinuousShape& s, const double* theta, double* to) {
  const double* const A3 = Net(s, theta).last_layer();
  for_each_entry(
      s, [&](Extent co, Extent feature, Extent place) { to[feature * s.Cout + co] = A3[place]; });
}

void gather_delta(const ContinuousShape& s, const OutputBlock& block, Extent n,
                  const void* diff_dst, double* to) {
  const Extents& strides = s.dst.strides;
  std::fill(to + block.size * s.Cout, to + kContinuousBlock * s.Cout, 0.0);
  for (Extent p = 0; p < block.size; ++p) {
    const OutputPlace& at = block.places[static_cast<std::size_t>(p)];
    const Extent from = n * strides[0] + at.i * strides[2] + at.j * strides[3];
    for (Extent co = 0; co < s.Cout; ++co) {
      *to++ = load(s.dtype, element_at(diff_dst, from + co * strides[1], s.dtype));
    }
  }
}

void store_sums(Dtype dtype, const double* from, Extent from_step, Extent count, void* to,
                Extent to_step) {
  if (dtype == Dtype::kF32) {
    auto* const elements = static_cast<float*>(to);
    for (Extent i = 0; i < count; ++i) {
      elements[i * to_step] = static_cast<float>(from[i * from_step]);
    }
    return;
  }
  for (Extent i = 0; i < count; ++i) {
    store(dtype, from[i * from_step], element_at(to, i * to_step, dtype));
  }
}

double keys_weight(const ContinuousShape& s, const OutputPlace& at, Extent k) {
  const Extent columns = s.horizontal.slots();
  return keys(at.vertical.distance(k / columns)) * keys(at.horizontal.distance(k % columns));
}

}  // namespace concord::optimized
