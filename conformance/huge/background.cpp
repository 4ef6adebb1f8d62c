// SPDX-License-Identifier: Apache-2.0
#include "conformance/huge/background.h"

#include <algorithm>
#include <cstring>

#include "spec/interrupt.h"

namespace concord::conformance {
namespace {

constexpr Extent kBlock = 65536;  // elements that are compared at once

/// Looks at blocks of memory, ascending.
class Search {
 public:
  Search(const Background& background, std::span<const std::byte> dst,
         const std::function<bool(double, double)>& accepts)
      : background_(background),
        dst_(dst),
        accepts_(accepts),
        bytes_(size_of(background.dtype)),
        next_(background.outputs.begin()) {}

  Extent channel_of(Extent place) const {
    const auto channels = static_cast<Extent>(background_.channels.size());
    return place / background_.channel_stride % channels;
  }

  // Memory of `count` elements that look as those from `place` on should.
  std::vector<std::byte> image_from(Extent place, Extent count) const {
    std::vector<std::byte> image(static_cast<std::size_t>(count) * bytes_);
    for (Extent i = 0; i < count; ++i) {
      store(background_.dtype, want_at(place + i), &image[static_cast<std::size_t>(i) * bytes_]);
    }
    return image;
  }

  void look(Extent place, std::span<const std::byte> image) {
    const auto block = dst_.subspan(static_cast<std::size_t>(place) * bytes_, image.size());
    if (std::memcmp(block.data(), image.data(), image.size()) == 0) return;
    for (std::size_t at = 0; at < image.size(); at += bytes_) {
      if (std::memcmp(&block[at], &image[at], bytes_) == 0) continue;
      judge(place + static_cast<Extent>(at / bytes_), load(background_.dtype, &block[at]));
    }
  }

  const Misfits& misfits() const { return misfits_; }

 private:
  double want_at(Extent place) const {
    return background_.channels[static_cast<std::size_t>(channel_of(place))];
  }

  void judge(Extent place, double got) {
    next_ = std::lower_bound(next_, background_.outputs.end(), place);
    if (next_ != background_.outputs.end() && *next_ == place) return;
    const double want = want_at(place);
    if (got == want || accepts_(got, want)) return;
    if (misfits_.count++ == 0) misfits_ = {1, place, got, want};
  }

  const Background& background_;
  std::span<const std::byte> dst_;
  const std::function<bool(double, double)>& accepts_;
  std::size_t bytes_;
  std::vector<Extent>::const_iterator next_;
  Misfits misfits_{};
};

}  // namespace

Misfits find_misfits(const Background& background, std::span<const std::byte> dst,
                     const std::function<bool(double got, double want)>& accepts) {
  Search search(background, dst, accepts);
  const auto count = static_cast<Extent>(dst.size() / size_of(background.dtype));
  const Extent image = background.channel_stride * static_cast<Extent>(background.channels.size());
  // Many images at once if they are small, else a part of one channel's plane.
  const bool is_small = image <= kBlock || background.channel_stride == 1;
  const Extent whole = is_small ? std::max<Extent>(kBlock / image, 1) * image : 0;
  std::vector<std::byte> expected;
  Extent of_channel = -1;
  for (Extent place = 0; place < count && !interrupted();) {
    const Extent plane_end = (place / background.channel_stride + 1) * background.channel_stride;
    const Extent end =
        std::min({count, is_small ? place + whole : plane_end, place + std::max(whole, kBlock)});
    const Extent channel = is_small ? 0 : search.channel_of(place);
    if (expected.empty() || channel != of_channel) {
      expected = search.image_from(place, is_small ? whole : std::min(plane_end - place, kBlock));
      of_channel = channel;
    }
    search.look(place, std::span(expected).first(static_cast<std::size_t>(end - place) *
                                                 size_of(background.dtype)));
    place = end;
  }
  return search.misfits();
}

}  // namespace concord::conformance
