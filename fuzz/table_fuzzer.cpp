// SPDX-License-Identifier: Apache-2.0
// Any text as a table of recorded tensors: the reader answers, and the rows that it lets pass are
// whole: what every vector needs is there, on a line of its own, and no id occurs twice.
#include <cstddef>
#include <cstdint>
#include <set>

#include "spec/check.h"
#include "vectors/table.h"

namespace concord::fuzz {
namespace {

void check_table(std::string_view text) {
  const auto rows = vectors::parse_table(text);
  if (!rows) {
    CONCORD_CHECK(rows.why().fault == Fault::kSyntax && !rows.why().detail.empty());
    return;
  }
  CONCORD_CHECK(!rows->empty());
  std::set<std::string> ids;
  int before = 1;
  for (const vectors::TableRow& row : *rows) {
    CONCORD_CHECK(row.line > before);
    before = row.line;
    CONCORD_CHECK(!row.problem.empty() && !row.src.empty() && !row.dst.empty());
    CONCORD_CHECK(!row.id.empty() && !row.exactness.empty());
    CONCORD_CHECK(ids.insert(row.id).second);
    CONCORD_CHECK(row.problem.find_first_of("\t\n") == std::string::npos);
  }
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_table({reinterpret_cast<const char*>(data), size});
  return 0;
}
