// SPDX-License-Identifier: Apache-2.0
#include "vectors/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace concord::vectors {
namespace {

using Json = nlohmann::json;

// Stays in this file: parse_manifest() makes a Refusal of it.
struct Trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One JSON object, and its place in the document.
class Object {
 public:
  Object(const Json& json, std::string place, std::initializer_list<std::string_view> known)
      : json_(json), place_(std::move(place)) {
    if (!json.is_object()) throw Trouble(place_ + " is not an object");
    for (const auto& [key, value] : json.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        throw Trouble(fmt::format("{}: unknown member '{}'", place_, key));
      }
    }
  }

  const std::string& place() const { return place_; }
  bool has(const char* key) const { return json_.contains(key); }

  const Json& at(const char* key) const {
    if (!has(key)) throw Trouble(fmt::format("{}: member '{}' is missing", place_, key));
    return json_.at(key);
  }

  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) throw Trouble(fmt::format("{}: '{}' is not a string", place_, key));
    return value.get<std::string>();
  }

  const Json& array(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array()) throw Trouble(fmt::format("{}: '{}' is not an array", place_, key));
    return value;
  }

  Extent size(const Json& value, const char* key) const {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() || value.get<std::uint64_t>() >> 63 == 0);
    if (!fits || value.get<Extent>() < 0) {
      throw Trouble(
          fmt::format("{}: '{}' holds {}, which is not a size", place_, key, value.dump()));
    }
    return value.get<Extent>();
  }

 private:
  const Json& json_;
  std::string place_;
};

std::string read_file_name(const Object& file) {
  std::string name = file.text("name");
  if (name.empty() || name.front() == '.' || name.find_first_of("/\\") != std::string::npos ||
      name.find('\0') != std::string::npos) {
    throw Trouble(fmt::format("{}: '{}' is not a plain file name", file.place(), name));
  }
  return name;
}

Table read_table(const Json& json, std::size_t index) {
  const Object table(json, fmt::format("tables[{}]", index), {"name", "sha256"});
  return {read_file_name(table), table.text("sha256")};
}

DataFile read_file(const Json& json, std::size_t index) {
  const Object file(json, fmt::format("files[{}]", index), {"name", "dtype", "sha256"});
  const std::string name = read_file_name(file), dtype = file.text("dtype");
  const auto known = parse_dtype(dtype);
  if (!known) throw Trouble(fmt::format("{}: no dtype '{}'", file.place(), dtype));
  return {name, *known, file.text("sha256")};
}

StoredTensor read_tensor(const Json& json, const std::string& place, const Manifest& manifest,
                         Dtype dtype) {
  const Object object(json, place, {"file", "offset", "shape"});
  StoredTensor tensor;
  tensor.file = object.text("file");
  const auto file = std::find_if(manifest.files.begin(), manifest.files.end(),
                                 [&](const DataFile& each) { return each.name == tensor.file; });
  if (file == manifest.files.end() || file->dtype != dtype) {
    throw Trouble(fmt::format("{}: '{}' is not among the {} files of this set", place, tensor.file,
                              to_string(dtype)));
  }
  tensor.offset = object.size(object.at("offset"), "offset");
  for (const Json& extent : object.array("shape")) {
    if (tensor.shape.size() == kMaxRank) throw Trouble(place + ": 'shape' is too long");
    tensor.shape.push_back(object.size(extent, "shape"));
  }
  return tensor;
}

void require_shape(const StoredTensor& stored, const Tensor& wanted, Operation operation,
                   const std::string& place) {
  const bool is_dense =
      wanted.strides.empty() || wanted.strides == dense_strides_of(operation, wanted.dims);
  if (stored.shape == wanted.dims && is_dense) return;
  throw Trouble(fmt::format("{}: stored {}, but the problem says {}", place,
                            to_string(Tensor{stored.shape, {}}), to_string(wanted)));
}

Exactness read_exactness(const Object& vector) {
  const std::string text = vector.text("exactness");
  if (const auto known = parse_exactness(text)) return *known;
  throw Trouble(fmt::format("{}: no exactness '{}'", vector.place(), text));
}

int read_digits(const Object& vector, Exactness exactness) {
  if (vector.has("digits") != (exactness == Exactness::kPrinted)) {
    throw Trouble(vector.place() + ": 'digits' belongs to the exactness 'printed'");
  }
  if (exactness != Exactness::kPrinted) return 0;
  const Extent digits = vector.size(vector.at("digits"), "digits");
  if (digits < 1 || digits > kMostDigits) {
    throw Trouble(
        fmt::format("{}: 'digits' is {}, not 1 to {}", vector.place(), digits, kMostDigits));
  }
  return static_cast<int>(digits);
}

Vector read_vector(const Json& json, std::size_t index, const Manifest& manifest) {
  const Object object(json, fmt::format("vectors[{}]", index),
                      {"id", "problem", "src", "weights", "bias", "dst", "exactness", "arithmetic",
                       "digits", "source"});
  const std::string& place = object.place();
  Vector vector;
  vector.id = object.text("id");
  auto problem = parse(object.text("problem"));
  if (!problem) throw Trouble(fmt::format("{}: problem: {}", place, problem.why().detail));
  vector.problem = *std::move(problem);
  const auto tensor = [&](const char* name) {
    return read_tensor(object.at(name), place + "." + name, manifest, vector.problem.dtype);
  };
  const Operation operation = vector.problem.operation();
  if (has_diff_dst(operation)) {
    throw Trouble(fmt::format("{}: {} has no vectors", place, to_string(operation)));
  }
  vector.dst = tensor("dst");
  vector.src = tensor("src");
  require_shape(vector.src, vector.problem.src, operation, place + ".src");
  const auto optional = [&](const char* name, Input input) -> std::optional<StoredTensor> {
    const Tensor* wanted = input_of(vector.problem, input);
    if (object.has(name) != (wanted != nullptr)) {
      throw Trouble(
          fmt::format("{}: {} is in one of problem and members, not in both", place, name));
    }
    if (wanted == nullptr) return std::nullopt;
    auto stored = tensor(name);
    require_shape(stored, *wanted, Operation::kConvolution, place + "." + name);
    return stored;
  };
  vector.weights = optional("weights", Input::kWeights);
  vector.bias = optional("bias", Input::kBias);
  vector.exactness = read_exactness(object);
  if (vector.exactness != Exactness::kPrinted &&
      object.has("arithmetic") != (vector.exactness == Exactness::kArithmetic)) {
    throw Trouble(place + ": 'arithmetic' belongs to the exactness of that name");
  }
  if (object.has("arithmetic")) vector.arithmetic = object.text("arithmetic");
  vector.digits = read_digits(object, vector.exactness);
  if (object.has("source")) vector.source = object.text("source");
  return vector;
}

Manifest read_manifest(const Json& json) {
  const Object object(
      json, "manifest",
      {"schema", "set", "producer", "date", "licence", "files", "tables", "vectors"});
  if (object.text("schema") != "concord-vectors-1") {
    throw Trouble("schema is '" + object.text("schema") + "', not 'concord-vectors-1'");
  }
  const Object producer(object.at("producer"), "producer", {"name", "version", "command"});
  Manifest manifest;
  manifest.set = object.text("set");
  manifest.date = object.text("date");
  manifest.licence = object.text("licence");
  manifest.producer = producer.text("name");
  manifest.version = producer.text("version");
  manifest.command = producer.text("command");
  std::set<std::string> names;
  for (const Json& file : object.array("files")) {
    manifest.files.push_back(read_file(file, manifest.files.size()));
    const std::string& name = manifest.files.back().name;
    if (!names.insert("file " + name).second) throw Trouble("file " + name + " occurs twice");
  }
  if (object.has("tables")) {
    for (const Json& table : object.array("tables")) {
      manifest.tables.push_back(read_table(table, manifest.tables.size()));
      const std::string& name = manifest.tables.back().name;
      if (!names.insert("file " + name).second) throw Trouble("file " + name + " occurs twice");
    }
  }
  for (const Json& vector : object.array("vectors")) {
    manifest.vectors.push_back(read_vector(vector, manifest.vectors.size(), manifest));
    const std::string& id = manifest.vectors.back().id;
    if (!names.insert("vector " + id).second) throw Trouble("vector " + id + " occurs twice");
  }
  return manifest;
}

}  // namespace

std::string_view to_string(Exactness exactness) {
  switch (exactness) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kCorrectlyRounded:
      return "correctly_rounded";
    case Exactness::kArithmetic:
      return "arithmetic";
    case Exactness::kPrinted:
      return "printed";
  }
  CONCORD_CHECK(false) << "exactness " << static_cast<int>(exactness);
  return {};
}

std::optional<Exactness> parse_exactness(std::string_view text) {
  for (const auto each : {Exactness::kExact, Exactness::kCorrectlyRounded, Exactness::kArithmetic,
                          Exactness::kPrinted}) {
    if (text == to_string(each)) return each;
  }
  return std::nullopt;
}

std::vector<const StoredTensor*> Vector::tensors() const {
  std::vector<const StoredTensor*> all = {&src, &dst};
  if (weights) all.push_back(&*weights);
  if (bias) all.push_back(&*bias);
  return all;
}

Result<Manifest> parse_manifest(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return Refusal{Fault::kSyntax, "the manifest is not JSON"};
  try {
    return read_manifest(parsed);
  } catch (const Trouble& trouble) {
    return Refusal{Fault::kSyntax, trouble.what()};
  }
}

}  // namespace concord::vectors
