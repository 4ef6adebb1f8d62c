// SPDX-License-Identifier: Apache-2.0
#include "vectors/set.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "vectors/npy.h"
#include "vectors/sha256.h"

namespace concord::vectors {
namespace {

Refusal refuse(const std::filesystem::path& place, const std::string& detail) {
  return {Fault::kSyntax, place.string() + ": " + detail};
}

Result<std::vector<std::byte>> read_unchanged(const std::filesystem::path& path,
                                              const std::string& sha256_of_manifest) {
  auto bytes = read_bytes(path);
  if (!bytes) return refuse(path, "cannot be read");
  const std::string hash = sha256(*bytes);
  if (hash == sha256_of_manifest) return *std::move(bytes);
  return refuse(path, fmt::format("changed: its SHA-256 is {}, the manifest says {}", hash,
                                  sha256_of_manifest));
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool lies_within(const StoredTensor& tensor, std::size_t elements) {
  const auto count = element_count(tensor.shape);
  const auto have = static_cast<Extent>(elements);
  return count && tensor.offset <= have && *count <= have - tensor.offset;
}

}  // namespace

std::optional<std::vector<std::byte>> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(begin, begin + text.size());
}

std::span<const std::byte> Set::elements(const std::string& file) const {
  const Elements& elements = files_.at(file);
  return std::span(elements.file).subspan(elements.begin);
}

std::span<const std::byte> Set::bytes(const StoredTensor& tensor) const {
  const Elements& elements = files_.at(tensor.file);
  const auto count = static_cast<std::size_t>(element_count(tensor.shape).value());
  return std::span(elements.file)
      .subspan(elements.begin + static_cast<std::size_t>(tensor.offset) * elements.element_size,
               count * elements.element_size);
}

const Vector* Set::vector_beyond_its_file() const {
  const auto fits = [this](const StoredTensor& tensor) {
    const Elements& held = files_.at(tensor.file);
    return lies_within(tensor, (held.file.size() - held.begin) / held.element_size);
  };
  for (const Vector& vector : manifest_.vectors) {
    for (const StoredTensor* tensor : vector.tensors()) {
      if (!fits(*tensor)) return &vector;
    }
  }
  return nullptr;
}

Result<Set> load_set(const std::filesystem::path& folder) {
  const auto text = read_bytes(folder / "manifest.json");
  if (!text) return refuse(folder / "manifest.json", "cannot be read");
  auto manifest = parse_manifest(text_of(*text));
  if (!manifest) return refuse(folder / "manifest.json", manifest.why().detail);
  Set set;
  set.manifest_ = *std::move(manifest);
  for (const DataFile& file : set.manifest_.files) {
    const auto path = folder / file.name;
    auto bytes = read_unchanged(path, file.sha256);
    if (!bytes) return bytes.why();
    const auto npy = parse_npy(*bytes);
    if (!npy) return refuse(path, npy.why().detail);
    if (npy->type != npy_type(file.dtype) || npy->shape.size() != 1) {
      return refuse(path, fmt::format("is not a one-dimensional {} of {}",
                                      to_string(npy_type(file.dtype)), to_string(file.dtype)));
    }
    const std::size_t begin = bytes->size() - npy->elements.size();
    set.files_[file.name] = {*std::move(bytes), begin, size_of(file.dtype)};
  }
  for (const Table& table : set.manifest_.tables) {
    const auto bytes = read_unchanged(folder / table.name, table.sha256);
    if (!bytes) return bytes.why();
    set.tables_[table.name] = text_of(*bytes);
  }
  if (const Vector* beyond = set.vector_beyond_its_file()) {
    return refuse(folder / "manifest.json",
                  "vector " + beyond->id + " has a tensor beyond the end of its file");
  }
  return set;
}

std::vector<std::filesystem::path> find_sets(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> folders;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root, none)) {
    if (std::filesystem::exists(entry.path() / "manifest.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace concord::vectors
