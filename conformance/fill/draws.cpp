// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/draws.h"

#include <algorithm>

namespace concord::conformance {
namespace {

// Of each lane at a time: all of them are 64 KiB, which stay in the second cache.
constexpr std::size_t kDraws = 1024;
constexpr std::size_t kAllDraws = DrawLanes::kLanes * kDraws;
// Where there are no lanes.
constexpr std::size_t kFewDraws = 512;

// x^kDraws, from one lane to the next, and x^(7 kDraws), from behind the draws of a lane to where
// it goes on, modulo the characteristic polynomial of Xoshiro's step: that which the Berlekamp-
// Massey algorithm finds of 512 draws' lowest bits of a word of state. In the same way x^(2^128)
// comes out as the generator's authors publish it.
constexpr Xoshiro::State kToNextLane = {0x060106bbbe4ff028, 0x1be1d76854ddda93, 0x8456faeb6230d984,
                                        0x65507439cf43f0e2};
constexpr Xoshiro::State kToNextDraws = {0x65d0b5d6d3a4d7d0, 0x1d1d60bcd2d09eb4, 0xc9337102457d65f7,
                                         0xff41296d258343e3};

const DrawKernel* best_kernel() {
#if defined(CONCORD_FILL_X86)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return &kDrawAvx512;
  }
#endif
  return nullptr;
}

}  // namespace

Draws::Draws(std::uint64_t seed, std::uint64_t stream, std::size_t expected)
    : kernel_(best_kernel()), engine_(seed, stream), expected_(expected) {}

void Draws::draw_lanes() {
  if (!by_lanes_) {
    for (std::size_t lane = 0; lane < DrawLanes::kLanes; ++lane) {
      for (std::size_t i = 0; i < 4; ++i) lanes_.words[i][lane] = engine_.state()[i];
      engine_.jump(kToNextLane);
    }
    by_lanes_ = true;
  }
  const std::size_t known = ready_.size();
  ready_.resize(known + kAllDraws);
  kernel_->draw(lanes_, &ready_[known], kDraws);
  kernel_->jump(lanes_, kToNextDraws.data());
}

void Draws::refill(std::size_t least) {
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  while (ready_.size() < least) {
    const std::size_t known = ready_.size();
    if (kernel_ != nullptr && expected_ >= kAllDraws) {
      draw_lanes();
    } else {
      if (by_lanes_) {
        const auto& words = lanes_.words;
        engine_ = Xoshiro({words[0][0], words[1][0], words[2][0], words[3][0]});
        by_lanes_ = false;
      }
      ready_.resize(known + std::clamp<std::size_t>(expected_, 1, kFewDraws));
      for (std::size_t i = known; i < ready_.size(); ++i) ready_[i] = engine_.next();
    }
    expected_ -= std::min(expected_, ready_.size() - known);
  }
}

// As many as `many` makes of the draws that are ready, and a few by `one`: the rest of a vector, or
// what drops a draw.
template <class Many, class One>
void Draws::make(std::size_t draws_each, std::span<double> values, Many many, One one) {
  for (std::size_t done = 0; done < values.size();) {
    if (ready_.size() - at_ < draws_each) refill(draws_each);
    const std::size_t most = std::min((ready_.size() - at_) / draws_each, values.size() - done);
    const std::size_t made = many(&ready_[at_], most, &values[done]);
    at_ += made * draws_each;
    done += made;
    const std::size_t end = std::min(values.size(), done + DrawLanes::kLanes);
    for (; done < end; ++done) values[done] = one();
  }
}

void Draws::integers(const SignedInteger& draw, bool negated, std::span<double> values) {
  const Below& size = draw.magnitude();
  const SignedIntegerRule rule{draw.sign_bits(), draw.ups(), size.range(), size.excess(),
                               negated ? 1U : 0U};
  const bool by_kernel = kernel_ != nullptr && size.range() <= SignedIntegerRule::kMostRange;
  make(
      2, values,
      [&](const std::uint64_t* draws, std::size_t count, double* to) {
        return by_kernel ? kernel_->integers(rule, draws, count, to) : 0;
      },
      [&] { return negated ? -draw(*this) : draw(*this); });
}

void Draws::reals(const RealDraw& draw, std::span<double> values) {
  const auto scale = draw.scale_of_f32();
  make(
      1, values,
      [&](const std::uint64_t* draws, std::size_t count, double* to) {
        return kernel_ != nullptr && scale ? kernel_->reals(*scale, draws, count, to) : 0;
      },
      [&] { return draw(*this); });
}

}  // namespace concord::conformance
