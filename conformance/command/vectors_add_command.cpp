// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/command/command.h"
#include "reference/reference.h"
#include "vectors/add.h"

namespace concord::conformance {
namespace {

struct AddOptions {
  std::string set{}, id{}, problem{}, exactness = "exact", arithmetic{}, source{};
  std::string src{}, weights{}, bias{}, dst{};
  std::string producer{}, version{}, command{}, date{}, licence{};
};

vectors::Exactness exactness_of(const AddOptions& options) {
  using vectors::Exactness;
  for (const auto each :
       {Exactness::kExact, Exactness::kCorrectlyRounded, Exactness::kArithmetic}) {
    if (options.exactness == to_string(each)) return each;
  }
  throw UsageError(fmt::format("--exactness '{}': must be exact, correctly_rounded or arithmetic",
                               options.exactness));
}

// The problem, which is one that its specification lets pass.
Problem problem_of(const AddOptions& options) {
  Problem problem = read_problem(options.problem, "--problem");
  if (const auto geometry = reference::resolve(problem); !geometry) {
    throw UsageError("--problem: " + geometry.why().detail);
  }
  return problem;
}

std::optional<vectors::Manifest> head_of(const AddOptions& o) {
  const std::string* given[] = {&o.producer, &o.version, &o.command, &o.date, &o.licence};
  const auto count = std::count_if(std::begin(given), std::end(given),
                                   [](const std::string* text) { return !text->empty(); });
  if (count == 0) return std::nullopt;
  if (count < std::ssize(given)) {
    throw UsageError(
        "a new set needs all of --producer, --producer-version, --command, --date and "
        "--licence");
  }
  vectors::Manifest head;
  head.set = std::filesystem::path(o.set).filename().string();
  head.producer = o.producer;
  head.version = o.version;
  head.command = o.command;
  head.date = o.date;
  head.licence = o.licence;
  return head;
}

int add(const std::string& root, const AddOptions& o) {
  vectors::NewVector added{.id = o.id,
                           .problem = problem_of(o),
                           .src = o.src,
                           .dst = o.dst,
                           .exactness = exactness_of(o),
                           .arithmetic = o.arithmetic,
                           .source = o.source};
  if (!o.weights.empty()) added.weights = o.weights;
  if (!o.bias.empty()) added.bias = o.bias;
  if (!o.arithmetic.empty()) {
    if (const auto known = parse_arithmetic(o.arithmetic); !known) {
      throw UsageError("--arithmetic: " + known.why().detail);
    }
  }
  const auto set = vectors::add_vector(std::filesystem::path(root) / o.set, head_of(o), added);
  if (!set) throw UsageError(set.why().detail);
  fmt::print("{}: {} vectors\n", set->manifest().set, set->manifest().vectors.size());
  return 0;
}

}  // namespace

void add_vectors_add_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                             Surroundings& surroundings) {
  auto* sub = vectors.add_subcommand("add", "Add a vector to a new or existing set");
  sub->footer(
      "Tensors are .npy files of the problem's shapes: float32, float16, or uint16 for bf16.\n"
      "Example of a new set:\n"
      "  concord vectors --vectors mine add first --id a \\\n"
      "    --problem 'Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX weights_format=OIX' "
      "\\\n"
      "    --src x.npy --weights w.npy --dst y.npy --exactness arithmetic --arithmetic strict \\\n"
      "    --producer 'My library' --producer-version 2.0 --command ./make.sh \\\n"
      "    --date 2026-11-21 --licence CC0-1.0");
  auto o = std::make_shared<AddOptions>();
  sub->add_option("set", o->set, "its folder's name")->required();
  sub->add_option("--id", o->id, "unique within the set")->required();
  sub->add_option("--problem", o->problem, "the problem's line")->required();
  sub->add_option("--src", o->src, "a .npy file")->required();
  sub->add_option("--weights", o->weights, "a .npy file");
  sub->add_option("--bias", o->bias, "a .npy file");
  sub->add_option("--dst", o->dst, "a .npy file")->required();
  sub->add_option("--exactness", o->exactness, "exact, correctly_rounded or arithmetic")
      ->capture_default_str();
  sub->add_option("--arithmetic", o->arithmetic,
                  "the producer's class, with --exactness arithmetic");
  sub->add_option("--source", o->source, "where a published number was printed");
  sub->add_option("--producer", o->producer, "of a new set: the system that computed dst");
  sub->add_option("--producer-version", o->version, "of a new set");
  sub->add_option("--command", o->command, "of a new set: the command that computed dst");
  sub->add_option("--date", o->date, "of a new set: YYYY-MM-DD");
  sub->add_option("--licence", o->licence, "of a new set: the data's, an SPDX identifier");
  sub->callback([root, o, &surroundings] { surroundings.exit_code = add(*root, *o); });
}

}  // namespace concord::conformance
