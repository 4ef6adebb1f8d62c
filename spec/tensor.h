// SPDX-License-Identifier: Apache-2.0
// Tensors as the operations' users describe them: a dtype-free shape with strides, and the formats
// that say which axis means what.
#ifndef CONCORD_SPEC_TENSOR_H_
#define CONCORD_SPEC_TENSOR_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/words.h"

namespace concord {

/// A number of elements, or an index. Signed, so that arithmetic on it cannot wrap silently.
using Extent = std::int64_t;
using Extents = std::vector<Extent>;

/// Tensors through the plugin ABI have at most this many dimensions.
inline constexpr std::size_t kMaxRank = 8;

/// The shape of a tensor and its memory layout.
struct Tensor {
  Extents dims{};
  /// Elements from one index to the next, per axis; empty means dense, last axis fastest.
  Extents strides{};

  std::size_t rank() const { return dims.size(); }
  bool operator==(const Tensor&) const = default;
};

/// The strides of a dense tensor, last axis fastest. Zero extents count as one.
Extents dense_strides(const Extents& dims);
/// The strides of a dense tensor, first axis fastest.
Extents column_major_strides(const Extents& dims);
/// `tensor.strides`, or the dense ones where it has none. As everywhere below, `tensor` has as many
/// strides as dims, or none.
Extents strides_of(const Tensor& tensor);
/// The number of elements, or nothing if it overflows or an extent is negative. An extent of zero
/// counts as one in the overflow check, so that the strides of an empty tensor also fit.
std::optional<Extent> element_count(const Extents& dims);
/// The number of elements from the first to the last one in memory, gaps included: 0 for an empty
/// tensor; nothing if it overflows or an extent or stride is negative.
std::optional<Extent> element_span(const Tensor& tensor);
/// True if each axis steps over all that the faster ones reach, so that no two indices share an
/// element; and for every empty tensor. Axes that interleave, such as 3x2:2x3, count as sharing.
/// `tensor` has an element_span().
bool is_injective(const Tensor& tensor);

/// Order of the axes of src and dst: NCX = [N, C, spatial...], NXC = [N, spatial..., C].
enum class DataFormat { kNXC, kNCX };
/// Order of the axes of weights: XIO = [spatial..., IC/G, OC], OIX = [OC, IC/G, spatial...].
enum class WeightsFormat { kXIO, kOIX };
template <>
inline constexpr std::array kWords<DataFormat> = std::to_array<std::string_view>({"NXC", "NCX"});
template <>
inline constexpr std::array kWords<WeightsFormat> = std::to_array<std::string_view>({"XIO", "OIX"});

/// The axis of a tensor of `rank` dimensions at each position of the channels-first order:
/// [N, C, spatial...] for data, [OC, IC/G, spatial...] for weights.
std::vector<std::size_t> channels_first_axes(DataFormat format, std::size_t rank);
std::vector<std::size_t> channels_first_axes(WeightsFormat format, std::size_t rank);

/// The tensor with its axes in the given order; the elements stay where they are, so the result
/// always has strides.
/// Shapes  axes is a permutation of 0..rank-1; result axis i is tensor axis axes[i]
Tensor permute(const Tensor& tensor, const std::vector<std::size_t>& axes);
/// The inverse: result axis axes[i] is tensor axis i.
Tensor unpermute(const Tensor& tensor, const std::vector<std::size_t>& axes);

/// "2x4x9x10", or "2x4x9x10:1440x360x40x4" with strides; "()" for no dimensions.
std::string to_string(const Tensor& tensor);

}  // namespace concord

#endif  // CONCORD_SPEC_TENSOR_H_
