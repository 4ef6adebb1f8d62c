// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_shape.h"

#include <algorithm>
#include <string>

#include "optimized/shape/verdict.h"

namespace concord::optimized {
namespace {

// With extents, scales and their inverses up to this, no place in the image leaves 64 bits.
constexpr Extent kMost = Extent{1} << 30;

bool all_at_least(Extent least, const Extents& list) {
  return std::all_of(list.begin(), list.end(), [&](Extent value) { return value >= least; });
}

Wide divide_up(Wide value, Wide divisor) { return -divide_down(-value, divisor); }

void check_lists(const ContinuousTensors& tensors, const ContinuousAttributes& a,
                 Verdict* verdict) {
  if (a.channels < 0) {
    verdict->add(Fault::kSize, "channels is " + std::to_string(a.channels) + ", less than 0");
  }
  if (!a.size.empty() && (a.size.size() != 2 || !all_at_least(0, a.size))) {
    verdict->add(Fault::kSize, "size " + text_of(a.size) + " is not two extents of at least 0");
  }
  if (a.kernel.size() != 2) {
    verdict->add(Fault::kKernel, "kernel " + text_of(a.kernel) + " is not two extents");
  }
  if (a.widths.size() != 2 || !all_at_least(1, a.widths)) {
    verdict->add(Fault::kWidths, "widths " + text_of(a.widths) + " are not two of at least 1");
  }
  check_tensor("src", without_strides(tensors.src), tensors.dtype, verdict);
}

ContinuousAxis place_axis(std::size_t at, Extent in, const Rational& scale,
                          const ContinuousAttributes& a, Verdict* verdict) {
  const std::string where = at == 0 ? " on axis H" : " on axis W";
  ContinuousAxis x{.in = in,
                   .out = 0,
                   .k = scale.numerator(),
                   .l = scale.denominator(),
                   .K = a.kernel[at],
                   .ties = a.ties,
                   .boundary = a.boundary};
  Verdict here;
  if (in > kMost) {
    here.add(Fault::kSize, "the input is above " + std::to_string(kMost) + where);
  } else if (x.k <= 0) {
    here.add(Fault::kScale, "the scale " + to_string(scale) + " is not positive" + where);
  } else if (x.k > Wide{kMost} * x.l || x.l > Wide{kMost} * x.k) {
    here.add(Fault::kSize, "the scale " + to_string(scale) + " or its inverse is above " +
                               std::to_string(kMost) + where);
  } else if (x.K < 1 || x.K > kMost) {
    here.add(Fault::kKernel, "the kernel extent " + std::to_string(x.K) + " is not from 1 to " +
                                 std::to_string(kMost) + where);
  } else {
    x.out = a.size.empty() ? static_cast<Extent>(divide_up(Wide{in} * x.k, x.l)) : a.size[at];
    if (x.out > kMost) {
      here.add(Fault::kSize, "the output size " + std::to_string(x.out) + " is above " +
                                 std::to_string(kMost) + where);
    }
  }
  if (here.first()) verdict->add(here.first()->fault, here.first()->detail);
  return x;
}

// Net's outputs and theta's size; kSize and kChannels.
void count_parameters(ContinuousShape* s, Verdict* verdict) {
  const Extent given = s->theta.dims[0];
  Extent needed = 0;
  if (s->function != KernelFunction::kKeys) {
    const auto outputs =
        element_count({s->Cout, s->Cin, predicts_all(s->function) ? s->slots() : 1});
    const NetShape& net = s->net;
    const bool countable = outputs && element_count({net.w1, net.w2}) &&
                           element_count({*outputs, net.w2}) &&
                           is_extent(Wide{3} * net.w1 + Wide{net.w1 + Wide{1}} * net.w2 +
                                     Wide{net.w2 + Wide{1}} * *outputs);
    if (!countable) return verdict->add(Fault::kSize, "the parameters overflow 64 bits");
    s->net.outputs = *outputs;
    needed = net.parameters();
  }
  if (given != needed) {
    verdict->add(Fault::kTheta, "weights have " + std::to_string(given) +
                                    " parameters where the kernel has " + std::to_string(needed));
  }
}

void count_elements(const ContinuousShape& s, Verdict* verdict) {
  const bool countable =
      element_count(s.dst.dims) &&
      element_count({s.Cout, s.Cin, s.slots(), s.vertical.out, s.horizontal.out}) &&
      element_count({s.inputs(), 2, s.vertical.out, s.horizontal.out});
  if (!countable) verdict->add(Fault::kSize, "a tensor of the layer overflows 64 bits");
  check_tensor("dst", {s.dst.dims, {}}, s.dtype, verdict);
}

std::optional<Refusal> check_ranks(const ContinuousTensors& tensors) {
  const auto wrong = [](const char* name, const Tensor& tensor, std::size_t rank) {
    return Refusal{Fault::kRank, std::string(name) + " has " + std::to_string(tensor.rank()) +
                                     " dimensions, not " + std::to_string(rank)};
  };
  if (tensors.src.rank() != 4) return wrong("src", tensors.src, 4);
  if (tensors.theta.rank() != 1) return wrong("weights", tensors.theta, 1);
  return std::nullopt;
}

// Everything but strides and dst.
Result<ContinuousShape> infer_extents(const ContinuousTensors& tensors,
                                      const ContinuousAttributes& a) {
  if (auto refused = check_ranks(tensors)) return *refused;
  Verdict verdict;
  check_lists(tensors, a, &verdict);
  if (verdict.first()) return *verdict.first();

  const Extents& src = tensors.src.dims;
  ContinuousShape s;
  s.dtype = tensors.dtype;
  s.N = src[0];
  s.Cin = src[1];
  s.Cout = a.channels;
  s.function = a.function;
  s.vertical = place_axis(0, src[2], a.scale_h, a, &verdict);
  s.horizontal = place_axis(1, src[3], a.scale_w, a, &verdict);
  if (verdict.first()) return *verdict.first();
  if (s.function != KernelFunction::kKeys) {
    s.net = {.w1 = a.widths[0], .w2 = a.widths[1], .outputs = 0, .slope = a.slope.to_double()};
  }
  s.src.dims = src;
  s.theta.dims = tensors.theta.dims;
  s.dst.dims = {s.N, s.Cout, s.vertical.out, s.horizontal.out};
  count_elements(s, &verdict);
  if (!verdict.first()) count_parameters(&s, &verdict);
  if (verdict.first()) return *verdict.first();
  return s;
}

}  // namespace

Support ContinuousAxis::support(Extent n) const {
  const Wide whole = Wide{2} * k;
  const Wide at = Wide{2} * n * l + Wide{in - 1} * k - Wide{out - 1} * l;  // whole * g
  const Wide border = at - Wide{K} * k;
  const Wide first =
      ties == Ties::kOpen ? divide_down(border, whole) + 1 : divide_up(border, whole);
  const bool tie = border % whole == 0;
  const Extent more = ties == Ties::kClosed ? 1 : ties == Ties::kOpen ? -1 : 0;
  return {.left = static_cast<Extent>(first),
          .count = K + (tie ? more : 0),
          .numerator = at - whole * first,
          .denominator = whole};
}

double Support::offset(KernelFunction function) const {
  if (function == KernelFunction::kNetKGrid) return distance(-left);
  if (function != KernelFunction::kNetKNearest) return distance(0);
  // The whole part of g - left + 1/2, rounded down where that is a whole number.
  const Wide nearest = -divide_down(denominator - 2 * numerator, 2 * denominator);
  return distance(static_cast<Extent>(nearest));
}

Extent ContinuousAxis::pixel(Extent m) const {
  if (in == 0) return -1;
  if (m >= 0 && m < in) return m;
  if (boundary == Boundary::kZero) return -1;
  if (boundary == Boundary::kReplicate) return m < 0 ? 0 : in - 1;
  // Mirrored, the image repeats: reflect leaves the outermost pixels single.
  const Extent twice = boundary == Boundary::kReflect ? 1 : 0;
  const Extent period = std::max<Extent>(2 * (in - twice), 1);
  const Extent place = (m % period + period) % period;
  if (place < in) return place;
  return period - place - (1 - twice);
}

Result<ContinuousShape> infer_continuous(const ContinuousTensors& tensors,
                                         const ContinuousAttributes& a) {
  auto extents = infer_extents(tensors, a);
  const Tensor* const dst = tensors.dst ? &*tensors.dst : nullptr;
  const auto refusal = extents ? std::nullopt : std::optional(extents.why());
  if (auto refused =
          with_tensors(refusal, tensors.dtype,
                       {{"src", &tensors.src}, {"weights", &tensors.theta}, {"dst", dst}})) {
    return *refused;
  }
  ContinuousShape s = *std::move(extents);
  if (dst != nullptr && dst->dims != s.dst.dims) {
    return Refusal{Fault::kDst, "dst is given as " + to_string(*dst) + " where the layer makes " +
                                    to_string(s.dst)};
  }
  s.src.strides = strides_of(tensors.src);
  s.theta.strides = strides_of(tensors.theta);
  s.dst.strides = strides_of(dst != nullptr ? *dst : s.dst);
  return s;
}

}  // namespace concord::optimized
