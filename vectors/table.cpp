// SPDX-License-Identifier: Apache-2.0
#include "vectors/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace concord::vectors {
namespace {

struct Column {
  std::string_view name;
  std::string TableRow::*cell;
  bool is_needed;
};
constexpr Column kColumns[] = {
    {"id", &TableRow::id, true},
    {"problem", &TableRow::problem, true},
    {"src", &TableRow::src, true},
    {"weights", &TableRow::weights, false},
    {"bias", &TableRow::bias, false},
    {"dst", &TableRow::dst, true},
    {"exactness", &TableRow::exactness, true},
    {"arithmetic", &TableRow::arithmetic, false},
    {"source", &TableRow::source, false},
};

Refusal refuse(int line, const std::string& detail) {
  return {Fault::kSyntax, fmt::format("{}: {}", line, detail)};
}

// The part of `text` before `separator`, which is taken off with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

Result<std::vector<const Column*>> read_names(std::string_view line, int number) {
  std::vector<const Column*> columns;
  for (const std::string_view name : cells_of(line)) {
    const auto* known = std::find_if(std::begin(kColumns), std::end(kColumns),
                                     [&](const Column& each) { return each.name == name; });
    if (known == std::end(kColumns)) {
      return refuse(number, fmt::format("no column '{}'; there are {}, separated by tabs", name,
                                        table_columns()));
    }
    if (std::find(columns.begin(), columns.end(), known) != columns.end()) {
      return refuse(number, fmt::format("the column '{}' occurs twice", name));
    }
    columns.push_back(known);
  }
  for (const Column& each : kColumns) {
    if (each.is_needed && std::find(columns.begin(), columns.end(), &each) == columns.end()) {
      return refuse(number, fmt::format("the column '{}' is missing", each.name));
    }
  }
  return columns;
}

Result<TableRow> read_row(const std::vector<const Column*>& columns, std::string_view line,
                          int number) {
  const auto cells = cells_of(line);
  if (cells.size() != columns.size()) {
    return refuse(number, fmt::format("{} cells, but the first line names {} columns", cells.size(),
                                      columns.size()));
  }
  TableRow row;
  row.line = number;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (columns[i]->is_needed && cells[i].empty()) {
      return refuse(number, fmt::format("'{}' is empty", columns[i]->name));
    }
    row.*columns[i]->cell = cells[i];
  }
  return row;
}

}  // namespace

std::string table_columns() {
  std::string names;
  for (const Column& each : kColumns) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  }
  return names;
}

Result<std::vector<TableRow>> parse_table(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::optional<std::vector<const Column*>> columns;
  std::vector<TableRow> rows;
  std::map<std::string, int> lines;  // of the ids
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = take_until(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (!columns) {
      auto names = read_names(line, number);
      if (!names) return names.why();
      columns = *std::move(names);
      continue;
    }
    auto row = read_row(*columns, line, number);
    if (!row) return row.why();
    const auto [known, is_new] = lines.emplace(row->id, number);
    if (!is_new) {
      return refuse(number, fmt::format("the id '{}' is that of line {}", row->id, known->second));
    }
    rows.push_back(*std::move(row));
  }
  if (rows.empty()) return refuse(1, "no row below the names of the columns");
  return rows;
}

}  // namespace concord::vectors
