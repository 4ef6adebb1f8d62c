// SPDX-License-Identifier: Apache-2.0
// A plugin in C++ whose open lets an exception out through the C plugin ABI.
#include <stdexcept>

#include "plugin/concord_plugin.h"

namespace {

concord_status open_plugin(const char*, void**, char*) { throw std::runtime_error("no such luck"); }
void close_plugin(void*) {}
concord_status query(void*, const concord_problem*, concord_answer*) { return CONCORD_FAULT; }
concord_status prepare(void*, const concord_problem*, const concord_prepare_options*,
                       concord_prepared*) {
  return CONCORD_FAULT;
}
concord_status execute(void*, void*, const concord_execution*) { return CONCORD_FAULT; }
void release(void*, void*) {}

constexpr concord_plugin kTable = {CONCORD_ABI, sizeof(concord_plugin),
                                   "throwing",  "1",
                                   open_plugin, close_plugin,
                                   query,       prepare,
                                   execute,     release,
                                   nullptr};

}  // namespace

extern "C" const concord_plugin* concord_plugin_v1(void) { return &kTable; }
