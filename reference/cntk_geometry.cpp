// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_geometry.h"

#include <algorithm>
#include <string>

#include "reference/assignment.h"
#include "reference/checks.h"
#include "reference/wide.h"

namespace concord::reference {
namespace {

std::string axis_name(std::size_t axis) { return "axis " + std::to_string(axis + 1); }

// The attributes with one value an axis.
struct PerAxis {
  Extents kernel, map_count, stride, sharing, auto_padding, lower_pad, upper_pad;
};

// What a list may hold.
struct Allowed {
  Fault fault;
  Extent least, most;
};

// One value for each of `kernel_rank` axes, and `missing` for what the kernel lacks of `rank`.
Extents per_axis(const char* name, const Extents& list, std::size_t kernel_rank,
                 const Extents& missing, const Allowed& allowed, Findings& findings) {
  const std::size_t rank = missing.size();
  Extents values = list.size() == 1 ? Extents(kernel_rank, list[0]) : list;
  if (values.size() == kernel_rank) {
    values.insert(values.end(), missing.begin() + static_cast<std::ptrdiff_t>(kernel_rank),
                  missing.end());
  }
  if (values.size() != rank) {
    findings.add(allowed.fault, assignment(name, list) +
                                    ": neither one value nor one for each of " +
                                    std::to_string(rank) + " axes");
    return missing;
  }
  for (const Extent value : list) {
    if (value < allowed.least || value > allowed.most) {
      findings.add(allowed.fault, assignment(name, list) + ": " + std::to_string(value) +
                                      " is not a value it may have");
      return missing;
    }
  }
  return values;
}

Extents map_counts(const Extents& list, std::size_t rank, Extent weights_rows, Findings& findings) {
  Extents maps(rank, 1);
  if (list == Extents{0}) {
    maps.back() = weights_rows;  // "0 means use the row dimension of w"
  } else if (list.size() == 1) {
    maps.back() = list[0];
  } else if (list.size() == rank) {
    maps = list;
  } else {
    findings.add(Fault::kMapCount, assignment("mapCount", list) +
                                       ": neither one value nor one for each of " +
                                       std::to_string(rank) + " axes");
    return maps;
  }
  if (list != Extents{0} && std::any_of(maps.begin(), maps.end(), [](Extent m) { return m < 1; })) {
    findings.add(Fault::kMapCount, assignment("mapCount", list) + ": a value is less than 1");
    return Extents(rank, 1);
  }
  return maps;
}

PerAxis complete(const CntkOperands& operands, const CntkConvolutionAttributes& a, Reading reading,
                 Findings& findings) {
  const Extents input(operands.src.begin(), operands.src.end() - 1);
  const std::size_t rank = input.size();
  PerAxis all;
  all.kernel = a.kernel;
  std::size_t kernel_rank = rank;
  if (reading == Reading::kImplemented && !a.kernel.empty() && a.kernel.size() < rank) {
    kernel_rank = a.kernel.size();
    all.kernel.insert(all.kernel.end(), input.begin() + static_cast<std::ptrdiff_t>(kernel_rank),
                      input.end());
  }
  if (all.kernel.size() != rank ||
      std::any_of(a.kernel.begin(), a.kernel.end(), [](Extent k) { return k < 1; })) {
    findings.add(Fault::kKernel, assignment("kernel", a.kernel) + ": not one positive extent for " +
                                     "each of " + std::to_string(rank) + " axes");
    all.kernel = Extents(rank, 1);
  }
  Extents whole(rank);  // a window as large as the axis has nowhere to go
  std::transform(input.begin(), input.end(), whole.begin(),
                 [](Extent extent) { return std::max<Extent>(extent, 1); });
  const Extents none(rank, 0);
  const Extents shared(rank, 1);
  all.stride =
      per_axis("stride", a.stride, kernel_rank, whole, {Fault::kStrides, 1, INT64_MAX}, findings);
  all.lower_pad =
      per_axis("lowerPad", a.lower_pad, kernel_rank, none, {Fault::kPads, 0, INT64_MAX}, findings);
  all.upper_pad =
      per_axis("upperPad", a.upper_pad, kernel_rank, none, {Fault::kPads, 0, INT64_MAX}, findings);
  all.auto_padding =
      per_axis("autoPadding", a.auto_padding, kernel_rank, none, {Fault::kPadding, 0, 1}, findings);
  all.sharing =
      per_axis("sharing", a.sharing, kernel_rank, shared, {Fault::kSharing, 0, 1}, findings);
  all.map_count = map_counts(a.map_count, rank, operands.weights[0], findings);
  return all;
}

struct Window {
  Wide positions, lower, upper;
};

Window place_windows(Wide i, Wide kernel, Wide stride, bool automatic, Wide lower, Wide upper) {
  if (!automatic) {
    return {floor_divide(i + lower + upper - kernel, stride) + 1, lower, upper};
  }
  const Wide positions = floor_divide(i - 1, stride) + 1;
  const Wide extra = i - 1 - (positions - 1) * stride;
  const Wide begin = floor_divide(kernel - 1, 2) - floor_divide(extra, 2);
  return {positions, begin, (positions - 1) * stride + kernel - i - begin};
}

// What the system refuses on one axis and the document does not.
void check_as_implemented(std::size_t axis, const CntkAxis& x, bool last, Findings& findings) {
  const Wide padded = x.auto_padding ? Wide{x.input} : Wide{x.input} + x.lower + x.upper;
  if (x.kernel > padded) {
    findings.add(Fault::kKernel, "kernel=" + std::to_string(x.kernel) + " on " + axis_name(axis) +
                                     ": larger than the input of " + std::to_string(x.input));
  }
  const Wide covered = (Wide{x.positions} - 1) * x.stride + x.kernel;
  if (!x.auto_padding && (x.lower > 0 || x.upper > 0) && covered < Wide{x.input} + x.lower) {
    findings.add(Fault::kPads, "lowerPad=" + std::to_string(x.lower) +
                                   " upperPad=" + std::to_string(x.upper) + " on " +
                                   axis_name(axis) + ": the windows do not reach the input's end");
  }
  if (last && x.lower > 0 && x.stride < x.input) {
    findings.add(Fault::kPadding, std::string(x.auto_padding ? "autoPadding=1" : "lowerPad=") +
                                      (x.auto_padding ? "" : std::to_string(x.lower)) + " on " +
                                      axis_name(axis) + ": padding over channels at stride " +
                                      std::to_string(x.stride));
  }
}

void resolve_axis(std::size_t axis, const PerAxis& all, Extent input, CntkAxis& x,
                  Findings& findings) {
  x.input = input;
  x.kernel = all.kernel[axis];
  x.stride = all.stride[axis];
  x.map_count = all.map_count[axis];
  x.sharing = all.sharing[axis] == 1;
  x.auto_padding = all.auto_padding[axis] == 1;
  const Wide padded = Wide{input} + all.lower_pad[axis] + all.upper_pad[axis];
  const Window window = place_windows(input, x.kernel, x.stride, x.auto_padding,
                                      all.lower_pad[axis], all.upper_pad[axis]);
  if (!x.auto_padding && !fits(padded)) {
    findings.add(Fault::kSize, "lowerPad=" + std::to_string(all.lower_pad[axis]) +
                                   " upperPad=" + std::to_string(all.upper_pad[axis]) + " on " +
                                   axis_name(axis) + ": the padded input overflows 64 bits");
    return;
  }
  if (window.positions < 0) {
    findings.add(Fault::kKernel, "kernel=" + std::to_string(x.kernel) + " on " + axis_name(axis) +
                                     ": the output size would be negative");
    return;
  }
  if (!fits(window.upper) || !fits(window.positions * x.map_count)) {
    findings.add(Fault::kSize, "mapCount=" + std::to_string(x.map_count) +
                                   " stride=" + std::to_string(x.stride) + " on " +
                                   axis_name(axis) + ": dst or its padding overflows 64 bits");
    return;
  }
  x.positions = static_cast<Extent>(window.positions);
  x.lower = static_cast<Extent>(window.lower);
  x.upper = static_cast<Extent>(window.upper);
}

std::optional<Refusal> check_shapes(const CntkOperands& operands) {
  const auto shape = [](const char* name, const Extents& dims) {
    return std::string(name) + "=" + to_string(Tensor{dims, {}});
  };
  if (operands.src.size() < 2 || operands.src.size() > kCntkRank + 1) {
    return Refusal{Fault::kRank, shape("src", operands.src) + ": not 1 to " +
                                     std::to_string(kCntkRank) + " axes and samples"};
  }
  if (operands.weights.size() != 2) {
    return Refusal{Fault::kRank, shape("weights", operands.weights) + ": not a matrix"};
  }
  if (!element_count(operands.src)) {
    return Refusal{Fault::kSize, shape("src", operands.src) + ": negative or too large"};
  }
  if (!element_count(operands.weights)) {
    return Refusal{Fault::kSize, shape("weights", operands.weights) + ": negative or too large"};
  }
  return std::nullopt;
}

// kSize and kChannels: dst, and the kernels that it needs against those that weights have.
void finish(const CntkOperands& operands, Reading reading, CntkGeometry& g, Findings& findings) {
  Extents kernels, cells;
  for (std::size_t axis = 0; axis < g.rank; ++axis) {
    const CntkAxis& x = g.axes[axis];
    g.dst.push_back(x.output());
    kernels.push_back(x.sharing ? x.map_count : x.output());
    cells.push_back(x.kernel);
  }
  g.dst.push_back(g.samples);
  const auto kernel_count = element_count(kernels), kernel_size = element_count(cells);
  Extent needed = 0;
  if (!element_count(g.dst) || !kernel_count || !kernel_size ||
      __builtin_mul_overflow(*kernel_count, *kernel_size, &needed)) {
    findings.add(Fault::kSize, assignment("dst", g.dst) + ": it or its weights cannot be counted");
    return;
  }
  g.kernel_count = *kernel_count;
  g.kernel_size = *kernel_size;
  const Extents want{*kernel_count, *kernel_size};
  const bool fit = reading == Reading::kDocumented ? operands.weights == want
                                                   : element_count(operands.weights) == needed;
  if (!fit) {
    findings.add(Fault::kChannels, "weights=" + to_string(Tensor{operands.weights, {}}) +
                                       ": not the " + to_string(Tensor{want, {}}) + " needed");
  }
}

// The elements of a matrix that has rows for so many places of so many samples.
std::optional<Extent> matrix(Extent places, Extent samples, Wide columns) {
  const Wide rows = Wide{places} * samples;
  if (!fits(rows) || !fits(columns)) return std::nullopt;
  Extent cells = 0;
  if (__builtin_mul_overflow(static_cast<Extent>(rows), static_cast<Extent>(columns), &cells)) {
    return std::nullopt;
  }
  return cells;
}

}  // namespace

Extents CntkGeometry::src() const {
  Extents dims;
  for (std::size_t axis = 0; axis < rank; ++axis) dims.push_back(axes[axis].input);
  dims.push_back(samples);
  return dims;
}

Extent CntkGeometry::kernel_of(const CntkIndex& out) const {
  Extent acc = 0, f = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!axes[axis].sharing) {
      acc += f * position(axis, out);
      f *= axes[axis].positions;
    }
    acc += f * map(axis, out);
    f *= axes[axis].map_count;
  }
  return acc;
}

Result<CntkGeometry> resolve_cntk(const CntkOperands& operands, const CntkConvolutionAttributes& a,
                                  Reading reading) {
  if (const auto refusal = check_shapes(operands)) return *refusal;
  Findings findings;
  if (a.max_temp_mem_size_in_samples < 0) {
    findings.add(Fault::kSize, "maxTempMemSizeInSamples=" +
                                   std::to_string(a.max_temp_mem_size_in_samples) + ": negative");
  }
  if (a.image_layout != CntkLayout::kCudnn) {
    findings.add(Fault::kImageLayout, "imageLayout=" + std::string(to_string(a.image_layout)) +
                                          ": the N-D form has cudnn alone");
  }
  const PerAxis all = complete(operands, a, reading, findings);
  if (findings.any()) return findings.first();

  CntkGeometry g;
  g.rank = operands.src.size() - 1;
  g.samples = operands.src.back();
  g.sub_batch = a.max_temp_mem_size_in_samples == 0
                    ? g.samples
                    : std::min(g.samples, a.max_temp_mem_size_in_samples);
  for (std::size_t axis = 0; axis < g.rank; ++axis) {
    CntkAxis& x = g.axes[axis];
    Findings here;
    resolve_axis(axis, all, operands.src[axis], x, here);
    if (!here.any() && reading == Reading::kImplemented) {
      check_as_implemented(axis, x, axis + 1 == g.rank, here);
    }
    if (here.any()) findings.add(here.first().fault, here.first().detail);
  }
  if (findings.any()) return findings.first();
  finish(operands, reading, g, findings);
  if (findings.any()) return findings.first();
  return g;
}

std::optional<Extent> cntk_workspace(const CntkGeometry& g) {
  Extent places = 1, maps = 1;
  for (const CntkAxis& x : g.axes) {
    if (__builtin_mul_overflow(places, x.positions, &places)) return std::nullopt;
    if (__builtin_mul_overflow(maps, x.map_count, &maps)) return std::nullopt;
  }
  return matrix(places, g.sub_batch, Wide{g.kernel_size} + (g.sub_batch > 1 ? maps : 0));
}

std::optional<Extent> cntk_data_gradient_workspace(const CntkGeometry& g) {
  const CntkAxis& last = g.axes[g.rank - 1];
  const bool has_channels = last.kernel == last.input && last.positions == 1;
  Extent cells = 1, taps = 1, maps = 1;
  for (std::size_t axis = 0; axis < g.rank; ++axis) {
    const CntkAxis& x = g.axes[axis];
    if (__builtin_mul_overflow(maps, x.map_count, &maps)) return std::nullopt;
    if (has_channels && axis + 1 == g.rank) break;
    if (__builtin_mul_overflow(cells, x.input, &cells)) return std::nullopt;
    if (__builtin_mul_overflow(taps, x.kernel, &taps)) return std::nullopt;
  }
  const Extent channels = has_channels && g.sub_batch > 1 ? last.input : 0;
  return matrix(cells, g.sub_batch, Wide{taps} * maps + channels);
}

}  // namespace concord::reference
