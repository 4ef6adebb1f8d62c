// SPDX-License-Identifier: Apache-2.0
// Any bytes as the journal of an earlier run, as they are and with the checksum of each line before
// it: resume() refuses them with a sentence, or goes on from them, and then what is written behind
// them is found when the run is resumed again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/run/journal.h"
#include "spec/check.h"

namespace concord::fuzz {
namespace {

using conformance::Journal;

void check_journal(std::string_view bytes) {
  const conformance::Descriptor file(memfd_create("journal", 0));
  CONCORD_CHECK(file && write(file.get(), bytes.data(), bytes.size()) ==
                            static_cast<ssize_t>(bytes.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  const nlohmann::ordered_json identity = {{"scope", "smoke"}};
  std::size_t known = 0;
  {
    Journal journal;
    const auto resumed = journal.resume(path, identity);
    if (!resumed) {
      const std::string& complaint = resumed.why().detail;
      CONCORD_CHECK(complaint.find(path) != std::string::npos) << complaint;
      return;
    }
    known = resumed->size();
    CONCORD_CHECK(resumed->count({"fuzz", "new"}) == 0);
    journal.end({"fuzz", "new"}, {});
  }
  Journal journal;
  const auto again = journal.resume(path, identity);
  CONCORD_CHECK(again->size() == known + 1);
}

std::string with_checksums(std::string_view records) {
  conformance::RecordChain chain;
  std::string text;
  while (!records.empty()) {
    const std::size_t end = records.find('\n');
    text += chain.line_of(records.substr(0, end));
    if (end == std::string_view::npos) break;
    text += '\n';
    records.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  concord::fuzz::check_journal(bytes);
  concord::fuzz::check_journal(concord::fuzz::with_checksums(bytes));
  return 0;
}
