// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_tiles.h"

#include <algorithm>

#include "optimized/layout/stage.h"
#include "optimized/operations/continuous_patch.h"

namespace concord::optimized {
namespace {

// A thread's memory.
struct Scratch {
  double* hidden;
  float* values;    // [tile, inputs, hidden values]
  float* pixels;    // [slots, Cin]
  float* features;  // [block, features]
  float* outputs;   // [block, Cout]
};

Scratch lay_out_scratch(const ContinuousPlan& plan, Arena* arena) {
  const ContinuousShape& s = plan.shape;
  const Extent columns = kContinuousBlock * s.inputs();
  const bool has_net = s.function != KernelFunction::kKeys;
  return {arena->take<double>(has_net ? Net::hidden_elements(s.net, columns) : 0),
          arena->take<float>(plan.tiles.blocks_per_tile * columns * hidden_values(s)),
          arena->take<float>(s.slots() * s.Cin),
          arena->take<float>(has_net ? kContinuousBlock * plan.tiles.features : 0),
          arena->take<float>(kContinuousBlock * s.Cout)};
}

// features[h,ci] = sum over k of values[k,h] * pixels[k,ci], k rising.
void sum_features(const ContinuousShape& s, const float* values, const float* pixels,
                  float* features) {
  constexpr Extent kLanes = 8;
  const Extent H = hidden_values(s);
  const Extent K = s.slots();
  for (Extent h = 0; h < H; ++h) {
    Extent ci = 0;
    for (; ci + kLanes <= s.Cin; ci += kLanes) {
      float sums[kLanes] = {};
      for (Extent k = 0; k < K; ++k) {
        const float value = values[k * H + h];
        const float* from = pixels + k * s.Cin + ci;
        for (Extent lane = 0; lane < kLanes; ++lane) sums[lane] += value * from[lane];
      }
      std::copy_n(sums, kLanes, features + h * s.Cin + ci);
    }
    for (; ci < s.Cin; ++ci) {
      float sum = 0;
      for (Extent k = 0; k < K; ++k) sum += values[k * H + h] * pixels[k * s.Cin + ci];
      features[h * s.Cin + ci] = sum;
    }
  }
}

// features[h,k,ci] = values[h] * pixels[k,ci].
void multiply_features(const ContinuousShape& s, const float* values, const float* pixels,
                       float* features) {
  const Extent count = s.slots() * s.Cin;
  for (Extent h = 0; h < hidden_values(s); ++h) {
    for (Extent i = 0; i < count; ++i) features[h * count + i] = values[h] * pixels[i];
  }
}

class TileRunner {
 public:
  TileRunner(const ContinuousPlan& plan, const PackedTiles& packed, const void* src, void* dst)
      : plan_(plan), s_(plan.shape), packed_(packed), src_(src), dst_(dst) {}

  void run(Extent tile, std::byte* memory) const {
    Arena arena(memory);
    const Scratch scratch = lay_out_scratch(plan_, &arena);
    const Extent first = tile * plan_.tiles.blocks_per_tile;
    const Extent last = std::min(first + plan_.tiles.blocks_per_tile, plan_.tiles.blocks);
    const Extent values = kContinuousBlock * s_.inputs() * hidden_values(s_);
    for (Extent b = first; b < last; ++b) {
      evaluate(b, scratch, scratch.values + (b - first) * values);
    }
    for (Extent n = 0; n < s_.N; ++n) {
      for (Extent b = first; b < last; ++b) {
        apply(b, n, scratch, scratch.values + (b - first) * values);
      }
    }
  }

 private:
  OutputBlock block(Extent b) const {
    const Extent first = b * kContinuousBlock;
    return block_at(s_, first, std::min(kContinuousBlock, s_.outputs() - first));
  }

  // The kernel at the block's distances: hidden values, or Keys' weights.
  void evaluate(Extent b, const Scratch& scratch, float* values) const {
    const OutputBlock outputs = block(b);
    if (s_.function == KernelFunction::kKeys) return evaluate_keys(outputs, values);
    const Extent columns = kContinuousBlock * s_.inputs();
    const Net net = net_of();
    Net::Hidden hidden = net.hidden(scratch.hidden, columns);
    write_distances(s_, outputs, &hidden.d);
    net.evaluate(&hidden);
    const Extent H = s_.net.w2;
    for (Extent column = 0; column < columns; ++column) {
      for (Extent h = 0; h < H; ++h) *values++ = static_cast<float>(hidden.a2(h, column));
      *values++ = 1.0F;
    }
  }

  void evaluate_keys(const OutputBlock& outputs, float* values) const {
    const Extent columns = s_.horizontal.slots();
    for (Extent p = 0; p < outputs.size; ++p) {
      const OutputPlace& at = outputs.places[static_cast<std::size_t>(p)];
      for (Extent k = 0; k < s_.slots(); ++k) {
        *values++ = static_cast<float>(keys(at.vertical.distance(k / columns)) *
                                       keys(at.horizontal.distance(k % columns)));
      }
    }
  }

  // The block's outputs of image n.
  void apply(Extent b, Extent n, const Scratch& scratch, const float* values) const {
    const OutputBlock outputs = block(b);
    const Extent step = s_.inputs() * hidden_values(s_);
    for (Extent p = 0; p < outputs.size; ++p, values += step) {
      gather_pixels(s_, outputs.places[static_cast<std::size_t>(p)], n, src_, scratch.pixels);
      float* features = scratch.features + p * plan_.tiles.features;
      if (s_.function == KernelFunction::kKeys) {
        sum_channels(values, scratch.pixels, scratch.outputs + p * s_.Cout);
      } else if (predicts_all(s_.function)) {
        multiply_features(s_, values, scratch.pixels, features);
      } else {
        sum_features(s_, values, scratch.pixels, features);
      }
    }
    if (s_.function != KernelFunction::kKeys) {
      // A product sums each output by itself: what stands behind the block's last one is no matter.
      std::fill(scratch.features + outputs.size * plan_.tiles.features,
                scratch.features + kContinuousBlock * plan_.tiles.features, 0.0F);
      run_packed(plan_.tiles.product, packed_.product, scratch.features, scratch.outputs, nullptr);
    }
    store(outputs, n, scratch.outputs);
  }

  // Keys' cubic carries each channel over to its equal.
  void sum_channels(const float* values, const float* pixels, float* outputs) const {
    std::fill(outputs, outputs + s_.Cout, 0.0F);
    for (Extent k = 0; k < s_.slots(); ++k) {
      for (Extent c = 0; c < std::min(s_.Cin, s_.Cout); ++c) {
        outputs[c] += values[k] * pixels[k * s_.Cin + c];
      }
    }
  }

  void store(const OutputBlock& outputs, Extent n, const float* from) const {
    const Extents& strides = s_.dst.strides;
    const Strides to{
        .outer = strides[0], .channel = strides[1], .spatial = {0, strides[2], strides[3]}};
    for (Extent p = 0; p < outputs.size;) {
      const OutputPlace& at = outputs.places[static_cast<std::size_t>(p)];
      const Extent pixels = std::min(s_.horizontal.out - at.j, outputs.size - p);
      store_dst(
          plan_.io, to,
          {.n = n, .od = 0, .oh = at.i, .ow = at.j, .pixels = pixels, .oc = 0, .channels = s_.Cout},
          from + p * s_.Cout, s_.Cout, dst_);
      p += pixels;
    }
  }

  Net net_of() const { return Net(s_, packed_.theta); }

  const ContinuousPlan& plan_;
  const ContinuousShape& s_;
  const PackedTiles& packed_;
  const void* src_;
  void* dst_;
};

// From [1,1,block] pixels of `features` channels to Cout channels.
Shape product_shape(const ContinuousShape& s, Extent features) {
  Shape product;
  product.N = 1;
  product.IC = features;
  product.OC = s.Cout;
  product.I[2] = product.O[2] = kContinuousBlock;
  product.src = {.outer = kContinuousBlock * features, .channel = 1, .spatial = {0, 0, features}};
  product.weights = {.outer = features, .channel = 1, .spatial = {0, 0, 0}};
  product.dst = {.outer = kContinuousBlock * s.Cout, .channel = 1, .spatial = {0, 0, s.Cout}};
  product.dst_tensor.dims = {1, 1, kContinuousBlock, s.Cout};
  return product;
}

}  // namespace

std::optional<Refusal> plan_continuous_tiles(const ContinuousOptions& options,
                                             ContinuousPlan* plan) {
  const ContinuousShape& s = plan->shape;
  ContinuousTiles& t = plan->tiles;
  t.blocks = (s.outputs() + kContinuousBlock - 1) / kContinuousBlock;
  t.blocks_per_tile =
      std::clamp<Extent>((options.tile + kContinuousBlock - 1) / kContinuousBlock, 1, t.blocks);
  if (s.function != KernelFunction::kKeys) {
    t.features = feature_count(s);
    auto product = make_plan(product_shape(s, t.features), of_one_thread(options));
    if (!product) return product.why();
    t.product = *std::move(product);
    CONCORD_CHECK(t.product.workspace_bytes == 0) << "features are not where kernels read them";
  }
  plan->thread_bytes = arena_bytes([&](Arena* arena) { lay_out_scratch(*plan, arena); });
  plan->packed_bytes = arena_bytes([&](Arena* arena) { lay_out_packed_tiles(*plan, arena); });
  return std::nullopt;
}

PackedTiles lay_out_packed_tiles(const ContinuousPlan& plan, Arena* arena) {
  return {arena->take<double>(plan.shape.theta.dims[0]),
          arena->take<float>(static_cast<Extent>(plan.tiles.product.packed_bytes / sizeof(float)))};
}

std::size_t continuous_tiles_scratch_bytes(const ContinuousPlan& plan) {
  return static_cast<std::size_t>(plan.tiles.features * plan.shape.Cout) * sizeof(float);
}

void pack_continuous_tiles(const ContinuousPlan& plan, const void* theta, const PackedTiles& packed,
                           void* scratch) {
  const ContinuousShape& s = plan.shape;
  if (s.function == KernelFunction::kKeys) return;
  widen_theta(s, theta, packed.theta);
  const double* const A3 = Net(s, packed.theta).last_layer();
  auto* const matrix = static_cast<float*>(scratch);
  for_each_entry(s, [&](Extent co, Extent feature, Extent place) {
    matrix[co * plan.tiles.features + feature] = static_cast<float>(A3[place]);
  });
  pack_into(plan.tiles.product, matrix, nullptr, packed.product);
}

void run_continuous_tiles(const ContinuousPlan& plan, const PackedTiles& packed, const void* src,
                          void* dst, std::byte* workspace) {
  const ContinuousTiles& t = plan.tiles;
  const TileRunner runner(plan, packed, src, dst);
  plan.thread_pool->run(
      (t.blocks + t.blocks_per_tile - 1) / t.blocks_per_tile, [&](Extent tile, int slot) {
        runner.run(tile, workspace + static_cast<std::size_t>(slot) * plan.thread_bytes);
      });
}

}  // namespace concord::optimized
