// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>

#include "conformance/command/command.h"
#include "conformance/command/vector_options.h"
#include "vectors/add.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kColumns = {
    "id", "problem", "src", "weights", "bias", "dst", "exactness", "arithmetic", "source"};
constexpr std::array<std::string_view, 5> kNeeded = {"id", "problem", "src", "dst", "exactness"};

struct ImportOptions {
  std::string table{}, set{};
  HeadOptions head{};
};

std::vector<std::string> cells_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> cells;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = line.find('\t', begin);
    cells.push_back(line.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return cells;
}

// The columns that the first row names.
std::vector<std::string> columns_of(const std::string& line, const std::string& place) {
  std::vector<std::string> columns = cells_of(line);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::find(kColumns.begin(), kColumns.end(), columns[i]) == kColumns.end()) {
      throw UsageError(fmt::format("{}: no column '{}'; there are {}, separated by tabs", place,
                                   columns[i], fmt::join(kColumns, ", ")));
    }
    if (std::find(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(i), columns[i]) !=
        columns.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw UsageError(fmt::format("{}: the column '{}' occurs twice", place, columns[i]));
    }
  }
  for (const std::string_view needed : kNeeded) {
    if (std::find(columns.begin(), columns.end(), needed) == columns.end()) {
      throw UsageError(fmt::format("{}: the column '{}' is missing", place, needed));
    }
  }
  return columns;
}

// `folder` is where the table is, and what its paths are relative to.
vectors::NewVector vector_of(std::map<std::string, std::string> row, const std::string& place,
                             const fs::path& folder) {
  for (const std::string_view needed : kNeeded) {
    if (row[std::string(needed)].empty()) {
      throw UsageError(fmt::format("{}: '{}' is empty", place, needed));
    }
  }
  vectors::NewVector vector{.id = row["id"],
                            .problem = recorded_problem(row["problem"], place),
                            .src = folder / row["src"],
                            .dst = folder / row["dst"],
                            .source = row["source"]};
  if (!row["weights"].empty()) vector.weights = folder / row["weights"];
  if (!row["bias"].empty()) vector.bias = folder / row["bias"];
  set_exactness(row["exactness"], place + ": exactness", vector);
  if (!row["arithmetic"].empty()) {
    set_arithmetic(row["arithmetic"], place + ": arithmetic", vector);
  }
  return vector;
}

std::vector<vectors::NewVector> read_vectors(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> columns;
  std::vector<vectors::NewVector> vectors;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string place = fmt::format("{}:{}", path, ++number);
    if (columns.empty()) {
      columns = columns_of(line, place);
      continue;
    }
    const auto cells = cells_of(line);
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() != columns.size()) {
      throw UsageError(fmt::format("{}: has {} cells, but the first row names {} columns", place,
                                   cells.size(), columns.size()));
    }
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns[i]] = cells[i];
    vectors.push_back(vector_of(std::move(row), place, fs::path(path).parent_path()));
  }
  if (vectors.empty()) throw UsageError(path + ": holds no row below the names of its columns");
  return vectors;
}

int import_table(const std::string& root, const ImportOptions& o) {
  const auto set =
      vectors::add_vectors(fs::path(root) / o.set, o.head.head(o.set), read_vectors(o.table));
  if (!set) throw UsageError(set.why().detail);
  fmt::print("{}: {} vectors\n", set->manifest().set, set->manifest().vectors.size());
  return 0;
}

}  // namespace

void add_vectors_import_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                                Surroundings& surroundings) {
  auto* sub = vectors.add_subcommand("import", "Add recorded tensors, a row of a table each");
  sub->footer(
      "The table has tab-separated columns, which its first row names: id, problem, src, weights,\n"
      "bias, dst, exactness, arithmetic and source. Tensors are .npy files, relative to the\n"
      "table. exactness is exact, correctly_rounded, arithmetic (of the class in that column), or\n"
      "printed=N of a dst that was printed with N significant digits.\n"
      "Example:\n"
      "  concord vectors --vectors mine import recorded/table.tsv --set recorded \\\n"
      "    --producer 'My library' --producer-version 2.0 --command ./record.py \\\n"
      "    --date 2026-11-24 --licence CC0-1.0\n"
      "  concord run --suite golden --vectors mine --backend ./libvendor.so");
  auto o = std::make_shared<ImportOptions>();
  sub->add_option("table", o->table, "a file of tab-separated columns")
      ->required()
      ->check(CLI::ExistingFile);
  sub->add_option("--set", o->set, "the name of the set, a folder in --vectors")->required();
  o->head.add_to(*sub);
  sub->callback([root, o, &surroundings] { surroundings.exit_code = import_table(*root, *o); });
}

}  // namespace concord::conformance
