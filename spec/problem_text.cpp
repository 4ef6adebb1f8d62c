// SPDX-License-Identifier: Apache-2.0
// The text form of problems. One table a kind of attributes names its keys; print() and parse()
// both walk it, so that neither can know a key that the other does not.
#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <vector>

#include "spec/problem.h"

namespace concord {
namespace {

// A word as messages can show it, whatever bytes it has: printable, and not too long.
std::string shown(std::string_view word) {
  constexpr std::size_t kLongest = 60;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : word.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text.append("\\x") += kDigits[byte / 16U];
      text += kDigits[byte % 16U];
    }
  }
  return word.size() > kLongest ? text + "..." : text;
}

Refusal syntax(std::string_view word, std::string_view why) {
  return {Fault::kSyntax, "'" + shown(word) + "': " + std::string(why)};
}

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

bool parse_number(std::string_view text, Extent& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_list(std::string_view text, char separator, Extents& values) {
  values.clear();
  if (text == "()") return true;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    Extent value = 0;
    if (!parse_number(text.substr(0, end), value)) return false;
    values.push_back(value);
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

bool parse_tensor(std::string_view text, Tensor& tensor) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (!parse_list(text.substr(0, colon), 'x', tensor.dims)) return false;
  tensor.strides.clear();
  if (colon == text.size()) return true;
  return !tensor.dims.empty() && parse_list(text.substr(colon + 1), 'x', tensor.strides) &&
         tensor.strides.size() == tensor.dims.size();
}

// Reads one of `literals`; false if `text` is none of them.
template <class Enum, std::size_t size>
bool parse_literal(std::string_view text, const std::array<Enum, size>& literals, Enum& value) {
  for (const Enum literal : literals) {
    if (!same_word(text, to_string(literal))) continue;
    value = literal;
    return true;
  }
  return false;
}

constexpr std::array kParsedDtypes = {Dtype::kF32, Dtype::kF16, Dtype::kBF16};
constexpr std::array kReadings = {Reading::kImplemented, Reading::kDocumented};
constexpr std::array kAutoPads = {AutoPad::kNone, AutoPad::kSameUpper, AutoPad::kSameLower,
                                  AutoPad::kValid};
constexpr std::array kDataFormats = {DataFormat::kNXC, DataFormat::kNCX};
constexpr std::array kWeightsFormats = {WeightsFormat::kXIO, WeightsFormat::kOIX};
constexpr std::array kTfPaddings = {TfPadding::kSame, TfPadding::kValid};

/// Prints one attribute after another.
class Printer {
 public:
  Printer(std::string& line, std::size_t rank) : line_(line), rank_(rank) {}

  void list(std::string_view key, const Extents& values, Extent default_element) {
    if (values == Extents(rank_, default_element)) return;
    std::string text;
    for (const Extent value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
    word(key, text.empty() ? "()" : text);
  }
  void number(std::string_view key, Extent value, Extent default_value) {
    if (value != default_value) word(key, std::to_string(value));
  }
  template <class Enum, std::size_t size>
  void literal(std::string_view key, Enum value, const std::array<Enum, size>&,
               std::optional<Enum> default_value) {
    if (value != default_value) word(key, to_string(value));
  }

 private:
  void word(std::string_view key, std::string_view value) {
    line_.append(" ").append(key).append("=").append(value);
  }

  std::string& line_;
  std::size_t rank_;
};

/// Offers one key and value to one attribute after another until one takes it.
class Parser {
 public:
  Parser(std::string_view key, std::string_view value) : key_(key), value_(value) {}

  void list(std::string_view key, Extents& values, Extent) {
    take(
        key, [&] { return parse_list(value_, ',', values) && values.size() <= kMaxRank; },
        "not a list like 1,2 or (), of at most 8 numbers of 64 bits");
  }
  void number(std::string_view key, Extent& value, Extent) {
    take(
        key, [&] { return parse_number(value_, value); }, "not a 64-bit integer");
  }
  template <class Enum, std::size_t size>
  void literal(std::string_view key, Enum& value, const std::array<Enum, size>& literals,
               std::optional<Enum>) {
    std::string expected = "not one of";
    for (const Enum each : literals) expected.append(" ").append(to_string(each));
    take(
        key, [&] { return parse_literal(value_, literals, value); }, expected);
  }

  bool taken() const { return taken_; }
  const std::string& complaint() const { return complaint_; }

 private:
  template <class Read>
  void take(std::string_view key, Read read, std::string_view complaint) {
    if (key != key_) return;
    taken_ = true;
    if (!read()) complaint_ = complaint;
  }

  std::string_view key_, value_;
  bool taken_ = false;
  std::string complaint_{};
};

// One walk a kind of attributes: each key once, with its default.
template <class Walker, class A>
void walk_spatial(Walker& walker, A& a) {
  walker.list("strides", a.strides, 1);
  walker.list("pads_begin", a.pads_begin, 0);
  walker.list("pads_end", a.pads_end, 0);
  walker.list("dilations", a.dilations, 1);
  walker.literal("auto_pad", a.auto_pad, kAutoPads, std::optional(AutoPad::kNone));
  walker.number("groups", a.groups, 1);
  walker.literal("data_format", a.data_format, kDataFormats, {});
}

template <class Walker>
struct Walk {
  Walker& walker;
  template <class A>
  void operator()(A& a) const {
    using Kind = std::remove_const_t<A>;
    if constexpr (std::is_same_v<Kind, AtrousConv2dAttributes>) {
      walker.number("rate", a.rate, 1);
      walker.literal("padding", a.padding, kTfPaddings, {});
    } else {
      walk_spatial(walker, a);
      if constexpr (std::is_same_v<Kind, Convolution1Attributes>) {
        walker.literal("filter_format", a.filter_format, kWeightsFormats, {});
      } else {
        walker.literal("weights_format", a.weights_format, kWeightsFormats, {});
      }
    }
  }
};

std::size_t spatial_rank(const Problem& problem) {
  return problem.src.rank() < 2 ? 0 : problem.src.rank() - 2;
}

std::vector<std::string_view> split_words(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

std::optional<Attributes> default_attributes(std::string_view operation) {
  if (same_word(operation, to_string(Operation::kConvolution1))) return Convolution1Attributes{};
  if (same_word(operation, to_string(Operation::kConvolution))) return ConvolutionAttributes{};
  if (same_word(operation, to_string(Operation::kAtrousConv2d))) return AtrousConv2dAttributes{};
  return std::nullopt;
}

// Lists that the line leaves out: as many ones or zeros as src has spatial axes.
void fill_lists(Problem& problem, const std::set<std::string_view>& given) {
  auto* a = std::visit(
      [](auto& attributes) -> SpatialAttributes* {
        if constexpr (std::is_base_of_v<SpatialAttributes, std::decay_t<decltype(attributes)>>) {
          return &attributes;
        } else {
          return nullptr;
        }
      },
      problem.attributes);
  if (a == nullptr) return;
  const std::size_t rank = spatial_rank(problem);
  if (!given.contains("strides")) a->strides.assign(rank, 1);
  if (!given.contains("pads_begin")) a->pads_begin.assign(rank, 0);
  if (!given.contains("pads_end")) a->pads_end.assign(rank, 0);
  if (!given.contains("dilations")) a->dilations.assign(rank, 1);
}

// Reads a tensor or the reading; false if the key is neither.
Result<bool> parse_operand(std::string_view word, std::string_view key, std::string_view value,
                           Problem& problem) {
  Tensor* tensor = nullptr;
  if (key == "src") tensor = &problem.src;
  if (key == "weights") tensor = &problem.weights;
  if (key == "bias") tensor = &problem.bias.emplace();
  if (key == "dst") tensor = &problem.dst.emplace();
  if (tensor != nullptr) {
    if (!parse_tensor(value, *tensor)) {
      return syntax(word, "not a shape like 2x9x10x4 or 2x9x10x4:400x40x4x1");
    }
    if (tensor->rank() > kMaxRank) return syntax(word, "more than 8 dimensions");
    return true;
  }
  if (key != "reading") return false;
  if (!parse_literal(value, kReadings, problem.reading)) {
    return syntax(word, "not one of implemented documented");
  }
  return true;
}

}  // namespace

std::string print(const Problem& problem) {
  std::string line = std::string(to_string(problem.operation())) + " " +
                     std::string(to_string(problem.dtype)) + " src=" + to_string(problem.src) +
                     " weights=" + to_string(problem.weights);
  if (problem.bias) line += " bias=" + to_string(*problem.bias);
  if (problem.dst) line += " dst=" + to_string(*problem.dst);
  Printer printer(line, spatial_rank(problem));
  std::visit(Walk<Printer>{printer}, problem.attributes);
  if (problem.reading != Reading::kImplemented) {
    line.append(" reading=").append(to_string(problem.reading));
  }
  return line;
}

Result<Problem> parse(std::string_view line) {
  const auto words = split_words(line);
  if (words.empty()) return syntax(line, "an empty problem line");
  const auto attributes = default_attributes(words[0]);
  if (!attributes) {
    return syntax(words[0], "not an operation (Convolution1, Convolution, AtrousConv2d)");
  }
  if (words.size() < 2) return syntax(words[0], "no dtype (f32, f16, bf16) after the operation");
  Problem problem;
  problem.attributes = *attributes;
  if (!parse_literal(words[1], kParsedDtypes, problem.dtype)) {
    return syntax(words[1], "not a dtype (f32, f16, bf16)");
  }
  std::set<std::string_view> given;
  for (const std::string_view word : std::span(words).subspan(2)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return syntax(word, "not of the form key=value");
    const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
    if (!given.insert(key).second) return syntax(word, "this key is given twice");
    const auto operand = parse_operand(word, key, value, problem);
    if (!operand) return operand.why();
    if (*operand) continue;
    Parser parser(key, value);
    std::visit(Walk<Parser>{parser}, problem.attributes);
    if (!parser.taken()) {
      return syntax(word, std::string(to_string(problem.operation())) + " has no such key");
    }
    if (!parser.complaint().empty()) return syntax(word, parser.complaint());
  }
  for (const std::string_view key : {"src", "weights"}) {
    if (!given.contains(key)) return syntax(key, "a problem line needs " + std::string(key) + "=");
  }
  fill_lists(problem, given);
  return problem;
}

}  // namespace concord
