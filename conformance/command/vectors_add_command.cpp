// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "conformance/command/command.h"
#include "conformance/command/vector_options.h"

namespace concord::conformance {
namespace {

struct AddOptions {
  std::string set{}, id{}, problem{}, exactness = "exact", arithmetic{}, source{};
  std::string src{}, weights{}, bias{}, dst{};
  HeadOptions head{};
};

void add(const std::string& root, const AddOptions& o) {
  vectors::NewVector added;
  added.id = o.id;
  added.src = o.src;
  added.dst = o.dst;
  added.source = o.source;
  set_problem(o.problem, "--problem", added);
  set_exactness(o.exactness, "--exactness", o.arithmetic, "--arithmetic", added);
  if (!o.weights.empty()) added.weights = o.weights;
  if (!o.bias.empty()) added.bias = o.bias;
  add_to_set(root, o.set, o.head, {added});
}

}  // namespace

void add_vectors_add_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                             Surroundings& surroundings) {
  auto* sub = vectors.add_subcommand("add", "Add a vector to a new or existing set");
  sub->footer(
      "Tensors are .npy files of the problem's shapes: float32, float16, uint16 for bf16, or\n"
      "float64.\n"
      "Example of a new set:\n"
      "  concord vectors --vectors mine add first --id a \\\n"
      "    --problem 'Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX weights_format=OIX' "
      "\\\n"
      "    --src x.npy --weights w.npy --dst y.npy --exactness arithmetic --arithmetic strict \\\n"
      "    --producer 'My library' --producer-version 2.0 --command ./make.sh \\\n"
      "    --date 2026-11-21 --licence CC0-1.0\n"
      "Exit codes: 0 it was added, 2 it was not.");
  auto o = std::make_shared<AddOptions>();
  sub->add_option("set", o->set, "its folder's name")->required();
  sub->add_option("--id", o->id, "unique within the set")->required();
  sub->add_option("--problem", o->problem, "the problem's line")->required();
  sub->add_option("--src", o->src, "a .npy file")->required();
  sub->add_option("--weights", o->weights, "a .npy file");
  sub->add_option("--bias", o->bias, "a .npy file");
  sub->add_option("--dst", o->dst, "a .npy file")->required();
  sub->add_option("--exactness", o->exactness,
                  "exact, correctly_rounded, arithmetic, or printed=N: with N significant digits")
      ->capture_default_str();
  sub->add_option("--arithmetic", o->arithmetic,
                  "the producer's class, with --exactness arithmetic or printed=N");
  sub->add_option("--source", o->source, "where a published number was printed");
  o->head.add_to(*sub);
  sub->callback([root, o, &surroundings] {
    add(*root, *o);
    surroundings.exit_code = 0;
  });
}

}  // namespace concord::conformance
