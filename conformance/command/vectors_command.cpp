// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/catalog/golden.h"
#include "conformance/command/command.h"
#include "conformance/command/installation.h"
#include "vectors/set.h"

namespace concord::conformance {
namespace {

std::vector<std::filesystem::path> sets_in(const std::string& root) {
  auto folders = vectors::find_sets(root);
  if (folders.empty()) throw UsageError(fmt::format("{}: holds no set of vectors", root));
  return folders;
}

// 0 if every file of every set is as its manifest says, 1 if one is not.
int verify(const std::string& root) {
  int code = 0;
  for (const auto& folder : sets_in(root)) {
    const auto set = vectors::load_set(folder);
    if (set) {
      const vectors::Manifest& manifest = set->manifest();
      fmt::print("{}: {} vectors in {} files, unchanged\n", manifest.set, manifest.vectors.size(),
                 manifest.files.size() + manifest.tables.size());
    } else {
      fmt::print("{}\n", set.why().detail);
      code = 1;
    }
  }
  if (code != 0) return code;
  if (const auto cases = golden_cases(root); !cases) {
    fmt::print("{}\n", cases.why().detail);
    return 1;
  }
  return 0;
}

void print_set(const vectors::Manifest& manifest) {
  fmt::print("{}: {} {}, {}, {}, {}\n", manifest.set, manifest.producer, manifest.version,
             manifest.date, manifest.licence, manifest.command);
  std::map<std::string, int> counts;
  for (const auto& vector : manifest.vectors) {
    ++counts[fmt::format("{} {} {}", to_string(vector.problem.operation()),
                         to_string(vector.problem.dtype), to_string(vector.exactness))];
  }
  for (const auto& [what, count] : counts) fmt::print("  {:4} {}\n", count, what);
}

void list(const std::string& root, bool vectors_too) {
  for (const auto& folder : sets_in(root)) {
    const auto set = vectors::load_set(folder);
    if (!set) throw UsageError(set.why().detail);
    print_set(set->manifest());
    if (!vectors_too) continue;
    for (const auto& vector : set->manifest().vectors) {
      fmt::print("  {}\t{}{}\n", vector.id, print(vector.problem),
                 vector.source.empty() ? "" : "\t# " + vector.source);
    }
  }
}

}  // namespace

std::string default_vectors_folder() { return data_directory("vectors").string(); }

void add_vectors_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("vectors", "Verify, list or add golden vectors");
  sub->footer(
      "Examples:\n"
      "  concord vectors verify\n"
      "  concord vectors list --each\n"
      "  concord vectors table\n"
      "  concord vectors add --help\n"
      "  concord vectors import --help\n"
      "  concord run --suite golden --backend onednn\n"
      "Exit codes: 0 unchanged, 1 a file differs from its manifest, 2 nothing to verify.");
  sub->require_subcommand(1);
  auto root = std::make_shared<std::string>(default_vectors_folder());
  auto each = std::make_shared<bool>(false);
  sub->add_option("--vectors", *root, "the folder of the sets")->default_str(kOwnVectors);
  auto* verifying = sub->add_subcommand("verify", "Compare every file with its SHA-256");
  verifying->callback([root, &surroundings] { surroundings.exit_code = verify(*root); });
  auto* listing = sub->add_subcommand("list", "List what each set contains and who computed it");
  listing->add_flag("--each", *each, "list every vector as well");
  listing->callback([root, each] { list(*root, *each); });
  add_vectors_add_command(*sub, root, surroundings);
  add_vectors_import_command(*sub, root, surroundings);
  add_vectors_table_command(*sub, root, surroundings);
}

}  // namespace concord::conformance
