// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/digest.h"

#include <span>
#include <string>

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
  Json backends = Json::array();
  for (const Json& backend : results.at("backends")) backends.push_back(digest_of_part(backend));
  return {{"concord", digest_of_part(results.at("concord"))},
          {"run", digest_of_part(results.at("run"))},
          {"cases", digest_of_part(results.at("cases"))},
          {"backends", backends}};
}

}  // namespace concord::conformance
