// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, those of the dtypes that Concord knows.
#ifndef CONCORD_VECTORS_NPY_H_
#define CONCORD_VECTORS_NPY_H_

#include <cstddef>
#include <span>
#include <string>

#include "spec/dtype.h"
#include "spec/result.h"
#include "spec/tensor.h"

namespace concord::vectors {

/// The types of elements that are read.
enum class NpyType { kF32, kF16, kU16, kF64 };
/// "<f4", "<f2", "<u2" or "<f8": little-endian, as the header spells them.
std::string_view to_string(NpyType type);
std::size_t size_of(NpyType type);

/// An array in the bytes that it was read from, dense, last axis fastest.
struct Npy {
  NpyType type;
  Extents shape{};
  std::span<const std::byte> elements{};
};

/// Reads a file's bytes. They may hold anything: nothing outside them is touched, and no memory is
/// taken in proportion to what they claim.
/// Errors  kSyntax with what is wrong: no magic or an unknown version, a header that is cut or not
///         the dictionary of descr, fortran_order and shape, another type of elements, Fortran's
///         order, more than kMaxRank axes, a shape that overflows, fewer or more bytes than it says
/// Source  NEP 1, format versions 1.0 and 2.0
Result<Npy> parse_npy(std::span<const std::byte> bytes);

/// What stands before the elements of an array, as NumPy writes it: format version 1.0, a multiple
/// of 64 bytes.
std::string npy_header(NpyType type, const Extents& shape);
/// The type that a dtype is stored as: NumPy's own if it has one, else bits, as bf16 in kU16.
NpyType npy_type(Dtype dtype);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_NPY_H_
