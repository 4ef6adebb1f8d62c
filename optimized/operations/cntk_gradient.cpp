// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/cntk_gradient.h"

#include <algorithm>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/arena.h"
#include "optimized/shape/verdict.h"
#include "spec/copy.h"

namespace concord::optimized {
namespace {

// Larger than any memory, but small enough that workspace sizes do not overflow.
constexpr Extent kMostElements = Extent{1} << 48;

using Place = std::array<Extent, kCntkAxes>;

// From `first` to `last`, without `last`.
struct Range {
  Extent first, last;
};

// The windows p along an axis with first <= p * stride <= last.
Range windows_between(const CntkAxis& x, Wide first, Wide last) {
  const auto within = [&](Wide p) {
    return static_cast<Extent>(std::clamp<Wide>(p, 0, x.positions));
  };
  const Range range{within(divide_down(first + x.stride - 1, x.stride)),
                    within(divide_down(last, x.stride) + 1)};
  return {range.first, std::max(range.first, range.last)};
}
// Those that have an input cell, and those whose cell `k` is in the input.
Range windows_over(const CntkAxis& x, Extent cell) {
  const Wide end = Wide{cell} + x.lower;
  return windows_between(x, end - x.kernel + 1, end);
}
Range windows_with(const CntkAxis& x, Extent k) {
  const Wide begin = Wide{x.lower} - k;
  return windows_between(x, begin, begin + x.input - 1);
}

// What a task works on. Rows have the type that the engine computes in.
template <class T>
struct Scratch {
  double* sums;  // of the result's row
  T* deltas;     // a row of diff_dst
  T* cells;      // a row of src
};
template <class T>
Scratch<T> lay_out_scratch(const CntkGradientPlan& plan, Arena* arena) {
  const CntkAxis& x = plan.shape.axes[0];
  const bool is_empty = plan.tasks == 0 || plan.shape.is_empty() ||
                        element_count(plan.shape.src.dims).value_or(0) == 0;
  return {arena->take<double>(plan.tasks == 0   ? 0
                              : plan.by_weights ? x.kernel
                                                : x.input),
          arena->take<T>(is_empty ? 0 : x.positions),
          arena->take<T>(is_empty || !plan.by_weights ? 0 : x.input)};
}

template <class T>
void read_row(Dtype dtype, const void* tensor, Extent at, Extent step, T* to, Extent count) {
  widen(dtype, element_at(tensor, at, dtype), step, to, count);
}

void store_row(Dtype dtype, const double* sums, Extent count, void* tensor, Extent at,
               Extent step) {
  for (Extent i = 0; i < count; ++i) {
    store(dtype, sums[i], element_at(tensor, at + i * step, dtype));
  }
}

// A row of the input: every window over it, map and cell of the window.
template <class T>
class InputRow {
 public:
  InputRow(const CntkGradientPlan& plan, const void* weights, const void* diff_dst, Scratch<T> room)
      : s_(plan.shape), weights_(weights), diff_dst_(diff_dst), room_(room) {}

  void run(Extent task, void* result) {
    Extent at = 0;
    for (std::size_t axis = 1; axis < s_.rank; ++axis) {
      const CntkAxis& x = s_.axes[axis];
      cell_[axis] = task % x.input;
      task /= x.input;
      at += cell_[axis] * x.src_step;
    }
    const CntkAxis& x = s_.axes[0];
    std::fill_n(room_.sums, x.input, 0.0);
    walk(s_.rank - 1, task * s_.dst_sample, 0);
    store_row(s_.dtype, room_.sums, x.input, result, at + task * s_.src_sample, x.src_step);
  }

 private:
  void walk(std::size_t axis, Extent delta, Extent weight) {
    if (axis == 0) return add_row(delta, weight);
    const CntkAxis& x = s_.axes[axis];
    const Range windows = windows_over(x, cell_[axis]);
    for (Extent p = windows.first; p < windows.last; ++p) {
      const Extent k = cell_[axis] + x.lower - p * x.stride;
      for (Extent map = 0; map < x.maps; ++map) {
        walk(axis - 1, delta + (p + map * x.positions) * x.dst_step,
             weight + p * x.position_run + map * x.map_run + k * x.cell_step);
      }
    }
  }

  void add_row(Extent delta, Extent weight) {
    const CntkAxis& x = s_.axes[0];
    for (Extent map = 0; map < x.maps; ++map) {
      read_row(s_.dtype, diff_dst_, delta + map * x.positions * x.dst_step, x.dst_step,
               room_.deltas, x.positions);
      for (Extent k = 0; k < x.kernel; ++k) {
        add_cell(k, weight + map * x.map_run + k * x.cell_step);
      }
    }
  }

  void add_cell(Extent k, Extent weight) {
    const CntkAxis& x = s_.axes[0];
    const Range windows = windows_with(x, k);
    const Extent begin = k - x.lower;
    if (!x.shared) {
      for (Extent p = windows.first; p < windows.last; ++p) {
        room_.sums[begin + p * x.stride] +=
            weight_at(weight + p * x.position_run) * double{room_.deltas[p]};
      }
      return;
    }
    const double w = weight_at(weight);
    for (Extent p = windows.first; p < windows.last; ++p) {
      room_.sums[begin + p * x.stride] += w * double{room_.deltas[p]};
    }
  }

  double weight_at(Extent at) const { return load(s_.dtype, element_at(weights_, at, s_.dtype)); }

  const CntkShape& s_;
  const void *weights_, *diff_dst_;
  Scratch<T> room_;
  Place cell_{};  // of the row, along all axes but the first
};

// A row of a kernel: every sample, and every window that uses the kernel.
template <class T>
class WeightsRow {
 public:
  WeightsRow(const CntkGradientPlan& plan, const void* src, const void* diff_dst, Scratch<T> room)
      : s_(plan.shape), src_(src), diff_dst_(diff_dst), room_(room) {}

  void run(Extent task, void* result) {
    Extent at = 0;
    for (std::size_t axis = 1; axis < s_.rank; ++axis) {
      k_[axis] = task % s_.axes[axis].kernel;
      task /= s_.axes[axis].kernel;
      at += k_[axis] * s_.axes[axis].cell_step;
    }
    for (std::size_t axis = 0; axis < s_.rank; ++axis) {
      const CntkAxis& x = s_.axes[axis];
      const Extent positions = x.shared ? 1 : x.positions;
      position_[axis] = task % positions;
      map_[axis] = task / positions % x.maps;
      task /= positions * x.maps;
      at += position_[axis] * x.position_run + map_[axis] * x.map_run;
    }
    const CntkAxis& x = s_.axes[0];
    std::fill_n(room_.sums, x.kernel, 0.0);
    for (Extent sample = 0; sample < s_.samples; ++sample) {
      walk(s_.rank - 1, sample * s_.src_sample, sample * s_.dst_sample);
    }
    store_row(s_.dtype, room_.sums, x.kernel, result, at, x.cell_step);
  }

 private:
  void walk(std::size_t axis, Extent cell, Extent delta) {
    if (axis == 0) return add_rows(cell, delta);
    const CntkAxis& x = s_.axes[axis];
    const Range windows = used(axis, windows_with(x, k_[axis]));
    for (Extent p = windows.first; p < windows.last; ++p) {
      walk(axis - 1, cell + (p * x.stride + k_[axis] - x.lower) * x.src_step,
           delta + (p + map_[axis] * x.positions) * x.dst_step);
    }
  }

  void add_rows(Extent cell, Extent delta) {
    const CntkAxis& x = s_.axes[0];
    read_row(s_.dtype, src_, cell, x.src_step, room_.cells, x.input);
    read_row(s_.dtype, diff_dst_, delta + map_[0] * x.positions * x.dst_step, x.dst_step,
             room_.deltas, x.positions);
    for (Extent k = 0; k < x.kernel; ++k) {
      const Range windows = used(0, windows_with(x, k));
      const Extent begin = k - x.lower;
      double sum = 0;
      for (Extent p = windows.first; p < windows.last; ++p) {
        sum += double{room_.deltas[p]} * double{room_.cells[begin + p * x.stride]};
      }
      room_.sums[k] += sum;
    }
  }

  // Of these windows those that use the task's kernel.
  Range used(std::size_t axis, Range windows) const {
    if (s_.axes[axis].shared) return windows;
    const Extent p = position_[axis];
    return p >= windows.first && p < windows.last ? Range{p, p + 1} : Range{0, 0};
  }

  const CntkShape& s_;
  const void *src_, *diff_dst_;
  Scratch<T> room_;
  Place k_{}, position_{}, map_{};
};

template <template <class> class Row>
void run_rows(const CntkGradientPlan& plan, const void* factors, const void* diff_dst, void* result,
              std::byte* memory) {
  with_computed(plan.shape.dtype, [&](auto number) {
    using T = decltype(number);
    plan.thread_pool->run(plan.tasks, [&](Extent task, int slot) {
      Arena arena(memory + static_cast<std::size_t>(slot) * plan.thread_bytes);
      Row<T>(plan, factors, diff_dst, lay_out_scratch<T>(plan, &arena)).run(task, result);
    });
  });
}

Extent tasks_of(const CntkShape& s, bool by_weights) {
  const auto count = [](const Tensor& tensor) { return element_count(tensor.dims).value_or(0); };
  const Extent elements = by_weights ? s.kernel_count * s.kernel_size : count(s.src);
  return elements == 0 ? 0 : elements / (by_weights ? s.axes[0].kernel : s.axes[0].input);
}

}  // namespace

Result<CntkGradientPlan> plan_cntk_gradient(const CntkShape& shape, bool by_weights,
                                            const Options& options) {
  if (auto refused = refuse_threads(options)) return *refused;
  for (const Tensor* tensor : {&shape.src, &shape.weights, &shape.dst}) {
    if (element_count(tensor->dims).value_or(kMostElements) < kMostElements) continue;
    return Refusal{Fault::kLimit,
                   "a tensor of " + to_string(*tensor) + " elements is more than memory can hold"};
  }
  CntkGradientPlan plan;
  plan.shape = shape;
  plan.by_weights = by_weights;
  plan.tasks = tasks_of(shape, by_weights);
  const Extent threads = std::clamp<Extent>(plan.tasks, 1, options.threads);
  plan.thread_pool = std::make_shared<const ThreadPool>(static_cast<int>(threads));
  if (shape.copies_weights && plan.tasks > 0) {
    const Extent elements = element_count(shape.weights.dims).value_or(0);
    plan.copy_bytes = arena_bytes([&](Arena* arena) {
      arena->take<std::byte>(elements * static_cast<Extent>(size_of(shape.dtype)));
    });
  }
  plan.thread_bytes = arena_bytes([&](Arena* arena) {
    with_computed(shape.dtype,
                  [&](auto number) { lay_out_scratch<decltype(number)>(plan, arena); });
  });
  plan.workspace_bytes =
      plan.copy_bytes + static_cast<std::size_t>(threads) * plan.thread_bytes + Arena::kAlignment;
  return plan;
}

void execute_cntk_input_gradient(const CntkGradientPlan& plan, const void* weights,
                                 const void* diff_dst, void* result, void* workspace) {
  if (plan.tasks == 0) return;
  Arena arena(workspace);
  auto* const memory = arena.take<std::byte>(0);
  if (plan.copy_bytes > 0) {
    const Tensor& given = plan.shape.weights;
    copy_elements(size_of(plan.shape.dtype), given, weights, {given.dims, {}}, memory);
    weights = memory;
  }
  run_rows<InputRow>(plan, weights, diff_dst, result, memory + plan.copy_bytes);
}

void execute_cntk_weights_gradient(const CntkGradientPlan& plan, const void* src,
                                   const void* diff_dst, void* result, void* workspace) {
  if (plan.tasks == 0) return;
  Arena arena(workspace);
  auto* const memory = arena.take<std::byte>(0);
  void* const to = plan.copy_bytes > 0 ? memory : result;
  run_rows<WeightsRow>(plan, src, diff_dst, to, memory + plan.copy_bytes);
  if (to == result) return;
  const Tensor& asked = plan.shape.weights;
  copy_elements(size_of(plan.shape.dtype), {asked.dims, {}}, to, asked, result);
}

}  // namespace concord::optimized
