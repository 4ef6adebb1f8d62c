// SPDX-License-Identifier: Apache-2.0
// A GoogleTest program whose tests are the cases of a suite, judged on one backend:
//   concord_googletest --backend=./libvendor.so [--suite=smoke] [--concord=concord]
//   [--run=OPTION...]
// GoogleTest's own options choose among them: --gtest_filter, --gtest_list_tests, and
// GTEST_TOTAL_SHARDS with GTEST_SHARD_INDEX. `concord run` judges the chosen cases in one go before
// the first test; a test then says what became of its case. What the backend declines is skipped.
#include <gtest/gtest.h>
#include <stdio.h>  // popen
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;

struct Options {
  std::string concord = "concord", backend{}, suite = "smoke";
  std::vector<std::string> run{};  // further options of `concord run`
};

struct ListedCase {
  std::string id{}, problem{};
};

std::string shell_quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Runs a command; `output` gets what it prints. The exit code, or -1 if it had none.
int run(const std::string& command, std::string* output) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return -1;
  char piece[4096];
  for (std::size_t size = 0; (size = std::fread(piece, 1, sizeof piece, pipe)) > 0;) {
    output->append(piece, size);
  }
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The records of a CSV file (RFC 4180), each by the names of the first row.
std::vector<Row> read_csv(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::vector<std::string>> lines(1, {""});
  bool in_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes) {
      const bool doubled = c == '"' && i + 1 < text.size() && text[i + 1] == '"';
      if (c != '"' || doubled) lines.back().back() += c;
      if (c == '"') doubled ? ++i : in_quotes = false;
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == ',') {
      lines.back().emplace_back();
    } else if (c == '\n') {
      lines.push_back({""});
    } else if (c != '\r') {
      lines.back().back() += c;
    }
  }
  std::vector<Row> rows;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    if (lines[line].size() != lines[0].size()) continue;  // behind the last line's end
    Row row;
    for (std::size_t at = 0; at < lines[0].size(); ++at) row[lines[0][at]] = lines[line][at];
    rows.push_back(row);
  }
  return rows;
}

/// Judges the cases of the tests that GoogleTest chose, before any of them runs.
class Judge : public testing::Environment {
 public:
  Judge(const Options& options, const std::vector<ListedCase>& cases)
      : options_(options), cases_(cases) {
    std::string name = (fs::temp_directory_path() / "concord_XXXXXX").string();
    folder_ = mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
  }
  ~Judge() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  void SetUp() override {
    ASSERT_FALSE(folder_.empty()) << "no folder can be made in " << fs::temp_directory_path();
    const std::set<std::string> chosen = chosen_ids();
    if (chosen.empty()) return;
    const fs::path results = folder_ / "results.json", table = folder_ / "results.csv";
    std::string command = shell_quoted(options_.concord) + " run --quiet --backend " +
                          shell_quoted(options_.backend) + " --suite " +
                          shell_quoted(options_.suite) + " --out " + shell_quoted(results.string());
    for (const std::string& option : options_.run) command += " " + shell_quoted(option);
    if (chosen.size() < cases_.size()) {
      std::ofstream ids(folder_ / "cases");
      for (const std::string& id : chosen) ids << id << '\n';
      command += " --cases " + shell_quoted((folder_ / "cases").string());
    }
    std::string said;
    const int code = run(command, &said);
    ASSERT_TRUE(fs::exists(results)) << command << " exited with " << code << " and no results\n"
                                     << said;
    ASSERT_EQ(run(shell_quoted(options_.concord) + " report " + shell_quoted(results.string()) +
                      " -o " + shell_quoted(table.string()),
                  &said),
              0);
    bool any_failed = false;
    for (Row& row : read_csv(table)) {
      any_failed = any_failed || is_failure(row["verdict"]);
      results_[row["case"]] = row;
    }
    // What no case alone shows: the errors of all together, a bad end, too little that could fail.
    if (code == 1 && !any_failed) ADD_FAILURE() << "the backend does not conform:\n" << said;
    if (code > 1 && chosen.size() == cases_.size()) ADD_FAILURE() << "no verdict:\n" << said;
  }

  /// The body of the test of the case `id`.
  void tell(const std::string& id) const {
    const auto found = results_.find(id);
    ASSERT_NE(found, results_.end()) << "the case has no result";
    const Row& row = found->second;
    const std::string& verdict = row.at("verdict");
    const std::string reason = verdict + ": " + row.at("reason");
    if (verdict == "PASS") return;
    // Neither passed nor failed: nothing was judged, or no wrong answer could have failed.
    if (verdict == "DECLINED" || verdict == "VACUOUS") GTEST_SKIP() << reason;
    std::string element;
    if (!row.at("element").empty()) {
      element = "\nelement  [" + row.at("element") + "]: got " + row.at("got") + ", want " +
                row.at("want") + ", accepted " + row.at("accepted");
    }
    FAIL() << reason << "\nproblem  " << row.at("problem") << element << "\nreplay   "
           << row.at("replay");
  }

 private:
  static bool is_failure(const std::string& verdict) {
    return verdict != "PASS" && verdict != "DECLINED" && verdict != "VACUOUS";
  }

  // By now GoogleTest has applied its filter and its shard.
  static std::set<std::string> chosen_ids();

  Options options_;
  std::vector<ListedCase> cases_;
  fs::path folder_{};
  std::map<std::string, Row> results_{};
};

class CaseTest : public testing::Test {
 public:
  CaseTest(const Judge& judge, std::string id) : judge_(judge), id_(std::move(id)) {}
  void TestBody() override { judge_.tell(id_); }

 private:
  const Judge& judge_;
  std::string id_;
};

// Ids by the names of tests. GoogleTest's filters give '-', ':', '*' and '?' a meaning.
std::map<std::string, std::string>& ids_by_name() {
  static std::map<std::string, std::string> ids;
  return ids;
}

std::string name_of(const std::string& id) {
  std::string name = id;
  for (char& c : name) {
    if (std::string(":-*?.").find(c) != std::string::npos) c = '_';
  }
  while (ids_by_name().count(name) != 0) name += '_';
  ids_by_name()[name] = id;
  return name;
}

std::set<std::string> Judge::chosen_ids() {
  std::set<std::string> chosen;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      if (test.should_run()) chosen.insert(ids_by_name().at(test.name()));
    }
  }
  return chosen;
}

// The part of a line of `concord list` up to `end`, which is taken off it.
std::string taken(std::string& line, char end) {
  const std::size_t size = line.find(end);
  const std::string part = line.substr(0, size);
  line.erase(0, size == std::string::npos ? size : size + 1);
  return part;
}

// Registers a test for each case that `concord list` names. False if there is none.
bool register_cases(const Options& options) {
  std::string listed;
  const std::string command =
      shell_quoted(options.concord) + " list --suite " + shell_quoted(options.suite);
  if (run(command, &listed) != 0 || listed.empty()) {
    std::cerr << command << " lists no cases\n";
    return false;
  }
  std::vector<ListedCase> cases;
  while (!listed.empty()) {
    std::string line = taken(listed, '\n');
    const std::string id = taken(line, '\t');
    cases.push_back({id, taken(line, '\t')});
  }
  const auto* judge = new Judge(options, cases);  // GoogleTest deletes it
  testing::AddGlobalTestEnvironment(const_cast<Judge*>(judge));
  for (const ListedCase& each : cases) {
    const std::string name = name_of(each.id);
    testing::RegisterTest(
        options.suite.c_str(), name.c_str(), nullptr, each.problem.c_str(), __FILE__, __LINE__,
        [judge, id = each.id]() -> testing::Test* { return new CaseTest(*judge, id); });
  }
  return true;
}

// What is left of the arguments after GoogleTest took its own. False for one that is unknown.
bool read(int argc, char** argv, Options& options) {
  const std::map<std::string, std::function<void(const std::string&)>> known = {
      {"--concord", [&](const std::string& value) { options.concord = value; }},
      {"--backend", [&](const std::string& value) { options.backend = value; }},
      {"--suite", [&](const std::string& value) { options.suite = value; }},
      {"--run", [&](const std::string& value) { options.run.push_back(value); }}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const auto option = known.find(word.substr(0, equals));
    if (equals == std::string::npos || option == known.end()) {
      std::cerr << "unknown argument '" << word << "'; known are --backend=, --suite=, --concord=, "
                << "--run= and GoogleTest's\n";
      return false;
    }
    option->second(word.substr(equals + 1));
  }
  if (options.backend.empty()) std::cerr << "--backend= is missing: the plugin to judge\n";
  return !options.backend.empty();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Options options;
  if (!read(argc, argv, options) || !register_cases(options)) return 2;
  return RUN_ALL_TESTS();
}
