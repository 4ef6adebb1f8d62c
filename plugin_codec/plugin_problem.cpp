// SPDX-License-Identifier: Apache-2.0
#include "plugin_codec/plugin_problem.h"

#include <algorithm>

#include "spec/check.h"
#include "spec/walk_attributes.h"

namespace concord {
namespace {

// The plugin ABI counts operations and dtypes from 1: spec/ compares the numbers.
template <class Enum>
std::int32_t count_from_1(Enum value) {
  return static_cast<std::int32_t>(value) + 1;
}

// What lies behind so many entries as are meant: a plugin that looks at them must not find zeros
// that hide it.
constexpr std::int64_t kMeansNothing = -0x5A5A5A5A5A5A5A5A;

// A tensor that is not given.
concord_tensor no_tensor() {
  concord_tensor result{};
  std::fill(std::begin(result.dims), std::end(result.dims), kMeansNothing);
  std::fill(std::begin(result.strides), std::end(result.strides), kMeansNothing);
  return result;
}

Refusal too_many(std::string_view what, std::size_t count) {
  return {Fault::kRank, std::string(what) + " has " + std::to_string(count) +
                            " values; the plugin ABI has room for " +
                            std::to_string(CONCORD_MAX_RANK)};
}

/// Translates one thing after another and keeps the first refusal.
class Translator {
 public:
  concord_tensor tensor(std::string_view name, Dtype dtype, const Tensor& tensor) {
    concord_tensor result = no_tensor();
    result.dtype = count_from_1(dtype);
    if (tensor.rank() > CONCORD_MAX_RANK) {
      refuse(too_many(name, tensor.rank()));
      return result;
    }
    const Extents strides = strides_of(tensor);
    result.rank = static_cast<std::int32_t>(tensor.rank());
    std::copy(tensor.dims.begin(), tensor.dims.end(), result.dims);
    std::copy(strides.begin(), strides.end(), result.strides);
    return result;
  }

  template <class A>
  PluginProblem::Attributes operator()(const A& a) {
    typename std::decay_t<decltype(kRowOf<A>)>::Struct fields{};
    fields.struct_size = sizeof fields;
    for_each_attribute<A>([&](const auto& attribute) { write(attribute, a, fields); });
    return fields;
  }

  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  template <class A, class Struct, class Base, class Value, class C, class Field>
  void write(const Attribute<Base, Value, C, Field>& attribute, const A& from, Struct& to) {
    write(attribute.facts.key, from.*attribute.member, to.*attribute.field);
  }
  template <class A, class Struct, class Base, class C>
  void write(const RationalPair<Base, C>& pair, const A& from, Struct& to) {
    write(pair.key, from.*pair.first, to.*pair.first_field);
    write(pair.key, from.*pair.second, to.*pair.second_field);
  }
  template <class A, class Struct, class Base, class C>
  void write(const PaddingText<Base, C>& text, const A& from, Struct& to) {
    const TfPadding padding = from.*text.padding;
    to.*text.field = padding == TfPadding::kOther ? 2 : padding == TfPadding::kSame ? 1 : 0;
  }

  void write(std::string_view name, const Extents& values, concord_list& to) {
    if (values.size() > CONCORD_MAX_RANK) return refuse(too_many(name, values.size()));
    to.size = static_cast<std::int32_t>(values.size());
    std::fill(std::copy(values.begin(), values.end(), to.at), std::end(to.at), kMeansNothing);
  }
  void write(std::string_view, Extent value, std::int64_t& to) { to = value; }
  void write(std::string_view, const Rational& value, concord_rational& to) {
    to = {value.numerator(), value.denominator()};
  }
  void write(std::string_view name, const Rationals& values, concord_rational_list& to) {
    if (values.size() > CONCORD_MAX_RANK) return refuse(too_many(name, values.size()));
    to.size = static_cast<std::int32_t>(values.size());
    std::fill(std::begin(to.at), std::end(to.at), concord_rational{kMeansNothing, kMeansNothing});
    for (std::size_t i = 0; i < values.size(); ++i) write(name, values[i], to.at[i]);
  }
  template <class Enum>
  void write(std::string_view, Enum value, std::int32_t& to) {
    to = static_cast<std::int32_t>(value);
  }

  void refuse(Refusal refusal) {
    if (!refusal_) refusal_ = std::move(refusal);
  }

  std::optional<Refusal> refusal_{};
};

}  // namespace

std::optional<std::size_t> place_of(const Problem& problem, Input input) {
  if (input_of(problem, input) == nullptr) return std::nullopt;
  const Operands operands = facts_of(problem.operation()).operands;
  const auto operand = std::find_if(operands.begin(), operands.end(),
                                    [&](const Operand& each) { return each.input == input; });
  CONCORD_CHECK(operand != operands.end()) << to_string(input);
  return static_cast<std::size_t>(operand - operands.begin());
}

Result<std::unique_ptr<PluginProblem>> PluginProblem::make(const Problem& problem) {
  std::unique_ptr<PluginProblem> made(new PluginProblem);
  if (auto refusal = made->fill(problem)) return *refusal;
  return made;
}

PluginProblem::PluginProblem(const Problem& problem) {
  const auto refusal = fill(problem);
  CONCORD_CHECK(!refusal) << refusal->detail;
}

std::optional<Refusal> PluginProblem::fill(const Problem& problem) {
  Translator translator;
  concord_problem& p = problem_;
  p.struct_size = sizeof p;
  p.operation = count_from_1(problem.operation());
  p.reading = static_cast<std::int32_t>(problem.reading);
  inputs_.fill(no_tensor());
  for (const Input input : kInputs) {
    const auto place = place_of(problem, input);
    if (!place) continue;
    inputs_.at(*place) =
        translator.tensor(to_string(input), dtype_of(problem, input), *input_of(problem, input));
    p.num_inputs = static_cast<std::int32_t>(*place) + 1;
  }
  output_ = translator.tensor("dst", dtype_of_dst(problem), problem.dst.value_or(Tensor{}));
  p.num_outputs = 1;
  p.inputs = inputs_.data();
  p.outputs = &output_;
  attributes_ = std::visit(translator, problem.attributes);
  p.attributes = std::visit([](const auto& a) -> const void* { return &a; }, attributes_);
  return translator.refusal();
}

std::vector<Enumerator> enumerators_of(PluginProblem& structs, const Problem& problem) {
  concord_problem& p = structs.problem();
  std::vector<Enumerator> all = {{"operation", "problem.operation", &p.operation},
                                 {"reading", "problem.reading", &p.reading}};
  for (const Input input : kInputs) {
    if (const auto place = place_of(problem, input)) {
      all.push_back({std::string(to_string(input)) + "'s dtype",
                     "inputs[" + std::to_string(*place) + "].dtype",
                     &structs.inputs().at(*place).dtype});
    }
  }
  all.push_back({"dst's dtype", "dst.dtype", &structs.output().dtype});
  std::visit(
      [&]<class A>(const A& attributes) {
        using Struct = typename std::decay_t<decltype(kRowOf<A>)>::Struct;
        auto& fields = std::get<Struct>(structs.attributes());
        for_each_attribute<A>([&](const auto& attribute) {
          if constexpr (requires { attribute.member; }) {
            if constexpr (std::is_enum_v<std::decay_t<decltype(attributes.*attribute.member)>>) {
              all.push_back({std::string(attribute.facts.key),
                             "attributes." + std::string(attribute.facts.field),
                             &(fields.*attribute.field)});
            }
          }
        });
      },
      problem.attributes);
  return all;
}

}  // namespace concord
