// SPDX-License-Identifier: Apache-2.0
#include "optimized/space_to_batch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "optimized/verdict.h"
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

std::optional<Refusal> check_rank(const char* name, const Tensor& tensor) {
  if (tensor.rank() == 4) return std::nullopt;
  return Refusal{Fault::kRank, std::string(name) + " has " + std::to_string(tensor.rank()) +
                                   " dimensions, not 4"};
}

// What both operations ask of their operands.
std::optional<Refusal> check(const Request& r) {
  if (auto refused = check_rank("src", r.src)) return refused;
  if (r.dst) {
    if (auto refused = check_rank("dst", *r.dst)) return refused;
  }
  Verdict verdict;
  check_tensor("src", r.src, r.dtype, &verdict);
  if (r.dst) check_tensor("dst", *r.dst, r.dtype, &verdict);
  if (r.block < 1) {
    verdict.add(Fault::kDilations, "block_size is " + std::to_string(r.block) + ", less than 1");
  }
  const bool four = r.pads.size() == 4 &&
                    std::all_of(r.pads.begin(), r.pads.end(), [](Extent p) { return p >= 0; });
  if (!four) {
    verdict.add(Fault::kPads, std::string(r.pads_name) + " " + text_of(r.pads) +
                                  " are not four values of at least 0");
  }
  return verdict.first();
}

// Dims of dst that are extents and can be counted, with the strides asked for.
Result<Tensor> make_dst(const Request& r, const std::array<Wide, 4>& dims) {
  Tensor dst;
  for (const Wide extent : dims) {
    if (!is_extent(extent)) return Refusal{Fault::kSize, "an extent of dst overflows 64 bits"};
    dst.dims.push_back(static_cast<Extent>(extent));
  }
  Verdict verdict;
  check_tensor("dst", dst, r.dtype, &verdict);
  if (r.dst && r.dst->dims != dst.dims) {
    verdict.add(Fault::kDst, "dst is given as " + to_string(*r.dst) +
                                 " where the operation makes " + to_string(dst));
  }
  if (verdict.first()) return *verdict.first();
  dst.strides = strides_of(r.dst ? *r.dst : dst);
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
  plan.team = std::make_shared<const Team>(threads);
  return plan;
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
  if (auto refused = check(r)) return *refused;
  const Wide block = a.block_size;
  const Wide height = Wide{src.dims[1]} + a.paddings[0] + a.paddings[1];
  const Wide width = Wide{src.dims[2]} + a.paddings[2] + a.paddings[3];
  if (!is_extent(height) || !is_extent(width) || !is_extent(block * block)) {
    return Refusal{Fault::kSize, "the padded image or the square of block_size overflows 64 bits"};
  }
  if (height % block != 0 || width % block != 0) {
    return Refusal{Fault::kPads, "paddings " + text_of(a.paddings) + " make src " + to_string(src) +
                                     " no multiple of block_size " + std::to_string(a.block_size)};
  }
  auto made =
      make_dst(r, {src.dims[0] * block * block, height / block, width / block, Wide{src.dims[3]}});
  if (!made) return made.why();
  return make_plan(r, true, *made, threads);
}

Result<PhasePlan> plan_batch_to_space(Dtype dtype, const Tensor& src,
                                      const std::optional<Tensor>& dst,
                                      const BatchToSpaceAttributes& a, int threads) {
  const Request r{dtype, src, dst, a.block_size, "crops", a.crops};
  if (auto refused = check(r)) return *refused;
  const Wide block = a.block_size;
  if (src.dims[0] % (block * block) != 0) {
    return Refusal{Fault::kDilations, "the square of block_size " + std::to_string(a.block_size) +
                                          " does not divide the batch of src " + to_string(src)};
  }
  const Wide height = src.dims[1] * block - a.crops[0] - a.crops[1];
  const Wide width = src.dims[2] * block - a.crops[2] - a.crops[3];
  if (height < 0 || width < 0) {
    return Refusal{Fault::kPads, "crops " + text_of(a.crops) + " take more than there is"};
  }
  auto made = make_dst(r, {src.dims[0] / (block * block), height, width, Wide{src.dims[3]}});
  if (!made) return made.why();
  return make_plan(r, false, *made, threads);
}

void execute(const PhasePlan& plan, const void* src, void* dst) {
  const std::size_t size = size_of(plan.dtype);
  const auto at = [&](auto* data, Extent offset) {
    return data + offset * static_cast<Extent>(size);
  };
  const auto* from = static_cast<const std::byte*>(src);
  auto* to = static_cast<std::byte*>(dst);
  if (element_count(plan.dst().dims).value_or(0) == 0) return;
  plan.team->run(plan.space.dims[0] * plan.block * plan.block, [&](Extent index, int) {
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
