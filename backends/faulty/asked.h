// SPDX-License-Identifier: Apache-2.0
// What a problem asks for, as far as the planted bugs care.
#ifndef CONCORD_BACKENDS_FAULTY_ASKED_H_
#define CONCORD_BACKENDS_FAULTY_ASKED_H_

#include "backends/faulty/convolution.h"

namespace concord::backends::faulty {

/// The attributes that Convolution1 and Convolution share; null for AtrousConv2d.
SpatialAttributes* asked_attributes(Problem& problem);
const SpatialAttributes* asked_attributes(const Problem& problem);

/// The auto_pad; for AtrousConv2d the one that means the same.
AutoPad asked_auto_pad(const Problem& problem);
bool asks_same(const Problem& problem);

/// The pads_begin attribute, whether it counts or not; 0 where there is none.
Spatial asked_pads_begin(const Problem& problem);

bool has_nonzero(const Extents& values);
inline bool inside(Extent i, Extent extent) { return i >= 0 && i < extent; }

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_ASKED_H_
