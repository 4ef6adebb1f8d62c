// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "optimized/amx/plan.h"
#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

constexpr std::uint16_t kExponent = 0x7F80;  // all ones: infinity or NaN

// Packs the weights of one panel; true if all of them are finite.
bool pack_panel(const AmxPlan& b, const std::uint16_t* weights, Extent g, Extent p,
                std::uint16_t* to) {
  const Shape& s = b.view;
  const Extent tiles = b.tiles_of(p);
  const Extent tile = b.chunk * kBlockChannels;
  const Extent first = p * AmxPlan::kPanelWidth;
  const Extent channels = std::min(tiles * kBlockChannels, s.OCG() - first);
  std::fill(to, to + s.K[0] * s.K[1] * b.steps * tiles * tile, std::uint16_t{0});
  std::uint16_t worst = 0;
  for (const auto [kd, kh, kw, ic] : Grid<4>{{s.K[0], s.K[1], s.K[2], s.ICG()}}) {
    const std::uint16_t* from = weights + (g * s.OCG() + first) * s.weights.outer +
                                kd * s.weights.spatial[0] + kh * s.weights.spatial[1] +
                                kw * s.weights.spatial[2] + ic * s.weights.channel;
    const Extent element = kw * b.channels + ic;
    const Extent step = (kd * s.K[1] + kh) * b.steps + element / b.chunk;
    const Extent k = element % b.chunk;
    std::uint16_t* at = to + step * tiles * tile + k / 2 * 2 * kBlockChannels + k % 2;
    for (Extent oc = 0; oc < channels; ++oc) {
      const std::uint16_t weight = from[oc * s.weights.outer];
      at[oc / kBlockChannels * tile + oc % kBlockChannels * 2] = weight;
      worst = std::max<std::uint16_t>(worst, weight & kExponent);
    }
  }
  return worst != kExponent;
}

}  // namespace

void pack(const Context& context, const AmxPlan& b, const void* weights, const void* bias,
          void* to) {
  const Shape& s = context.shape;
  float* packed_bias = static_cast<float*>(to) + b.packed_weights();
  float* infinite = packed_bias + b.packed_bias();
  context.thread_pool->run(s.G * b.panels(), [&](Extent index, int) {
    const Extent g = index / b.panels();
    const Extent p = index % b.panels();
    auto* panel = static_cast<std::uint16_t*>(to) + b.packed_offset(g, p);
    const bool finite = pack_panel(b, static_cast<const std::uint16_t*>(weights), g, p, panel);
    infinite[index] = finite ? 0.0F : 1.0F;
  });
  std::fill(packed_bias, packed_bias + b.packed_bias(), 0.0F);
  for (Extent g = 0; s.has_bias && g < s.G; ++g) {
    widen(s.dtype, element_at(bias, g * s.OCG() * s.bias_stride, s.dtype), s.bias_stride,
          packed_bias + g * b.padded_ocg(), s.OCG());
  }
}

}  // namespace concord::optimized
