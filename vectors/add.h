// SPDX-License-Identifier: Apache-2.0
// Adds vectors to a set on disk, or begins a set with them.
#ifndef CONCORD_VECTORS_ADD_H_
#define CONCORD_VECTORS_ADD_H_

#include <filesystem>
#include <optional>
#include <vector>

#include "vectors/set.h"

namespace concord::vectors {

/// A vector whose tensors are .npy files of their own, of the problem's shapes and dtype.
struct NewVector {
  std::string id{};
  Problem problem{};
  Extents dst_shape{};  ///< what the problem's dst must have
  std::filesystem::path src{}, dst{};
  std::optional<std::filesystem::path> weights{}, bias{};
  Exactness exactness = Exactness::kExact;
  std::string arithmetic{};
  int digits = 0;
  std::string source{};
};

/// Writes the set of `head` with `added` behind its vectors; where `folder` holds a set already,
/// the head is that set's and `head` must be empty. Equal tensors are stored once.
/// Numeric  files are written beside the old ones and then put in their place, the manifest last
/// Errors   kSyntax: those of load_set() and parse_npy(), with the path; a head where there is a
///          set, or none where there is none; a tensor of another dtype or shape than the
///          problem's; an infinity in a printed dst, which may be a large number rounded up; what
///          parse_manifest() says of the new manifest, as of an id that is there; a file that
///          cannot be written. What is wrong with one vector's tensors begins with its id.
Result<Set> add_vectors(const std::filesystem::path& folder, const std::optional<Manifest>& head,
                        const std::vector<NewVector>& added);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_ADD_H_
