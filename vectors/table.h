// SPDX-License-Identifier: Apache-2.0
// A table of recorded tensors: tab-separated columns, which the first line names, a vector a line.
#ifndef CONCORD_VECTORS_TABLE_H_
#define CONCORD_VECTORS_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "spec/result.h"

namespace concord::vectors {

/// A line of a table. The text of a column that the table does not have is empty.
struct TableRow {
  int line = 0;  ///< from 1, which is that of the names
  std::string id{}, problem{}, src{}, weights{}, bias{}, dst{};
  std::string exactness{}, arithmetic{}, source{};
};

/// "id, problem, src, ...": the names of all columns, as a sentence has them.
std::string table_columns();

/// Reads a table. Lines end with or without a carriage return, and empty ones are left out; so is
/// a byte order mark. Columns may be in any order; cells have no quotation marks around them.
/// Errors  kSyntax, beginning with the line's number: a column that is unknown, occurs twice or is
///         missing (id, problem, src, dst and exactness must be there), another number of cells, an
///         empty cell in one of those, an id that occurs twice; no row at all
Result<std::vector<TableRow>> parse_table(std::string_view text);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_TABLE_H_
