// SPDX-License-Identifier: Apache-2.0
// Moves for CNTK's two convolutions.
#include <algorithm>
#include <optional>

#include "conformance/shrink/following.h"
#include "conformance/shrink/move_kinds.h"

namespace concord::conformance {
namespace {

using Nd = CntkConvolutionAttributes;
using TwoD = CntkConvolution2dAttributes;

constexpr Extents Nd::*kLists[] = {&Nd::kernel,       &Nd::map_count, &Nd::stride,   &Nd::sharing,
                                   &Nd::auto_padding, &Nd::lower_pad, &Nd::upper_pad};

// A move on the attributes of the N-D form, also of a gradient of it.
template <class Change>
Move change_nd(Change change) {
  return single([change](Problem& problem) {
    Nd* const a = cntk_nd(problem);
    return a != nullptr && change(*a);
  });
}

Move lower_nd(Extents Nd::*list, std::size_t i, Extent least) {
  return lower(
      [list, i](Problem& problem) -> Extent* {
        Nd* const a = cntk_nd(problem);
        return a == nullptr ? nullptr : at(&(a->*list), i);
      },
      least);
}

// Without one axis of the image. A list of one value for all axes stays what it is.
Move drop_cntk_axis(std::size_t axis) {
  return single([axis](Problem& problem) {
    Nd& a = *cntk_nd(problem);
    const std::size_t rank = problem.src.rank() - 1;
    if (rank < 2 || axis >= rank || a.kernel.size() != rank) return false;
    const auto place = static_cast<std::ptrdiff_t>(axis);
    for (const auto list : kLists) {
      if ((a.*list).size() == rank) (a.*list).erase((a.*list).begin() + place);
    }
    problem.src.dims.erase(problem.src.dims.begin() + place);
    make_dense(problem, problem.src);
    problem.dst.reset();
    return true;
  });
}

// One value for all axes where each has the same.
Move one_for_all(Extents Nd::*list) {
  return change_nd([list](Nd& a) {
    Extents& values = a.*list;
    const bool alike =
        values.size() > 1 &&
        std::all_of(values.begin(), values.end(), [&](Extent value) { return value == values[0]; });
    if (alike) values = Extents{values[0]};
    return alike;
  });
}

// A flag set to its plainest value, of one axis or, if `axis` is beyond them, of all.
Move set_flag(Extents Nd::*list, std::size_t axis, Extent plain) {
  return change_nd([list, axis, plain](Nd& a) {
    Extents& flags = a.*list;
    if (axis < flags.size()) {
      flags[axis] = plain;
    } else {
      std::fill(flags.begin(), flags.end(), plain);
    }
    return true;
  });
}

void add_nd_moves(std::vector<Move>& moves, std::size_t rank) {
  for (std::size_t axis = 0; axis < rank; ++axis) moves.push_back(drop_cntk_axis(axis));
  // Weights of their own, and padding: first of all axes, then of one.
  for (std::size_t axis = rank + 1; axis-- > 0;) {
    moves.push_back(set_flag(&Nd::sharing, axis, 1));
    moves.push_back(set_flag(&Nd::auto_padding, axis, 0));
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    moves.push_back(lower_nd(&Nd::kernel, axis, 1));
    moves.push_back(lower_nd(&Nd::map_count, axis, 1));
  }
}

void add_nd_attributes(std::vector<Move>& moves, std::size_t rank) {
  for (std::size_t axis = 0; axis < rank; ++axis) {
    moves.push_back(lower_nd(&Nd::stride, axis, 1));
    moves.push_back(lower_nd(&Nd::lower_pad, axis, 0));
    moves.push_back(lower_nd(&Nd::upper_pad, axis, 0));
  }
  moves.push_back(lower(
      [](Problem& problem) -> Extent* {
        Nd* const a = cntk_nd(problem);
        return a == nullptr ? nullptr : &a->max_temp_mem_size_in_samples;
      },
      0));
  for (const auto list :
       {&Nd::stride, &Nd::sharing, &Nd::auto_padding, &Nd::lower_pad, &Nd::upper_pad}) {
    moves.push_back(one_for_all(list));
  }
}

void add_2d_moves(std::vector<Move>& moves) {
  moves.push_back(lower_of(&TwoD::zero_padding, 0));
  moves.push_back(lower_of(&TwoD::kernel_width, 1));
  moves.push_back(lower_of(&TwoD::kernel_height, 1));
  moves.push_back(single_of<TwoD>([](TwoD& a) {
    a.map_count = 0;
    return true;
  }));
}

// [C,W,H,samples] becomes [W,H,C,samples].
Move plain_layout() {
  return single([](Problem& problem) {
    auto& a = std::get<TwoD>(problem.attributes);
    if (a.image_layout != CntkLayout::kHwc || problem.src.rank() != 4) return false;
    a.image_layout = CntkLayout::kCudnn;
    std::rotate(problem.src.dims.begin(), problem.src.dims.begin() + 1,
                problem.src.dims.begin() + 3);
    make_dense(problem, problem.src);
    problem.dst.reset();
    return true;
  });
}

void add_2d_attributes(std::vector<Move>& moves) {
  moves.push_back(lower_of(&TwoD::horizontal_stride, 1));
  moves.push_back(lower_of(&TwoD::vertical_stride, 1));
  moves.push_back(lower_of(&TwoD::max_temp_mem_size_in_samples, 0));
  moves.push_back(plain_layout());
}

// Weights in one row become the matrix of a kernel in each row.
Move matrix_of_weights() {
  return single([](Problem& problem) {
    const auto needed = needed_weights(problem);
    if (!needed || problem.weights.dims == *needed) return false;
    if (element_count(problem.weights.dims) != element_count(*needed)) return false;
    problem.weights = {*needed, {}};
    return true;
  });
}

// As many maps as weights have rows: fewer rows.
Move fewer_rows() {
  return lower(
      [](Problem& problem) -> Extent* {
        const Nd* nd = cntk_nd(problem);
        const auto* flat = std::get_if<TwoD>(&problem.attributes);
        const bool by_rows =
            nd != nullptr ? nd->map_count == Extents{0} : flat != nullptr && flat->map_count == 0;
        return by_rows ? at(&problem.weights.dims, 0) : nullptr;
      },
      1);
}

}  // namespace

void add_cntk_moves(std::vector<Move>& moves, const Problem& problem) {
  const std::size_t rank = problem.src.rank() < 1 ? 0 : problem.src.rank() - 1;
  const bool is_nd = cntk_nd(problem) != nullptr;
  if (!is_nd && !std::holds_alternative<TwoD>(problem.attributes)) {
    return add_row_moves(moves, problem);
  }
  moves.push_back(matrix_of_weights());
  moves.push_back(fewer_rows());
  if (is_nd) {
    add_nd_moves(moves, rank);
  } else {
    add_2d_moves(moves);
  }
  add_src_moves(moves, problem);
  if (is_nd) {
    add_nd_attributes(moves, rank);
  } else {
    add_2d_attributes(moves);
  }
}

}  // namespace concord::conformance
