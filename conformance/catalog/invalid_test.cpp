// SPDX-License-Identifier: Apache-2.0
// That a line of invalid.txt breaks the one rule that it is named after: one number of the
// attribute at fault is changed, put in or taken out, and the problem is legal. So nothing else is
// wrong with it, and a backend that refuses it for something else is seen to have checked nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/catalog/listed.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text, char by) {
  Words parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find(by, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

std::string join(const Words& parts, char by) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : std::string(1, by)) + parts[i];
  }
  return text;
}

bool is_legal(const std::string& line) {
  const auto problem = parse(line);
  return problem && reference::resolve(*problem);
}

// What may be wrong where a fault is reported.
const std::map<std::string, Words>& keys_of_faults() {
  static const std::map<std::string, Words> kKeys = {
      {"dtype", {"weights_dtype", "bias_dtype", "dst_dtype"}},
      {"rank", {"src", "weights", "dst"}},
      {"size",
       {"src", "weights", "bias", "dilations", "pads_begin", "pads_end", "channels", "size",
        "block_size", "maxTempMemSizeInSamples", "scales_h", "scales_w"}},
      {"layout", {"src", "weights", "bias", "dst", "diff_dst"}},
      {"strides", {"strides", "stride", "horizontalStride", "verticalStride"}},
      {"scale", {"scale", "scales_h", "scales_w"}},
      {"dilations", {"dilations", "rate"}},
      {"block_size", {"block_size"}},
      {"pads", {"pads_begin", "pads_end", "paddings", "crops", "lowerPad", "upperPad"}},
      {"padding", {"padding", "autoPadding"}},
      {"groups", {"groups"}},
      {"map_count", {"mapCount"}},
      {"sharing", {"sharing"}},
      {"image_layout", {"imageLayout"}},
      {"channels", {"src", "weights", "groups", "reading"}},
      {"kernel",
       {"src", "weights", "kernel", "kernelWidth", "kernelHeight", "dilations", "rate", "reading"}},
      {"widths", {"widths"}},
      {"theta", {"weights"}},
      {"bias", {"bias"}},
      {"diff_dst", {"diff_dst"}},
      {"dst", {"dst"}}};
  return kKeys;
}

// Numbers to try, and words.
const Words& numbers() {
  static const Words kNumbers = [] {
    Words numbers = {"2/3", "7/10", "true", "false", "SAME", "VALID", "cudnn"};
    for (int i = 0; i <= 80; ++i) numbers.push_back(std::to_string(i));
    return numbers;
  }();
  return kNumbers;
}

// Calls `look` with each list that differs from `parts` in one element, or by one more or less.
void change_one(const Words& parts, const std::function<void(const Words&)>& look) {
  for (std::size_t i = 0; i <= parts.size(); ++i) {
    for (const std::string& number : numbers()) {
      Words more = parts;
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), number);
      look(more);
      if (i == parts.size()) continue;
      Words other = parts;
      other[i] = number;
      look(other);
    }
    if (i == parts.size()) continue;
    Words less = parts;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    look(less);
  }
}

// The values that one change makes of `value`.
Words changed(const std::string& key, const std::string& value) {
  Words values;
  const bool is_tensor =
      key == "src" || key == "weights" || key == "bias" || key == "dst" || key == "diff_dst";
  if (!is_tensor) {
    change_one(value == "()" ? Words{} : split(value, ','),
               [&](const Words& list) { values.push_back(join(list, ',')); });
    return values;
  }
  const Words tensor = split(value, ':');
  if (tensor.size() == 2) values.push_back(tensor[0]);  // dense
  change_one(split(tensor[0], 'x'), [&](const Words& dims) {
    values.push_back(join(dims, 'x') + (tensor.size() == 2 ? ":" + tensor[1] : ""));
  });
  // theta: as many parameters as another kernel has.
  for (int count = 0; split(tensor[0], 'x').size() == 1 && count < 1500; ++count) {
    values.push_back(std::to_string(count));
  }
  return values;
}

// The lines that one change of an attribute among `keys` makes of `line`; of all, if there are
// none.
void for_each_change(const std::string& line, const Words& keys,
                     const std::function<bool(const std::string&)>& is_enough) {
  const Words words = split(line, ' ');
  // An attribute that is not stated has its default.
  for (const std::string& key : keys) {
    if (line.find(" " + key + "=") != std::string::npos) continue;
    for (const std::string& number : numbers()) {
      if (is_enough(line + " " + key + "=" + number)) return;
    }
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    if (!keys.empty() && std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    Words without = words;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_enough(join(without, ' '))) return;
    for (const std::string& other : changed(key, value)) {
      Words with = words;
      with[i] = key;
      with[i] += "=" + other;
      if (is_enough(join(with, ' '))) return;
    }
  }
}

// The line made legal by one change; empty if none does.
std::string mended(const std::string& line, const Words& keys) {
  std::string found;
  for_each_change(line, keys, [&](const std::string& other) {
    if (is_legal(other)) found = other;
    return !found.empty();
  });
  return found;
}

const Words& keys_of(const Listed& line) {
  return keys_of_faults().at(line.name.substr(0, line.name.find('-')));
}

// The fault, and the attribute that a refusal begins with.
std::pair<Fault, std::string> rule_of(const Result<reference::Resolution>& refused) {
  const std::string& detail = refused.why().detail;
  return {refused.why().fault, detail.substr(0, detail.find('='))};
}

bool has_two_faults(const Listed& line) { return line.name.find("-before-") != std::string::npos; }

TEST(InvalidLines, BreakOneRuleEach) {
  for (const Listed& line : listed("invalid")) {
    if (has_two_faults(line)) continue;
    const std::string text = print(line.problem);
    EXPECT_FALSE(is_legal(text)) << line.name;
    EXPECT_NE(mended(text, keys_of(line)), "") << line.name << ": " << text;
  }
}

TEST(InvalidLines, BreakTwoRulesWhereTheirNamesSaySo) {
  std::size_t count = 0;
  for (const Listed& line : listed("invalid")) {
    if (!has_two_faults(line)) continue;
    ++count;
    const std::string text = print(line.problem);
    EXPECT_EQ(mended(text, {}), "") << line.name << " breaks one rule";
    bool is_mended = false;
    for_each_change(text, keys_of(line), [&](const std::string& other) {
      const auto problem = parse(other);
      const bool differs = problem && rule_of(reference::resolve(*problem)) !=
                                          rule_of(reference::resolve(line.problem));
      is_mended = differs && !mended(other, {}).empty();
      return is_mended;
    });
    EXPECT_TRUE(is_mended) << line.name << ": " << text;
  }
  EXPECT_GE(count, 5U);
}

TEST(InvalidLines, ThatBreakAnotherRuleBesidesAreSeen) {
  const std::string line =
      "Convolution f32 src=1x3x5x6 weights=4x3x3x3 strides=1,0 data_format=NCX weights_format=OIX";
  EXPECT_NE(mended(line, {"strides"}), "");
  EXPECT_EQ(mended(line, {"weights"}), "");
  EXPECT_EQ(mended(line + " groups=2", {"strides"}), "") << "3 channels in 2 groups";
  EXPECT_EQ(mended(line + " pads_end=0,-1", {"strides"}), "");
}

}  // namespace
}  // namespace concord::conformance
