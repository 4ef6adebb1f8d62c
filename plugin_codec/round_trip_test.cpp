// SPDX-License-Identifier: Apache-2.0
// Every operation's row, with random attributes, through the text of problem lines, the structs of
// the plugin ABI and the JSON of the exec protocol, and back.
#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "plugin_codec/plugin_problem.h"
#include "plugin_codec/problem_from_plugin.h"
#include "plugin_codec/problem_json.h"
#include "spec/walk_attributes.h"

namespace concord {
namespace {

using Random = std::mt19937_64;

Extent below(Random& random, Extent count) {
  return static_cast<Extent>(random() % static_cast<std::uint64_t>(count));
}

// Small numbers, legal or not, and the largest and the least.
Extent any_number(Random& random) {
  constexpr Extent kExtreme[] = {std::numeric_limits<Extent>::max(),
                                 std::numeric_limits<Extent>::min()};
  return below(random, 8) == 0 ? kExtreme[below(random, 2)] : below(random, 9) - 2;
}

Extents any_list(Random& random) {
  Extents list(static_cast<std::size_t>(below(random, CONCORD_MAX_RANK + 1)));
  for (Extent& value : list) value = any_number(random);
  return list;
}

Rational any_rational(Random& random) {
  return {below(random, 2000) - 1000, 1 + below(random, 1000)};
}

/// Gives attributes random values: any that can be written.
struct Randomize {
  Random& random;

  void operator()(const AttributeFacts&, Extents& value, const Extents&) {
    value = any_list(random);
  }
  void operator()(const AttributeFacts&, Extent& value, Extent) { value = any_number(random); }
  void operator()(const AttributeFacts&, Rational& value, const Rational&) {
    value = any_rational(random);
  }
  void operator()(const AttributeFacts&, Rationals& values, const Rationals&) {
    values.resize(static_cast<std::size_t>(below(random, CONCORD_MAX_RANK + 1)));
    for (Rational& value : values) value = any_rational(random);
  }
  template <class Enum>
  void operator()(const AttributeFacts&, Enum& value, Enum) {
    value = static_cast<Enum>(below(random, static_cast<Extent>(kWords<Enum>.size())));
  }
  void pair(std::string_view, Rational& first, Rational& second) {
    first = any_rational(random);
    second = any_rational(random);
  }
  void padding(std::string_view, TfPadding& padding, std::string& other) {
    padding = static_cast<TfPadding>(below(random, 3));
    other = padding == TfPadding::kOther ? "valid" : "";
  }
};

Tensor any_tensor(Random& random, std::size_t rank) {
  Tensor tensor{Extents(rank), {}};
  for (Extent& extent : tensor.dims) extent = 1 + below(random, 9);
  return tensor;
}

Problem any_problem(Operation operation, Random& random) {
  Problem problem;
  problem.attributes = default_attributes(operation);
  problem.dtype = static_cast<Dtype>(below(random, std::ssize(kDtypes)));
  do {
    problem.reading = static_cast<Reading>(below(random, std::ssize(kWords<Reading>)));
  } while (!has_reading(operation, problem.reading));
  for (const Operand& operand : facts_of(operation).operands) {
    if (operand.is_optional && below(random, 2) == 0) continue;
    make_input(problem, operand.input) =
        any_tensor(random, static_cast<std::size_t>(2 + below(random, 4)));
  }
  if (below(random, 2) == 0) {
    problem.dst = any_tensor(random, 4);
    problem.dst->strides = dense_dst_strides_of(operation, problem.dst->dims);
  }
  const auto other = [&](bool is_there) -> std::optional<Dtype> {
    const Dtype dtype = static_cast<Dtype>(below(random, std::ssize(kDtypes)));
    if (!is_there || below(random, 4) != 0 || dtype == problem.dtype) return std::nullopt;
    return dtype;
  };
  problem.other_dtypes = {.weights = other(has_weights(operation)),
                          .bias = other(problem.bias.has_value()),
                          .diff_dst = other(problem.diff_dst.has_value()),
                          .dst = other(true)};
  if (is_column_major(operation)) {
    problem.src.strides = column_major_strides(problem.src.dims);
    if (problem.diff_dst) problem.diff_dst->strides = column_major_strides(problem.diff_dst->dims);
  }
  Randomize randomize{random};
  std::visit([&](auto& a) { walk_attributes(a, spatial_rank(problem.src), randomize); },
             problem.attributes);
  return problem;
}

// What the text leaves open: a dense dst may have its strides written out or not.
Problem comparable(Problem problem) {
  if (problem.dst) problem.dst->strides = strides_of(*problem.dst);
  return problem;
}

// The C struct has no room for the text of a padding that is neither SAME nor VALID. A dense src
// comes back without strides, also where its only dense order is both.
Problem as_plugins_see(Problem problem) {
  if (auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes)) a->other_padding = "";
  for (Tensor* tensor : {&problem.src, problem.diff_dst ? &*problem.diff_dst : nullptr}) {
    if (tensor != nullptr && tensor->strides == dense_strides(tensor->dims)) {
      tensor->strides.clear();
    }
  }
  return problem;
}

class RoundTrip : public testing::TestWithParam<Operation> {
 protected:
  template <class Check>
  void for_random_problems(Check check) {
    Random random(static_cast<std::uint64_t>(GetParam()));
    for (int i = 0; i < 500 && !HasFailure(); ++i) check(any_problem(GetParam(), random));
  }
};

TEST_P(RoundTrip, ThroughText) {
  for_random_problems([](const Problem& problem) {
    const auto back = parse(print(problem));
    ASSERT_TRUE(back) << print(problem) << ": " << back.why().detail;
    EXPECT_EQ(comparable(*back), comparable(problem)) << print(problem) << "\n" << print(*back);
  });
}

TEST_P(RoundTrip, ThroughThePluginAbi) {
  for_random_problems([](const Problem& problem) {
    const auto structs = PluginProblem::make(problem);
    ASSERT_TRUE(structs) << structs.why().detail;
    const auto back = problem_from_plugin(*(*structs)->get());
    ASSERT_TRUE(back) << back.why().reason;
    EXPECT_EQ(comparable(*back), comparable(as_plugins_see(problem))) << print(problem);
  });
}

/// Reads the attributes of the exec protocol back.
struct ReadJson {
  const nlohmann::json& object;
  std::set<std::string> keys{};

  const nlohmann::json& at(std::string_view key) {
    keys.insert(std::string(key));
    return object.at(std::string(key));
  }
  static Rational rational(const nlohmann::json& text) {
    return *parse_rational(text.get<std::string>());
  }
  void operator()(const AttributeFacts& facts, Extents& value, const Extents&) {
    value = at(facts.protocol_key).get<Extents>();
  }
  void operator()(const AttributeFacts& facts, Extent& value, Extent) {
    value = at(facts.protocol_key).get<Extent>();
  }
  void operator()(const AttributeFacts& facts, Rational& value, const Rational&) {
    value = rational(at(facts.protocol_key));
  }
  void operator()(const AttributeFacts& facts, Rationals& values, const Rationals&) {
    values.clear();
    for (const auto& text : at(facts.protocol_key)) values.push_back(rational(text));
  }
  template <class Enum>
  void operator()(const AttributeFacts& facts, Enum& value, Enum) {
    const auto word = at(facts.protocol_key).get<std::string>();
    const auto& words = kWords<Enum>;
    value = static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
  }
  void pair(std::string_view key, Rational& first, Rational& second) {
    first = rational(at(key).at(0));
    second = rational(at(key).at(1));
  }
  void padding(std::string_view key, TfPadding& padding, std::string& other) {
    const auto word = at(key).get<std::string>();
    padding = word == "SAME"    ? TfPadding::kSame
              : word == "VALID" ? TfPadding::kValid
                                : TfPadding::kOther;
    other = padding == TfPadding::kOther ? word : "";
  }
};

TEST_P(RoundTrip, AttributesThroughTheExecProtocol) {
  for_random_problems([](const Problem& problem) {
    const nlohmann::json object = problem_object(problem);
    EXPECT_EQ(object.at("operation"), to_string(problem.operation()));
    Attributes back = default_attributes(problem.operation());
    ReadJson reader{object.at("attributes")};
    std::visit([&](auto& a) { walk_attributes(a, spatial_rank(problem.src), reader); }, back);
    EXPECT_EQ(back, problem.attributes) << object.dump();
    EXPECT_EQ(object.at("attributes").size(), reader.keys.size()) << "keys that nobody reads";
    if (!problem.other_dtypes.any()) {
      EXPECT_EQ(object.at("dtype"), to_string(problem.dtype));
      return;
    }
    EXPECT_EQ(object.at("dtype"), "mixed");
    EXPECT_EQ(object.at("inputs").at(0).at("dtype"), to_string(problem.dtype));
    EXPECT_EQ(object.at("outputs").at(0).at("dtype"), to_string(dtype_of_dst(problem)));
    if (has_weights(problem.operation())) {
      EXPECT_EQ(object.at("inputs").at(1).at("dtype"),
                to_string(dtype_of(problem, Input::kWeights)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(AllOperations, RoundTrip, testing::ValuesIn(kOperations),
                         [](const auto& of) { return std::string(to_string(of.param)); });

// The sizes of all fields come to the size of the struct: no field of the C header is forgotten.
template <class C, class Field>
std::size_t end_of(Field C::*field) {
  static const C zero{};
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(zero.*field)) -
                                  reinterpret_cast<const char*>(&zero)) +
         sizeof(Field);
}
struct Ends {
  std::set<std::size_t> ends{};
  std::size_t bytes = sizeof(std::size_t);  // of struct_size

  template <class C, class Field>
  void add(Field C::*field) {
    EXPECT_TRUE(ends.insert(end_of(field)).second) << "two attributes share a field";
    bytes += sizeof(Field);
  }
  template <class A, class Value, class C, class Field>
  void operator()(const Attribute<A, Value, C, Field>& attribute) {
    add(attribute.field);
  }
  template <class A, class C>
  void operator()(const RationalPair<A, C>& pair) {
    add(pair.first_field);
    add(pair.second_field);
  }
  template <class A, class C>
  void operator()(const PaddingText<A, C>& text) {
    add(text.field);
  }
};

TEST(OperationTable, HasAnAttributeForEveryFieldOfTheCHeader) {
  for (const Operation operation : kOperations) {
    std::visit(
        [&]<class A>(const A&) {
          Ends ends;
          for_each_attribute<A>([&](const auto& attribute) { ends(attribute); });
          const std::size_t size = sizeof(typename std::decay_t<decltype(kRowOf<A>)>::Struct);
          EXPECT_GE(ends.bytes + 12, size) << to_string(operation);  // paddings of four bytes each
          EXPECT_LE(ends.bytes, size) << to_string(operation);
        },
        default_attributes(operation));
  }
}

}  // namespace
}  // namespace concord
