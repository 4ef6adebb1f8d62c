// SPDX-License-Identifier: Apache-2.0
// What the forward pass and the gradients by phases share: where a phase's outputs and their
// neighbours are, and rows of the input with what lies outside the image.
//
// A staged row has a pixel for every place that some output's neighbour has, from the first
// output's first neighbour on, so that the neighbours of any output lie side by side.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_STAGE_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_STAGE_H_

#include "optimized/context.h"
#include "optimized/operations/continuous_shape.h"

namespace concord::optimized {

/// Outputs below `out` that are of phase p of k.
Extent outputs_of_phase(Extent out, Extent p, Extent k);

/// From the first pixel that any phase sees to the first one of phase p.
Extent phase_offset(const ContinuousAxis& axis, Extent p);

/// Pixels that the first `out` outputs see from the first one's first pixel on.
Extent staged_extent(const ContinuousAxis& axis, Extent out);

/// The context for converting rows between the dtype and f32; its src is the layer's.
Context continuous_reorders(const ContinuousShape& shape, Isa isa);

/// Writes row m of image n, which may lie outside it, to `to` [pitch,Cin].
void stage_row(const ContinuousShape& shape, const Context& io, Extent pitch, const void* src,
               Extent n, Extent m, float* to);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_STAGE_H_
