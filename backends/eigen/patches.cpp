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

template <class T>
void convolve_as(const Window& window, bool volume, const Group& group) {
  if (volume) {
    convolve_volume<T>(window, group);
  } else {
    convolve_image<T>(window, group);
  }
}

}  // namespace

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
