// SPDX-License-Identifier: Apache-2.0
// A set of golden vectors in a folder: its manifest and the data files that this names.
#ifndef CONCORD_VECTORS_SET_H_
#define CONCORD_VECTORS_SET_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vectors/manifest.h"

namespace concord::vectors {

/// A set whose every file has the bytes that the manifest says, and whose every tensor lies within
/// its file. Only load_set() makes one.
class Set {
 public:
  const Manifest& manifest() const { return manifest_; }

  /// The bytes of a tensor of this set, dense in its own axis order.
  std::span<const std::byte> bytes(const StoredTensor& tensor) const;
  /// The bytes of all elements of a data file that the manifest names.
  std::span<const std::byte> elements(const std::string& file) const;
  /// The text of a table that the manifest names.
  const std::string& table(const std::string& name) const { return tables_.at(name); }

 private:
  friend Result<Set> load_set(const std::filesystem::path& folder);
  const Vector* vector_beyond_its_file() const;
  struct Elements {
    std::vector<std::byte> file{};
    std::size_t begin = 0, element_size = 0;
  };
  Manifest manifest_{};
  std::map<std::string, Elements> files_{};
  std::map<std::string, std::string> tables_{};
};

/// Reads a set and verifies it.
/// Errors  kSyntax naming the file: it cannot be read, its SHA-256 is not the manifest's, it is no
///         one-dimensional .npy of its dtype; or the vector whose tensor goes beyond its file
Result<Set> load_set(const std::filesystem::path& folder);

/// A file's bytes; nothing if it cannot be read or is a folder.
std::optional<std::vector<std::byte>> read_bytes(const std::filesystem::path& path);

/// The folders under `root` that hold a manifest.json, sorted by name.
std::vector<std::filesystem::path> find_sets(const std::filesystem::path& root);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_SET_H_
