// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/space_to_batch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "optimized/shape/verdict.h"
#include "spec/copy.h"

namespace concord::optimized {
namespace {

struct Request {
  Dtype dtype;
  const Tensor& src;
  const std::optional<Tensor>& dst;
  Extent block;
  const char* pads_name;
  const Extents& pads;
};

// What both operations ask of their operands.
std::optional<Refusal> check(const Request& r) {
  if (r.src.rank() != 4) {
    return Refusal{Fault::kRank, "src has " + std::to_string(r.src.rank()) + " dimensions, not 4"};
  }
  Verdict verdict;
  check_tensor("src", without_strides(r.src), r.dtype, &verdict);
  if (r.block < 1) {
    verdict.add(Fault::kBlockSize, "block_size is " + std::to_string(r.block) + ", less than 1");
  }
  const bool four = r.pads.size() == 4 &&
                    std::all_of(r.pads.begin(), r.pads.end(), [](Extent p) { return p >= 0; });
  if (!four) {
    verdict.add(Fault::kPads, std::string(r.pads_name) + " " + text_of(r.pads) +
                                  " are not four values of at least 0");
  }
  return verdict.first();
}

using Dims = std::array<Wide, 4>;

// Dims of dst that are extents and can be counted.
Result<Extents> counted(const Request& r, const Dims& dims) {
  Extents dst;
  for (const Wide extent : dims) {
    if (!is_extent(extent)) return Refusal{Fault::kSize, "an extent of dst overflows 64 bits"};
    dst.push_back(static_cast<Extent>(extent));
  }
  Verdict verdict;
  check_tensor("dst", {dst, {}}, r.dtype, &verdict);
  if (verdict.first()) return *verdict.first();
  return dst;
}

PhasePlan make_plan(const Request& r, bool to_batch, const Tensor& dst, int threads) {
  PhasePlan plan;
  plan.dtype = r.dtype;
  plan.to_batch = to_batch;
  plan.block = r.block;
  plan.top = r.pads[0];
  plan.left = r.pads[2];
  const Tensor src{r.src.dims, strides_of(r.src)};
  plan.space = to_batch ? src : dst;
  plan.batch = to_batch ? dst : src;
  plan.thread_pool = std::make_shared<const ThreadPool>(threads);
  return plan;
}

Result<Extents> split_dims(const Request& r) {
  if (auto refused = check(r)) return *refused;
  const Wide block = r.block;
  const Extents& src = r.src.dims;
  const Wide height = Wide{src[1]} + r.pads[0] + r.pads[1];
  const Wide width = Wide{src[2]} + r.pads[2] + r.pads[3];
  if (!is_extent(height) || !is_extent(width) || !is_extent(block * block)) {
    return Refusal{Fault::kSize, "the padded image or the square of block_size overflows 64 bits"};
  }
  if (height % block != 0 || width % block != 0) {
    return Refusal{Fault::kPads, "paddings " + text_of(r.pads) + " make src " + to_string(r.src) +
                                     " no multiple of block_size " + std::to_string(r.block)};
  }
  return counted(r, {src[0] * block * block, height / block, width / block, Wide{src[3]}});
}

Result<Extents> joined_dims(const Request& r) {
  if (auto refused = check(r)) return *refused;
  const Wide block = r.block;
  const Extents& src = r.src.dims;
  if (src[0] % (block * block) != 0) {
    return Refusal{Fault::kBlockSize, "the square of block_size " + std::to_string(r.block) +
                                          " does not divide the batch of src " + to_string(r.src)};
  }
  const Wide height = src[1] * block - r.pads[0] - r.pads[1];
  const Wide width = src[2] * block - r.pads[2] - r.pads[3];
  if (height < 0 || width < 0) {
    return Refusal{Fault::kPads, "crops " + text_of(r.pads) + " take more than there is"};
  }
  return counted(r, {src[0] / (block * block), height, width, Wide{src[3]}});
}

// The plan for a dst of these dims.
Result<PhasePlan> plan(const Request& r, bool to_batch, const Result<Extents>& dims, int threads) {
  const auto refusal = dims ? std::nullopt : std::optional(dims.why());
  const Tensor* const given = r.dst ? &*r.dst : nullptr;
  if (auto refused = with_tensors(refusal, r.dtype, {{"src", &r.src}, {"dst", given}})) {
    return *refused;
  }
  if (given != nullptr && given->dims != *dims) {
    return Refusal{Fault::kDst, "dst is given as " + to_string(*given) +
                                    " where the operation makes " + to_string(Tensor{*dims, {}})};
  }
  const Tensor dst{*dims, strides_of(given != nullptr ? *given : Tensor{*dims, {}})};
  return make_plan(r, to_batch, dst, threads);
}

// The phase's places [begin, end) along an axis whose pixel block * place + phase - before is in
// the image.
struct Range {
  Extent begin, end;
};
Range inside(Extent extent, Extent places, Extent block, Extent phase, Extent before) {
  const Wide first = Wide{before} - phase;  // block * place is at least this
  const Wide begin = -divide_down(-first, block);
  const Wide end = -divide_down(-(first + extent), block);
  return {static_cast<Extent>(std::clamp<Wide>(begin, 0, places)),
          static_cast<Extent>(std::clamp<Wide>(end, 0, places))};
}

// A part of a tensor: its first element's place, its extents and strides.
struct View {
  Extent offset = 0;
  Tensor tensor{};
};

void zero(const View& view, std::size_t size, std::byte* data) {
  const auto& [offset, tensor] = view;
  for (Extent y = 0; y < tensor.dims[0]; ++y) {
    for (Extent x = 0; x < tensor.dims[1]; ++x) {
      for (Extent c = 0; c < tensor.dims[2]; ++c) {
        const Extent at =
            offset + y * tensor.strides[0] + x * tensor.strides[1] + c * tensor.strides[2];
        std::memset(data + at * static_cast<Extent>(size), 0, size);
      }
    }
  }
}

// One phase of one image.
class Phase {
 public:
  Phase(const PhasePlan& plan, Extent index)
      : plan_(plan),
        image_(index % plan.space.dims[0]),
        row_(index / plan.space.dims[0] / plan.block),
        column_(index / plan.space.dims[0] % plan.block),
        y_(inside(plan.space.dims[1], plan.batch.dims[1], plan.block, row_, plan.top)),
        x_(inside(plan.space.dims[2], plan.batch.dims[2], plan.block, column_, plan.left)) {}

  /// Where the image's pixels of this phase lie in the image, and in the phase.
  View in_space() const {
    const Tensor& t = plan_.space;
    const Extent first_y = y_.begin * plan_.block + row_ - plan_.top;
    const Extent first_x = x_.begin * plan_.block + column_ - plan_.left;
    return {image_ * t.strides[0] + first_y * t.strides[1] + first_x * t.strides[2],
            {{y_.end - y_.begin, x_.end - x_.begin, t.dims[3]},
             {plan_.block * t.strides[1], plan_.block * t.strides[2], t.strides[3]}}};
  }
  View in_batch() const { return part(y_, x_); }

  /// Sets the places of the phase that are padding to zero.
  void pad(std::byte* batch) const {
    const Extent H = plan_.batch.dims[1];
    const Extent W = plan_.batch.dims[2];
    const std::size_t size = size_of(plan_.dtype);
    zero(part({0, y_.begin}, {0, W}), size, batch);
    zero(part({y_.end, H}, {0, W}), size, batch);
    zero(part(y_, {0, x_.begin}), size, batch);
    zero(part(y_, {x_.end, W}), size, batch);
  }

  bool is_empty() const { return y_.begin >= y_.end || x_.begin >= x_.end; }

 private:
  View part(const Range& y, const Range& x) const {
    const Tensor& t = plan_.batch;
    const Extent phase = (row_ * plan_.block + column_) * plan_.space.dims[0] + image_;
    return {phase * t.strides[0] + y.begin * t.strides[1] + x.begin * t.strides[2],
            {{y.end - y.begin, x.end - x.begin, t.dims[3]},
             {t.strides[1], t.strides[2], t.strides[3]}}};
  }

  const PhasePlan& plan_;
  Extent image_, row_, column_;
  Range y_, x_;
};

}  // namespace

Result<PhasePlan> plan_space_to_batch(Dtype dtype, const Tensor& src,
                                      const std::optional<Tensor>& dst,
                                      const SpaceToBatchAttributes& a, int threads) {
  const Request r{dtype, src, dst, a.block_size, "paddings", a.paddings};
  return plan(r, true, split_dims(r), threads);
}

Result<PhasePlan> plan_batch_to_space(Dtype dtype, const Tensor& src,
                                      const std::optional<Tensor>& dst,
                                      const BatchToSpaceAttributes& a, int threads) {
  const Request r{dtype, src, dst, a.block_size, "crops", a.crops};
  return plan(r, false, joined_dims(r), threads);
}

void execute(const PhasePlan& plan, const void* src, void* dst) {
  const std::size_t size = size_of(plan.dtype);
  const auto at = [&](auto* data, Extent offset) {
    return data + offset * static_cast<Extent>(size);
  };
  const auto* from = static_cast<const std::byte*>(src);
  auto* to = static_cast<std::byte*>(dst);
  if (element_count(plan.dst().dims).value_or(0) == 0) return;
  plan.thread_pool->run(plan.space.dims[0] * plan.block * plan.block, [&](Extent index, int) {
    const Phase phase(plan, index);
    const View space = phase.in_space();
    const View batch = phase.in_batch();
    if (plan.to_batch) phase.pad(to);
    if (phase.is_empty()) return;
    const View& source = plan.to_batch ? space : batch;
    const View& target = plan.to_batch ? batch : space;
    copy_elements(size, source.tensor, at(from, source.offset), target.tensor,
                  at(to, target.offset));
  });
}

}  // namespace concord::optimized
