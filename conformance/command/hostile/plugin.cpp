// SPDX-License-Identifier: Apache-2.0
// A plugin that computes nonsense and does one deed of the table, which the environment names by
// HOSTILE_DEED. If a deed gets through, it says so in the reason of a failed execution.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "conformance/command/hostile/deeds.h"
#include "plugin/starters/cpp/concord_convolution.h"

namespace {

using concord::hostile::Deed;
using concord_convolution_helper::Geometry;
using concord_convolution_helper::Order;

bool got_through = false;  // NOLINT(*-avoid-non-const-global-variables)

// Made when it is asked for: constructors are among the stages.
const Deed* chosen() {
  static const std::vector<Deed> all = concord::hostile::all_deeds();
  const char* name = std::getenv("HOSTILE_DEED");
  for (const Deed& deed : all) {
    if (name != nullptr && std::strcmp(deed.name, name) == 0) return &deed;
  }
  return nullptr;
}

void reach(const char* stage) {
  const Deed* deed = chosen();
  if (deed == nullptr || std::strcmp(deed->stage, stage) != 0) return;
  if (deed->run(concord::hostile::world())) got_through = true;
}

struct Nonsense {
  static constexpr const char* kName = "hostile";
  static constexpr const char* kVersion = "1";
  static constexpr Order kOrder = Order::kChannelsFirst;
  static constexpr bool kTakesGroups = true;
  static const char* refusal(const Geometry&) { return nullptr; }
  static void declare(const Geometry&, concord_answer&) {}

  template <class T>
  static void convolve(const Geometry& g, const T*, const T*, const T*, T* dst) {
    const int64_t count = g.n * g.oc * g.extent[0] * g.extent[1] * g.extent[2];
    for (int64_t i = 0; i < count; ++i) dst[i] = T{77};
  }
};
using Entry = concord_convolution_helper::Plugin<Nonsense>;

concord_status open_backend(const char*, void** backend, char*) {
  *backend = nullptr;
  std::atexit([] { reach("exit"); });
  reach("open");
  return CONCORD_OK;
}

void close_backend(void*) { reach("close"); }

concord_status query(void* backend, const concord_problem* problem, concord_answer* answer) {
  reach("query");
  return Entry::query(backend, problem, answer);
}

concord_status prepare(void* backend, const concord_problem* problem,
                       const concord_prepare_options* options, concord_prepared* prepared) {
  reach("prepare");
  return Entry::prepare(backend, problem, options, prepared);
}

concord_status execute(void* backend, void* handle, const concord_execution* execution) {
  const concord_status status = Entry::execute(backend, handle, execution);
  reach("execute");
  if (!got_through) return status;
  std::snprintf(execution->reason, CONCORD_TEXT, "got through");
  return CONCORD_FAULT;
}

void release(void* backend, void* handle) {
  reach("release");
  Entry::release(backend, handle);
}

[[gnu::constructor]] void loaded() { reach("load"); }

}  // namespace

const concord_plugin* concord_plugin_v1(void) {
  static const concord_plugin plugin = {CONCORD_ABI,     sizeof(concord_plugin),
                                        Nonsense::kName, Nonsense::kVersion,
                                        open_backend,    close_backend,
                                        query,           prepare,
                                        execute,         release,
                                        nullptr};
  return &plugin;
}
