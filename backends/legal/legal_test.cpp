// SPDX-License-Identifier: Apache-2.0
// That each variant is one: its bits are not those of a plain sum.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "backends/adapter/load_plugin.h"
#include "backends/adapter/session.h"

namespace concord::backends {
namespace {

const std::string kLegal = CONCORD_PLUGIN_DIRECTORY "/legal.so";

std::set<std::string> names() {
  EXPECT_TRUE(load_plugin(kLegal));
  using Catalogue = const char* (*)();
  const auto symbol = reinterpret_cast<Catalogue>(find_symbol(kLegal, "concord_legal_catalogue"));
  EXPECT_NE(symbol, nullptr);
  std::set<std::string> all;
  std::istringstream lines(symbol());
  for (std::string line; std::getline(lines, line);) all.insert(line.substr(0, line.find('\t')));
  return all;
}

struct Sample {
  Data data = Data::kReals;
  std::string dtype = "f32";
  std::string bias = " bias=8";
};

std::string bits_of(const std::string& name, const Sample& sample) {
  return run_session({.plugin = kLegal,
                      .config = name,
                      .problem = "Convolution " + sample.dtype + " src=1x12x6x7 weights=8x12x3x3" +
                                 sample.bias +
                                 " pads_begin=1,1 pads_end=1,1 data_format=NCX weights_format=OIX",
                      .data = sample.data,
                      .bits_only = true});
}

TEST(Legal, HasVariantsWhoseBitsAreNotThoseOfAPlainSum) {
  // Those that do not show in sums of ordinary numbers in f32.
  const std::map<std::string, Sample> samples{
      {"padding_multiplied", {Data::kSpecial}},     {"rows_skipped", {Data::kSpecial}},
      {"zero_weights_skipped", {Data::kSpecial}},   {"flushed", {Data::kTiny, "f32", ""}},
      {"bias_after_store", {Data::kReals, "bf16"}},
  };
  const std::string plain = "in_order";
  std::set<std::string> all = names();
  EXPECT_EQ(all.erase(plain), 1u);
  EXPECT_GE(all.size(), 10u);
  for (const std::string& name : all) {
    const auto found = samples.find(name);
    const Sample sample = found == samples.end() ? Sample{} : found->second;
    const std::string expected = bits_of(plain, sample), actual = bits_of(name, sample);
    EXPECT_NE(actual.find("bits"), std::string::npos) << name << ": " << actual;
    EXPECT_NE(actual, expected) << name;
  }
}

}  // namespace
}  // namespace concord::backends
