// SPDX-License-Identifier: Apache-2.0
// The manifest of a set of golden vectors: what each is, and who computed it. docs/vectors.md
#ifndef CONCORD_VECTORS_MANIFEST_H_
#define CONCORD_VECTORS_MANIFEST_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/problem.h"
#include "spec/result.h"

namespace concord::vectors {

/// A tensor within a data file: dense, the last axis fastest, in the problem's order of axes, also
/// where the operation's own tensors have their first axis fastest.
struct StoredTensor {
  std::string file{};
  Extent offset = 0;  ///< elements of the file before the first one
  Extents shape{};
};

/// How far a stored dst may be from the exact value.
enum class Exactness {
  kExact,             ///< not at all
  kCorrectlyRounded,  ///< by one rounding to the problem's dtype
  kArithmetic,        ///< by what the producer's class of arithmetic allows
  kPrinted,           ///< by half a unit of the last printed digit, and what was printed by its own
};
/// "exact", "correctly_rounded", "arithmetic" or "printed".
std::string_view to_string(Exactness exactness);
/// The inverse; nothing if there is no such word.
std::optional<Exactness> parse_exactness(std::string_view text);

/// Digits that a printed value can have; 17 distinguish any two f64.
inline constexpr int kMostDigits = 17;

struct Vector {
  std::string id{};  ///< unique within its set
  Problem problem{};
  StoredTensor src{}, dst{};
  std::optional<StoredTensor> weights{}, bias{};  ///< where the problem has them

  /// All of them that are there.
  std::vector<const StoredTensor*> tensors() const;
  Exactness exactness = Exactness::kExact;
  std::string arithmetic{};  ///< the producer's class; only of kPrinted may it be empty, too
  int digits = 0;            ///< significant ones, for kPrinted
  std::string source{};      ///< where a published number was printed; empty for computed ones
};

struct DataFile {
  std::string name{};
  Dtype dtype = Dtype::kF32;
  std::string sha256{};
};

/// A JSON file of rows that are no vectors: geometry, for instance.
struct Table {
  std::string name{}, sha256{};
};

struct Manifest {
  std::string set{}, date{}, licence{};
  std::string producer{}, version{}, command{};
  std::vector<DataFile> files{};
  std::vector<Table> tables{};
  std::vector<Vector> vectors{};
};

/// Reads a manifest. Every tensor names a file that is there, of the problem's dtype; src, weights
/// and bias have the problem's shapes. Gradients, which take a diff_dst, have no vectors.
/// Errors  kSyntax naming the place and what is wrong with it: no JSON, another schema, a member
///         that is missing, unknown or of another type, a file name with a folder in it, a problem
///         line that parse() refuses, an id, file or table that occurs twice
/// Source  docs/vectors.schema.json
Result<Manifest> parse_manifest(std::string_view json);

/// The text of a manifest, which parse_manifest() reads; a line a vector.
std::string print(const Manifest& manifest);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_MANIFEST_H_
