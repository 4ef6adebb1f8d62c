// SPDX-License-Identifier: Apache-2.0
// Grid: an index space to loop over, so that a formula's loop nest is one line of code.
//
//   for (const auto [n, oc, oh, ow] : Grid<4>{{N, OC, OH, OW}}) ...
#ifndef CONCORD_SPEC_GRID_H_
#define CONCORD_SPEC_GRID_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "spec/interrupt.h"
#include "spec/tensor.h"

namespace concord {

/// All index tuples of a box, the last index fastest. Extents below one make it empty, and it
/// counts as empty once the thread is interrupted(), so that nests of loops end early.
template <std::size_t rank>
class Grid {
 public:
  using Index = std::array<Extent, rank>;

  explicit constexpr Grid(const Index& extents) : extents_(extents) {}

  class Iterator {
   public:
    constexpr Iterator(const Index& extents, bool end) : extents_(extents), end_(end) {}
    constexpr const Index& operator*() const { return index_; }
    constexpr bool operator!=(const Iterator& other) const { return end_ != other.end_; }
    constexpr Iterator& operator++() {
      for (std::size_t axis = rank; axis-- > 0;) {
        if (++index_[axis] < extents_[axis]) return *this;
        index_[axis] = 0;
      }
      end_ = true;
      return *this;
    }

   private:
    Index extents_;
    Index index_{};
    bool end_;
  };

  constexpr Iterator begin() const {
    // A `const bool` would be initialised by the evaluation at compile time, where there is one.
    bool stopped = false;
    if (!std::is_constant_evaluated()) stopped = interrupted();
    return {extents_, stopped || std::any_of(extents_.begin(), extents_.end(),
                                             [](Extent e) { return e < 1; })};
  }
  constexpr Iterator end() const { return {extents_, true}; }

  /// The offset of `index` in a dense array of these extents, the last axis fastest.
  constexpr std::size_t offset(const Index& index) const {
    Extent place = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) place = place * extents_[axis] + index[axis];
    return static_cast<std::size_t>(place);
  }

 private:
  Index extents_;
};

}  // namespace concord

#endif  // CONCORD_SPEC_GRID_H_
