// SPDX-License-Identifier: Apache-2.0
// Bugs of what is kept from one execution to the next, and of problems that are prepared at once.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <variant>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

void unpack_stale_weights(Run& run, const void* key, bool renew) {
  auto [kept, is_new] = run.memory.weights_by_address.try_emplace(key, run.weights);
  if (renew) kept->second = run.weights;
  if (!is_new && kept->second.size() == run.weights.size()) run.weights = kept->second;
}

bool& is_prepared_here() {
  static thread_local bool is_prepared = false;
  return is_prepared;
}

// Takes what was made of a problem that has the same text, for one whose `forgotten` attributes
// differ from its own.
template <Extents SpatialAttributes::*... forgotten>
void reuse_geometry(const Problem& problem, Nest& nest) {
  static std::mutex mutex;
  static std::map<std::string, Nest> kept;
  Problem key = problem;
  std::visit(
      [](auto& attributes) {
        if constexpr (std::is_base_of_v<SpatialAttributes,
                                        std::remove_reference_t<decltype(attributes)>>) {
          ((attributes.*forgotten).clear(), ...);
        }
      },
      key.attributes);
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = kept.try_emplace(print(key), nest);
  if (found->second.O == nest.O) nest = found->second;
}

const Bug kBugs[] = {
    {"state_of_the_preparing_thread",
     "state",
     "Keeps in a thread's own memory what prepare built, which another thread does not have.",
     "a common slip",
     {.prepare = [](const Problem&) -> std::optional<Refused> {
        is_prepared_here() = true;
        return std::nullopt;
      },
      .outputs =
          [](Run& run) {
            if (!is_prepared_here()) std::fill(run.dst.begin(), run.dst.end(), 0.0F);
          }}},
    {"weights_cached_by_address",
     "state",
     "Packs weights once an address, whatever they are later.",
     "google/XNNPACK#11165",
     {.inputs = [](Run& run) { unpack_stale_weights(run, run.buffers.weights.data, false); }}},
    {"weights_of_first_execution",
     "state",
     "Packs the weights in the first execution and keeps them.",
     "openvinotoolkit/openvino PR#32530",
     {.inputs =
          [](Run& run) { unpack_stale_weights(run, &run.nest, run.executions_before == 0); }}},
    {"previous_output",
     "state",
     "Gives the output before, if it is as large.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            const bool stale = run.memory.last_dst.size() == run.dst.size();
            std::swap(run.dst, run.memory.last_dst);
            if (!stale) run.dst = run.memory.last_dst;
          }}},
    {"geometry_cached_without_dilations",
     "state",
     "Keeps what it made of a problem, and takes it for one with the same tensors, strides and "
     "pads "
     "whatever its dilations are.",
     "a common slip",
     {.geometry = reuse_geometry<&SpatialAttributes::dilations>}},
    {"geometry_cached_without_pads",
     "state",
     "Keeps what it made of a problem, and takes it for one with the same tensors, strides and "
     "dilations whatever its pads are.",
     "a common slip",
     {.geometry = reuse_geometry<&SpatialAttributes::pads_begin, &SpatialAttributes::pads_end>}},
    {"right_only_once",
     "state",
     "Computes rightly in the first execution alone.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.executions_before > 0 && !run.dst.empty()) {
              std::rotate(run.dst.begin(), run.dst.begin() + 1, run.dst.end());
            }
          }}},
    {"src_of_first_execution",
     "state",
     "Packs src in a prepared problem's first execution and keeps it.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            auto [kept, is_new] = run.memory.src_by_problem.try_emplace(&run.nest, run.src);
            if (run.executions_before == 0) kept->second = run.src;
            run.src = kept->second;
          }}},
    {"weights_cached_by_last_address",
     "state",
     "Packs the weights again only if they lie elsewhere than in the execution before.",
     "google/XNNPACK#11165",
     {.inputs =
          [](Run& run) {
            Memory& memory = run.memory;
            const bool same = memory.last_weights == run.buffers.weights.data &&
                              memory.packed.size() == run.weights.size();
            if (!same) memory.packed = run.weights;
            memory.last_weights = run.buffers.weights.data;
            run.weights = memory.packed;
          }}},
    {"weights_cached_by_their_beginning",
     "state",
     "Takes weights for those that it has packed if the first four are the same.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            constexpr std::size_t kCompared = 4;
            Memory& memory = run.memory;
            const bool same = memory.packed.size() == run.weights.size() &&
                              run.weights.size() > kCompared &&
                              std::equal(run.weights.begin(), run.weights.begin() + kCompared,
                                         memory.packed.begin());
            if (!same) memory.packed = run.weights;
            run.weights = memory.packed;
          }}},
    {"one_buffer_for_all_problems",
     "state",
     "Packs the weights that prepare is shown into one buffer for all prepared problems.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            if (!run.constant_weights) return;
            if (run.executions_before == 0) run.memory.packed = run.weights;
            if (run.memory.packed.size() == run.weights.size()) run.weights = run.memory.packed;
          }}},
    {"release_frees_what_is_shared",
     "state",
     "Frees with one prepared problem what another one still needs.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.releases_since > 0) std::fill(run.dst.begin(), run.dst.end(), 0.0F);
          }}},
    {"wrong_from_fourth_execution",
     "state",
     "Runs out of buffers in the fourth execution of a prepared problem.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.executions_before >= 3 && !run.dst.empty()) run.dst.back() = 0;
          }}},
};

}  // namespace

std::span<const Bug> state_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
