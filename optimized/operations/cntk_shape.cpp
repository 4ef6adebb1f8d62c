// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/cntk_shape.h"

#include <algorithm>
#include <string>

#include "optimized/operations/cntk_extents.h"
#include "optimized/shape/verdict.h"

namespace concord::optimized {
namespace {

// The tensors' own faults beside that of `extents`.
std::optional<Refusal> check_tensors(const CntkTensors& tensors,
                                     const std::optional<Refusal>& refusal) {
  return with_tensors(refusal, tensors.dtype,
                      {{"src", &tensors.src},
                       {"weights", &tensors.weights},
                       {"dst", tensors.dst ? &*tensors.dst : nullptr}});
}

// kSize and kDst; gives dst the strides asked for.
std::optional<Refusal> check_dst(const CntkTensors& tensors, CntkShape* shape) {
  Verdict verdict;
  check_tensor("dst", shape->dst, tensors.dtype, &verdict);
  if (tensors.dst && tensors.dst->dims != shape->dst.dims) {
    verdict.add(Fault::kDst, "dst is given as " + to_string(*tensors.dst) +
                                 " where the operation makes " + to_string(shape->dst));
  }
  if (tensors.dst) shape->dst.strides = tensors.dst->strides;
  return verdict.first();
}

Extents steps_of(const Tensor& tensor) {
  return tensor.strides.empty() ? column_major_strides(tensor.dims) : tensor.strides;
}

// The step of a matrix read in order, row by row; nothing if rows do not follow one another.
std::optional<Extent> linear_step(const Tensor& matrix) {
  const Extents strides = strides_of(matrix);
  if (matrix.dims[0] <= 1) return strides[1];
  if (matrix.dims[1] == 1) return strides[0];
  if (strides[0] != matrix.dims[1] * strides[1]) return std::nullopt;
  return strides[1];
}

// Where src, dst and the runs of weights step, for images whose axes are those of the tensors.
void place_steps(CntkShape* shape) {
  const std::size_t rank = shape->src.rank() - 1;
  const Extents src = steps_of(shape->src);
  const Extents dst = steps_of(shape->dst);
  const auto linear = linear_step(shape->weights);
  const Extents strides = strides_of(shape->weights);
  Extent run = shape->kernel_size;
  Extent cell = 1;
  if (linear) {
    run *= *linear;
    cell = *linear;
  } else if (shape->weights.dims == Extents{shape->kernel_count, shape->kernel_size}) {
    run = strides[0];
    cell = strides[1];
  } else {
    shape->copies_weights = true;
  }
  for (std::size_t at = 0; at < rank; ++at) {
    CntkAxis& x = shape->axes[at];
    x.src_step = src[at];
    x.dst_step = dst[at];
    x.cell_step = cell;
    cell *= x.kernel;
    if (x.positions <= 1) x.shared = true;
    if (!x.shared) {
      x.position_run = run;
      run *= x.positions;
    }
    x.map_run = run;
    run *= x.maps;
  }
  shape->src_sample = src[rank];
  shape->dst_sample = dst[rank];
}

// The 2-D form's attributes under their own names.
void check_attributes(const CntkConvolution2dAttributes& a, Verdict* verdict) {
  const auto at_least = [&](Fault fault, const char* name, Extent value, Extent least) {
    if (value >= least) return;
    verdict->add(fault, std::string(name) + " is " + std::to_string(value) + ", less than " +
                            std::to_string(least));
  };
  at_least(Fault::kSize, "maxTempMemSizeInSamples", a.max_temp_mem_size_in_samples, 0);
  at_least(Fault::kStrides, "horizontalSubsample", a.horizontal_stride, 1);
  at_least(Fault::kStrides, "verticalSubsample", a.vertical_stride, 1);
  at_least(Fault::kMapCount, "mapCount", a.map_count, 0);
  at_least(Fault::kKernel, "kernelWidth", a.kernel_width, 1);
  at_least(Fault::kKernel, "kernelHeight", a.kernel_height, 1);
  if (a.zero_padding != 0 && a.zero_padding != 1) {
    verdict->add(Fault::kPadding,
                 "zeroPadding is " + std::to_string(a.zero_padding) + ", neither 0 nor 1");
  }
  if (a.image_layout != CntkLayout::kCudnn && a.image_layout != CntkLayout::kHwc) {
    verdict->add(Fault::kPadding, "imageLayout is no value that exists");
  }
}

// The step from one pixel to the next of an image [C,W,H] whose pixels are counted along W first;
// nothing if no one step does that.
std::optional<Extent> pixel_step(const Tensor& image) {
  const Extents steps = steps_of(image);
  if (image.dims[1] <= 1) return steps[2];
  if (image.dims[2] > 1 && steps[2] != image.dims[1] * steps[1]) return std::nullopt;
  return steps[1];
}

// The steps of [C,W,H,samples]. The legacy engine counts pixels along the height first, whatever
// the layout's name says: pixel (w, h) is the one whose number is h + H w.
void place_hwc_steps(Reading reading, CntkShape* shape) {
  const bool along_height = reading != Reading::kDocumented;
  CntkAxis& width = shape->axes[0];
  CntkAxis& height = shape->axes[1];
  CntkAxis& channels = shape->axes[2];
  const auto linear = linear_step(shape->weights);
  shape->copies_weights = !linear;
  const Extent unit = linear.value_or(1);
  channels.map_run = unit;
  width.cell_step = unit * channels.maps * (along_height ? height.kernel : 1);
  height.cell_step = unit * channels.maps * (along_height ? 1 : width.kernel);
  channels.cell_step = unit * channels.maps * width.kernel * height.kernel;

  const auto src_pixel = pixel_step(shape->src);
  const auto dst_pixel = pixel_step(shape->dst);
  shape->copies_images = along_height && (!src_pixel || !dst_pixel);
  const Extents src =
      shape->copies_images ? column_major_strides(shape->src.dims) : steps_of(shape->src);
  const Extents dst =
      shape->copies_images ? column_major_strides(shape->dst.dims) : steps_of(shape->dst);
  channels.src_step = src[0];
  channels.dst_step = dst[0];
  width.src_step = src[1];
  width.dst_step = dst[1];
  height.src_step = src[2];
  height.dst_step = dst[2];
  shape->src_sample = src[3];
  shape->dst_sample = dst[3];
  if (!along_height) return;
  height.src_step = shape->copies_images ? src[1] : *src_pixel;
  height.dst_step = shape->copies_images ? dst[1] : *dst_pixel;
  width.src_step = height.src_step * height.input;
  width.dst_step = height.dst_step * height.positions;
}

// zeroPadding of the system's first version: half a kernel on either side, whatever the stride.
void pad_as_first_version(CntkShape* shape) {
  for (std::size_t at = 0; at < 2; ++at) {
    CntkAxis& x = shape->axes[at];
    x.lower = x.kernel / 2;
    x.positions = static_cast<Extent>(divide_down(Wide{x.input} - x.kernel % 2, x.stride) + 1);
    shape->dst.dims[at] = x.positions;
  }
}

}  // namespace

bool CntkShape::is_empty() const {
  return samples == 0 || std::any_of(axes.begin(), axes.end(),
                                     [](const CntkAxis& x) { return x.positions * x.maps == 0; });
}

Result<CntkShape> infer_cntk(const CntkTensors& tensors, const CntkConvolutionAttributes& a,
                             Reading reading) {
  auto extents = infer_cntk_extents(tensors, a, reading);
  const auto refusal = extents ? std::nullopt : std::optional(extents.why());
  if (auto refused = check_tensors(tensors, refusal)) return *refused;
  CntkShape shape = *std::move(extents);
  if (auto refused = check_dst(tensors, &shape)) return *refused;
  place_steps(&shape);
  return shape;
}

Result<CntkShape> infer_cntk_2d(const CntkTensors& tensors, const CntkConvolution2dAttributes& a,
                                Reading reading) {
  if (tensors.src.rank() != 4) {
    return Refusal{Fault::kRank,
                   "src has " + std::to_string(tensors.src.rank()) + " dimensions, not 4"};
  }
  const bool hwc = a.image_layout == CntkLayout::kHwc;
  CntkTensors whc = tensors;
  for (Extents* list : {&whc.src.dims, &whc.src.strides}) {
    if (hwc && list->size() == 4) std::rotate(list->begin(), list->begin() + 1, list->begin() + 3);
  }
  const Extent channels = std::max<Extent>(whc.src.dims[2], 1);
  CntkConvolutionAttributes general;
  general.kernel = {a.kernel_width, a.kernel_height, channels};
  general.map_count = {a.map_count};
  general.stride = {a.horizontal_stride, a.vertical_stride, channels};
  general.auto_padding = {a.zero_padding, a.zero_padding, 0};
  general.max_temp_mem_size_in_samples = a.max_temp_mem_size_in_samples;
  const bool documented = reading == Reading::kDocumented;
  auto extents =
      infer_cntk_extents(whc, general, documented ? Reading::kDocumented : Reading::kImplemented);
  Verdict verdict;
  check_attributes(a, &verdict);
  auto refusal = extents ? std::nullopt : std::optional(extents.why());
  if (verdict.first() && (!refusal || verdict.first()->fault <= refusal->fault)) {
    refusal = verdict.first();
  }
  if (auto refused = check_tensors(tensors, refusal)) return *refused;
  CntkShape shape = *std::move(extents);
  shape.src = tensors.src;
  if (reading == Reading::kFirstVersion && a.zero_padding == 1) pad_as_first_version(&shape);
  if (hwc) {
    std::rotate(shape.dst.dims.begin(), shape.dst.dims.begin() + 2, shape.dst.dims.end() - 1);
  }
  if (auto refused = check_dst(tensors, &shape)) return *refused;
  if (!hwc) {
    place_steps(&shape);
    return shape;
  }
  place_hwc_steps(reading, &shape);
  if (!documented && a.zero_padding == 1) {
    for (std::size_t at = 0; at < 2; ++at) shape.axes[at].lower = shape.axes[at].kernel / 2;
  }
  return shape;
}

}  // namespace concord::optimized
