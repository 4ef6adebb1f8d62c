// SPDX-License-Identifier: Apache-2.0
// Kernels have faster paths through some calls: with the bits of the ordinary path, which kernels
// take that bring weights, and nothing around src, weights and dst is touched.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "optimized/testing/guarded.h"
#include "optimized/testing/tiles.h"
#include "spec/dtype.h"

namespace concord::optimized {
namespace {

using testing::Guarded;
using testing::Side;

std::string text(std::int64_t number) { return std::to_string(number); }

// Taps of every axis: runs, each `length` products, with others between them that are left out.
struct Sum {
  std::int64_t depth, rows, runs, length;

  std::int64_t products() const { return depth * rows * runs * (length + 1); }
};

std::vector<std::byte> random_bytes(std::int64_t count, Dtype dtype, unsigned seed) {
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    store(dtype, static_cast<double>(uniform(generator)), bytes.data() + i);
  }
  return bytes;
}

// One kernel, what it reads and where it writes, each at a guard page.
class Kernel {
 public:
  Kernel(const TileFamily& family, int vectors, int pixels, const Sum& sum, std::int64_t tiles,
         Side side, std::int64_t rows = 1, bool has_bias = true)
      : family_(family),
        vectors_(vectors),
        pixels_(pixels),
        width_(vectors * family.lanes),
        sums_(family.element_bytes == 8 ? Dtype::kF64 : Dtype::kF32),
        dtype_(family.channels == 2 ? Dtype::kBF16 : sums_),
        src_(bytes(rows * (tiles * (pixels + kGap) + kGap) - 2 * kGap - 1 + sum.products() - 1),
             side, 0, "src", size_of(sums_)),
        weights_(bytes((sum.products() - 1) * width_), side, 0, "weights", size_of(sums_)),
        bias_(bytes(width_), side, 0, "bias", size_of(sums_)),
        side_(side) {
    for (std::int64_t run = 0; run < sum.runs; ++run) {
      const std::int64_t at = run * (sum.length + 1);
      runs_.push_back({.src = at, .weights = at, .length = sum.length, .left_out = 0});
    }
    src_.hold(random_bytes(count(src_), dtype_, 1));
    weights_.hold(random_bytes(count(weights_), dtype_, 2));
    bias_.hold(has_bias ? random_bytes(width_, sums_, 3) : std::vector<std::byte>(bytes(width_)));
    call_.src = src_.data();
    call_.src_pixel = 1;
    call_.src_tile = pixels + kGap;
    call_.depth_taps = sum.depth;
    call_.row_taps = sum.rows;
    call_.src_row_tap = call_.weights_row_tap = sum.runs * (sum.length + 1);
    call_.src_depth_tap = call_.weights_depth_tap = sum.rows * call_.src_row_tap;
    call_.runs = runs_.data();
    call_.run_count = sum.runs;
    call_.weights = weights_.data();
    call_.bias = bias_.data();
    call_.dst_pixel = width_ + kGap;
    call_.dst_tile = pixels * call_.dst_pixel + kGap;
    call_.tiles = tiles;
    call_.rows = rows;
    call_.src_row = tiles * call_.src_tile + kGap;
    call_.dst_row = tiles * call_.dst_tile + kGap;
    call_.channels = width_;
    call_.is_inside = 1;
  }

  // Of the panel's output channels only these exist.
  void keep(std::int64_t channels) { call_.channels = channels; }
  // Kernels may compute half a vector where no more exists.
  void use_halves() { call_.halves = 1; }
  // The first run of each kernel row touches these pixels only.
  void leave_out(std::int64_t pixels) { runs_[0].left_out = pixels; }

  // The same of the first pixels, which lie before src: only the first run of a tile comes to them.
  void leave_out_before_src(std::int64_t pixels) {
    leave_out(pixels);
    call_.src_offset = -pixels * call_.src_pixel;
    call_.is_inside = 0;
  }

  // The faster paths, with and without what is prefetched for them, and with either kind of stores,
  // give the bits of the ordinary.
  void expect_same(const std::string& what) {
    for (const bool rounds : {false, true}) {
      if (rounds && !family_.rounds) continue;
      const auto want = run(true, {.rounds = rounds});
      for (const bool prefetches : {false, true}) {
        for (const bool stores_whole : {false, true}) {
          EXPECT_EQ(run(false, {rounds, prefetches, stores_whole}), want)
              << family_.name << " " << pixels_ << "x" << vectors_ << " prefetches " << prefetches
              << " stores whole vectors " << stores_whole << what;
        }
      }
    }
  }

 private:
  struct Ways {
    bool rounds = false, prefetches = false, stores_whole = false;
  };

  // What dst holds afterwards, its gaps included.
  std::vector<std::byte> run(bool ordinary, const Ways& ways) {
    const std::size_t element = ways.rounds ? 2 : size_of(sums_);
    const std::int64_t extent = (call_.rows - 1) * call_.dst_row +
                                (call_.tiles - 1) * call_.dst_tile +
                                (pixels_ - 1) * call_.dst_pixel + call_.channels;
    Guarded dst(static_cast<std::size_t>(extent) * element, side_, 0x5A, "dst", element);
    PackJob nothing{};
    TileCall call = call_;
    call.pack_job = &nothing;
    const char* const from = static_cast<const char*>(weights_.data());
    PrefetchRange ahead{from, from + weights_.bytes(), 1};
    if (ways.prefetches) call.ahead = &ahead;
    call.prefetches_dst = ways.prefetches ? 1 : 0;
    call.whole_stores = ways.stores_whole ? 1 : 0;
    call.dst = ways.rounds ? nullptr : dst.data();
    call.rounded_dst = ways.rounds ? static_cast<std::uint16_t*>(dst.data()) : nullptr;
    (ordinary ? family_.packing : family_.kernels)[vectors_][pixels_](call);
    const auto* begin = static_cast<const std::byte*>(dst.data());
    return {begin, begin + dst.bytes()};
  }

  static constexpr std::int64_t kGap = 3;  // between pixels, more between tiles and rows

  std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements) * size_of(sums_);
  }
  std::int64_t count(const Guarded& memory) const {
    return static_cast<std::int64_t>(memory.bytes() / size_of(dtype_));
  }

  const TileFamily& family_;
  int vectors_, pixels_;
  std::int64_t width_;
  Dtype sums_, dtype_;
  Guarded src_, weights_, bias_;
  Side side_;
  std::vector<Run> runs_;
  TileCall call_{};
};

void expect_same(const TileFamily& family, int vectors, int pixels) {
  for (const Sum& sum : {Sum{1, 1, 1, 1}, Sum{1, 1, 1, 32}, Sum{1, 3, 1, 10}, Sum{2, 2, 2, 1},
                         Sum{1, 1, 2, 300}, Sum{5, 3, 3, 1}}) {
    for (const std::int64_t tiles : {1, 2, 5}) {
      for (const Side side : testing::kSides) {
        Kernel kernel(family, vectors, pixels, sum, tiles, side);
        kernel.expect_same(" products " + text(sum.products()) + " tiles " + text(tiles));
      }
    }
  }
}

void expect_same_in_rows(const TileFamily& family, int vectors, int pixels) {
  for (const std::int64_t tiles : {1, 3}) {
    for (const bool has_bias : {true, false}) {
      for (const Side side : testing::kSides) {
        Kernel kernel(family, vectors, pixels, {1, 2, 2, 5}, tiles, side, 3, has_bias);
        kernel.expect_same(" tiles " + text(tiles) + (has_bias ? " with bias" : ""));
      }
    }
  }
}

// Panels whose last vector is not full.
void expect_same_with_a_rest(const TileFamily& family, int vectors, int pixels) {
  const std::int64_t whole = (vectors - 1) * family.lanes;
  for (const std::int64_t rest :
       {std::int64_t{1}, family.lanes / 2, family.lanes / 2 + 1, family.lanes - 1}) {
    // The last one has more runs than short sums have.
    for (const Sum& sum : {Sum{1, 1, 1, 33}, Sum{2, 3, 2, 1}, Sum{5, 3, 3, 1}}) {
      for (const Side side : testing::kSides) {
        Kernel kernel(family, vectors, pixels, sum, 2, side, 2);
        kernel.keep(whole + rest);
        for (const bool halves : {false, true}) {
          if (halves) kernel.use_halves();
          kernel.expect_same(" products " + text(sum.products()) + " rest " + text(rest) +
                             (halves ? " in halves" : ""));
        }
      }
    }
  }
}

// Where padding hides some pixels of a tile.
void expect_same_at_edges(const TileFamily& family, int vectors, int pixels) {
  if (pixels <= 2) return;
  for (const std::int64_t rest :
       {std::int64_t{1}, family.lanes / 2, family.lanes / 2 + 1, family.lanes}) {
    for (std::int64_t left_out = -kFewLeftOut; left_out <= kFewLeftOut; ++left_out) {
      for (const Side side : testing::kSides) {
        Kernel kernel(family, vectors, pixels, {1, 2, 2, 9}, 2, side, 2);
        kernel.keep((vectors - 1) * family.lanes + rest);
        kernel.leave_out(left_out);
        for (const bool halves : {false, true}) {
          if (halves) kernel.use_halves();
          kernel.expect_same(" leaves out " + text(left_out) + " rest " + text(rest) +
                             (halves ? " in halves" : ""));
        }
      }
    }
  }
}

void expect_same_before_src(const TileFamily& family, int vectors, int pixels) {
  if (pixels <= 2) return;
  for (const std::int64_t rest : {family.lanes / 2, family.lanes}) {
    for (std::int64_t left_out = 1; left_out <= kFewLeftOut; ++left_out) {
      Kernel kernel(family, vectors, pixels, {1, 2, 2, 9}, 2, Side::kBefore, 2);
      kernel.keep((vectors - 1) * family.lanes + rest);
      kernel.leave_out_before_src(left_out);
      for (const bool halves : {false, true}) {
        if (halves) kernel.use_halves();
        kernel.expect_same(" leaves out " + text(left_out) + " before src, rest " + text(rest) +
                           (halves ? " in halves" : ""));
      }
    }
  }
}

TEST(Pipelined, HasTheBitsOfTheOrdinaryWay) {
  testing::for_each_tile(expect_same);
  testing::for_each_tile(expect_same_in_rows);
  testing::for_each_tile(expect_same_with_a_rest);
  testing::for_each_tile(expect_same_at_edges);
  testing::for_each_tile(expect_same_before_src);
}

}  // namespace
}  // namespace concord::optimized
