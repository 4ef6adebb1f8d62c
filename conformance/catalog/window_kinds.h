// SPDX-License-Identifier: Apache-2.0
// All windows of an axis within bounds, legal ones and those one step from a legal one, and how the
// axes of a problem get different ones.
#ifndef CONCORD_CONFORMANCE_CATALOG_WINDOW_KINDS_H_
#define CONCORD_CONFORMANCE_CATALOG_WINDOW_KINDS_H_

#include <array>
#include <string_view>
#include <vector>

#include "conformance/catalog/window.h"

namespace concord::conformance {

/// The largest extent, kernel, stride, dilation and pad.
struct WindowBounds {
  Extent I, K, S, D, pad;
};
/// Of the sweeps of `full`, and of those axes of `exhaustive` that are swept one by one.
inline constexpr WindowBounds kAxisBounds{10, 5, 4, 4, 4};

/// Windows that go together in a problem, which has one auto_pad.
struct WindowKind {
  AutoPad auto_pad;
  std::string_view word;
  std::vector<Window> windows{};
};

/// "explicit", "upper", "lower" and "valid" with outputs; then "empty" and "valid_empty", whose
/// windows reach beyond the padding by less than a stride and make no output, which is legal.
std::vector<WindowKind> legal_kinds(const WindowBounds& bounds);
/// The same in four kinds, with outputs and without.
std::vector<WindowKind> all_legal_kinds(const WindowBounds& bounds);
/// Of the four auto_pads, the windows that must be refused and that one step of one number makes
/// legal.
std::vector<WindowKind> refused_kinds(const WindowBounds& bounds);

/// Walks through the windows of several kinds, one kind after the other.
struct WindowPlace {
  std::size_t kind, window;
};
WindowPlace place_among(const std::vector<WindowKind>& kinds, std::size_t number);
std::size_t count_windows(const std::vector<WindowKind>& kinds);

/// The window that an axis of the problem with a number has: on the first axis one after the other,
/// on the others far apart, so that each axis meets each window once, always beside another one.
std::size_t place_of(std::size_t number, std::size_t axis, std::size_t turn, std::size_t count);

/// True if some output sees an element of src; others tell something by their bias alone.
bool meets_src(const Window& window);

/// Gives outputs that see nothing but padding a bias, or they would tell nothing.
void add_needed_bias(const std::vector<Window>& windows, Surrounds& surrounds);

/// Dtype and data format of swept problems.
struct WindowVariant {
  Dtype dtype;
  DataFormat data_format;
};
inline constexpr std::array kWindowVariants = {
    WindowVariant{Dtype::kF32, DataFormat::kNCX}, WindowVariant{Dtype::kF32, DataFormat::kNXC},
    WindowVariant{Dtype::kF16, DataFormat::kNXC}, WindowVariant{Dtype::kBF16, DataFormat::kNCX}};
/// Those of the sweeps of `full`.
inline constexpr std::array kSweptVariants = {kWindowVariants[0], kWindowVariants[1],
                                              kWindowVariants[2], kWindowVariants[3],
                                              WindowVariant{Dtype::kF64, DataFormat::kNXC}};

/// The other attributes, by turns of lengths without a common factor.
Surrounds surrounds_by_turns(std::size_t number, std::size_t axes, const WindowVariant& variant,
                             AutoPad auto_pad);
/// Integers, or of one number in five a ramp.
Fill fill_by_turns(std::size_t number);

/// As the names of cases have it.
std::string_view word_of(DataFormat format);
std::string_view word_of(WeightsFormat format);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_WINDOW_KINDS_H_
