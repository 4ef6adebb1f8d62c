// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/staged.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "spec/copy.h"

namespace concord::backends {
namespace {

constexpr std::align_val_t kAlignment{64};

Extents widened(const Extents& dims, const Extents& before, const Extents& behind) {
  Extents wide = dims;
  for (std::size_t axis = 0; axis < before.size(); ++axis) {
    wide[axis] += before[axis] + behind[axis];
  }
  return wide;
}

/// The pads of src in the axes of views_of(), [N,G,C/G,D,H,W], in the order given.
Extents pads_in(const std::vector<std::size_t>& order, const Window::Spatial& pads) {
  const Extents all = {0, 0, 0, pads[0], pads[1], pads[2]};
  Extents result;
  for (const std::size_t axis : order) result.push_back(all[axis]);
  return result;
}

Staged stage_src(Dtype dtype, const Tensor& src, const Orders& orders, const Window& window,
                 bool adapter_pads) {
  const Tensor user = permute(src, orders.src);
  if (!adapter_pads) return {dtype, user};
  return {dtype, user, pads_in(orders.src, window.pad_begin), pads_in(orders.src, window.pad_end)};
}

/// The window as the library sees it.
Window window_for(const PaddedConvolution& p, bool adapter_pads) {
  Window window = window_of(p);
  if (!adapter_pads) return window;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    window.I[axis] += window.pad_begin[axis] + window.pad_end[axis];
  }
  window.pad_begin = window.pad_end = {};
  return window;
}

}  // namespace

void Staged::Free::operator()(std::byte* bytes) const { ::operator delete[](bytes, kAlignment); }

Staged::Staged(Dtype dtype, const Tensor& user, const Extents& before, const Extents& behind)
    : element_bytes_(size_of(dtype)), user_(user) {
  const Extents wide = widened(user.dims, before, behind);
  size_ = static_cast<std::size_t>(*element_count(wide)) * element_bytes_;
  inner_ = {user.dims, dense_strides(wide)};
  for (std::size_t axis = 0; axis < before.size(); ++axis) {
    first_ += static_cast<std::size_t>(before[axis] * inner_.strides[axis]) * element_bytes_;
  }
  in_place_ = wide == user.dims && is_dense(user);
}

std::byte* Staged::own() {
  if (!bytes_) {
    bytes_.reset(
        static_cast<std::byte*>(::operator new[](std::max<std::size_t>(size_, 1), kAlignment)));
    std::memset(bytes_.get(), 0, size_);  // the zeros around; load() writes the rest
  }
  return bytes_.get();
}

void Staged::load(const void* from) {
  copy_elements(element_bytes_, user_, from, inner_, own() + first_);
}

const std::byte* Staged::read(const void* from) {
  if (in_place_) return static_cast<const std::byte*>(from);
  load(from);
  return data();
}

std::byte* Staged::target(void* to) { return in_place_ ? static_cast<std::byte*>(to) : own(); }

void Staged::store(void* to) const {
  if (!in_place_) copy_elements(element_bytes_, inner_, data() + first_, user_, to);
}

Orders channels_first() { return {{1, 0, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {1, 0, 2, 3, 4, 5}}; }

Orders channels_last() { return {{1, 0, 3, 4, 5, 2}, {0, 3, 4, 5, 2, 1}, {1, 0, 3, 4, 5, 2}}; }

StagedConvolution::StagedConvolution(Dtype dtype, const PaddedConvolution& p,
                                     const PrepareOptions& options, const Orders& orders,
                                     bool adapter_pads)
    : p_(p),
      window_(window_for(p, adapter_pads)),
      has_bias_(p.bias_stride.has_value()),
      keeps_weights_(options.weights != nullptr),
      keeps_bias_(has_bias_ && options.bias != nullptr),
      src_(stage_src(dtype, views_of(p).src, orders, window_of(p), adapter_pads)),
      weights_(dtype, permute(views_of(p).weights, orders.weights)),
      bias_(dtype, views_of(p).bias),
      dst_(dtype, permute(views_of(p).dst, orders.dst)) {
  if (keeps_weights_) weights_.load(options.weights);
  if (keeps_bias_) bias_.load(options.bias);
}

std::optional<Refused> StagedConvolution::execute(const Buffers& buffers) {
  const std::byte* src = src_.read(buffers.src.data);
  const std::byte* weights = keeps_weights_ ? weights_.data() : weights_.read(buffers.weights.data);
  const std::byte* bias = nullptr;
  if (has_bias_) bias = keeps_bias_ ? bias_.data() : bias_.read(buffers.bias.data);
  std::byte* dst = dst_.target(buffers.dst.data);
  for (Extent g = 0; g < p_.G; ++g) {
    const auto part = static_cast<std::size_t>(g);
    const GroupMemory group{src + part * src_.bytes_of_part(p_.G),
                            weights + part * weights_.bytes_of_part(p_.G),
                            bias == nullptr ? nullptr : bias + part * bias_.bytes_of_part(p_.G),
                            dst + part * dst_.bytes_of_part(p_.G)};
    if (auto no = convolve(group)) return no;
  }
  dst_.store(buffers.dst.data);
  return std::nullopt;
}

std::string staging_part(const Problem& problem, const PaddedConvolution& p, bool adapter_pads,
                         const std::string& more) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text.append(text.empty() ? "" : ", ").append(part);
  };
  const auto none = [](const Extents& pads) {
    return std::all_of(pads.begin(), pads.end(), [](Extent pad) { return pad == 0; });
  };
  add(lowering_part(problem));
  if (adapter_pads && !(none(p.pad_begin) && none(p.pad_end))) add("surrounds src with zeros");
  if (p.G > 1) add("one group at a time");
  add(more);
  return text;
}

std::optional<Refused> without_elements(const PaddedConvolution& p) {
  for (const Tensor* tensor : {&p.src, &p.weights, &p.dst}) {
    if (*element_count(tensor->dims) == 0) {
      return declines("a tensor without elements, " + to_string(Tensor{tensor->dims, {}}));
    }
  }
  return std::nullopt;
}

std::optional<Refused> too_large_to_stage(Dtype dtype, const PaddedConvolution& p) {
  constexpr Extent kLargest = std::numeric_limits<std::int32_t>::max();
  const Extents channels = {p.N, p.IC, p.OC};
  for (const Extents* sizes : {&channels, &p.I, &p.O, &p.K, &p.S, &p.D, &p.pad_begin, &p.pad_end}) {
    for (const Extent size : *sizes) {
      if (size > kLargest) {
        return declines("the library holds sizes in 32 bits: " + std::to_string(size));
      }
    }
  }
  Extents padded = {p.N, p.IC};
  for (std::size_t axis = 0; axis < p.spatial_rank; ++axis) {
    padded.push_back(p.I[axis] + p.pad_begin[axis] + p.pad_end[axis]);
  }
  const auto elements = element_count(padded);
  if (elements && *elements <= (Extent{1} << 30) / static_cast<Extent>(size_of(dtype))) {
    return std::nullopt;
  }
  return declines("a copy of src with its padding, " + to_string(Tensor{padded, {}}) +
                  ", would exceed 1 GiB");
}

std::optional<Refused> cannot_stage(Dtype dtype, const PaddedConvolution& p) {
  if (auto no = beyond_three_axes(p)) return no;
  if (auto no = without_elements(p)) return no;
  return too_large_to_stage(dtype, p);
}

}  // namespace concord::backends
