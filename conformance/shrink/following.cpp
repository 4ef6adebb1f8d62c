// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/following.h"

#include <algorithm>
#include <utility>

#include "reference/reference.h"

namespace concord::conformance {
namespace {

// The entry of axis `i` in a list of one value for all axes, or one for each of the first ones.
Extent entry(const Extents& list, std::size_t i, Extent missing) {
  if (list.size() == 1) return list[0];
  return i < list.size() ? list[i] : missing;
}

std::optional<Extents> rows_and_cells(const Problem& problem, const CntkConvolutionAttributes& a) {
  if (problem.src.rank() < 2 || problem.weights.rank() != 2) return std::nullopt;
  const Extents input(problem.src.dims.begin(), problem.src.dims.end() - 1);
  // A kernel of fewer axes is completed by the input's extents.
  Extents kernel = a.kernel;
  for (std::size_t i = kernel.size(); i < input.size(); ++i) kernel.push_back(input[i]);
  const auto cells = element_count(kernel);
  const bool by_rows = a.map_count == Extents{0};
  const auto maps = by_rows ? std::optional(problem.weights.dims[0]) : element_count(a.map_count);
  if (!cells || !maps) return std::nullopt;
  // Shared, every position has the same weights: a geometry that says how many positions there are.
  CntkConvolutionAttributes shared = a;
  shared.sharing = {1};
  const auto g =
      reference::resolve_cntk({problem.src.dims, {*maps, *cells}}, shared, problem.reading);
  if (!g) return std::nullopt;
  Extents rows;
  for (std::size_t i = 0; i < g->rank; ++i) {
    const reference::CntkAxis& axis = g->axes[i];
    rows.push_back(entry(a.sharing, i, 1) == 1 ? axis.map_count : axis.output());
  }
  const auto count = element_count(rows);
  if (!count) return std::nullopt;
  return Extents{*count, *cells};
}

std::optional<Extents> rows_and_cells(const Problem& problem,
                                      const CntkConvolution2dAttributes& a) {
  if (problem.src.rank() != 4 || problem.weights.rank() != 2) return std::nullopt;
  const Extent C = problem.src.dims[a.image_layout == CntkLayout::kCudnn ? 2 : 0];
  const auto cells = element_count({a.kernel_width, a.kernel_height, C});
  if (!cells) return std::nullopt;
  return Extents{a.map_count == 0 ? problem.weights.dims[0] : a.map_count, *cells};
}

std::optional<Extents> parameters(const Problem& problem, const ContinuousAttributes& a) {
  if (problem.src.rank() != 4 || a.kernel.size() != 2 || a.widths.size() != 2) return std::nullopt;
  const auto count = reference::parameters_of(problem.src.dims[1], a);
  if (!count) return std::nullopt;
  return Extents{*count};
}

std::optional<Extents> parameters(const Problem& problem, const ContinuousChainAttributes& a) {
  const auto of_layer =
      problem.src.rank() == 4 ? parameters(problem, a.layer(problem.src.dims[1])) : std::nullopt;
  if (!of_layer) return std::nullopt;
  return Extents{static_cast<Extent>(a.scales_h.size()), of_layer->front()};
}

// The attributes if they are those of `Base`, or of an operation whose are derived from them.
template <class Base>
const Base* attributes_as(const Problem& problem) {
  return std::visit(
      [](const auto& a) -> const Base* {
        if constexpr (std::is_base_of_v<Base, std::decay_t<decltype(a)>>) return &a;
        return nullptr;
      },
      problem.attributes);
}

// A tensor that has other extents now, and was dense.
void keep_dense(const Problem& problem, const Tensor& before, Tensor& now, bool first_fastest) {
  if (now.dims == before.dims || now.strides != before.strides) return;
  const Extents dense =
      first_fastest ? column_major_strides(before.dims) : dense_strides(before.dims);
  if (now.rank() != before.rank() || before.strides == dense) {
    now.strides.clear();
    if (first_fastest) make_dense(problem, now);
  }
}

void follow(const std::optional<Extents>& needed_before, const std::optional<Extents>& needed_now,
            bool column_major, Tensor& tensor) {
  if (!needed_before || !needed_now || *needed_before == *needed_now) return;
  const auto row_of = [](const Extents& dims) {
    return Extents{1, element_count(dims).value_or(0)};
  };
  // CNTK takes as many weights in one row as well.
  const bool in_a_row = tensor.dims != *needed_before && tensor.dims == row_of(*needed_before);
  if (tensor.dims != *needed_before && !in_a_row) return;
  const auto dense = column_major ? column_major_strides : dense_strides;
  const bool was_dense = tensor.strides == dense(tensor.dims);
  tensor.dims = in_a_row ? row_of(*needed_now) : *needed_now;
  if (was_dense) tensor.strides = column_major ? column_major_strides(tensor.dims) : Extents{};
}

void follow_dst(const Problem& before, Problem& changed) {
  if (!changed.dst) return;
  const Tensor stated = *changed.dst;
  changed.dst.reset();
  const auto geometry = reference::resolve(changed);
  if (!geometry || geometry->dst.rank() != stated.rank()) return;
  changed.dst = Tensor{geometry->dst.dims, stated.strides};
  if (before.dst) {
    keep_dense(changed, *before.dst, *changed.dst, is_dst_column_major(changed.operation()));
  }
}

}  // namespace

const CntkConvolutionAttributes* cntk_nd(const Problem& problem) {
  return attributes_as<CntkConvolutionAttributes>(problem);
}
CntkConvolutionAttributes* cntk_nd(Problem& problem) {
  return const_cast<CntkConvolutionAttributes*>(cntk_nd(std::as_const(problem)));
}

std::optional<Extents> needed_weights(const Problem& problem) {
  if (const auto* a = cntk_nd(problem)) return rows_and_cells(problem, *a);
  if (const auto* a = std::get_if<CntkConvolution2dAttributes>(&problem.attributes)) {
    return rows_and_cells(problem, *a);
  }
  if (const auto* a = std::get_if<ContinuousChainAttributes>(&problem.attributes)) {
    return parameters(problem, *a);
  }
  const auto* a = attributes_as<ContinuousAttributes>(problem);
  return a == nullptr ? std::nullopt : parameters(problem, *a);
}

std::optional<Extents> needed_diff_dst(const Problem& problem) {
  const auto count = needed_weights(problem);
  if (!count || !has_diff_dst(problem.operation())) return std::nullopt;
  Problem forward;
  forward.reading = problem.reading;
  forward.src = {problem.src.dims, {}};
  forward.weights = {*count, {}};
  if (const auto* a = cntk_nd(problem)) {
    forward.attributes = *a;
  } else {
    forward.attributes = *attributes_as<ContinuousAttributes>(problem);
  }
  const auto geometry = reference::resolve(forward);
  if (!geometry) return std::nullopt;
  return geometry->dst.dims;
}

void make_dense(const Problem& problem, Tensor& tensor) {
  tensor.strides.clear();
  const bool is_image =
      (&tensor == &problem.src || (problem.diff_dst && &tensor == &*problem.diff_dst))
          ? is_column_major(problem.operation())
          : problem.dst && &tensor == &*problem.dst && is_dst_column_major(problem.operation());
  if (is_image) {
    tensor.strides = column_major_strides(tensor.dims);
  }
}

Problem refitted(const Problem& before, Problem changed) {
  const bool column_major = is_column_major(changed.operation());
  if (column_major) keep_dense(changed, before.src, changed.src, true);
  if (has_weights(changed.operation())) {
    follow(needed_weights(before), needed_weights(changed), false, changed.weights);
  }
  if (changed.diff_dst) {
    follow(needed_diff_dst(before), needed_diff_dst(changed), column_major, *changed.diff_dst);
  }
  follow_dst(before, changed);
  return changed;
}

}  // namespace concord::conformance
