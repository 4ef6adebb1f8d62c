// SPDX-License-Identifier: Apache-2.0
// Draws for generators of problems. Everything shrinks towards the first or the least value.
#ifndef CONCORD_FUZZ_PICKS_H_
#define CONCORD_FUZZ_PICKS_H_

#include <rapidcheck.h>

#include <initializer_list>
#include <vector>

#include "spec/tensor.h"

namespace concord::fuzz {

/// From `least` to `most`. All sizes alike: RapidCheck would otherwise keep to the lower part of a
/// range in its first tries.
Extent pick(Extent least, Extent most);
bool one_in(Extent n);

template <class T, std::size_t count>
T pick_of(const T (&values)[count]) {
  return *rc::gen::elementOf(std::vector<T>(values, values + count));
}

/// Strides that put the axes in any order, with gaps of up to two elements behind each.
Extents pick_strides(const Extents& dims);

/// Replaces one number of a list by one of `number()`, or changes its length.
template <class Number>
void spoil_list(Extents& list, Number number) {
  if (list.empty() || one_in(4)) {
    list.resize(list.empty() || one_in(2) ? list.size() + 1 : list.size() - 1, number());
  } else {
    list[static_cast<std::size_t>(pick(0, static_cast<Extent>(list.size()) - 1))] = number();
  }
}

/// The same of a tensor's extents or of its strides.
template <class Number>
void spoil_tensor(Tensor& tensor, Number number) {
  if (one_in(2)) {
    spoil_list(tensor.dims, number);
  } else {
    if (tensor.strides.empty()) tensor.strides = dense_strides(tensor.dims);
    spoil_list(tensor.strides, number);
  }
}

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_PICKS_H_
