// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "optimized/kernels/reorders/kernel.h"
#include "optimized/layout/convert.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/testing/guarded.h"

namespace concord::optimized {
namespace {

using testing::Guarded;
using testing::Side;

std::vector<const ReorderFamily*> families(Dtype dtype = Dtype::kF32) {
  std::vector<const ReorderFamily*> found;
  for (const Isa isa : kIsas) {
    if (is_supported(isa)) found.push_back(&reorders_for(isa, dtype));
  }
  return found;
}

// Turns `rows` by `columns` elements with `turn`; says whether each is in its place and those
// between the rows of `to` are as they were.
template <class T, class Turn>
bool turns(std::int64_t rows, std::int64_t columns, std::int64_t to_stride, const Turn& turn) {
  const std::int64_t from_stride = columns + 3;
  std::vector<T> from(static_cast<std::size_t>(rows * from_stride));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
  // Begins a line, so that whole lines are stored past the caches.
  std::vector<T> memory(static_cast<std::size_t>(columns * to_stride + 16), T{-1});
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  T* to = memory.data() + (64 - address % 64) % 64 / sizeof(T);
  turn(from.data(), from_stride, to, to_stride, rows, columns);
  for (std::int64_t c = 0; c < columns; ++c) {
    for (std::int64_t r = 0; r < to_stride; ++r) {
      const T want = r < rows ? from[static_cast<std::size_t>(r * from_stride + c)] : -1;
      if (to[c * to_stride + r] != want) return false;
    }
  }
  return true;
}

template <class T>
void expect_turned(const ReorderFamily& reorders) {
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48};
  const auto out = [&](bool non_temporal) {
    return [&, non_temporal](auto... arguments) {
      reorders.transpose_out(arguments..., non_temporal);
    };
  };
  for (const std::int64_t rows : kSizes) {
    for (const std::int64_t columns : kSizes) {
      for (const std::int64_t to_stride : {rows + 2, (rows + 15) / 16 * 16}) {
        EXPECT_TRUE(turns<T>(rows, columns, to_stride, reorders.transpose))
            << reorders.name << " " << rows << "x" << columns;
        for (const bool non_temporal : {false, true}) {
          EXPECT_TRUE(turns<T>(rows, columns, to_stride, out(non_temporal)))
              << reorders.name << " " << rows << "x" << columns << " out " << non_temporal;
        }
      }
    }
  }
}

TEST(Reorders, TransposeEveryShapeAroundTheVectorWidths) {
  for (const ReorderFamily* reorders : families()) expect_turned<float>(*reorders);
  for (const ReorderFamily* reorders : families(Dtype::kF64)) expect_turned<double>(*reorders);
}

// Copies rows with gaps of `from` and of `to`, which ends with the last one; says whether they
// came, and nothing else did.
template <class T>
void expect_rows_copied(const ReorderFamily& reorders, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kGap = 3;
  const std::int64_t stride = columns + kGap;
  std::vector<std::byte> want, given;
  for (std::int64_t i = 0; i < rows * stride - kGap; ++i) {
    const T value = static_cast<T>(i + 1), kept = i % stride < columns ? value : T{};
    const auto append = [](std::vector<std::byte>* to, const T& element) {
      const auto bytes = std::as_bytes(std::span(&element, 1));
      to->insert(to->end(), bytes.begin(), bytes.end());
    };
    append(&given, value);
    append(&want, kept);
  }
  for (const Side side : testing::kSides) {
    Guarded from(given.size(), side, 0, "from", sizeof(T));
    Guarded to(want.size(), side, 0, "to", sizeof(T));
    from.hold(given);
    for (const std::int64_t ahead : {std::int64_t{0}, columns}) {
      reorders.copy_rows(from.data(), stride, to.data(), stride, rows, columns, ahead);
      EXPECT_EQ(std::memcmp(to.data(), want.data(), to.bytes()), 0)
          << reorders.name << " " << rows << "x" << columns << " ahead " << ahead;
    }
  }
}

TEST(Reorders, CopyRows) {
  for (const std::int64_t rows : {1, 2, 5}) {
    for (const std::int64_t columns : {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 64, 65}) {
      for (const ReorderFamily* reorders : families()) {
        expect_rows_copied<float>(*reorders, rows, columns);
      }
      for (const ReorderFamily* reorders : families(Dtype::kF64)) {
        expect_rows_copied<double>(*reorders, rows, columns);
      }
    }
  }
}

TEST(Reorders, WidenEveryElement) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  std::vector<float> f16(all.size());
  std::vector<float> bf16(all.size());
  for (const ReorderFamily* reorders : families()) {
    reorders->widen_f16(all.data(), f16.data(), 65536);
    reorders->widen_bf16(all.data(), bf16.data(), 65536);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float a = from_f16(all[i]);
      const float b = from_bf16(all[i]);
      ASSERT_TRUE(std::isnan(a) ? std::isnan(f16[i]) : f16[i] == a) << reorders->name << " " << i;
      ASSERT_TRUE(std::isnan(b) ? std::isnan(bf16[i]) : bf16[i] == b) << reorders->name << " " << i;
    }
  }
}

TEST(Reorders, NarrowRandomBitsAsThePlainConversionsDo) {
  std::mt19937 generator(5);
  std::vector<float> from(100003);
  for (float& value : from) value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
  std::vector<std::uint16_t> to(from.size());
  for (const ReorderFamily* reorders : families()) {
    reorders->narrow_f16(from.data(), to.data(), static_cast<std::int64_t>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) {
      ASSERT_TRUE(std::isnan(from[i]) ? std::isnan(from_f16(to[i])) : to[i] == to_f16(from[i]))
          << reorders->name << " " << from[i];
    }
    reorders->narrow_bf16(from.data(), to.data(), static_cast<std::int64_t>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) {
      ASSERT_TRUE(std::isnan(from[i]) ? std::isnan(from_bf16(to[i])) : to[i] == to_bf16(from[i]))
          << reorders->name << " " << from[i];
    }
  }
}

// Dense, so that the last row ends where the memory does.
TEST(Reorders, TransposeNothingBeyondTheirElements) {
  constexpr std::size_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33};
  for (const ReorderFamily* reorders : families()) {
    for (const std::size_t rows : kSizes) {
      for (const std::size_t columns : kSizes) {
        for (const Side side : testing::kSides) {
          Guarded from(rows * columns * sizeof(float), side, 0);
          Guarded to(rows * columns * sizeof(float), side, 0xFF);
          from.seal();
          const auto r = static_cast<std::int64_t>(rows);
          const auto c = static_cast<std::int64_t>(columns);
          const auto* rows_of = static_cast<const float*>(from.data());
          auto* turned = static_cast<float*>(to.data());
          reorders->transpose(rows_of, c, turned, r, r, c);
          for (const bool non_temporal : {false, true}) {
            reorders->transpose_out(rows_of, c, turned, r, r, c, non_temporal);
          }
          EXPECT_EQ(std::memcmp(from.data(), to.data(), to.bytes()), 0) << reorders->name;
        }
      }
    }
  }
}

void expect_completed(const ReorderFamily& reorders, std::int64_t channels, std::int64_t pixels,
                      std::int64_t gap) {
  std::vector<std::uint16_t> elements, want;
  for (std::int64_t i = 0; i < pixels; ++i) {
    for (std::int64_t c = 0; c < channels; ++c) {
      elements.push_back(static_cast<std::uint16_t>(want.size() + 1));
      want.push_back(elements.back());
    }
    want.push_back(0);
    if (i + 1 < pixels) elements.resize(elements.size() + static_cast<std::size_t>(gap), 0xAAAA);
  }
  for (const Side side : testing::kSides) {
    Guarded from(elements.size() * 2, side, 0, "from", 2);
    Guarded to(want.size() * 2, side, 0xFF, "to", 2);
    from.hold(std::as_bytes(std::span(elements)));
    reorders.complete(static_cast<const std::uint16_t*>(from.data()), channels + gap,
                      static_cast<std::uint16_t*>(to.data()), channels, pixels);
    EXPECT_EQ(std::memcmp(to.data(), want.data(), to.bytes()), 0)
        << channels << " channels, " << pixels << " pixels, gaps of " << gap;
  }
}

TEST(Reorders, CompletePixelsByAZero) {
  for (const ReorderFamily* reorders : families()) {
    if (reorders->complete == nullptr) continue;
    for (std::int64_t channels = 1; channels < 100; channels += 2) {
      for (const std::int64_t pixels : {0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 70}) {
        for (const std::int64_t gap : {0, 3}) expect_completed(*reorders, channels, pixels, gap);
      }
    }
  }
}

TEST(Reorders, TouchNothingBeyondTheirElements) {
  for (const ReorderFamily* reorders : families()) {
    for (std::size_t count = 1; count <= 40; ++count) {
      for (const Side side : {Side::kBefore, Side::kAfter}) {
        Guarded wide(count * sizeof(float), side, 0);
        Guarded narrow(count * sizeof(std::uint16_t), side, 0);
        auto* floats = static_cast<float*>(wide.data());
        auto* halves = static_cast<std::uint16_t*>(narrow.data());
        const auto n = static_cast<std::int64_t>(count);
        reorders->widen_f16(halves, floats, n);
        reorders->widen_bf16(halves, floats, n);
        reorders->narrow_f16(floats, halves, n);
        reorders->narrow_bf16(floats, halves, n);
        EXPECT_EQ(halves[count - 1], 0);
      }
    }
  }
}

}  // namespace
}  // namespace concord::optimized
