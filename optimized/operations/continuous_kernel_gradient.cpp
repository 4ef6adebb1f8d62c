// SPDX-License-Identifier: Apache-2.0
// The gradient with respect to the weights that the kernel predicts, an output and place at a time.
#include <algorithm>

#include "optimized/layout/stage.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/continuous_linear.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {
namespace {

// What an output and a neighbour of it have in all images.
struct Scratch {
  double* delta;   // [N,Cout]
  double* pixels;  // [N,Cin]
};
Scratch lay_out_scratch(const ContinuousShape& s, Arena* arena) {
  return {arena->take<double>(s.N * s.Cout), arena->take<double>(s.N * s.Cin)};
}

// [N,channels] of one pixel of a tensor [N,channels,rows,columns].
void gather(const ContinuousShape& s, const Tensor& layout, const void* tensor, Extent row,
            Extent column, double* to) {
  const Extents& strides = layout.strides;
  for (Extent n = 0; n < layout.dims[0]; ++n) {
    for (Extent c = 0; c < layout.dims[1]; ++c) {
      const Extent at = n * strides[0] + c * strides[1] + row * strides[2] + column * strides[3];
      *to++ = load(s.dtype, element_at(tensor, at, s.dtype));
    }
  }
}

class RowRunner {
 public:
  RowRunner(const KernelGradientPlan& plan, const void* src, const void* diff_dst, void* result)
      : plan_(plan), s_(plan.shape), src_(src), diff_dst_(diff_dst), result_(result) {}

  void run(Extent i, std::byte* memory) const {
    Arena arena(memory);
    const Scratch scratch = lay_out_scratch(s_, &arena);
    const Extent columns = s_.horizontal.slots();
    for (Extent j = 0; j < s_.horizontal.out; ++j) {
      gather(s_, s_.dst, diff_dst_, i, j, scratch.delta);
      const Support vertical = s_.vertical.support(i), horizontal = s_.horizontal.support(j);
      for (Extent k = 0; k < s_.slots(); ++k) {
        const Extent a = k / columns, b = k % columns;
        const bool exists = a < vertical.count && b < horizontal.count;
        const Extent row = exists ? s_.vertical.pixel(vertical.left + a) : -1;
        const Extent column = exists ? s_.horizontal.pixel(horizontal.left + b) : -1;
        if (row >= 0 && column >= 0) gather(s_, s_.src, src_, row, column, scratch.pixels);
        store_pairs(row >= 0 && column >= 0 ? s_.N : 0, scratch, k, i, j);
      }
    }
  }

 private:
  // The sums over `images` for every pair of channels.
  void store_pairs(Extent images, const Scratch& scratch, Extent k, Extent i, Extent j) const {
    const Extents& strides = plan_.dst.strides;
    const Extent at = k * strides[3] + i * strides[4] + j * strides[5];
    for (Extent co = 0; co < s_.Cout; ++co) {
      for (Extent ci = 0; ci < s_.Cin; ++ci) {
        double sum = 0;
        for (Extent n = 0; n < images; ++n) {
          sum += scratch.delta[n * s_.Cout + co] * scratch.pixels[n * s_.Cin + ci];
        }
        store(s_.dtype, sum, element_at(result_, at + co * strides[1] + ci * strides[2], s_.dtype));
      }
    }
  }

  const KernelGradientPlan& plan_;
  const ContinuousShape& s_;
  const void* src_;
  const void* diff_dst_;
  void* result_;
};

}  // namespace

Result<KernelGradientPlan> plan_kernel_gradient(const ContinuousShape& shape, const Tensor& dst,
                                                const Options& options) {
  if (auto refused = check_gradient(shape, options)) return *refused;
  KernelGradientPlan plan;
  plan.shape = shape;
  plan.dst = {dst.dims, strides_of(dst)};
  plan.thread_pool = std::make_shared<const ThreadPool>(options.threads);
  plan.thread_bytes = arena_bytes([&](Arena* arena) { lay_out_scratch(shape, arena); });
  plan.workspace_bytes =
      static_cast<std::size_t>(options.threads) * plan.thread_bytes + Arena::kAlignment;
  return plan;
}

void execute_kernel_gradient(const KernelGradientPlan& plan, const void* src, const void* diff_dst,
                             void* result, void* workspace) {
  Arena arena(workspace);
  auto* const memory = arena.take<std::byte>(0);
  const RowRunner runner(plan, src, diff_dst, result);
  plan.thread_pool->run(plan.shape.vertical.out, [&](Extent row, int slot) {
    runner.run(row, memory + static_cast<std::size_t>(slot) * plan.thread_bytes);
  });
}

}  // namespace concord::optimized
