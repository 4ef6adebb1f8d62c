// SPDX-License-Identifier: Apache-2.0
// A bilinear algorithm: where a conventional one was declared, or with a wrong constant.
#ifndef CONCORD_BACKENDS_FAULTY_WINOGRAD_H_
#define CONCORD_BACKENDS_FAULTY_WINOGRAD_H_

#include "backends/faulty/convolution.h"

namespace concord::backends::faulty {

/// Fills run.dst again by Winograd's F(4,3) along the width, where kernels three wide, stride and
/// dilation 1 allow it; elsewhere leaves it as it is. Right up to rounding, which is larger, and
/// not exact for integers, if `eight`, the constant of A's last column, is 8. Adds the bias.
/// Source  Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, section 4.3
void fill_by_winograd(Run& run, float eight);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_WINOGRAD_H_
