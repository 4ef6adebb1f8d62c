// SPDX-License-Identifier: Apache-2.0
// Problems whose channels and widths lie around every vector, panel and block of the kernels. Lines
// without the operation and the dtype.
#ifndef CONCORD_OPTIMIZED_TESTING_WIDTHS_H_
#define CONCORD_OPTIMIZED_TESTING_WIDTHS_H_

#include <string>
#include <vector>

namespace concord::optimized::testing {

using Lines = std::vector<std::string>;

/// For register tiles, matrix tiles and pointwise NCX: every pair of output channels and width,
/// with input channels, formats, kernels and bias in turn.
Lines dense(bool channels_last);
/// For boxes of src that tasks bring, and for all of src brought before: in two and three axes.
Lines staged();
/// Layers of several panels, whose weights tasks bring where they come as they are.
Lines packed_on_the_fly();
/// Groups of 1, 2, 4, 8 and 16 channels, each by every kind of kernel.
Lines grouped(bool channels_last);
/// Depthwise 3x3 convolutions of strides 1 and 2, around the rows and pixels of patches.
Lines patches();
/// Depthwise convolutions of other kernels, strides and dilations, around the outputs and taps of
/// bands.
Lines bands();
/// Pointwise layers with channels first: pixels around the vectors and their panels.
Lines pointwise_ncx();
/// Narrow groups with channels first: rows around the vectors of pixels, bands of rows and columns.
Lines planes();
/// What Winograd's algorithm serves.
Lines winograd();

}  // namespace concord::optimized::testing

#endif  // CONCORD_OPTIMIZED_TESTING_WIDTHS_H_
