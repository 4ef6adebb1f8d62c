// SPDX-License-Identifier: Apache-2.0
#include "plugin_codec/problem_from_plugin.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include "spec/walk_attributes.h"

namespace concord {
namespace {

Refused broken(const std::string& what) {
  return {CONCORD_FAULT, "the host violated the plugin ABI: " + what};
}

Refused unknown(std::string_view name, std::int32_t number) {
  return declines(std::string(name) + " " + std::to_string(number) +
                  " is not known to this backend");
}

// The plugin ABI counts operations and dtypes from 1.
template <class Enum>
std::optional<Enum> counted_from_1(std::int32_t number, std::size_t count) {
  if (number < 1 || static_cast<std::size_t>(number) > count) return std::nullopt;
  return static_cast<Enum>(number - 1);
}

/// Reads fields of C structs, and keeps the first thing that is wrong.
class Reader {
 public:
  void read(std::string_view name, const concord_list& from, Extents& to) {
    if (from.size < 0 || from.size > CONCORD_MAX_RANK) {
      return refuse(broken(std::string(name) + " has " + std::to_string(from.size) + " elements"));
    }
    to.assign(from.at, from.at + from.size);
  }
  void read(std::string_view, std::int64_t from, Extent& to) { to = from; }
  void read(std::string_view name, const concord_rational& from, Rational& to) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    if (from.denominator <= 0 || from.numerator == kLeast) {
      return refuse(broken(std::string(name) + " is " + std::to_string(from.numerator) + "/" +
                           std::to_string(from.denominator)));
    }
    to = Rational(from.numerator, from.denominator);
  }
  void read(std::string_view name, const concord_rational_list& from, Rationals& to) {
    if (from.size < 0 || from.size > CONCORD_MAX_RANK) {
      return refuse(broken(std::string(name) + " has " + std::to_string(from.size) + " elements"));
    }
    to.resize(static_cast<std::size_t>(from.size));
    for (std::size_t i = 0; i < to.size(); ++i) read(name, from.at[i], to[i]);
  }
  template <class Enum>
  void read(std::string_view name, std::int32_t from, Enum& to) {
    if (from < 0 || static_cast<std::size_t>(from) >= kWords<Enum>.size()) {
      return refuse(unknown(name, from));
    }
    to = static_cast<Enum>(from);
  }

  template <class A, class Struct, class Base, class Value, class C, class Field>
  void attribute(const Struct& from, const Attribute<Base, Value, C, Field>& attribute, A& to) {
    read(attribute.facts.key, from.*attribute.field, to.*attribute.member);
  }
  template <class A, class Struct, class Base, class C>
  void attribute(const Struct& from, const RationalPair<Base, C>& pair, A& to) {
    read(pair.first_name, from.*pair.first_field, to.*pair.first);
    read(pair.second_name, from.*pair.second_field, to.*pair.second);
  }
  template <class A, class Struct, class Base, class C>
  void attribute(const Struct& from, const PaddingText<Base, C>& text, A& to) {
    const std::int32_t number = from.*text.field;
    to.*text.padding = number == 1   ? TfPadding::kSame
                       : number == 0 ? TfPadding::kValid
                                     : TfPadding::kOther;
  }

  // A dense tensor gets no strides. `other` is set if it has another dtype than src.
  Tensor tensor(std::string_view name, const concord_tensor& from, Dtype src,
                std::optional<Dtype>* other) {
    const auto dtype = counted_from_1<Dtype>(from.dtype, kWords<Dtype>.size());
    if (!dtype) {
      refuse(unknown(std::string(name) + "'s dtype", from.dtype));
      return {};
    }
    if (*dtype != src) *other = *dtype;
    if (from.rank < 0 || from.rank > CONCORD_MAX_RANK) {
      refuse(broken(std::string(name) + " has rank " + std::to_string(from.rank)));
      return {};
    }
    const auto rank = static_cast<std::size_t>(from.rank);
    const std::span dims(from.dims, rank), strides(from.strides, rank);
    Tensor tensor{Extents(dims.begin(), dims.end()), Extents(strides.begin(), strides.end())};
    if (tensor.strides == dense_strides(tensor.dims)) tensor.strides.clear();
    return tensor;
  }

  const std::optional<Refused>& refused() const { return refused_; }

 private:
  void refuse(Refused refused) {
    if (!refused_) refused_ = std::move(refused);
  }
  std::optional<Refused> refused_{};
};

// The size of a struct of attributes in the first version that had it. What a host of that version
// does not say is zero, which is what it then meant.
template <class Struct>
inline constexpr std::size_t kFirstSize = sizeof(Struct);
template <>
inline constexpr std::size_t kFirstSize<concord_cntk_convolution> =
    offsetof(concord_cntk_convolution, image_layout);

std::optional<Refused> read_attributes(const concord_problem& from, Attributes& to) {
  if (from.attributes == nullptr) return broken("attributes is null");
  return std::visit(
      [&]<class A>(A& a) -> std::optional<Refused> {
        using Struct = typename std::decay_t<decltype(kRowOf<A>)>::Struct;
        const std::size_t size = static_cast<const Struct*>(from.attributes)->struct_size;
        if (size < kFirstSize<Struct>) {
          return broken("attributes.struct_size is " + std::to_string(size));
        }
        Struct fields{};
        std::memcpy(&fields, from.attributes, std::min(size, sizeof(Struct)));
        Reader reader;
        for_each_attribute<A>([&](const auto& each) { reader.attribute(fields, each, a); });
        return reader.refused();
      },
      to);
}

// Is what the struct promises there, so that it can be read?
std::optional<Refused> check_counts(const concord_problem& problem, Operation operation) {
  if (problem.inputs == nullptr || problem.outputs == nullptr) return broken("no tensors");
  const auto wrong = [&](std::int32_t count, const char* what) {
    return broken(std::string(to_string(operation)) + " with " + std::to_string(count) + what);
  };
  const Operands operands = facts_of(operation).operands;
  const auto needed = std::count_if(operands.begin(), operands.end(),
                                    [](const Operand& operand) { return !operand.is_optional; });
  if (problem.num_inputs < needed || problem.num_inputs > std::ssize(operands)) {
    return wrong(problem.num_inputs, " inputs");
  }
  if (problem.num_outputs != 1) return wrong(problem.num_outputs, " outputs");
  return std::nullopt;
}

// The tensors that the operation has; the optional ones and dst, if they are given.
std::optional<Refused> read_tensors(const concord_problem& from, Problem& to) {
  Reader reader;
  OtherDtypes& other = to.other_dtypes;
  std::optional<Dtype> none;  // src has no other than its own
  std::optional<Dtype>* const others[] = {&none, &other.weights, &other.bias, &other.diff_dst};
  const Operands operands = facts_of(to.operation()).operands;
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.num_inputs); ++i) {
    const Operand& operand = operands[i];
    if (operand.is_optional && from.inputs[i].dtype == 0) continue;
    make_input(to, operand.input) =
        reader.tensor(to_string(operand.input), from.inputs[i], to.dtype,
                      others[static_cast<std::size_t>(operand.input)]);
    if (reader.refused()) return reader.refused();
  }
  Tensor dst = reader.tensor("dst", from.outputs[0], to.dtype, &other.dst);
  if (!reader.refused() && dst.rank() > 0) {
    dst.strides = strides_of(dst);
    to.dst = std::move(dst);
  }
  return reader.refused();
}

}  // namespace

Or<Problem> problem_from_plugin(const concord_problem& problem) {
  if (problem.struct_size < sizeof(concord_problem)) {
    return broken("problem.struct_size is " + std::to_string(problem.struct_size));
  }
  // What an unknown operation's tensors are cannot be known: the operation comes first.
  const auto operation = counted_from_1<Operation>(problem.operation, kOperations.size());
  if (!operation) return unknown("operation", problem.operation);
  Problem result;
  result.attributes = default_attributes(*operation);
  if (const auto refused = read_attributes(problem, result.attributes)) return *refused;
  if (const auto refused = check_counts(problem, *operation)) return *refused;
  const auto dtype = counted_from_1<Dtype>(problem.inputs[0].dtype, kWords<Dtype>.size());
  if (!dtype) return unknown("dtype", problem.inputs[0].dtype);
  result.dtype = *dtype;
  Reader reader;
  reader.read("reading", problem.reading, result.reading);
  if (reader.refused()) return *reader.refused();
  if (!has_reading(*operation, result.reading)) return unknown("reading", problem.reading);
  if (const auto refused = read_tensors(problem, result)) return *refused;
  return result;
}

}  // namespace concord
