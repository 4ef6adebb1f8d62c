// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "conformance/command/command.h"
#include "conformance/command/vector_options.h"
#include "vectors/table.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::string table{}, set{};
  HeadOptions head{};
};

// `folder` is where the table is, and what its paths are relative to.
vectors::NewVector vector_of(const vectors::TableRow& row, const std::string& place,
                             const fs::path& folder) {
  vectors::NewVector vector;
  vector.id = row.id;
  vector.src = folder / row.src;
  vector.dst = folder / row.dst;
  vector.source = row.source;
  set_problem(row.problem, place, vector);
  if (!row.weights.empty()) vector.weights = folder / row.weights;
  if (!row.bias.empty()) vector.bias = folder / row.bias;
  set_exactness(row.exactness, place + ": exactness", row.arithmetic, place + ": arithmetic",
                vector);
  return vector;
}

std::vector<vectors::NewVector> read_vectors(const std::string& path) {
  const auto bytes = vectors::read_bytes(path);
  if (!bytes) throw UsageError(path + ": cannot be read");
  const auto rows =
      vectors::parse_table({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!rows) throw UsageError(fmt::format("{}:{}", path, rows.why().detail));
  std::vector<vectors::NewVector> vectors;
  for (const vectors::TableRow& row : *rows) {
    vectors.push_back(
        vector_of(row, fmt::format("{}:{}", path, row.line), fs::path(path).parent_path()));
  }
  return vectors;
}

}  // namespace

void add_vectors_import_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                                Surroundings& surroundings) {
  auto* sub = vectors.add_subcommand("import", "Add recorded tensors, a row of a table each");
  sub->footer(
      "The table has tab-separated columns, which its first line names: id, problem, src, "
      "weights,\n"
      "bias, dst, exactness, arithmetic and source. Tensors are .npy files of the problem's "
      "shapes:\n"
      "float32, float16, uint16 for bf16, or float64; paths are relative to the table. exactness "
      "is\n"
      "exact, correctly_rounded, arithmetic (of the class in that column), or printed=N if dst "
      "was\n"
      "printed with N significant digits. If anything is wrong, nothing is added.\n"
      "Example of a new set:\n"
      "  concord vectors --vectors mine import recorded/table.tsv --set recorded \\\n"
      "    --producer 'My library' --producer-version 2.0 --command ./record.py \\\n"
      "    --date 2026-11-24 --licence CC0-1.0\n"
      "  concord run --suite golden --vectors mine --backend optimized\n"
      "Exit codes: 0 all rows were added, 2 none was.");
  auto o = std::make_shared<ImportOptions>();
  sub->add_option("table", o->table, "a file of tab-separated columns")->required();
  sub->add_option("--set", o->set, "the name of the set, a folder in --vectors")->required();
  o->head.add_to(*sub);
  sub->callback([root, o, &surroundings] {
    add_to_set(*root, o->set, o->head, read_vectors(o->table));
    surroundings.exit_code = 0;
  });
}

}  // namespace concord::conformance
