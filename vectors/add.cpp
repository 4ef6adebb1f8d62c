// SPDX-License-Identifier: Apache-2.0
#include "vectors/add.h"

#include <fmt/format.h>

#include <algorithm>
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
      for (const StoredTensor* tensor : vector.tensors()) remember(*tensor);
    }
  }

  StoredTensor put(Dtype dtype, const Npy& npy) {
    StoredTensor stored{std::string(to_string(dtype)) + ".npy", 0, npy.shape};
    Bytes& pool = pools_[stored.file];
    for (const StoredTensor& known : known_) {
      if (known.file != stored.file || !holds(known, npy)) continue;
      stored.offset = known.offset;
      return stored;
    }
    stored.offset = static_cast<Extent>(pool.size() / size_of(npy.type));
    pool.insert(pool.end(), npy.elements.begin(), npy.elements.end());
    remember(stored);
    return stored;
  }

  const Bytes& of(const std::string& file) const { return pools_.at(file); }

 private:
  void remember(const StoredTensor& tensor) { known_.push_back(tensor); }

  bool holds(const StoredTensor& known, const Npy& npy) const {
    const auto begin = static_cast<std::size_t>(known.offset) * size_of(npy.type);
    const auto size = static_cast<std::size_t>(*element_count(known.shape)) * size_of(npy.type);
    const auto bytes = std::span(pools_.at(known.file)).subspan(begin, size);
    return std::equal(bytes.begin(), bytes.end(), npy.elements.begin(), npy.elements.end());
  }

  std::map<std::string, Bytes> pools_{};
  std::vector<StoredTensor> known_{};
};

// Puts the tensor of the file at `path` into `pools`. `wanted` is its shape, if that is known.
Result<StoredTensor> read_into(Pools& pools, const std::filesystem::path& path, Dtype dtype,
                               const std::optional<Extents>& wanted) {
  const auto bytes = read_bytes(path);
  if (!bytes) return refuse(path, "cannot be read");
  const auto npy = parse_npy(*bytes);
  if (!npy) return refuse(path, npy.why().detail);
  if (npy->type != npy_type(dtype)) {
    return refuse(
        path, fmt::format("is of {}, but the problem's {} is stored as {}", to_string(npy->type),
                          concord::to_string(dtype), to_string(npy_type(dtype))));
  }
  if (wanted && npy->shape != *wanted) {
    return refuse(path, fmt::format("is {}, but the problem says {}",
                                    concord::to_string(Tensor{npy->shape, {}}),
                                    concord::to_string(Tensor{*wanted, {}})));
  }
  return pools.put(dtype, *npy);
}

Result<Vector> store(Pools& pools, const NewVector& added) {
  const Problem& problem = added.problem;
  Vector vector{.id = added.id,
                .problem = problem,
                .exactness = added.exactness,
                .arithmetic = added.arithmetic,
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
  auto dst = read_into(pools, added.dst, problem.dtype, std::nullopt);
  if (!dst) return dst.why();
  vector.dst = *std::move(dst);
  return vector;
}

std::string as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<Set> add_vector(const std::filesystem::path& folder, const std::optional<Manifest>& head,
                       const NewVector& added) {
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
  const auto vector = store(pools, added);
  if (!vector) return vector.why();
  manifest.vectors.push_back(*vector);
  const std::string name = vector->dst.file;
  auto file = std::find_if(manifest.files.begin(), manifest.files.end(),
                           [&](const DataFile& each) { return each.name == name; });
  if (file == manifest.files.end()) {
    file = manifest.files.insert(file, {name, added.problem.dtype, {}});
  }
  const NpyType type = npy_type(added.problem.dtype);
  const auto count = static_cast<Extent>(pools.of(name).size() / size_of(type));
  const std::string data = npy_header(type, {count}) + as_text(pools.of(name));
  file->sha256 = sha256(std::as_bytes(std::span(data)));
  const std::string text = print(manifest);
  if (const auto read = parse_manifest(text); !read) return read.why();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::pair<std::string, const std::string&> written[] = {{name, data},
                                                                {"manifest.json", text}};
  for (const auto& [file_name, content] : written) {
    auto trouble = write_file((folder / file_name).string(), content);
    if (trouble) return Refusal{Fault::kSyntax, *std::move(trouble)};
  }
  return load_set(folder);
}

}  // namespace concord::vectors
