// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <span>
#include <vector>

#include "vectors/sha256.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

std::string digest_of_part(const Json& part) {
  const std::string text = part.dump(-1, ' ', false, Json::error_handler_t::replace);
  return vectors::sha256(std::as_bytes(std::span(text)));
}

}  // namespace

Json digest_of(const Json& results) {
  // The cases may be half of it all.
  auto cases = std::async([&] { return digest_of_part(results.at("cases")); });
  Json backends = Json::array();
  for (const Json& backend : results.at("backends")) backends.push_back(digest_of_part(backend));
  return {{"concord", digest_of_part(results.at("concord"))},
          {"run", digest_of_part(results.at("run"))},
          {"cases", cases.get()},
          {"backends", backends}};
}

std::string digested_line(const Case& source) {
  return fmt::format("{}\t{}\n", source.id, print(source.problem));
}

std::string sha256_of_cases(const CaseList& cases) {
  std::vector<std::string> lines;
  lines.reserve(cases.size());
  for (const Case& each : cases) lines.push_back(digested_line(each));
  std::sort(lines.begin(), lines.end());
  vectors::Sha256 hash;
  for (const std::string& line : lines) hash.add(std::as_bytes(std::span(line)));
  return hash.digits();
}

}  // namespace concord::conformance
