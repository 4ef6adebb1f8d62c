// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "optimized/grouped/plan.h"
#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/kernel_table.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

// Packs whole vectors of weights with a raw_product that are not widened, two of a product at a
// time. Their one or two cache lines are prefetched some products before, since the hardware
// prefetcher cannot predict them, or two vectors before if there are few products.
template <std::size_t BYTES>
void copy_vectors(const Grouping& g, const std::byte* from, std::byte* to) {
  constexpr Extent kAtOnce = 2;
  constexpr Extent kAhead = 8;
  constexpr auto kVector = static_cast<Extent>(BYTES);
  const Extent vectors = g.view.OC / g.family->lanes;
  const Extent vector_weights = g.vector_weights() * g.sum_bytes();
  const Extent raw_product = g.raw_product * g.sum_bytes();
  const Extent products = g.taps() * g.width;
  const Extent ahead = products > 2 * kAhead ? kAhead * raw_product : kAtOnce * kVector;
  for (Extent v = 0; v < vectors; v += kAtOnce) {
    const std::byte* row = from + v * kVector;
    std::byte* vector = to + v * vector_weights;
    for (Extent product = 0; product < products; ++product) {
      __builtin_prefetch(row + ahead);
      std::memcpy(vector, row, BYTES);
      if (v + 1 < vectors) {
        __builtin_prefetch(row + ahead + kVector);
        std::memcpy(vector + vector_weights, row + kVector, BYTES);
      }
      row += raw_product;
      vector += kVector;
    }
  }
}

// The channels after the last whole vector, with zeros behind them.
void copy_last_vector(const Grouping& g, const std::byte* from, std::byte* to) {
  const Extent lanes = g.family->lanes;
  const Extent rest = g.view.OC % lanes * g.sum_bytes();
  const std::byte* row = from + g.view.OC * g.sum_bytes() - rest;
  std::byte* product = to + g.view.OC / lanes * g.vector_weights() * g.sum_bytes();
  for (Extent i = 0; i < g.taps() * g.width; ++i) {
    std::memcpy(product, row, static_cast<std::size_t>(rest));
    std::fill_n(product + rest, lanes * g.sum_bytes() - rest, std::byte{0});
    row += g.raw_product * g.sum_bytes();
    product += lanes * g.sum_bytes();
  }
}

// Packs weights of bf16: a pair of input channels side by side.
void copy_pairs(const Context& context, const Grouping& g, const std::uint16_t* from, void* to) {
  const Shape& s = context.shape;
  const Extent lanes = g.family->lanes;
  if (s.OC % lanes != 0) std::fill_n(static_cast<std::uint16_t*>(to), 2 * g.packed_weights(), 0);
  for (Extent oc = 0; oc < s.OC; oc += lanes) {
    const Extent channels = std::min(lanes, s.OC - oc);
    auto* product = static_cast<std::uint16_t*>(to) + 2 * (oc / lanes * g.vector_weights());
    for (const auto [kd, kh, kw, pair] : Grid<4>{{s.K[0], s.K[1], s.K[2], g.tap_products()}}) {
      const std::uint16_t* first = from + oc * s.weights.outer + kd * s.weights.spatial[0] +
                                   kh * s.weights.spatial[1] + kw * s.weights.spatial[2] +
                                   2 * pair * s.weights.channel;
      for (Extent lane = 0; lane < channels; ++lane) {
        product[2 * lane] = first[lane * s.weights.outer];
        product[2 * lane + 1] = first[lane * s.weights.outer + s.weights.channel];
      }
      product += 2 * lanes;
    }
  }
}

// The same where they have a raw_product, which the kernels of dense layers pack as well.
void pack_pairs(const Context& context, const Grouping& g, const std::uint16_t* from, void* to) {
  constexpr auto kBytes = static_cast<Extent>(sizeof(std::uint16_t));
  for (Extent oc = 0; oc < context.shape.OC; oc += g.family->lanes) {
    PackJob job{};
    job.from = job.tap = reinterpret_cast<const char*>(from + oc);
    job.to = static_cast<std::uint16_t*>(to) + 2 * (oc / g.family->lanes * g.vector_weights());
    job.rows = job.tap_rows = g.taps() * g.tap_products();
    job.vectors = 1;
    job.from_row = 2 * g.raw_product * kBytes;
    tiles_for(context.isa, Dtype::kBF16).pack_rest(&job);
  }
}

}  // namespace

void pack(const Context& context, const Grouping& g, const void* weights, const void* bias,
          void* to) {
  const Shape& s = context.shape;
  const Extent lanes = g.family->lanes;
  const Extent vector = lanes * g.sum_bytes();
  auto* const packed = static_cast<std::byte*>(to);
  if (g.raw_product != 0 && s.dtype == computed_in(s.dtype)) {
    CONCORD_CHECK(vector == 16 || vector == 32 || vector == 64) << vector << " bytes a vector";
    const auto copy = vector == 16   ? copy_vectors<16>
                      : vector == 32 ? copy_vectors<32>
                                     : copy_vectors<64>;
    const auto* const from = static_cast<const std::byte*>(weights);
    copy(g, from, packed);
    if (!g.has_whole_vectors()) copy_last_vector(g, from, packed);
    return pack_bias(context, g, bias, to);
  }
  if (g.reads_pairs()) {
    const auto* from = static_cast<const std::uint16_t*>(weights);
    const bool lie_in_vectors = g.raw_product != 0 && g.has_whole_vectors();
    (lie_in_vectors ? pack_pairs : copy_pairs)(context, g, from, to);
    return pack_bias(context, g, bias, to);
  }
  if (s.OC % lanes != 0) std::fill_n(packed, g.packed_weights() * g.sum_bytes(), std::byte{0});
  std::byte* product = packed;
  for (const auto [kd, kh, kw, ic] : Grid<4>{{s.K[0], s.K[1], s.K[2], g.width}}) {
    const Extent from = kd * s.weights.spatial[0] + kh * s.weights.spatial[1] +
                        kw * s.weights.spatial[2] + ic * s.weights.channel;
    for (Extent oc = 0; oc < s.OC; oc += lanes) {
      widen(s.dtype, element_at(weights, from + oc * s.weights.outer, s.dtype), s.weights.outer,
            product + oc / lanes * g.vector_weights() * g.sum_bytes(), std::min(lanes, s.OC - oc));
    }
    product += vector;
  }
  pack_bias(context, g, bias, to);
}

void pack_bias(const Context& context, const Grouping& g, const void* bias, void* packed) {
  std::byte* const to = element_at(packed, g.packed_weights(), computed_in(context.shape.dtype));
  std::fill_n(to, g.padded_channels() * g.sum_bytes(), std::byte{0});
  if (context.shape.has_bias) {
    widen(context.shape.dtype, bias, context.shape.bias_stride, to, context.shape.OC);
  }
}

}  // namespace concord::optimized
