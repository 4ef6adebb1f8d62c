// SPDX-License-Identifier: Apache-2.0
// The continuous layer with the cubic of Keys in place of its net resizes images as Pillow and
// PyTorch do: its grid, neighbours and sums against theirs, at 20 scales from 0.3 to 1.3.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reference/continuous.h"
#include "spec/grid.h"
#include "spec/tensor_values.h"
#include "vectors/set.h"

namespace concord::reference {
namespace {

using Json = nlohmann::json;

struct Resizing {
  Rational scale_h{}, scale_w{};
  Extents src_dims{}, dst_dims{};
  std::vector<double> src{}, dst{};
};

std::vector<Resizing> read_set(const char* name) {
  const auto set = vectors::load_set(std::filesystem::path(CONCORD_VECTORS_DIRECTORY) / name);
  EXPECT_TRUE(set) << set.why().detail;
  const auto values = [&](const Json& t) {
    const vectors::StoredTensor stored{t["file"], t["offset"], t["shape"]};
    return read_tensor(Dtype::kF32, {stored.shape, {}}, set->bytes(stored).data());
  };
  std::vector<Resizing> all;
  for (const Json& row : Json::parse(set->table("bicubic.json"))) {
    all.push_back({parse_rational(row["scale"][0].get<std::string>()).value(),
                   parse_rational(row["scale"][1].get<std::string>()).value(), row["src"]["shape"],
                   row["dst"]["shape"], values(row["src"]), values(row["dst"])});
  }
  EXPECT_EQ(all.size(), 20U);
  return all;
}

// Below scale 1 these systems stretch the kernel by 1/s, against aliasing.
Rational stretch_of(const Rational& scale) { return std::min(scale, Rational(1)); }

ContinuousGeometry geometry_of(const Resizing& r) {
  ContinuousAttributes a;
  a.scale_h = r.scale_h;
  a.scale_w = r.scale_w;
  a.kernel = {(Rational(4) / stretch_of(r.scale_h)).ceil(),
              (Rational(4) / stretch_of(r.scale_w)).ceil()};
  a.function = KernelFunction::kKeys;
  a.boundary = Boundary::kSymmetric;
  const auto geometry = resolve_continuous({1, 1, r.src_dims[0], r.src_dims[1]}, 0, a);
  EXPECT_TRUE(geometry) << geometry.why().detail;
  return *geometry;
}

// The stretched kernel at the layer's distances [K,2,H',W'], its sum over k made 1.
Oracle stretched_weights(const ContinuousGeometry& g, const Resizing& r) {
  const std::vector<double> d = distances(g);
  const double sh = stretch_of(r.scale_h).to_double(), sw = stretch_of(r.scale_w).to_double();
  const Extent H = g.vertical.out, W = g.horizontal.out, K = g.slots();
  const Grid<4> at{{K, 2, H, W}};
  const Grid<3> weight{{K, H, W}};
  Oracle w{std::vector<double>(static_cast<std::size_t>(K * H * W)), {}};
  for (const auto [i, j] : Grid<2>{{H, W}}) {
    double total = 0;
    for (Extent k = 0; k < K; ++k) {
      double& value = w.value[weight.offset({k, i, j})];
      value =
          keys_cubic(sh * d[at.offset({k, 0, i, j})]) * keys_cubic(sw * d[at.offset({k, 1, i, j})]);
      total += value;
    }
    for (Extent k = 0; k < K; ++k) w.value[weight.offset({k, i, j})] /= total;
  }
  for (const double value : w.value) w.magnitude.push_back(std::fabs(value));
  return w;
}

// |got - want| <= relative * magnitude + absolute, everywhere.
void expect_resized(const Resizing& r, double relative, double absolute) {
  const ContinuousGeometry g = geometry_of(r);
  ASSERT_EQ(g.dst(), (Extents{1, 1, r.dst_dims[0], r.dst_dims[1]}));
  const Oracle want = apply_weights(g, r.src, stretched_weights(g, r));
  for (std::size_t i = 0; i < r.dst.size(); ++i) {
    EXPECT_NEAR(r.dst[i], want.value[i], relative * want.magnitude[i] + absolute)
        << "scale " << to_string(r.scale_h) << ", " << to_string(r.scale_w) << ", element " << i;
  }
}

constexpr double kF32 = 0x1p-24;  // one rounding

// Two passes, each rounded to f32. The box's edges, up to 64 pixels from the corner, are f32, too:
// rounded by 2^-19 and, their difference being taken, an output is off by 2^-18 pixels at most. The
// cubic's total variation is 2.3, so that a pixel's shift changes the mean of values in 0..1 by
// less than 2.3 on either axis.
TEST(GoldenBicubic, PillowsResizingIsReproduced) {
  for (const Resizing& r : read_set("pillow_bicubic")) {
    expect_resized(r, 3 * kF32, 2 * 2.3 * 0x1p-18);
  }
}

// f64, rounded to f32 once for the set.
TEST(GoldenBicubic, TorchsResizingIsReproduced) {
  for (const Resizing& r : read_set("torch_bicubic")) expect_resized(r, 1.001 * kF32, 0);
}

// Where nothing is stretched the layer's own function `keys` computes the same.
TEST(GoldenBicubic, EnlargingIsTheLayersOwnFunction) {
  int enlarged = 0;
  for (const char* name : {"pillow_bicubic", "torch_bicubic"}) {
    for (const Resizing& r : read_set(name)) {
      if (std::min(r.scale_h, r.scale_w) < Rational(1)) continue;
      const ContinuousGeometry g = geometry_of(r);
      const auto own = evaluate_continuous(g, r.src, {}).value;
      const auto want = apply_weights(g, r.src, stretched_weights(g, r)).value;
      for (std::size_t i = 0; i < own.size(); ++i) EXPECT_NEAR(own[i], want[i], 1e-14);
      ++enlarged;
    }
  }
  EXPECT_EQ(enlarged, 6);
}

}  // namespace
}  // namespace concord::reference
