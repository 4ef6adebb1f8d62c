// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/cntk_local.h"

#include <algorithm>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

using Place = std::array<Extent, kCntkAxes>;  // a position, or a map, along each axis

// Windows that are gathered at once at most: each run is read from memory once for all of them.
constexpr Extent kMostColumns = 16;
// Sums of a product that are kept apart, so that additions need not wait for one another.
constexpr Extent kLanes = 16;

// Counts through the axes for which `counts` is true, the first one fastest.
template <class Counts, class Of>
Place place_at(const CntkShape& shape, Extent index, Counts counts, Of of) {
  Place place{};
  for (std::size_t at = 0; at < shape.rank; ++at) {
    if (!counts(shape.axes[at])) continue;
    place[at] = index % of(shape.axes[at]);
    index /= of(shape.axes[at]);
  }
  return place;
}

Place group_at(const CntkShape& shape, Extent group) {
  return place_at(
      shape, group, [](const CntkAxis& x) { return !x.shared; },
      [](const CntkAxis& x) { return x.positions; });
}

Place map_at(const CntkShape& shape, Extent map) {
  return place_at(
      shape, map, [](const CntkAxis&) { return true; }, [](const CntkAxis& x) { return x.maps; });
}

Extent all_maps(const CntkShape& shape) {
  Extent count = 1;
  for (const CntkAxis& x : shape.axes) count *= x.maps;
  return count;
}

// A window: the position along every axis, and the sample.
struct Column {
  Place position{};
  Extent sample = 0;
};

Column column_at(const CntkShape& shape, const Place& group, Extent index) {
  Extent shared = 1;
  for (const CntkAxis& x : shape.axes) shared *= x.shared ? x.positions : 1;
  Column column;
  column.position = place_at(
      shape, index % shared, [](const CntkAxis& x) { return x.shared; },
      [](const CntkAxis& x) { return x.positions; });
  column.sample = index / shared;
  for (std::size_t at = 0; at < shape.rank; ++at) column.position[at] += group[at];
  return column;
}

// The rows of cells along the first axis; index i is that of axis kCntkAxes - 1 - i.
Grid<kCntkAxes - 1> rows_of_kernel(const CntkShape& shape) {
  std::array<Extent, kCntkAxes - 1> kernel{};
  for (std::size_t at = 1; at < kCntkAxes; ++at) {
    kernel[kCntkAxes - 1 - at] = shape.axes[at].kernel;
  }
  return Grid<kCntkAxes - 1>(kernel);
}

// Copies the cells of a window, zeros outside the input.
template <class T>
void gather(const CntkShape& shape, const Column& column, const void* src, T* to) {
  Place first{};  // of the window, in the input
  for (std::size_t at = 0; at < shape.rank; ++at) {
    first[at] = column.position[at] * shape.axes[at].stride - shape.axes[at].lower;
  }
  const CntkAxis& fast = shape.axes[0];
  const Extent begin = std::clamp<Extent>(-first[0], 0, fast.kernel);
  const Extent end = std::clamp<Extent>(fast.input - first[0], begin, fast.kernel);
  for (const auto& k : rows_of_kernel(shape)) {
    bool inside = begin < end;
    Extent offset = column.sample * shape.src_sample + (first[0] + begin) * fast.src_step;
    for (std::size_t at = 1; at < shape.rank; ++at) {
      const Extent cell = first[at] + k[kCntkAxes - 1 - at];
      inside = inside && cell >= 0 && cell < shape.axes[at].input;
      offset += inside ? cell * shape.axes[at].src_step : 0;
    }
    std::fill(to, to + fast.kernel, T{0});
    if (inside) {
      widen(shape.dtype, element_at(src, offset, shape.dtype), fast.src_step, to + begin,
            end - begin);
    }
    to += fast.kernel;
  }
}

template <class T>
T dot(const T* a, const T* b, Extent count) {
  T lanes[kLanes] = {};
  Extent i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (Extent lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  for (Extent lane = 0; i < count; ++i, ++lane) lanes[lane] += a[i] * b[i];
  for (Extent half = kLanes / 2; half > 0; half /= 2) {
    for (Extent lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

template <class T>
void store(const CntkShape& shape, const Column& column, const Place& map, T value, void* dst) {
  Extent offset = column.sample * shape.dst_sample;
  for (std::size_t at = 0; at < shape.rank; ++at) {
    const CntkAxis& x = shape.axes[at];
    offset += (column.position[at] + map[at] * x.positions) * x.dst_step;
  }
  const auto size = static_cast<Extent>(size_of(shape.dtype));
  narrow(shape.dtype, &value, static_cast<std::byte*>(dst) + offset * size, 1, 1);
}

Extent dense_run(const CntkLocal& local, const Place& group, const Place& map) {
  Extent run = 0;
  for (std::size_t at = 0; at < group.size(); ++at) {
    run += group[at] * local.position_run[at] + map[at] * local.map_run[at];
  }
  return run;
}

template <class T>
void run_as(const CntkPlan& plan, const T* runs, const void* src, void* dst, T* workspace) {
  const CntkShape& shape = plan.shape;
  const CntkLocal& local = plan.local;
  const Extent blocks = (local.columns + local.block - 1) / local.block;
  const Extent maps = all_maps(shape);
  plan.thread_pool->run(local.groups * blocks, [&](Extent task, int slot) {
    const Place group = group_at(shape, task / blocks);
    const Extent first = task % blocks * local.block;
    const Extent count = std::min(local.block, local.columns - first);
    T* cells = workspace + slot * local.block * shape.kernel_size;
    Column columns[kMostColumns];
    for (Extent c = 0; c < count; ++c) {
      columns[c] = column_at(shape, group, first + c);
      gather(shape, columns[c], src, cells + c * shape.kernel_size);
    }
    for (Extent m = 0; m < maps; ++m) {
      const Place map = map_at(shape, m);
      const T* run = runs + dense_run(local, group, map);
      for (Extent c = 0; c < count; ++c) {
        store(shape, columns[c], map, dot(run, cells + c * shape.kernel_size, shape.kernel_size),
              dst);
      }
    }
  });
}

}  // namespace

void make_cntk_local(const Options& options, CntkPlan* plan) {
  const CntkShape& shape = plan->shape;
  CntkLocal& local = plan->local;
  local.groups = 1;
  local.columns = shape.samples;
  local.reads_in_place = shape.dtype == computed_in(shape.dtype) && !shape.copies_weights;
  Extent run = shape.kernel_size;
  Extent cell = 1;
  Extent positions = 1;
  for (std::size_t at = 0; at < shape.rank; ++at) {
    const CntkAxis& x = shape.axes[at];
    (x.shared ? local.columns : local.groups) *= x.positions;
    positions *= x.positions;
    if (!x.shared) {
      local.position_run[at] = run;
      run *= x.positions;
    }
    local.map_run[at] = run;
    run *= x.maps;
    const bool dense = (x.kernel == 1 || x.cell_step == cell) &&
                       (x.maps == 1 || x.map_run == local.map_run[at]) &&
                       x.position_run == local.position_run[at];
    local.reads_in_place = local.reads_in_place && dense;
    cell *= x.kernel;
  }
  // As many windows at once as sub_batch samples have, and no more.
  const Extent most = positions * std::max<Extent>(shape.sub_batch, 1);
  const Extent threads = std::min<Extent>(options.threads, most);
  local.block = std::clamp<Extent>(most / threads, 1, std::min(kMostColumns, local.columns));
  plan->thread_pool = std::make_shared<const ThreadPool>(static_cast<int>(threads));
  plan->in_flight = threads;
  const auto bytes_of = [&](Extent elements) {
    return static_cast<std::size_t>(elements * computed_bytes(shape.dtype));
  };
  plan->sample_bytes = bytes_of(local.block * shape.kernel_size);
  plan->packed_bytes = bytes_of(shape.kernel_count * shape.kernel_size);
}

void pack_cntk_local(const CntkPlan& plan, const void* weights, void* to) {
  const CntkShape& shape = plan.shape;
  const auto& x = shape.axes;
  const Dtype dtype = shape.dtype;
  for (Extent group = 0; group < plan.local.groups; ++group) {
    const Place position = group_at(shape, group);
    for (Extent map = 0; map < all_maps(shape); ++map) {
      const Place maps = map_at(shape, map);
      Extent from = 0;
      for (std::size_t at = 0; at < shape.rank; ++at) {
        from += position[at] * x[at].position_run + maps[at] * x[at].map_run;
      }
      std::byte* run = element_at(to, dense_run(plan.local, position, maps), computed_in(dtype));
      for (const auto& k : rows_of_kernel(shape)) {
        Extent row = from;
        for (std::size_t at = 1; at < shape.rank; ++at) {
          row += k[kCntkAxes - 1 - at] * x[at].cell_step;
        }
        widen(dtype, element_at(weights, row, dtype), x[0].cell_step, run, x[0].kernel);
        run += x[0].kernel * computed_bytes(dtype);
      }
    }
  }
}

void run_cntk_local(const CntkPlan& plan, const void* runs, const void* src, void* dst,
                    void* workspace) {
  with_computed(plan.shape.dtype, [&](auto number) {
    using T = decltype(number);
    run_as(plan, static_cast<const T*>(runs), src, dst, static_cast<T*>(workspace));
  });
}

}  // namespace concord::optimized
