// SPDX-License-Identifier: Apache-2.0
// The families of the catalog: each function adds the cases of one kind, in a fixed order.
#ifndef CONCORD_CONFORMANCE_CATALOG_FAMILIES_H_
#define CONCORD_CONFORMANCE_CATALOG_FAMILIES_H_

#include "conformance/catalog/collector.h"

namespace concord::conformance {

// Layers of networks.

/// Integers in the formats of the network's own framework, another fill in the other ones.
void add_layers(Collector& collector);
/// The same layers less cut, and in the dtypes of 16 bits.
void add_more_layers(Collector& collector);
/// Every so many of them in f64.
void add_f64_layers(Collector& collector);

// Attributes of the discrete operations.

/// One attribute at a time, the lines of boundary.txt, and every pair of levels.
void add_boundary(Collector& collector);
/// What nearly every library serves: every triple of levels, in both pairs of formats, and in 16
/// bits by turns.
void add_plain(Collector& collector);
/// More data for the attributes and pairs, and every triple of levels.
void add_more_boundary(Collector& collector);

/// Strides, dilations and pads that need many bits.
void add_far(Collector& collector, Suite suite);

/// Every combination of the windows, paddings and channels of kernels_model() that most layers
/// have; in full of the windows, channels, dtypes and formats.
void add_common_kernels(Collector& collector, Suite suite);

/// Images of few rows or columns under small windows with padding, in each kind of kernel: in smoke
/// the windows that most layers have.
void add_short_images(Collector& collector, Suite suite);

/// Batches of images of a few pixels: every kind of window on each of one to three axes, in smoke
/// in one dtype.
void add_batches(Collector& collector, Suite suite);

/// Tensors without elements, on one to four axes: in smoke one draw in f32, another in one dtype.
void add_empty(Collector& collector, Suite suite);

/// The continuous layer and its gradients on every two kinds of axes, in smoke one draw in one
/// dtype.
void add_phases(Collector& collector, Suite suite);

/// Every order of the axes of src, weights and dst in memory, with gaps.
void add_orders(Collector& collector, Suite suite);

// What is not described by the attributes of attribute_model().

/// The lines of blocks.txt, cntk.txt, continuous.txt and twins.txt: integers, reals, and impulse or
/// ramp by turns.
void add_forms(Collector& collector);
/// Of each operation but the discrete convolutions the problems of refused.txt, in each dtype and
/// with each fill.
void add_filled_forms(Collector& collector);
/// Other data for the same lines.
void add_more_forms(Collector& collector);
/// The lines of large.txt: integers in smoke where they are exact, other data in full.
void add_large(Collector& collector, Suite suite);
/// Every pair of the levels of their factors, and every triple of those of the sizes.
void add_form_pairs(Collector& collector);
/// Every other triple, and other data for the rows of smoke.
void add_more_form_rows(Collector& collector);

/// Every count of CNTK's convolutions, of the continuous layer and of what TensorFlow's is made of;
/// in smoke the common ones, each in one form.
void add_form_counts(Collector& collector, Suite suite);

/// The lines of f64.txt: of the data, those that smoke has, or those that only full has.
void add_f64(Collector& collector, Suite suite);

/// The rows of all pairs in f64, but those of the continuous layer: integers in smoke, reals in
/// full.
void add_f64_pairs(Collector& collector, Suite suite);

/// The lines of huge.txt.
void add_huge(Collector& collector);

/// The lines of invalid.txt.
void add_invalid(Collector& collector);

/// Those of refused.txt with each number of each attribute out of its range, and each tensor wrong.
void add_refused(Collector& collector);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_FAMILIES_H_
