// SPDX-License-Identifier: Apache-2.0
// A plugin in C++17 of which only the convolution itself has to be written; one file, since plugins
// carry a copy of it. This header checks
// problems of Convolution1 and Convolution over one to three spatial axes, resolves auto_pad,
// infers dst, and copies tensors of any layout, stride and dtype to dense ones and back. A backend
// is a struct:
//
//   kName, kVersion   what reports call the library
//   kOrder            the order of the axes of the dense tensors
//   kTakesGroups      false: convolve() gets one group at a time
//   refusal(g)        why g is not served, in one sentence, or nullptr
//   declare(g, answer)   fills answer.arithmetic and what else the library knows: docs/plugin.md
//   convolve<T>(g, src, weights, bias, dst)
//                     T is float, for f32, f16 and bf16, or double, for f64; bias may be nullptr
//
// and CONCORD_CONVOLUTION_PLUGIN(Backend) exports it.
#ifndef CONCORD_CONVOLUTION_H_
#define CONCORD_CONVOLUTION_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "concord_plugin.h"

namespace concord_convolution_helper {

/// Channels first: src [N,C,size...], weights [OC,IC,kernel...], dst [N,OC,extent...]. Channels
/// last: [N,size...,C], [kernel...,IC,OC], [N,extent...,OC].
enum class Order { kChannelsFirst, kChannelsLast };

/// A convolution, checked and resolved. Spatial lists are outermost axis first.
struct Geometry {
  int32_t operation = 0, dtype = 0, reading = 0, auto_pad = 0;  ///< as in the problem
  int axes = 0;                                                 ///< spatial ones: 1, 2 or 3
  int64_t n = 0, ic = 0, oc = 0, groups = 1;                    ///< ic and oc of all groups
  int64_t size[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, extent[3] = {1, 1, 1};  ///< src, weights, dst
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};                     ///< 1 is dense
  int64_t pad_begin[3] = {0, 0, 0}, pad_end[3] = {0, 0, 0};
  bool has_bias = false;
  int threads = 1;  ///< how many convolve() may use
};

/// Ends a call with a status and a sentence.
struct Refusal {
  concord_status status;
  std::string reason;
};

constexpr int kMostAxes = 5;
// Beyond these a problem is declined, so that nothing below overflows.
constexpr int64_t kLargestExtent = int64_t{1} << 20;
constexpr int64_t kLargestStride = int64_t{1} << 38;
constexpr int64_t kMostElements = int64_t{1} << 28;

inline int64_t product(const std::vector<int64_t>& extents) {
  int64_t all = 1;
  for (const int64_t each : extents) {
    if (each != 0 && all > kMostElements / each) throw Refusal{CONCORD_UNSUPPORTED, "too large"};
    all *= each;
  }
  return all;
}

/// An axis must step over all that the axes of smaller strides reach.
inline bool overlaps(const concord_tensor& tensor) {
  std::vector<std::pair<int64_t, int64_t>> axes;
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.dims[i] == 0) return false;
    if (tensor.dims[i] > 1) axes.emplace_back(tensor.strides[i], tensor.dims[i]);
  }
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return true;
    reach += stride * (extent - 1);
  }
  return false;
}

inline void check_tensor(const concord_tensor& tensor, int rank, const std::string& name) {
  if (tensor.rank != rank) {
    throw Refusal{CONCORD_INVALID, name + " has " + std::to_string(tensor.rank) +
                                       " dimensions, not " + std::to_string(rank)};
  }
  for (int i = 0; i < rank; ++i) {
    if (tensor.dims[i] < 0 || tensor.strides[i] < 0) {
      throw Refusal{CONCORD_INVALID, name + " has a negative extent or stride"};
    }
    if (tensor.dims[i] > kLargestExtent || tensor.strides[i] > kLargestStride) {
      throw Refusal{CONCORD_UNSUPPORTED, name + " is too large"};
    }
  }
  if (overlaps(tensor)) throw Refusal{CONCORD_INVALID, name + " overlaps itself"};
}

inline void copy_list(const concord_list& list, int64_t least, int axes, const std::string& name,
                      int64_t* to) {
  if (list.size != axes) {
    throw Refusal{CONCORD_INVALID, name + " has " + std::to_string(list.size) + " values, not " +
                                       std::to_string(axes)};
  }
  for (int i = 0; i < axes; ++i) {
    if (list.at[i] < least) {
      throw Refusal{CONCORD_INVALID, name + " has the value " + std::to_string(list.at[i])};
    }
    if (list.at[i] > kLargestExtent) throw Refusal{CONCORD_UNSUPPORTED, name + " is too large"};
    to[i] = list.at[i];
  }
}

/// Resolves auto_pad on one axis, and infers the extent of dst.
inline void resolve_axis(Geometry& g, int i) {
  const int64_t dilated = (g.kernel[i] - 1) * g.dilation[i] + 1;
  if (g.kernel[i] < 1) throw Refusal{CONCORD_INVALID, "the kernel is empty"};
  if (g.auto_pad == CONCORD_PAD_SAME_UPPER || g.auto_pad == CONCORD_PAD_SAME_LOWER) {
    const int64_t outputs = (g.size[i] + g.stride[i] - 1) / g.stride[i];
    const int64_t total =
        g.reading == CONCORD_READING_DOCUMENTED
            ? dilated - 1
            : std::max<int64_t>((outputs - 1) * g.stride[i] + dilated - g.size[i], 0);
    g.pad_begin[i] = g.auto_pad == CONCORD_PAD_SAME_UPPER ? total / 2 : total - total / 2;
    g.pad_end[i] = total - g.pad_begin[i];
  }
  const int64_t room = g.size[i] + g.pad_begin[i] + g.pad_end[i] - dilated;
  if (room < -g.stride[i]) throw Refusal{CONCORD_INVALID, "the kernel exceeds the padded input"};
  g.extent[i] = room < 0 ? 0 : room / g.stride[i] + 1;
}

/// A tensor's extents and strides in the order of the dense copy.
struct View {
  std::vector<int64_t> dims, strides;
};

/// Where [N,C,X...] is in a tensor of that data_format, and [OC,IC,X...] in weights.
inline std::vector<int> positions(bool channels_first, bool is_weights, int rank) {
  std::vector<int> at = {0, channels_first ? 1 : rank - 1};
  if (is_weights && !channels_first) at = {rank - 1, rank - 2};
  const int first = channels_first ? 2 : is_weights ? 0 : 1;
  for (int i = 0; i < rank - 2; ++i) at.push_back(first + i);
  return at;
}

inline View view_of(const concord_tensor& tensor, const std::vector<int>& at, bool is_weights,
                    Order order) {
  std::vector<int> from = at;
  if (order == Order::kChannelsLast) {
    std::rotate(from.begin() + (is_weights ? 0 : 1), from.begin() + 2, from.end());
    if (is_weights) std::swap(from[from.size() - 2], from[from.size() - 1]);
  }
  View view;
  for (const int axis : from) {
    view.dims.push_back(tensor.dims[axis]);
    view.strides.push_back(tensor.strides[axis]);
  }
  return view;
}

/// Where a group's channels are counted in a View.
inline std::size_t channel_axis(bool is_weights, Order order, std::size_t rank) {
  if (is_weights) return order == Order::kChannelsFirst ? 0 : rank - 1;
  return order == Order::kChannelsFirst ? 1 : rank - 1;
}

/// What prepare builds.
struct Plan {
  Geometry geometry;
  View src, weights, bias, dst;
  std::vector<float> floats[4];
  std::vector<double> doubles[4];

  template <class T>
  T* buffer(int which) {
    if constexpr (std::is_same_v<T, double>) {
      return doubles[which].data();
    } else {
      return floats[which].data();
    }
  }
};

inline std::string name_of(int32_t operation) {
  static const char* const kNames[] = {"Convolution1",
                                       "Convolution",
                                       "AtrousConv2d",
                                       "SpaceToBatch",
                                       "BatchToSpace",
                                       "CntkConvolution",
                                       "CntkConvolution2d",
                                       "ContinuousConvolution",
                                       "ContinuousBackwardData",
                                       "ContinuousBackwardWeights",
                                       "AtrousChain",
                                       "ContinuousBackwardGrid",
                                       "ContinuousBackwardKernel",
                                       "ContinuousChain",
                                       "CntkBackwardData",
                                       "CntkBackwardWeights"};
  const bool is_known = operation >= 1 && operation <= CONCORD_CNTK_BACKWARD_WEIGHTS;
  return is_known ? kNames[operation - 1] : "operation " + std::to_string(operation);
}

/// Is a field set that a later header appended to those that this one reads? They are 0 where a
/// problem does not use them.
inline bool has_newer_attributes(const concord_convolution& a) {
  const char* const begin = reinterpret_cast<const char*>(&a);
  const std::size_t known = offsetof(concord_convolution, groups) + sizeof a.groups;
  return std::any_of(begin + known, begin + std::max<std::size_t>(known, a.struct_size),
                     [](char byte) { return byte != 0; });
}

inline void check_words(const concord_problem& problem) {
  if (problem.operation != CONCORD_CONVOLUTION_1 && problem.operation != CONCORD_CONVOLUTION) {
    throw Refusal{CONCORD_UNSUPPORTED, name_of(problem.operation) + " is not served"};
  }
  const auto& a = *static_cast<const concord_convolution*>(problem.attributes);
  const concord_tensor& src = problem.inputs[0];
  for (int i = 0; i < problem.num_inputs; ++i) {
    if (problem.inputs[i].dtype != src.dtype || problem.outputs[0].dtype != src.dtype) {
      throw Refusal{CONCORD_INVALID, "the tensors differ in dtype"};
    }
  }
  if (src.dtype < CONCORD_F32 || src.dtype > CONCORD_F64) {
    throw Refusal{CONCORD_UNSUPPORTED, "dtype " + std::to_string(src.dtype) + " is not served"};
  }
  if (problem.reading < 0 || problem.reading > CONCORD_READING_DOCUMENTED || a.auto_pad < 0 ||
      a.auto_pad > CONCORD_PAD_VALID || a.data_format < 0 || a.data_format > CONCORD_NCX ||
      a.weights_format < 0 || a.weights_format > CONCORD_OIX) {
    throw Refusal{CONCORD_UNSUPPORTED, "reading, auto_pad or a format is not known to this plugin"};
  }
  if (has_newer_attributes(a)) {
    throw Refusal{CONCORD_UNSUPPORTED, "an attribute is not known to this plugin"};
  }
  if (src.rank < 3) throw Refusal{CONCORD_INVALID, "src has no spatial axis"};
  if (src.rank > kMostAxes) {
    throw Refusal{CONCORD_UNSUPPORTED,
                  std::to_string(src.rank - 2) + " spatial axes are not served"};
  }
}

/// Checks a problem.
/// Errors  throws Refusal
inline Plan make_plan(const concord_problem& problem, Order order) {
  check_words(problem);
  const auto& a = *static_cast<const concord_convolution*>(problem.attributes);
  const concord_tensor &src = problem.inputs[0], &weights = problem.inputs[1];
  const int rank = src.rank;
  check_tensor(src, rank, "src");
  check_tensor(weights, rank, "weights");
  if (problem.num_inputs == 3) check_tensor(problem.inputs[2], 1, "bias");
  if (problem.outputs[0].rank != 0) check_tensor(problem.outputs[0], rank, "dst");

  Plan plan;
  Geometry& g = plan.geometry;
  g.operation = problem.operation;
  g.dtype = src.dtype;
  g.reading = problem.reading;
  g.auto_pad = a.auto_pad;
  g.axes = rank - 2;
  g.groups = a.groups;
  g.has_bias = problem.num_inputs == 3;
  copy_list(a.strides, 1, g.axes, "strides", g.stride);
  copy_list(a.dilations, 1, g.axes, "dilations", g.dilation);
  if (a.auto_pad == CONCORD_PAD_NONE) {
    copy_list(a.pads_begin, 0, g.axes, "pads_begin", g.pad_begin);
    copy_list(a.pads_end, 0, g.axes, "pads_end", g.pad_end);
  }
  const std::vector<int> data_at = positions(a.data_format == CONCORD_NCX, false, rank);
  const std::vector<int> weights_at = positions(a.weights_format == CONCORD_OIX, true, rank);
  g.n = src.dims[data_at[0]];
  g.ic = src.dims[data_at[1]];
  g.oc = weights.dims[weights_at[0]];
  if (g.groups < 1 || g.ic % g.groups != 0 || g.oc % g.groups != 0 ||
      weights.dims[weights_at[1]] != g.ic / g.groups) {
    throw Refusal{CONCORD_INVALID, "the channels do not match groups=" + std::to_string(g.groups)};
  }
  if (g.has_bias && problem.inputs[2].dims[0] != g.oc) {
    throw Refusal{CONCORD_INVALID, "bias does not have one element per output channel"};
  }
  concord_tensor dst = problem.outputs[0];
  const bool is_stated = dst.rank != 0;
  std::vector<int64_t> inferred = {g.n, g.oc};
  for (int i = 0; i < g.axes; ++i) {
    g.size[i] = src.dims[data_at[static_cast<std::size_t>(i) + 2]];
    g.kernel[i] = weights.dims[weights_at[static_cast<std::size_t>(i) + 2]];
    resolve_axis(g, i);
    inferred.push_back(g.extent[i]);
  }
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (is_stated && dst.dims[data_at[i]] != inferred[i]) {
      throw Refusal{CONCORD_INVALID, "dst does not have the inferred shape"};
    }
    dst.dims[data_at[i]] = inferred[i];
  }
  dst.rank = rank;
  plan.src = view_of(src, data_at, false, order);
  plan.weights = view_of(weights, weights_at, true, order);
  plan.dst = view_of(dst, data_at, false, order);
  if (g.has_bias) plan.bias = {{g.oc}, {problem.inputs[2].strides[0]}};
  for (const View* view : {&plan.src, &plan.weights, &plan.dst}) product(view->dims);
  return plan;
}

inline float from_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                     : exponent == 0
                         ? std::ldexp(static_cast<float>(fraction), -24)
                         : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

inline float from_brain(uint16_t bits) {
  const uint32_t wide = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// The bits of `value` rounded to nearest even: 5 and 10 for f16, 8 and 7 for bf16.
inline uint16_t narrow(float value, int exponent_bits, int fraction_bits) {
  const uint32_t infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  const uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  if (std::isnan(value)) return static_cast<uint16_t>(infinity | 1u << (fraction_bits - 1));
  if (std::isinf(value) || value == 0)
    return static_cast<uint16_t>(sign | (value == 0 ? 0 : infinity));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent;
  std::frexp(value, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double units =
      std::nearbyint(std::ldexp(std::fabs(double{value}), fraction_bits - exponent));
  const uint32_t bits =
      (static_cast<uint32_t>(exponent + bias - 1) << fraction_bits) + static_cast<uint32_t>(units);
  return static_cast<uint16_t>(sign | std::min(bits, infinity));
}

template <class T>
T load(const void* data, int32_t dtype, int64_t at) {
  if constexpr (std::is_same_v<T, double>) return static_cast<const double*>(data)[at];
  if (dtype == CONCORD_F32) return static_cast<const float*>(data)[at];
  const uint16_t bits = static_cast<const uint16_t*>(data)[at];
  return dtype == CONCORD_F16 ? from_half(bits) : from_brain(bits);
}

template <class T>
void store(T value, void* data, int32_t dtype, int64_t at) {
  if constexpr (std::is_same_v<T, double>) {
    static_cast<double*>(data)[at] = value;
  } else if (dtype == CONCORD_F32) {
    static_cast<float*>(data)[at] = value;
  } else {
    static_cast<uint16_t*>(data)[at] =
        dtype == CONCORD_F16 ? narrow(value, 5, 10) : narrow(value, 8, 7);
  }
}

/// visit(i, at) for element i of the dense tensor, which is element `at` of the strided one.
template <class Visit>
void for_each_element(const View& view, Visit visit) {
  const int64_t count = product(view.dims);
  std::vector<int64_t> index(view.dims.size());
  for (int64_t i = 0, at = 0; i < count; ++i) {
    visit(i, at);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      at += view.strides[axis];
      if (++index[axis] < view.dims[axis]) break;
      at -= index[axis] * view.strides[axis];
      index[axis] = 0;
    }
  }
}

/// A copy of src with its padding as zeros, for libraries that have none; g becomes the copy's.
template <class T>
std::vector<T> padded(Geometry& g, const T* src, Order order) {
  const bool last = order == Order::kChannelsLast;
  View inner;  // src inside the copy
  std::vector<int64_t> outer = {g.n, g.ic};
  int64_t before[kMostAxes] = {0, 0, g.pad_begin[0], g.pad_begin[1], g.pad_begin[2]};
  inner.dims = outer;
  for (int i = 0; i < g.axes; ++i) {
    inner.dims.push_back(g.size[i]);
    g.size[i] += g.pad_begin[i] + g.pad_end[i];
    g.pad_begin[i] = g.pad_end[i] = 0;
    outer.push_back(g.size[i]);
  }
  if (last) {
    std::rotate(inner.dims.begin() + 1, inner.dims.begin() + 2, inner.dims.end());
    std::rotate(outer.begin() + 1, outer.begin() + 2, outer.end());
    std::rotate(before + 1, before + 2, before + g.axes + 2);
  }
  inner.strides.assign(outer.size(), 1);
  for (std::size_t i = outer.size() - 1; i-- > 0;)
    inner.strides[i] = inner.strides[i + 1] * outer[i + 1];
  int64_t first = 0;
  for (std::size_t i = 0; i < outer.size(); ++i) first += before[i] * inner.strides[i];
  std::vector<T> copy(static_cast<std::size_t>(product(outer)));
  for_each_element(
      inner, [&](int64_t i, int64_t at) { copy[static_cast<std::size_t>(first + at)] = src[i]; });
  return copy;
}

/// The entry points of a plugin.
template <class Backend>
struct Plugin {
  static constexpr Order kOrder = Backend::kOrder;

  /// One group of a tensor: `count` channels beginning with `first`.
  static View part(const View& whole, bool is_weights, int64_t count, int64_t first,
                   int64_t& offset) {
    View view = whole;
    const std::size_t axis = channel_axis(is_weights, kOrder, view.dims.size());
    view.dims[axis] = count;
    offset = first * view.strides[axis];
    return view;
  }

  template <class T>
  static void pack(const View& view, const concord_buffer& buffer, int32_t dtype, int64_t offset,
                   T* to) {
    for_each_element(
        view, [&](int64_t i, int64_t at) { to[i] = load<T>(buffer.data, dtype, offset + at); });
  }

  template <class T>
  static void compute(Plan& plan, const concord_execution& execution) {
    Geometry g = plan.geometry;
    const int64_t parts = Backend::kTakesGroups ? 1 : g.groups;
    g.ic /= parts, g.oc /= parts, g.groups /= parts;
    T *src = plan.buffer<T>(0), *weights = plan.buffer<T>(1), *dst = plan.buffer<T>(3);
    T* bias = g.has_bias ? plan.buffer<T>(2) : nullptr;
    for (int64_t group = 0; group < parts; ++group) {
      int64_t offset = 0;
      const View of_src = part(plan.src, false, g.ic, group * g.ic, offset);
      pack(of_src, execution.inputs[0], g.dtype, offset, src);
      const View of_weights = part(plan.weights, true, g.oc, group * g.oc, offset);
      pack(of_weights, execution.inputs[1], g.dtype, offset, weights);
      if (bias != nullptr) {
        pack({{g.oc}, plan.bias.strides}, execution.inputs[2], g.dtype,
             group * g.oc * plan.bias.strides[0], bias);
      }
      Backend::template convolve<T>(g, src, weights, bias, dst);
      const View of_dst = part(plan.dst, false, g.oc, group * g.oc, offset);
      for_each_element(of_dst, [&](int64_t i, int64_t at) {
        store(dst[i], execution.outputs[0].data, g.dtype, offset + at);
      });
    }
  }

  template <class Call>
  static concord_status guarded(char* reason, Call call) {
    try {
      return call();
    } catch (const Refusal& refusal) {
      std::snprintf(reason, CONCORD_TEXT, "%s", refusal.reason.c_str());
      return refusal.status;
    } catch (const std::exception& error) {
      std::snprintf(reason, CONCORD_TEXT, "%s", error.what());
      return CONCORD_FAULT;
    }
  }

  static concord_status open(const char* config, void** backend, char* reason) {
    return guarded(reason, [&]() -> concord_status {
      if (config[0] != '\0')
        throw Refusal{CONCORD_INVALID, std::string("no configuration '") + config + "'"};
      *backend = nullptr;
      return CONCORD_OK;
    });
  }
  static void close(void*) {}

  static concord_status query(void*, const concord_problem* problem, concord_answer* answer) {
    return guarded(answer->reason, [&]() -> concord_status {
      const Plan plan = make_plan(*problem, kOrder);
      const Geometry& g = plan.geometry;
      if (const char* reason = Backend::refusal(g)) throw Refusal{CONCORD_UNSUPPORTED, reason};
      const auto& a = *static_cast<const concord_convolution*>(problem->attributes);
      const std::vector<int> at = positions(a.data_format == CONCORD_NCX, false, g.axes + 2);
      concord_shape& dst = answer->outputs[0];
      dst.rank = g.axes + 2;
      dst.dims[at[0]] = g.n;
      dst.dims[at[1]] = g.oc;
      for (int i = 0; i < g.axes; ++i) dst.dims[at[static_cast<std::size_t>(i) + 2]] = g.extent[i];
      std::snprintf(answer->adapter_part, CONCORD_TEXT, "auto_pad, layout of tensors%s",
                    g.groups > 1 && !Backend::kTakesGroups ? ", groups" : "");
      Backend::declare(g, *answer);
      return CONCORD_OK;
    });
  }

  static concord_status prepare(void*, const concord_problem* problem,
                                const concord_prepare_options* options,
                                concord_prepared* prepared) {
    return guarded(prepared->reason, [&]() -> concord_status {
      auto plan = std::make_unique<Plan>(make_plan(*problem, kOrder));
      plan->geometry.threads = options->threads;
      const View* views[] = {&plan->src, &plan->weights, &plan->bias, &plan->dst};
      for (int i = 0; i < 4; ++i) {
        const auto count = static_cast<std::size_t>(product(views[i]->dims));
        plan->geometry.dtype == CONCORD_F64 ? plan->doubles[i].resize(count)
                                            : plan->floats[i].resize(count);
      }
      prepared->handle = plan.release();
      return CONCORD_OK;
    });
  }

  static concord_status execute(void*, void* handle, const concord_execution* execution) {
    return guarded(execution->reason, [&]() -> concord_status {
      Plan& plan = *static_cast<Plan*>(handle);
      if (product(plan.dst.dims) == 0) return CONCORD_OK;
      plan.geometry.dtype == CONCORD_F64 ? compute<double>(plan, *execution)
                                         : compute<float>(plan, *execution);
      return CONCORD_OK;
    });
  }
  static void release(void*, void* handle) { delete static_cast<Plan*>(handle); }
};

}  // namespace concord_convolution_helper

#define CONCORD_CONVOLUTION_PLUGIN(Backend)                                        \
  const concord_plugin* concord_plugin_v1(void) {                                  \
    using Entry = concord_convolution_helper::Plugin<Backend>;                     \
    static const concord_plugin plugin = {                                         \
        CONCORD_ABI,    sizeof(concord_plugin), Backend::kName, Backend::kVersion, \
        Entry::open,    Entry::close,           Entry::query,   Entry::prepare,    \
        Entry::execute, Entry::release,         nullptr};                          \
    return &plugin;                                                                \
  }

#endif  // CONCORD_CONVOLUTION_H_
