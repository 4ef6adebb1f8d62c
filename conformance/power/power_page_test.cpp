// SPDX-License-Identifier: Apache-2.0
// No cell of docs/power.md gets worse: what a case of so many outputs showed, it still shows. Some
// cells of each table are measured again, other ones in each row; the nightly checks compare all.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/power/power.h"

namespace concord::conformance {
namespace {

/// Which cells are measured: what takes seconds is left to the nightly checks.
struct Sample {
  Extent longest;                    ///< products
  int fewest_outputs, most_outputs;  ///< as powers of two
  std::size_t every;                 ///< of the cells that are left
};
constexpr Sample kSmall{2304, 0, 6, 4}, kLarge{100, 7, 10, 8};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  return cells;
}

struct Table {
  PowerOptions options{};
  std::vector<std::vector<std::string>> rows{};
};

// "f32 declared `strict`", after a line with the command.
Table start_table(const std::vector<std::string>& head, bool uniform) {
  Table table;
  const std::string& title = head.front();
  const auto quote = title.find('`');
  table.options.dtype = *parse_dtype(title.substr(0, title.find(' ')));
  table.options.declared = *parse_arithmetic(title.substr(quote + 1, title.rfind('`') - quote - 1));
  if (uniform) table.options.fills = {Fill::kUniform};
  table.options.lengths.clear();
  for (std::size_t i = 1; i < head.size(); ++i) {
    table.options.lengths.push_back(std::stoll(head[i]));
  }
  return table;
}

std::vector<Table> read_page(const std::string& path) {
  std::vector<Table> tables;
  std::ifstream page(path);
  EXPECT_TRUE(page) << path;
  bool uniform = false;
  for (std::string line; std::getline(page, line);) {
    if (line.find("check-rows") != std::string::npos) {
      uniform = line.find("--fill uniform") != std::string::npos;
    }
    if (line.find(" declared `") != std::string::npos && line.front() == '|') {
      tables.push_back(start_table(cells_of(line), uniform));
    } else if (!tables.empty() && line.starts_with("| ")) {
      tables.back().rows.push_back(cells_of(line));
    }
  }
  return tables;
}

// Says of each measured cell whether its row is seen in as many outputs, and counts them.
int measure(const Table& table, const Sample& sample, std::size_t& at) {
  int measured = 0;
  const std::vector<Suspect> all = suspects(table.options.dtype);
  for (const auto& row : table.rows) {
    const auto suspect = std::find_if(
        all.begin(), all.end(), [&](const Suspect& each) { return each.name == row.front(); });
    EXPECT_NE(suspect, all.end()) << row.front();
    for (std::size_t i = 0; i < table.options.lengths.size(); ++i) {
      const std::string& cell = row.at(i + 1);
      if (cell.size() < 2 || table.options.lengths[i] > sample.longest) continue;
      PowerOptions options = table.options;
      const int outputs = options.most_outputs = std::stoi(cell.substr(1));
      if (outputs < sample.fewest_outputs || outputs > sample.most_outputs) continue;
      if (++at % sample.every != 0) continue;
      EXPECT_TRUE(find_power(*suspect, options.lengths[i], options))
          << row.front() << ", " << options.lengths[i] << " products, " << print(options.declared)
          << ": not seen in 2^" << options.most_outputs << " outputs";
      ++measured;
    }
  }
  return measured;
}

TEST(PowerPage, HasNoCellThatGotWorse) {
  const std::vector<Table> tables = read_page(CONCORD_POWER_PAGE);
  ASSERT_GE(tables.size(), 5U);
  for (const Sample& sample : {kSmall, kLarge}) {
    std::size_t at = 0;
    int measured = 0;
    for (const Table& table : tables) measured += measure(table, sample, at);
    EXPECT_GE(measured, sample.most_outputs > kSmall.most_outputs ? 5 : 100);
  }
}

// The first cell says that an honest library fails, the second that one result in a hundred shows
// in a single one.
TEST(PowerPage, ShowsCellsThatGotWorse) {
  Table table;
  table.options.lengths = {9, 9, 9};
  table.rows = {{"honest", "-", "-", "S0"}, {"1 step in 1 %", "S0", "S0", "S0"}};
  for (const auto& row : table.rows) {
    Table one = table;
    one.rows = {row};
    EXPECT_NONFATAL_FAILURE(
        {
          std::size_t at = kSmall.every - 1;
          measure(one, kSmall, at);
        },
        "not seen in 2^0 outputs");
  }
}

}  // namespace
}  // namespace concord::conformance
