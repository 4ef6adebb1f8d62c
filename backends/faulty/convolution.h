// SPDX-License-Identifier: Apache-2.0
// A plain convolution that can be made wrong. Every place where libraries were found to go wrong is
// a hook of Mutation; with no hook set, the convolution is right.
#ifndef CONCORD_BACKENDS_FAULTY_CONVOLUTION_H_
#define CONCORD_BACKENDS_FAULTY_CONVOLUTION_H_

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "backends/adapter/adapter.h"
#include "backends/adapter/shape.h"
#include "backends/faulty/doubles.h"
#include "backends/faulty/forms.h"

namespace concord::backends::faulty {

inline constexpr std::size_t kSpatialRank = kMaxRank - 2;
/// The last three are depth, height and width; missing leading axes have extent, stride and
/// dilation 1, padding 0.
using Spatial = std::array<Extent, kSpatialRank>;
inline constexpr std::size_t kDepth = kSpatialRank - 3, kHeight = kDepth + 1, kWidth = kDepth + 2;
inline constexpr Spatial kOnes{1, 1, 1, 1, 1, 1};

/// What the loops read.
struct Nest {
  Extent N, G, IC, OC;
  Spatial I, O, K, S, D, P_begin, P_end;
  Extent ICG() const { return IC / G; }
  Extent OCG() const { return OC / G; }
};

/// An element of dst.
struct At {
  Extent n, oc;
  Spatial o;
};

/// One product: which element of src, [n, c, i], by which of weights, [w_oc, w_ic, w_k].
struct Tap {
  At at;
  Extent ic;  ///< within the group
  Spatial k;
  Extent n, c;
  Spatial i;
  Extent w_oc, w_ic;
  Spatial w_k;
  bool counts;  ///< the element of src exists: i is within I
};

/// How the tensors lie in memory, axes channels first.
struct Views {
  Tensor src, weights, dst;
  std::optional<Tensor> bias;
};

/// A tensor, of whose elements an offset is computed.
enum class Part { kSrc, kWeights, kBias, kDst };

/// What outlives an execution: belongs to the opened backend.
struct Memory {
  int executions = 0;
  std::map<const void*, std::vector<float>> weights_by_address{};
  std::vector<float> last_dst{};
  std::map<const void*, std::vector<float>> src_by_problem{};
  const void* last_weights = nullptr;
  std::vector<float> packed{};
  int releases = 0;  ///< of prepared problems
};

/// One execution. The tensors are dense and channels first, whatever their layout was.
struct Run {
  const Problem& problem;
  const Nest& nest;
  const Views& views;
  const Buffers& buffers;
  Memory& memory;
  int threads;
  int executions_before;  ///< of this prepared problem
  bool constant_weights;  ///< they were shown to prepare
  int releases_since;     ///< of other problems, since this one was prepared
  std::vector<float> src{}, weights{}, bias{}, dst{};
  bool writes_dst = true;
};

/// Computes the offset of an element in bytes from its offset in elements.
using OffsetHook = Extent (*)(Part part, Extent element, Extent element_bytes);

/// The hooks, in the order in which they are called.
struct Mutation {
  /// query, prepare: the problem that the plugin takes for the one asked.
  void (*problem)(Problem&) = nullptr;
  /// query: a refusal of a problem that should be served.
  std::optional<Refused> (*query)(const Problem&) = nullptr;
  void (*answer)(const Problem&, Answer&) = nullptr;
  std::optional<Refused> (*prepare)(const Problem&) = nullptr;
  std::size_t workspace_bytes = 0;
  /// execute.
  OffsetHook offset = nullptr;  ///< by which alone it goes, in memory as it lies: huge.h
  void (*layout)(const Problem&, Views&) = nullptr;
  void (*geometry)(const Problem&, Nest&) = nullptr;
  void (*inputs)(Run&) = nullptr;
  void (*tap)(const Nest&, Tap&) = nullptr;
  float (*add)(Dtype, float sum, float product) = nullptr;
  float (*with_bias)(const Run&, const At&, float sum, float bias) = nullptr;
  void (*outputs)(Run&) = nullptr;
  /// The value to round to the dtype; a value of the dtype is left as it is.
  float (*store)(Dtype, float) = nullptr;
  /// Behind the last write to dst: what is done to memory.
  void (*afterwards)(Run&) = nullptr;
  concord_status status = CONCORD_OK;
  /// The operations that are not discrete convolutions go by these alone.
  FormHooks forms{};
  /// f64 goes by these alone.
  DoubleHooks doubles{};
};

/// The product of channel `ic` of a group and tap `k`.
Tap tap_at(const Nest& nest, const At& at, Extent ic, const Spatial& k);

/// The loops' view of a lowered problem.
Nest nest_of(const PaddedConvolution& padded);

/// The dense place of an element in a box, and how many elements that has.
std::size_t place_in(const Spatial& extents, const Spatial& index);
Extent volume(const Spatial& extents);
/// The same in [N,IC,I], [OC,IC/G,K] and [N,OC,O].
std::size_t src_place(const Nest& nest, Extent n, Extent c, const Spatial& i);
std::size_t weights_place(const Nest& nest, Extent oc, Extent ic, const Spatial& k);
std::size_t dst_place(const Nest& nest, const At& at);

/// Fills run.dst from run.src, run.weights and run.bias.
/// Numeric  f32: products and sums in the order ic, kd, kh, kw, then the bias
void convolve(const Mutation& mutation, const Nest& nest, Run& run);

/// Executes a prepared problem: reads the inputs, convolves, writes dst.
/// `true_nest` is the right geometry, which the mutation's may differ from in all but N, OC and O.
concord_status execute(const Mutation& mutation, const Nest& true_nest, Run& run);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_CONVOLUTION_H_
