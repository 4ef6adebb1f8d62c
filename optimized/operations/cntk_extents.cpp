// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/cntk_extents.h"

#include <algorithm>
#include <string>

#include "optimized/shape/verdict.h"

namespace concord::optimized {
namespace {

// The attributes with one value an axis.
struct Lists {
  Extents kernel, stride, lower, upper, automatic, shared, maps;
};

// A list as its user gave it, and what its values may be.
struct Given {
  const char* name;
  const Extents& list;
  Fault fault;
  Extent least, most;
};

// One value for each of `axes` axes, of which the last ones, that the kernel leaves out, have the
// values of `missing`.
Extents spread(const Given& given, std::size_t axes, const Extents& missing, Verdict* verdict) {
  Extents values = given.list;
  if (values.size() == 1) values.resize(axes - missing.size(), values[0]);
  if (values.size() + missing.size() == axes) {
    values.insert(values.end(), missing.begin(), missing.end());
  }
  const std::string what = std::string(given.name) + " " + text_of(given.list);
  if (values.size() != axes) {
    verdict->add(given.fault, what + " has neither one value nor " + std::to_string(axes));
    return Extents(axes, 1);
  }
  for (const Extent value : given.list) {
    if (value >= given.least && value <= given.most) continue;
    verdict->add(given.fault, what + " has the value " + std::to_string(value) + ", not from " +
                                  std::to_string(given.least) + " to " +
                                  std::to_string(given.most));
  }
  return values;
}

Extents maps_of(const CntkConvolutionAttributes& a, std::size_t axes, Extent rows,
                Verdict* verdict) {
  Extents maps(axes, 1);
  const Extents& list = a.map_count;
  if (list.size() != 1 && list.size() != axes) {
    verdict->add(Fault::kMapCount, "mapCount " + text_of(list) + " has neither one value nor " +
                                       std::to_string(axes));
    return maps;
  }
  if (list == Extents{0}) {
    maps.back() = rows;
    return maps;
  }
  for (const Extent value : list) {
    if (value >= 1) continue;
    verdict->add(Fault::kMapCount,
                 "mapCount " + text_of(list) + " has the value " + std::to_string(value));
  }
  if (list.size() == axes) return list;
  maps.back() = list[0];
  return maps;
}

Lists lists_of(const CntkTensors& tensors, const CntkConvolutionAttributes& a, Reading reading,
               Verdict* verdict) {
  const Extents inputs(tensors.src.dims.begin(), tensors.src.dims.end() - 1);
  const std::size_t axes = inputs.size();
  Lists lists;
  lists.kernel = a.kernel;
  // The system takes axes that the kernel leaves out to be channels, which it covers as a whole.
  const bool completes =
      reading == Reading::kImplemented && !a.kernel.empty() && a.kernel.size() < axes;
  const std::size_t left_out = completes ? axes - a.kernel.size() : 0;
  Extents whole(inputs.end() - static_cast<std::ptrdiff_t>(left_out), inputs.end());
  lists.kernel.insert(lists.kernel.end(), whole.begin(), whole.end());
  const bool positive =
      std::all_of(a.kernel.begin(), a.kernel.end(), [](Extent k) { return k >= 1; });
  if (lists.kernel.size() != axes || !positive) {
    verdict->add(Fault::kKernel, "kernel " + text_of(a.kernel) + " is not one positive extent for" +
                                     " each of " + std::to_string(axes) + " axes");
    lists.kernel.assign(axes, 1);
  }
  for (Extent& extent : whole) extent = std::max<Extent>(extent, 1);
  const Extents zeros(left_out, 0);
  const Extents ones(left_out, 1);
  const auto one_an_axis = [&](const char* name, const Extents& list, const Extents& missing,
                               Fault fault, Extent least, Extent most) {
    return spread({name, list, fault, least, most}, axes, missing, verdict);
  };
  lists.stride = one_an_axis("stride", a.stride, whole, Fault::kStrides, 1, INT64_MAX);
  lists.lower = one_an_axis("lowerPad", a.lower_pad, zeros, Fault::kPads, 0, INT64_MAX);
  lists.upper = one_an_axis("upperPad", a.upper_pad, zeros, Fault::kPads, 0, INT64_MAX);
  lists.automatic = one_an_axis("autoPadding", a.auto_padding, zeros, Fault::kPadding, 0, 1);
  lists.shared = one_an_axis("sharing", a.sharing, ones, Fault::kSharing, 0, 1);
  lists.maps = maps_of(a, axes, tensors.weights.dims[0], verdict);
  return lists;
}

// The refusals that only the system knows.
void check_system(std::size_t at, const CntkAxis& x, const Lists& lists, bool last,
                  Verdict* verdict) {
  const std::string where = " on axis " + std::to_string(at + 1);
  const bool automatic = lists.automatic[at] == 1;
  const Wide lower = automatic ? 0 : lists.lower[at];
  const Wide upper = automatic ? 0 : lists.upper[at];
  if (x.kernel > x.input + lower + upper) {
    verdict->add(Fault::kKernel,
                 "a kernel of " + std::to_string(x.kernel) + " is larger than the input" + where);
  }
  const Wide reached = Wide{x.positions - 1} * x.stride + x.kernel;
  if ((lower > 0 || upper > 0) && reached < x.input + lower) {
    verdict->add(Fault::kPads, "lowerPad " + text_of(lists.lower) + " and upperPad " +
                                   text_of(lists.upper) + " leave input that no window reaches" +
                                   where);
  }
  if (last && x.lower > 0 && x.stride < x.input) {
    verdict->add(Fault::kPadding, "padding of " + std::to_string(x.lower) +
                                      " over channels at stride " + std::to_string(x.stride) +
                                      where);
  }
}

void place_axis(std::size_t at, const Lists& lists, CntkAxis* x, Verdict* verdict) {
  const std::string where = " on axis " + std::to_string(at + 1);
  x->kernel = lists.kernel[at];
  x->stride = lists.stride[at];
  x->maps = lists.maps[at];
  x->shared = lists.shared[at] == 1;
  const Wide i = x->input;
  Wide positions = 0;
  Wide lower = 0;
  Wide upper = 0;
  if (lists.automatic[at] == 1) {
    positions = divide_down(i - 1, x->stride) + 1;
    const Wide rest = i - 1 - (positions - 1) * x->stride;
    lower = divide_down(x->kernel - 1, 2) - divide_down(rest, 2);
    upper = (positions - 1) * x->stride + x->kernel - i - lower;
  } else {
    lower = lists.lower[at];
    upper = lists.upper[at];
    if (!is_extent(i + lower + upper)) {
      return verdict->add(Fault::kSize, "the padded input overflows 64 bits" + where);
    }
    positions = divide_down(i + lower + upper - x->kernel, x->stride) + 1;
    if (positions < 0) {
      return verdict->add(Fault::kKernel, "the kernel exceeds the padded input" + where);
    }
  }
  if (!is_extent(upper) || !is_extent(positions * x->maps)) {
    return verdict->add(Fault::kSize, "dst or its padding overflows 64 bits" + where);
  }
  x->positions = static_cast<Extent>(positions);
  x->lower = static_cast<Extent>(lower);
}

// Runs and cells, their counts, and dst's dims.
void count_weights(const CntkTensors& tensors, Reading reading, CntkShape* shape,
                   Verdict* verdict) {
  Extents runs, cells;
  Extents& dst = shape->dst.dims;
  for (std::size_t at = 0; at + 1 < tensors.src.rank(); ++at) {
    const CntkAxis& x = shape->axes[at];
    dst.push_back(x.positions * x.maps);
    runs.push_back(x.shared ? x.maps : dst.back());
    cells.push_back(x.kernel);
  }
  dst.push_back(tensors.src.dims.back());
  const auto run_count = element_count(runs);
  const auto cell_count = element_count(cells);
  Extent all = 0;
  if (!element_count(dst) || !run_count || !cell_count ||
      __builtin_mul_overflow(*run_count, *cell_count, &all)) {
    return verdict->add(Fault::kSize,
                        "dst " + text_of(dst) + " or its weights have too many elements");
  }
  shape->kernel_count = *run_count;
  shape->kernel_size = *cell_count;
  const bool fits = reading == Reading::kDocumented
                        ? tensors.weights.dims == Extents{*run_count, *cell_count}
                        : element_count(tensors.weights.dims) == all;
  if (!fits) {
    verdict->add(Fault::kChannels, "weights are " + to_string(tensors.weights) + " where " +
                                       std::to_string(*run_count) + " kernels of " +
                                       std::to_string(*cell_count) + " weights are needed");
  }
}

}  // namespace

Result<CntkShape> infer_cntk_extents(const CntkTensors& tensors, const CntkConvolutionAttributes& a,
                                     Reading reading) {
  const Tensor& src = tensors.src;
  if (src.rank() < 2 || src.rank() > kCntkAxes + 1) {
    return Refusal{Fault::kRank,
                   "src has " + std::to_string(src.rank()) + " dimensions, not 2 to 8"};
  }
  if (tensors.weights.rank() != 2) {
    return Refusal{Fault::kRank,
                   "weights have " + std::to_string(tensors.weights.rank()) + " dimensions, not 2"};
  }
  Verdict verdict;
  check_tensor("src", without_strides(src), tensors.dtype, &verdict);
  check_tensor("weights", without_strides(tensors.weights), tensors.dtype, &verdict);
  if (verdict.first()) return *verdict.first();
  if (a.max_temp_mem_size_in_samples < 0) {
    verdict.add(Fault::kSize, "maxTempMemSizeInSamples is " +
                                  std::to_string(a.max_temp_mem_size_in_samples) + ", less than 0");
  }
  if (a.image_layout != CntkLayout::kCudnn) {
    verdict.add(Fault::kImageLayout, "imageLayout is " + std::string(to_string(a.image_layout)) +
                                         " where only cudnn has any number of axes");
  }
  const Lists lists = lists_of(tensors, a, reading, &verdict);
  if (verdict.first()) return *verdict.first();

  CntkShape shape;
  shape.dtype = tensors.dtype;
  shape.src = src;
  shape.weights = tensors.weights;
  shape.rank = src.rank() - 1;
  shape.samples = src.dims.back();
  shape.sub_batch = a.max_temp_mem_size_in_samples == 0
                        ? shape.samples
                        : std::min(shape.samples, a.max_temp_mem_size_in_samples);
  for (std::size_t at = 0; at + 1 < src.rank(); ++at) {
    CntkAxis& x = shape.axes[at];
    x.input = src.dims[at];
    Verdict here;
    place_axis(at, lists, &x, &here);
    if (!here.first() && reading == Reading::kImplemented) {
      check_system(at, x, lists, at + 2 == src.rank(), &here);
    }
    if (here.first()) verdict.add(here.first()->fault, here.first()->detail);
  }
  if (verdict.first()) return *verdict.first();
  count_weights(tensors, reading, &shape, &verdict);
  if (verdict.first()) return *verdict.first();
  return shape;
}

}  // namespace concord::optimized
