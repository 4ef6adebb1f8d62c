// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/pack.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "optimized/shape/view.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

// Bytes.
constexpr Extent kLine = 64, kPiece = 16, kWord = 4;

// One panel of one group.
struct Panel {
  Extent first;     // element of weights: its first output channel
  Extent channels;  // output channels that exist
  Extent width;     // and with those that pad the last vector
  Extent element;   // bytes of a packed weight
  Extent offset;    // bytes of packed weights before it

  // Of so many products.
  Extent bytes(Extent products) const { return products * width * element; }
  // Fills a product's place of output channels that do not exist.
  void pad(std::byte* product) const {
    if (channels == width) return;
    std::memset(product + channels * element, 0,
                static_cast<std::size_t>((width - channels) * element));
  }
};

Panel panel_at(const Context& context, const Tiling& t, Extent g, Extent p) {
  const Shape& s = context.shape;
  const Extent oc = p * t.panel_width();
  const Extent width = t.vectors_of(p) * t.lanes();
  return {.first = (g * s.OCG() + oc) * s.weights.outer,
          .channels = std::min(width, s.OCG() - oc),
          .width = width,
          .element = t.element_bytes(),
          .offset = t.packed_offset(g, p) * t.element_bytes()};
}

// Packs a row of a panel's output channels, which lie together: in short copies, which cost less
// than a call, where nothing is widened.
void pack_row(Dtype dtype, const std::byte* row, const Panel& panel, std::byte* to) {
  const Extent bytes = panel.channels * panel.element;
  if (dtype != computed_in(dtype)) {
    widen(dtype, row, 1, to, panel.channels);
    return panel.pad(to);
  }
  Extent at = 0;
  for (; at + kLine <= bytes; at += kLine) std::memcpy(to + at, row + at, kLine);
  for (; at + kPiece <= bytes; at += kPiece) std::memcpy(to + at, row + at, kPiece);
  for (; at < bytes; at += kWord) std::memcpy(to + at, row + at, kWord);
  const Extent end = panel.bytes(1);
  for (; at % kPiece != 0 && at < end; at += kWord) std::memset(to + at, 0, kWord);
  for (; at < end; at += kPiece) std::memset(to + at, 0, kPiece);
}

// Input channels of a task that packs rows of weights.
constexpr Extent kRowsOfTask = 64;

// Weights whose output channels lie together, of some input channels of one tap: read in their
// order, which goes through all panels of the group for each input channel.
void pack_rows(const Context& context, const Tiling& t, const void* weights,
               std::span<const Panel> panels, Extent tap, Extent first_ic, std::byte* packed) {
  const Shape& s = context.shape;
  const Extent from = tap / s.K[2] / s.K[1] * s.weights.spatial[0] +
                      tap / s.K[2] % s.K[1] * s.weights.spatial[1] +
                      tap % s.K[2] * s.weights.spatial[2];
  const Extent last_ic = std::min(first_ic + kRowsOfTask, s.ICG());
  for (Extent ic = first_ic; ic < last_ic;) {
    const Extent begin = ic / t.channel_block * t.channel_block;
    const Extent channels = std::min(t.channel_block, s.ICG() - begin);
    Extent product = begin * t.taps() + tap * channels + (ic - begin);
    for (; ic < std::min(begin + channels, last_ic); ++ic, ++product) {
      const Extent row = from + ic * s.weights.channel;
      for (const Panel& panel : panels) {
        pack_row(s.dtype, element_at(weights, panel.first + row, s.dtype), panel,
                 packed + panel.offset + panel.bytes(product));
      }
    }
  }
}

void pack_any(const Context& context, const Tiling& t, const void* weights, const Panel& panel,
              std::byte* to) {
  const Shape& s = context.shape;
  for (Extent block = 0; block < t.channel_blocks(); ++block) {
    const Extent first = block * t.channel_block;
    const Extent last = std::min(first + t.channel_block, s.ICG());
    for (const auto [kd, kh, kw] : Grid<3>{s.K}) {
      const Extent tap =
          kd * s.weights.spatial[0] + kh * s.weights.spatial[1] + kw * s.weights.spatial[2];
      for (Extent ic = first; ic < last; ++ic) {
        widen(s.dtype, element_at(weights, panel.first + tap + ic * s.weights.channel, s.dtype),
              s.weights.outer, to, panel.channels);
        panel.pad(to);
        to += panel.bytes(1);
      }
    }
  }
}

// Products of pairs: each output channel has both weights side by side.
void pack_pairs(const Context& context, const Tiling& t, const void* weights, const Panel& panel,
                Extent block, void* to) {
  const Shape& s = context.shape;
  const auto* from = static_cast<const std::uint16_t*>(weights) + panel.first;
  auto* pair = static_cast<std::uint16_t*>(to);
  const Extent first = block * t.channel_block;
  const Extent last = std::min(first + t.channel_block, t.view.ICG());
  std::fill_n(pair, 2 * (last - first) * t.taps() * panel.width, std::uint16_t{0});
  for (const auto [kd, kh, kw] : Grid<3>{s.K}) {
    const Extent tap =
        kd * s.weights.spatial[0] + kh * s.weights.spatial[1] + kw * s.weights.spatial[2];
    for (Extent product = first; product < last; ++product, pair += 2 * panel.width) {
      for (Extent ic = 2 * product; ic < std::min(2 * product + 2, s.ICG()); ++ic) {
        const std::uint16_t* channel = from + tap + ic * s.weights.channel;
        for (Extent oc = 0; oc < panel.channels; ++oc) {
          pair[2 * oc + ic % 2] = channel[oc * s.weights.outer];
        }
      }
    }
  }
}

// True for weights [OC, IC/G, taps] that are not widened, in which each output channel's elements
// lie together.
bool is_dense_oix(const Shape& s) {
  const Extent taps = s.K[0] * s.K[1] * s.K[2];
  const bool taps_are_dense = (s.K[2] == 1 || s.weights.spatial[2] == 1) &&
                              (s.K[1] == 1 || s.weights.spatial[1] == s.K[2]) &&
                              (s.K[0] == 1 || s.weights.spatial[0] == s.K[1] * s.K[2]);
  return s.dtype == computed_in(s.dtype) && taps_are_dense &&
         (s.ICG() == 1 || s.weights.channel == taps);
}

// The same as pack_any(), reading each output channel's elements in their order: a few of them are
// transposed at a time, then each goes to the place of its tap and input channel.
void pack_dense_oix(const Context& context, const Tiling& t, const void* weights,
                    const Panel& panel, std::byte* to) {
  constexpr Extent kTurned = 64;
  const Shape& s = context.shape;
  const Extent taps = t.taps();
  const Extent count = t.view.ICG() * taps;
  std::vector<std::byte> turned(static_cast<std::size_t>(panel.bytes(kTurned)));
  for (Extent first = 0; first < count; first += kTurned) {
    const Extent last = std::min(first + kTurned, count);
    context.reorders->transpose(element_at(weights, panel.first + first, s.dtype), s.weights.outer,
                                turned.data(), panel.width, panel.channels, last - first);
    for (Extent i = first; i < last; ++i) {
      const Extent ic = i / taps;
      const Extent begin = ic / t.channel_block * t.channel_block;
      const Extent channels = std::min(t.channel_block, t.view.ICG() - begin);
      const Extent product = begin * taps + i % taps * channels + (ic - begin);
      std::copy_n(turned.data() + panel.bytes(i - first), panel.bytes(1),
                  to + panel.bytes(product));
    }
  }
}

}  // namespace

void pack(const Context& context, const Tiling& t, const void* weights, const void* bias,
          void* to) {
  const Shape& s = context.shape;
  auto* const packed = static_cast<std::byte*>(to);
  const bool turns = is_dense_oix(s) && s.weights.outer != 1;
  const bool reads_rows = s.weights.outer == 1 && !t.reads_pairs();
  if (reads_rows) {
    const Extent parts = (s.ICG() + kRowsOfTask - 1) / kRowsOfTask;
    std::vector<Panel> panels;
    for (Extent g = 0; g < s.G; ++g) {
      for (Extent p = 0; p < t.panels; ++p) panels.push_back(panel_at(context, t, g, p));
    }
    context.thread_pool->run(s.G * t.taps() * parts, [&](Extent index, int) {
      const Extent row = index / parts;
      const auto of_group = std::span(panels).subspan(
          static_cast<std::size_t>(row / t.taps() * t.panels), static_cast<std::size_t>(t.panels));
      pack_rows(context, t, weights, of_group, row % t.taps(), index % parts * kRowsOfTask, packed);
    });
  }
  context.thread_pool->run(reads_rows ? 0 : s.G * t.panels, [&](Extent index, int) {
    const Extent g = index / t.panels;
    const Extent p = index % t.panels;
    const Panel panel = panel_at(context, t, g, p);
    std::byte* at = packed + panel.offset;
    if (t.reads_pairs()) {
      for (Extent block = 0; block < t.channel_blocks(); ++block) {
        pack_block(context, t, weights, {g, p, block},
                   at + panel.bytes(block * t.channel_block * t.taps()));
      }
    } else if (turns) {
      pack_dense_oix(context, t, weights, panel, at);
    } else {
      pack_any(context, t, weights, panel, at);
    }
  });
  pack_bias(context, t, bias, to);
}

bool can_pack_on_the_fly(const Context& context, const Tiling& t, Extent p) {
  const Shape& s = context.shape;
  const Panel panel = panel_at(context, t, 0, p);
  const bool has_type = t.reads_pairs() ? s.dtype == Dtype::kBF16 && s.ICG() % 2 == 0
                                        : s.dtype == computed_in(s.dtype);
  return has_type && s.weights.outer == 1 && panel.channels == panel.width && tap_step(s);
}

bool lie_as_packed(const Context& context, const Tiling& t) {
  const Shape& s = context.shape;
  const Extent width = t.vectors_of(0) * t.lanes();
  return s.G == 1 && t.panels == 1 && !t.reads_pairs() && can_pack_on_the_fly(context, t, 0) &&
         (t.channel_blocks() == 1 || t.taps() == 1) &&
         (s.ICG() == 1 || s.weights.channel == width) &&
         (t.taps() == 1 || tap_step(s) == s.ICG() * width);
}

const char* first_row(const Context& context, const Tiling& t, const void* weights,
                      const WeightBlock& at) {
  const Shape& s = context.shape;
  const Extent row = at.block * t.channel_block * t.family->channels;
  return static_cast<const char*>(weights) +
         (panel_at(context, t, at.g, at.panel).first + row * s.weights.channel) *
             static_cast<Extent>(size_of(s.dtype));
}

PackJob pack_job_of(const Context& context, const Tiling& t, const void* weights,
                    const WeightBlock& at, void* to) {
  const Shape& s = context.shape;
  const auto bytes = static_cast<Extent>(size_of(s.dtype));
  const Extent first = at.block * t.channel_block;
  PackJob job{};
  // Of one channel or tap the stride may be any number, too large for one of bytes.
  job.from_row = s.ICG() == 1 ? 0 : s.weights.channel * t.family->channels * bytes;
  job.from_tap = t.taps() == 1 ? 0 : *tap_step(s) * bytes;
  job.from = job.after = first_row(context, t, weights, at);
  job.copy_interval = 1;
  job.to = to;
  job.vectors = t.vectors_of(at.panel);
  job.tap_rows = std::min(t.channel_block, t.view.ICG() - first);
  job.rows = job.tap_rows;
  job.taps = t.taps() - 1;
  job.tap = job.from;
  return job;
}

void pack_block(const Context& context, const Tiling& t, const void* weights, const WeightBlock& at,
                void* to) {
  const Shape& s = context.shape;
  if (can_pack_on_the_fly(context, t, at.panel)) {
    PackJob job = pack_job_of(context, t, weights, at, to);
    return t.family->pack_rest(&job);
  }
  const Panel panel = panel_at(context, t, at.g, at.panel);
  if (t.reads_pairs()) return pack_pairs(context, t, weights, panel, at.block, to);
  const Extent first = at.block * t.channel_block;
  const Extent last = std::min(first + t.channel_block, s.ICG());
  auto* row = static_cast<std::byte*>(to);
  for (const auto [kd, kh, kw] : Grid<3>{s.K}) {
    const Extent tap = panel.first + kd * s.weights.spatial[0] + kh * s.weights.spatial[1] +
                       kw * s.weights.spatial[2];
    for (Extent ic = first; ic < last; ++ic, row += panel.bytes(1)) {
      pack_row(s.dtype, element_at(weights, tap + ic * s.weights.channel, s.dtype), panel, row);
    }
  }
}

void pack_bias(const Context& context, const Tiling& t, const void* bias, void* packed) {
  const Shape& s = context.shape;
  const Dtype computed = computed_in(s.dtype);
  std::byte* const to = element_at(packed, t.packed_weights(), computed);
  std::fill_n(to, s.G * t.padded_ocg() * t.element_bytes(), std::byte{0});
  for (Extent g = 0; s.has_bias && g < s.G; ++g) {
    widen(s.dtype, element_at(bias, g * s.OCG() * s.bias_stride, s.dtype), s.bias_stride,
          element_at(to, g * t.padded_ocg(), computed), s.OCG());
  }
}

}  // namespace concord::optimized
