// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "vectors/manifest.h"

namespace concord::vectors {
namespace {

using Json = nlohmann::ordered_json;

// Names that users type may be any bytes: what is not UTF-8 is replaced.
constexpr auto kReplace = Json::error_handler_t::replace;

Json describe(const StoredTensor& tensor) {
  return {{"file", tensor.file}, {"offset", tensor.offset}, {"shape", tensor.shape}};
}

Json describe(const Vector& vector) {
  Json json{{"id", vector.id}, {"problem", print(vector.problem)}, {"src", describe(vector.src)}};
  if (vector.weights) json["weights"] = describe(*vector.weights);
  if (vector.bias) json["bias"] = describe(*vector.bias);
  json["dst"] = describe(vector.dst);
  json["exactness"] = to_string(vector.exactness);
  if (!vector.arithmetic.empty()) json["arithmetic"] = vector.arithmetic;
  if (vector.exactness == Exactness::kPrinted) json["digits"] = vector.digits;
  if (!vector.source.empty()) json["source"] = vector.source;
  return json;
}

Json describe_head(const Manifest& manifest) {
  Json files = Json::array();
  for (const DataFile& file : manifest.files) {
    files.push_back(
        {{"name", file.name}, {"dtype", to_string(file.dtype)}, {"sha256", file.sha256}});
  }
  Json head{
      {"schema", "concord-vectors-1"},
      {"set", manifest.set},
      {"producer",
       {{"name", manifest.producer}, {"version", manifest.version}, {"command", manifest.command}}},
      {"date", manifest.date},
      {"licence", manifest.licence},
      {"files", files}};
  for (const Table& table : manifest.tables) {
    head["tables"].push_back({{"name", table.name}, {"sha256", table.sha256}});
  }
  return head;
}

}  // namespace

std::string print(const Manifest& manifest) {
  std::string text = describe_head(manifest).dump(1, ' ', false, kReplace);
  text.resize(text.size() - 2);  // the line of the closing brace
  text += ",\n \"vectors\": [\n";
  for (std::size_t i = 0; i < manifest.vectors.size(); ++i) {
    text +=
        (i == 0 ? "  " : ",\n  ") + describe(manifest.vectors[i]).dump(-1, ' ', false, kReplace);
  }
  return text + "\n ]\n}\n";
}

}  // namespace concord::vectors
