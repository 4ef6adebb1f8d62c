// SPDX-License-Identifier: Apache-2.0
// Adds a vector to a set on disk, or begins a set with it.
#ifndef CONCORD_VECTORS_ADD_H_
#define CONCORD_VECTORS_ADD_H_

#include <filesystem>
#include <optional>

#include "vectors/set.h"

namespace concord::vectors {

/// A vector whose tensors are .npy files of their own, of the problem's shapes and dtype.
struct NewVector {
  std::string id{};
  Problem problem{};
  std::filesystem::path src{}, dst{};
  std::optional<std::filesystem::path> weights{}, bias{};
  Exactness exactness = Exactness::kExact;
  std::string arithmetic{};
  std::string source{};
};

/// Writes the set of `head` with `added` behind its vectors; where `folder` holds a set already,
/// the head is that set's and `head` must be empty. Equal tensors are stored once.
/// Numeric  files are written beside the old ones and then put in their place, the manifest last
/// Errors   kSyntax: those of load_set() and parse_npy(), with the path; a head where there is a
///          set, or none where there is none; a tensor of another dtype or shape than the
///          problem's; what parse_manifest() says of the new manifest, as of an id that is there; a
///          file that cannot be written
Result<Set> add_vector(const std::filesystem::path& folder, const std::optional<Manifest>& head,
                       const NewVector& added);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_ADD_H_
