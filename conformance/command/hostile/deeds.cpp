// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/hostile/deeds.h"

#include <cstdlib>

namespace concord::hostile {
namespace {

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int number_of(const char* name) { return std::atoi(text_of(name).c_str()); }

}  // namespace

const World& world() {
  static const World here{.host = number_of("HOSTILE_HOST"),
                          .bystander = number_of("HOSTILE_BYSTANDER"),
                          .results = text_of("HOSTILE_RESULTS"),
                          .treasure = text_of("HOSTILE_TREASURE"),
                          .vectors = text_of("HOSTILE_VECTORS"),
                          .socket = text_of("HOSTILE_SOCKET"),
                          .name = text_of("HOSTILE_NAME"),
                          .port = number_of("HOSTILE_PORT"),
                          .key = number_of("HOSTILE_KEY")};
  return here;
}

std::vector<Deed> all_deeds() {
  std::vector<Deed> all;
  for (const auto part : {deeds_of_host(), deeds_of_files(), deeds_of_calls(), deeds_of_channel(),
                          deeds_of_tensors(), deeds_of_process()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace concord::hostile
