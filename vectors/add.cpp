// SPDX-License-Identifier: Apache-2.0
#include "vectors/add.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "vectors/npy.h"
#include "vectors/sha256.h"
#include "vectors/write_file.h"

namespace concord::vectors {
namespace {

using Bytes = std::vector<std::byte>;

Refusal refuse(const std::filesystem::path& path, const std::string& detail) {
  return {Fault::kSyntax, path.string() + ": " + detail};
}

// The elements of each dtype's file, and the offsets of the tensors in them.
class Pools {
 public:
  // The elements of the files that `set` has.
  void take(const Set& set) {
    for (const DataFile& file : set.manifest().files) {
      const auto elements = set.elements(file.name);
      pools_[file.name].assign(elements.begin(), elements.end());
    }
    for (const Vector& vector : set.manifest().vectors) {
      for (const StoredTensor* tensor : vector.tensors()) {
        known_.emplace(Key{tensor->file, sha256(set.bytes(*tensor))}, tensor->offset);
      }
    }
  }

  StoredTensor put(Dtype dtype, const Npy& npy) {
    StoredTensor stored{std::string(to_string(dtype)) + ".npy", 0, npy.shape};
    Bytes& pool = pools_[stored.file];
    const auto end = static_cast<Extent>(pool.size() / size_of(npy.type));
    const auto [known, is_new] = known_.emplace(Key{stored.file, sha256(npy.elements)}, end);
    if (is_new) pool.insert(pool.end(), npy.elements.begin(), npy.elements.end());
    stored.offset = known->second;
    return stored;
  }

  const Bytes& of(const std::string& file) const { return pools_.at(file); }

 private:
  using Key = std::pair<std::string, std::string>;  ///< a file, and the hash of a tensor in it

  std::map<std::string, Bytes> pools_{};
  std::map<Key, Extent> known_{};
};

bool has_infinity(const Npy& npy, Dtype dtype) {
  std::vector<double> values(npy.elements.size() / size_of(npy.type));
  load(dtype, npy.elements, values);
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isinf(value); });
}

// Puts the tensor of the file at `path`, of the shape `wanted`, into `pools`.
Result<StoredTensor> read_into(Pools& pools, const std::filesystem::path& path, Dtype dtype,
                               const Extents& wanted, bool must_be_bounded = false) {
  const auto bytes = read_bytes(path);
  if (!bytes) return refuse(path, "cannot be read");
  const auto npy = parse_npy(*bytes);
  if (!npy) return refuse(path, npy.why().detail);
  if (npy->type != npy_type(dtype)) {
    return refuse(
        path, fmt::format("is of {}, but the problem's {} is stored as {}", to_string(npy->type),
                          concord::to_string(dtype), to_string(npy_type(dtype))));
  }
  if (npy->shape != wanted) {
    return refuse(path, fmt::format("is {}, but the problem says {}",
                                    concord::to_string(Tensor{npy->shape, {}}),
                                    concord::to_string(Tensor{wanted, {}})));
  }
  if (must_be_bounded && has_infinity(*npy, dtype)) {
    return refuse(path,
                  "holds an infinity: printed, a large number may have been rounded up to it");
  }
  return pools.put(dtype, *npy);
}

Result<Vector> store(Pools& pools, const NewVector& added) {
  const Problem& problem = added.problem;
  Vector vector{.id = added.id,
                .problem = problem,
                .exactness = added.exactness,
                .arithmetic = added.arithmetic,
                .digits = added.digits,
                .source = added.source};
  auto src = read_into(pools, added.src, problem.dtype, problem.src.dims);
  if (!src) return src.why();
  vector.src = *std::move(src);
  struct Part {
    Input input;
    const std::optional<std::filesystem::path>& from;
    std::optional<StoredTensor>& to;
  };
  for (const Part& part : {Part{Input::kWeights, added.weights, vector.weights},
                           Part{Input::kBias, added.bias, vector.bias}}) {
    const Tensor* wanted = input_of(problem, part.input);
    if (part.from.has_value() != (wanted != nullptr)) {
      return Refusal{Fault::kSyntax, fmt::format("{} is in one of problem and files, not in both",
                                                 concord::to_string(part.input))};
    }
    if (wanted == nullptr) continue;
    auto stored = read_into(pools, *part.from, problem.dtype, wanted->dims);
    if (!stored) return stored.why();
    part.to = *std::move(stored);
  }
  auto dst = read_into(pools, added.dst, problem.dtype, added.dst_shape,
                       added.exactness == Exactness::kPrinted);
  if (!dst) return dst.why();
  vector.dst = *std::move(dst);
  return vector;
}

std::string as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string file_of(const Bytes& elements, Dtype dtype) {
  const NpyType type = npy_type(dtype);
  return npy_header(type, {static_cast<Extent>(elements.size() / size_of(type))}) +
         as_text(elements);
}

// Puts `file` in the place of the file of its name, or behind the others.
void note_file(Manifest& manifest, const DataFile& file) {
  const auto known = std::find_if(manifest.files.begin(), manifest.files.end(),
                                  [&](const DataFile& each) { return each.name == file.name; });
  if (known == manifest.files.end()) {
    manifest.files.push_back(file);
  } else {
    *known = file;
  }
}

}  // namespace

Result<Set> add_vectors(const std::filesystem::path& folder, const std::optional<Manifest>& head,
                        const std::vector<NewVector>& added) {
  Pools pools;
  Manifest manifest;
  const bool is_there = std::filesystem::exists(folder / "manifest.json");
  if (is_there == head.has_value()) {
    return refuse(folder, is_there ? "is a set, whose producer is known"
                                   : "is not a set yet: who produced it, and how?");
  }
  if (is_there) {
    const auto set = load_set(folder);
    if (!set) return set.why();
    pools.take(*set);
    manifest = set->manifest();
  } else {
    manifest = *head;
  }
  std::map<std::string, Dtype> changed;
  for (const NewVector& each : added) {
    const auto vector = store(pools, each);
    if (!vector) return Refusal{Fault::kSyntax, each.id + ": " + vector.why().detail};
    manifest.vectors.push_back(*vector);
    changed.emplace(vector->dst.file, each.problem.dtype);
  }
  std::vector<std::pair<std::string, std::string>> written;
  for (const auto& [name, dtype] : changed) {
    written.emplace_back(name, file_of(pools.of(name), dtype));
    note_file(manifest, {name, dtype, sha256(std::as_bytes(std::span(written.back().second)))});
  }
  written.emplace_back("manifest.json", print(manifest));
  if (const auto read = parse_manifest(written.back().second); !read) return read.why();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [file_name, content] : written) {
    auto trouble = write_file((folder / file_name).string(), content);
    if (trouble) return Refusal{Fault::kSyntax, *std::move(trouble)};
  }
  return load_set(folder);
}

}  // namespace concord::vectors
