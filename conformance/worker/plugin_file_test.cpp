// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/plugin_file.h"

#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

// A table that lacks nothing; none of its functions is ever called.
concord_plugin whole_table() {
  concord_plugin table{};
  table.abi = CONCORD_ABI;
  table.struct_size = sizeof table;
  table.name = "n";
  table.version = "1";
  table.open = [](const char*, void**, char*) { return concord_status{CONCORD_OK}; };
  table.close = [](void*) {};
  table.query = [](void*, const concord_problem*, concord_answer*) {
    return concord_status{CONCORD_OK};
  };
  table.prepare = [](void*, const concord_problem*, const concord_prepare_options*,
                     concord_prepared*) { return concord_status{CONCORD_OK}; };
  table.execute = [](void*, void*, const concord_execution*) { return concord_status{CONCORD_OK}; };
  table.release = [](void*, void*) {};
  return table;
}

TEST(PluginTable, AWholeOneHasNoFault) {
  const concord_plugin table = whole_table();
  EXPECT_EQ(fault_of_table(&table), std::nullopt);
}

TEST(PluginTable, ALargerOneOfALaterVersionHasNoFault) {
  concord_plugin table = whole_table();
  table.struct_size += 64;
  EXPECT_EQ(fault_of_table(&table), std::nullopt);
}

TEST(PluginTable, EveryNullIsNamed) {
  EXPECT_EQ(fault_of_table(nullptr), "concord_plugin_v1() returns null");
  const auto without = [](auto member) {
    concord_plugin table = whole_table();
    table.*member = nullptr;
    return fault_of_table(&table);
  };
  EXPECT_EQ(without(&concord_plugin::name), "its name is null");
  EXPECT_EQ(without(&concord_plugin::version), "its version is null");
  EXPECT_EQ(without(&concord_plugin::open), "its open is null");
  EXPECT_EQ(without(&concord_plugin::close), "its close is null");
  EXPECT_EQ(without(&concord_plugin::query), "its query is null");
  EXPECT_EQ(without(&concord_plugin::prepare), "its prepare is null");
  EXPECT_EQ(without(&concord_plugin::execute), "its execute is null");
  EXPECT_EQ(without(&concord_plugin::release), "its release is null");
}

TEST(PluginTable, ASmallerOneIsRefusedWithBothSizes) {
  concord_plugin table = whole_table();
  table.struct_size = 16;
  EXPECT_EQ(fault_of_table(&table), "the struct_size of its table is 16; expected at least " +
                                        std::to_string(offsetof(concord_plugin, describe_plan)));
}

TEST(PluginTable, AnOlderOneThatEndsWithReleaseHasNoFault) {
  concord_plugin table = whole_table();
  table.struct_size = offsetof(concord_plugin, describe_plan);
  EXPECT_EQ(fault_of_table(&table), std::nullopt);
}

}  // namespace
}  // namespace concord::conformance
