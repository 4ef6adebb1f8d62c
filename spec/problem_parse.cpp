// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <set>
#include <span>
#include <vector>

#include "spec/problem.h"
#include "spec/walk_attributes.h"

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

// true and false, and any number in their place.
bool parse_flag(std::string_view text, Extent& value) {
  const bool yes = same_word(text, "true");
  value = yes ? 1 : 0;
  return yes || same_word(text, "false") || parse_number(text, value);
}

template <class Parse>
bool parse_list(std::string_view text, char separator, Extents& values, Parse parse_one) {
  values.clear();
  if (text == "()") return true;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    Extent value = 0;
    if (!parse_one(text.substr(0, end), value)) return false;
    values.push_back(value);
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

bool parse_tensor(std::string_view text, Tensor& tensor) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (!parse_list(text.substr(0, colon), 'x', tensor.dims, parse_number)) return false;
  tensor.strides.clear();
  if (colon == text.size()) return true;
  return !tensor.dims.empty() &&
         parse_list(text.substr(colon + 1), 'x', tensor.strides, parse_number) &&
         tensor.strides.size() == tensor.dims.size();
}

// Reads one of the words of `Enum`; false if `text` is none of them.
template <class Enum>
bool parse_word(std::string_view text, Enum& value) {
  const auto& words = kWords<Enum>;
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](std::string_view word) { return same_word(text, word); });
  if (found != words.end()) value = static_cast<Enum>(found - words.begin());
  return found != words.end();
}

template <class Enum>
std::string all_words(std::string_view separator) {
  std::string all;
  for (const std::string_view word : kWords<Enum>) {
    all.append(all.empty() ? "" : separator).append(word);
  }
  return all;
}

constexpr const char* kNoNumber =
    "not a number like 2/3, 2, 0.7 or the double 0x1.8p-1, of parts of 63 bits";

/// Offers one key and value to one attribute after another until one takes it.
class Parser {
 public:
  Parser(std::string_view key, std::string_view value) : key_(key), value_(value) {}

  void operator()(const AttributeFacts& facts, Extents& values, const Extents&) {
    const auto parse_one = facts.is_flag ? parse_flag : parse_number;
    take(
        facts.key,
        [&] { return parse_list(value_, ',', values, parse_one) && values.size() <= kMaxRank; },
        facts.is_flag ? "not a list like true,false or (), of at most 8 flags"
                      : "not a list like 1,2 or (), of at most 8 numbers of 64 bits");
  }
  void operator()(const AttributeFacts& facts, Extent& value, Extent) {
    const auto parse_one = facts.is_flag ? parse_flag : parse_number;
    take(
        facts.key, [&] { return parse_one(value_, value); },
        facts.is_flag ? "not true or false" : "not a 64-bit integer");
  }
  void operator()(const AttributeFacts& facts, Rational& value, const Rational&) {
    take(
        facts.key, [&] { return read(value_, value); }, kNoNumber);
  }
  void operator()(const AttributeFacts& facts, Rationals& values, const Rationals&) {
    take(
        facts.key, [&] { return read_list(value_, values) && values.size() <= kMaxRank; },
        "not a list like 2/3,0.7 or (), of at most 8 numbers");
  }
  template <class Enum>
  void operator()(const AttributeFacts& facts, Enum& value, Enum) {
    take(
        facts.key, [&] { return parse_word(value_, value); }, "not one of " + all_words<Enum>(" "));
  }
  // One number is that of both.
  void pair(std::string_view key, Rational& first, Rational& second) {
    take(
        key,
        [&] {
          const std::size_t comma = std::min(value_.find(','), value_.size());
          if (!read(value_.substr(0, comma), first)) return false;
          second = first;
          return comma == value_.size() || read(value_.substr(comma + 1), second);
        },
        "not one or two numbers like 2/3, 2, 0.7 or the double 0x1.8p-1, of parts of 63 bits");
  }
  // Spelt exactly; another text is the operation's to refuse, as long as it can be shown.
  void padding(std::string_view key, TfPadding& padding, std::string& other) {
    take(
        key,
        [&] {
          padding = value_ == "SAME"    ? TfPadding::kSame
                    : value_ == "VALID" ? TfPadding::kValid
                                        : TfPadding::kOther;
          if (padding == TfPadding::kOther) other = value_;
          return value_ == shown(value_);
        },
        "not a word of at most 60 printable characters");
  }

  bool taken() const { return taken_; }
  const std::string& complaint() const { return complaint_; }

 private:
  static bool read(std::string_view text, Rational& value) {
    const auto parsed = parse_rational(text);
    if (parsed) value = *parsed;
    return parsed.has_value();
  }

  static bool read_list(std::string_view text, Rationals& values) {
    values.clear();
    if (text == "()") return true;
    while (true) {
      const std::size_t comma = std::min(text.find(','), text.size());
      if (!read(text.substr(0, comma), values.emplace_back())) return false;
      if (comma == text.size()) return true;
      text.remove_prefix(comma + 1);
    }
  }

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

/// Gives the lists that a line leaves out the default that its src implies. All other defaults are
/// those of the attributes' struct.
class Filler {
 public:
  explicit Filler(const std::set<std::string_view>& given) : given_(given) {}

  void operator()(const AttributeFacts& facts, Extents& values, const Extents& usual) const {
    if (!given_.contains(facts.key)) values = usual;
  }
  template <class Value>
  void operator()(const AttributeFacts&, const Value&, const Value&) const {}
  void pair(std::string_view, const Rational&, const Rational&) const {}
  void padding(std::string_view, TfPadding, const std::string&) const {}

 private:
  const std::set<std::string_view>& given_;
};

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

std::optional<Operation> parse_operation(std::string_view word) {
  for (const Operation operation : kOperations) {
    if (same_word(word, to_string(operation))) return operation;
  }
  return std::nullopt;
}

// The tensor that a key names; null if the operation has none of that name.
Tensor* tensor_named(std::string_view key, Problem& problem) {
  if (key == "dst") return &problem.dst.emplace();
  for (const Operand& operand : facts_of(problem.operation()).operands) {
    if (key == to_string(operand.input)) return &make_input(problem, operand.input);
  }
  return nullptr;
}

// Where the dtype goes that a key gives to one tensor; null if the operation has none of that name.
std::optional<Dtype>* dtype_named(std::string_view key, Problem& problem) {
  OtherDtypes& other = problem.other_dtypes;
  if (key == "dst_dtype") return &other.dst;
  for (const Operand& operand : facts_of(problem.operation()).operands) {
    if (key != std::string(to_string(operand.input)) + "_dtype") continue;
    std::optional<Dtype>* const all[] = {nullptr, &other.weights, &other.bias, &other.diff_dst};
    return all[static_cast<std::size_t>(operand.input)];
  }
  return nullptr;
}

// That of src is no other one, and a tensor that is not given has none.
std::optional<Refusal> check_dtypes(const std::set<std::string_view>& given, Problem& problem) {
  for (const std::string_view key : given) {
    std::optional<Dtype>* const dtype = dtype_named(key, problem);
    if (dtype == nullptr) continue;
    const std::string_view tensor = key.substr(0, key.rfind('_'));
    if (tensor != "dst" && !given.contains(tensor)) return syntax(key, "there is no such tensor");
    if (*dtype == problem.dtype) dtype->reset();
  }
  return std::nullopt;
}

// Reads a tensor, its dtype or the reading; false if the key is neither.
Result<bool> parse_operand(std::string_view word, std::string_view key, std::string_view value,
                           Problem& problem) {
  if (Tensor* tensor = tensor_named(key, problem)) {
    if (!parse_tensor(value, *tensor)) {
      return syntax(word, "not a shape like 2x9x10x4 or 2x9x10x4:400x40x4x1");
    }
    if (tensor->rank() > kMaxRank) return syntax(word, "more than 8 dimensions");
    return true;
  }
  if (std::optional<Dtype>* dtype = dtype_named(key, problem)) {
    if (parse_word(value, dtype->emplace())) return true;
    return syntax(word, "not one of " + all_words<Dtype>(" "));
  }
  if (key != "reading") return false;
  if (!parse_word(value, problem.reading)) {
    return syntax(word, "not one of " + all_words<Reading>(" "));
  }
  if (!has_reading(problem.operation(), problem.reading)) {
    return syntax(word, "CntkConvolution2d alone has a first version");
  }
  return true;
}

std::optional<Refusal> parse_pair(std::string_view word, std::set<std::string_view>& given,
                                  Problem& problem) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return syntax(word, "not of the form key=value");
  const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
  if (!given.insert(key).second) return syntax(word, "this key is given twice");
  const auto operand = parse_operand(word, key, value, problem);
  if (!operand) return operand.why();
  if (*operand) return std::nullopt;
  Parser parser(key, value);
  std::visit([&](auto& a) { walk_attributes(a, 0, parser); }, problem.attributes);
  if (!parser.taken()) {
    return syntax(word, std::string(to_string(problem.operation())) + " has no such key");
  }
  if (!parser.complaint().empty()) return syntax(word, parser.complaint());
  return std::nullopt;
}

// What a line cannot leave out. The padding of AtrousConv2d is an argument without a default, and
// neither value would be a neutral one.
std::optional<Refusal> find_missing(const std::set<std::string_view>& given, Operation operation) {
  const auto missing = [&](std::string_view key) {
    return syntax(key, "a problem line of " + std::string(to_string(operation)) + " needs " +
                           std::string(key) + "=");
  };
  for (const Operand& operand : facts_of(operation).operands) {
    const std::string_view key = to_string(operand.input);
    if (!operand.is_optional && !given.contains(key)) return missing(key);
  }
  if (operation == Operation::kAtrousConv2d && !given.contains("padding")) {
    return missing("padding");
  }
  return std::nullopt;
}

// A dense tensor without strides has its last axis fastest; those of CNTK's have the first.
void fill_strides(Problem& problem) {
  const Operation operation = problem.operation();
  const auto fill = [](bool column_major, Tensor& tensor) {
    if (column_major && tensor.strides.empty()) tensor.strides = column_major_strides(tensor.dims);
  };
  fill(is_column_major(operation, Input::kSrc), problem.src);
  if (problem.diff_dst) fill(is_column_major(operation, Input::kDiffDst), *problem.diff_dst);
  if (problem.dst) fill(is_dst_column_major(operation), *problem.dst);
}

}  // namespace

Result<Problem> parse(std::string_view line) {
  const auto words = split_words(line);
  if (words.empty()) return syntax(line, "an empty problem line");
  const auto operation = parse_operation(words[0]);
  if (!operation) return syntax(words[0], "not an operation, such as Convolution or AtrousConv2d");
  if (words.size() < 2) {
    return syntax(words[0], "no dtype (" + all_words<Dtype>(", ") + ") after the operation");
  }
  Problem problem;
  problem.attributes = default_attributes(*operation);
  if (!parse_word(words[1], problem.dtype)) {
    return syntax(words[1], "not a dtype (" + all_words<Dtype>(", ") + ")");
  }
  std::set<std::string_view> given;
  for (const std::string_view word : std::span(words).subspan(2)) {
    if (auto refusal = parse_pair(word, given, problem)) return *refusal;
  }
  if (auto refusal = find_missing(given, *operation)) return *refusal;
  if (auto refusal = check_dtypes(given, problem)) return *refusal;
  Filler filler(given);
  const std::size_t rank = spatial_rank(problem.src);
  std::visit([&](auto& a) { walk_attributes(a, rank, filler); }, problem.attributes);
  fill_strides(problem);
  return problem;
}

}  // namespace concord
