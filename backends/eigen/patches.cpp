// SPDX-License-Identifier: Apache-2.0
#include "backends/eigen/patches.h"

#include <unsupported/Eigen/CXX11/Tensor>

namespace concord::backends {
namespace {

using Pairs = Eigen::array<Eigen::IndexPair<Eigen::Index>, 1>;

/// dst [positions,OC] = patches [positions,K*IC] times weights [K*IC,OC]; Eigen's tensors have
/// their first axis fastest, so all of it is written the other way round.
template <class T, class PatchExpression>
void contract(const Window& w, const Group& group, const PatchExpression& patches) {
  using Matrix = Eigen::Tensor<T, 2>;
  const Extent taps = w.K[0] * w.K[1] * w.K[2] * group.IC;
  const Extent positions = w.O[0] * w.O[1] * w.O[2] * group.N;
  const Eigen::TensorMap<const Matrix> weights(static_cast<const T*>(group.weights), group.OC,
                                               taps);
  Eigen::TensorMap<Matrix> dst(static_cast<T*>(group.dst), group.OC, positions);
  const Eigen::DSizes<Eigen::Index, 2> matrix(taps, positions);
  dst = weights.contract(patches.reshape(matrix), Pairs{Eigen::IndexPair<Eigen::Index>(1, 0)});
  if (group.bias == nullptr) return;
  const Eigen::TensorMap<const Matrix> bias(static_cast<const T*>(group.bias), group.OC, 1);
  dst += bias.broadcast(Eigen::DSizes<Eigen::Index, 2>(1, positions));
}

/// Eigen's rows are our W, its columns our H.
template <class T>
void convolve_image(const Window& w, const Group& group) {
  const Eigen::TensorMap<const Eigen::Tensor<T, 4>> src(static_cast<const T*>(group.src), group.IC,
                                                        w.I[2], w.I[1], group.N);
  contract<T>(
      w, group,
      src.extract_image_patches(w.K[2], w.K[1], w.S[2], w.S[1], w.D[2], w.D[1],
                                /*row_inflate_stride=*/1, /*col_inflate_stride=*/1, w.pad_begin[2],
                                w.pad_end[2], w.pad_begin[1], w.pad_end[1], T(0)));
}

/// Eigen's planes are our W, its rows our H, its columns our D.
template <class T>
void convolve_volume(const Window& w, const Group& group) {
  const Eigen::TensorMap<const Eigen::Tensor<T, 5>> src(static_cast<const T*>(group.src), group.IC,
                                                        w.I[2], w.I[1], w.I[0], group.N);
  contract<T>(w, group,
              src.extract_volume_patches(
                  w.K[2], w.K[1], w.K[0], w.S[2], w.S[1], w.S[0], /*plane_inflate_stride=*/1,
                  /*row_inflate_stride=*/1, /*col_inflate_stride=*/1, w.pad_begin[2], w.pad_end[2],
                  w.pad_begin[1], w.pad_end[1], w.pad_begin[0], w.pad_end[0], T(0)));
}

/// One channel of src and one of dst: Eigen's own convolution of a padded copy, then every S-th
/// output. Each element of a patch would be for one product, and finding it costs ten.
template <class T>
void convolve_channel(const Window& w, const Group& group) {
  using Planes = Eigen::Tensor<T, 4>;  // W, H, D, N
  const Eigen::TensorMap<const Planes> src(static_cast<const T*>(group.src), w.I[2], w.I[1], w.I[0],
                                           group.N);
  const Eigen::TensorMap<const Eigen::Tensor<T, 3>> weights(static_cast<const T*>(group.weights),
                                                            w.K[2], w.K[1], w.K[0]);
  Eigen::TensorMap<Planes> dst(static_cast<T*>(group.dst), w.O[2], w.O[1], w.O[0], group.N);
  using Pads = std::pair<Eigen::Index, Eigen::Index>;
  const Eigen::array<Pads, 4> pads{Pads(w.pad_begin[2], w.pad_end[2]),
                                   Pads(w.pad_begin[1], w.pad_end[1]),
                                   Pads(w.pad_begin[0], w.pad_end[0]), Pads(0, 0)};
  const Planes padded = src.pad(pads);
  const Eigen::array<Eigen::Index, 3> axes{0, 1, 2};
  const Eigen::array<Eigen::Index, 4> strides{w.S[2], w.S[1], w.S[0], 1};
  dst = padded.convolve(weights, axes).stride(strides);
  if (group.bias != nullptr) dst = dst + *static_cast<const T*>(group.bias);
}

template <class T>
void convolve_as(const Window& window, bool volume, const Group& group) {
  if (is_one_channel(window, group.N, group.IC, group.OC)) {
    convolve_channel<T>(window, group);
  } else if (volume) {
    convolve_volume<T>(window, group);
  } else {
    convolve_image<T>(window, group);
  }
}

}  // namespace

bool is_one_channel(const Window& w, Extent N, Extent IC, Extent OC) {
  constexpr double kLargest = 1 << 24;  // beyond it Eigen's quotients in f32 would be wrong, too
  auto padded = static_cast<double>(N);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (w.D[axis] != 1) return false;
    padded *= static_cast<double>(w.I[axis] + w.pad_begin[axis] + w.pad_end[axis]);
  }
  return IC == 1 && OC == 1 && padded <= kLargest;
}

void convolve(Dtype dtype, const Window& window, bool volume, const Group& group) {
  switch (dtype) {
    case Dtype::kF32:
      return convolve_as<float>(window, volume, group);
    case Dtype::kF16:
      return convolve_as<Eigen::half>(window, volume, group);
    case Dtype::kBF16:
      return convolve_as<Eigen::bfloat16>(window, volume, group);
    case Dtype::kF64:
      return convolve_as<double>(window, volume, group);
    default:  // declined before
      return;
  }
}

}  // namespace concord::backends
