// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "conformance/case/traits.h"
#include "conformance/output/brief.h"
#include "conformance/output/digest.h"
#include "conformance/output/machine.h"
#include "conformance/output/program.h"
#include "conformance/output/service.h"
#include "conformance/output/shrunk_text.h"
#include "conformance/output/summary.h"
#include "conformance/record/result_json.h"
#include "conformance/run/neighbours.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json covering_json(const std::optional<Covering>& covering) {
  if (!covering) return nullptr;
  return {{"pairs", covering->pairs},
          {"all_pairs", covering->all_pairs},
          {"triples", covering->triples},
          {"all_triples", covering->all_triples}};
}

Json service_json(const BackendRun& backend) {
  Json json = Json::array();
  for (const ServicePart& part : service_of(backend)) {
    json.push_back({{"operation", to_string(part.operation)},
                    {"dtype", to_string(part.dtype)},
                    {"judged", part.judged},
                    {"vacuous", part.vacuous},
                    {"declined", part.declined},
                    {"sharp", part.sharp},
                    {"resolution", or_null(part.resolution)},
                    {"classes", part.classes},
                    {"sharp_classes", part.sharp_classes}});
  }
  return json;
}

Json machine_json(const Machine& machine) {
  return {{"cpu", machine.cpu},
          {"features", machine.features},
          {"cores", machine.cores},
          {"system", machine.system}};
}

Json case_json(const Case& source, const CaseResult& result, const BackendSpec& backend,
               const RunDescription& description) {
  const Problem& problem = source.problem;
  Json json = {{"case", source.id},
               {"problem", print(problem)},
               {"operation", to_string(problem.operation())},
               {"dtype", to_string(problem.dtype)},
               {"fill", to_string(source.fill)},
               {"seed", std::to_string(source.seed)},
               {"origin", source.origin},
               {"note", source.note},
               {"traits", traits_of(problem)}};
  json.update(to_json(result));
  json["replay"] = replay_command(source, backend, description);
  return json;
}

Json files_json(const BackendSpec& backend,
                const std::map<std::string, std::vector<BackendFile>>& all) {
  Json json = Json::array();
  const auto files = all.find(backend.text);
  if (files == all.end()) return json;
  for (const BackendFile& file : files->second) {
    json.push_back(
        {{"path", file.path}, {"sha256", file.sha256.empty() ? Json(nullptr) : Json(file.sha256)}});
  }
  return json;
}

Json pool_json(const Pool& pool) {
  const StatisticalFinding& f = pool.finding;
  return {{"dtype", to_string(pool.dtype)},
          {"class", pool.arithmetic},
          {"all_lengths", pool.all_lengths},
          {"products", {pool.least_products, pool.most_products}},
          {"tensors", pool.tensors},
          {"sums", sums_json(pool.sums)},
          {"elements", number_json(f.elements)},
          {"mean_square", number_json(f.mean_square)},
          {"mean_square_limit", number_json(f.mean_square_limit)},
          {"drift", number_json(f.drift)},
          {"drift_limit", number_json(f.drift_limit)},
          {"growth", number_json(f.growth)},
          {"growth_limit", number_json(f.growth_limit)},
          {"channels", number_json(f.channels)},
          {"channels_limit", number_json(f.channels_limit)},
          {"effective_bits", number_json(f.effective_bits)},
          {"passed", f.passed()}};
}

Json neighbours_json(const BackendRun& backend) {
  Json json = Json::array();
  for (const Neighbour& n : backend.neighbours) {
    json.push_back({{"class", n.change},
                    {"dtype", n.dtype ? Json(to_string(*n.dtype)) : Json(nullptr)},
                    {"sentence", describe(n)},
                    {"failures", n.failures},
                    {"tried", n.tried},
                    {"passed", n.passed},
                    {"others", n.others},
                    {"others_passed", n.others_passed}});
  }
  return json;
}

Json diagnosis_json(const Diagnosis& d) {
  return {{"sentence", d.sentence}, {"conditions", d.conditions},
          {"covered", d.covered},   {"covered_failed", d.covered_failed},
          {"others", d.others},     {"others_failed", d.others_failed}};
}

Json smallest_json(const Shrunk& shrunk, const BackendSpec& backend,
                   const RunDescription& description) {
  const Json result = to_json(shrunk.result);
  return {{"problem", print(shrunk.smallest.problem)},
          {"data", data_text(shrunk)},
          {"fill", to_string(shrunk.smallest.fill)},
          {"seed", std::to_string(shrunk.smallest.seed)},
          {"verdict", result["verdict"]},
          {"tier", result["tier"]},
          {"reason", shrunk.result.reason},
          {"failure", result["failure"]},
          {"traits", traits_of(shrunk.smallest.problem)},
          {"warmed", shrunk.setup.warmed},
          {"attempts", shrunk.setup.attempts},
          {"after", after_texts(shrunk)},
          {"taps", shrunk.taps},
          {"program", shrunk.program},
          {"source", {{"name", shrunk.source.name}, {"text", shrunk.source.text}}},
          {"replay", replay_command(shrunk, backend, description)}};
}

Json shrunk_json(const Shrunk& shrunk, const Case& source, const BackendSpec& backend,
                 const RunDescription& description) {
  return {{"case", source.id},
          {"trials", shrunk.trials},
          {"exhausted", !shrunk.limit.empty()},
          {"limit", shrunk.limit},
          {"tried", shrunk.tried},
          {"smallest",
           shrunk.fails_again ? smallest_json(shrunk, backend, description) : Json(nullptr)}};
}

// A backend that could not be loaded has no process of which it would be known.
Json sandbox_json(const BackendRun& backend) {
  if (!backend.error.empty()) return {{"level", "unknown"}, {"lack", nullptr}};
  const Confinement& made = backend.identity.confinement;
  return {{"level", concord::to_string(made.level)},
          {"lack", made.lack.empty() ? Json(nullptr) : Json(made.lack)}};
}

Json backend_json(const CaseList& cases, const CaseTable& table, const BackendRun& backend,
                  const std::optional<Covering>& covering, const RunDescription& description) {
  const Counts counts = count(backend);
  Json by_verdict;
  for (const Verdict verdict : kVerdicts) {
    by_verdict[std::string(to_string(verdict))] = counts.of(verdict);
  }
  std::string error = backend.error.empty() ? backend.abandoned : backend.error;
  if (error.empty()) error = backend.misconduct;
  Json json = {
      {"backend", backend.spec.text},
      {"name", backend.identity.name},
      {"version", backend.identity.version},
      {"path", backend.spec.path},
      {"config", backend.spec.config},
      {"sandbox", sandbox_json(backend)},
      {"files", files_json(backend.spec, description.files)},
      {"libraries", files_json(backend.spec, description.libraries)},
      {"shipped", shipped_in(backend, description)},
      {"class", or_null(description.arithmetic)},
      {"error", error.empty() ? Json(nullptr) : Json(error)},
      {"conforms", to_string(conclude(backend, description.is_part()))},
      {"headline", headline(backend, description)},
      {"service", service_json(backend)},
      {"covering", covering_json(covering)},
      {"counts", by_verdict},
      {"lowered", count_lowered(backend)},
      {"statistics", Json::array()},
      {"would_conform", neighbours_json(backend)},
      {"diagnosis", backend.diagnosis ? diagnosis_json(*backend.diagnosis) : Json(nullptr)},
      {"shrunk", Json::array()},
      {"tallied", Json::array()},
      {"brief", brief_json(table, backend)},
      {"results", Json::array()}};
  for (const Shrunk& shrunk : backend.shrunk) {
    json["shrunk"].push_back(shrunk_json(shrunk, cases[shrunk.of], backend.spec, description));
  }
  for (const Tally& tally : backend.tallies) json["tallied"].push_back(to_json(tally));
  for (const Pool& pool : backend.pools) json["statistics"].push_back(pool_json(pool));
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    if (!backend.results[i] || is_in_brief(table, backend, i)) continue;
    json["results"].push_back(case_json(cases[i], *backend.results[i], backend.spec, description));
  }
  return json;
}

// The glob that `id` alone matches.
std::string glob_of(const std::string& id) {
  std::string glob;
  for (const char c : id) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) glob += '\\';
    glob += c;
  }
  return glob;
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string replay_command_of(const BackendSpec& backend, const RunDescription& description,
                              const char* name) {
  std::string command = fmt::format("concord {} --backend {}", name, shell_quoted(backend.text));
  if (description.arithmetic) command += " --class " + shell_quoted(*description.arithmetic);
  if (description.lower) command += " --lower";
  command += fmt::format(" --threads {}", description.threads);
  if (description.deadline != HostOptions{}.deadline) {
    const std::chrono::duration<double> seconds = description.deadline;
    command += fmt::format(" --deadline {}", seconds.count());
  }
  if (description.max_work != kDefaultMaxWork) {
    command += fmt::format(" --max-work {}", description.max_work);
  }
  if (description.memory_limit != HostOptions{}.memory_limit) {
    command +=
        fmt::format(" --memory-limit {}", static_cast<double>(description.memory_limit) / 0x1p30);
  }
  if (!description.is_confined) command += " --sandbox off";
  for (const std::string& path : description.sandbox_writable) {
    command += " --sandbox-allow " + shell_quoted(path);
  }
  return command;
}

std::string replay_command(const Case& source, const BackendSpec& backend,
                           const RunDescription& description) {
  if (source.recorded != nullptr) {
    std::string command = replay_command_of(backend, description, "run") + " --suite golden";
    if (!description.vectors.empty()) {
      command += " --vectors " + shell_quoted(description.vectors);
    }
    return command + " --filter " + shell_quoted(glob_of(source.id));
  }
  return replay_command_of(backend, description) + fmt::format(" --fill {} --seed {} {}",
                                                               to_string(source.fill), source.seed,
                                                               shell_quoted(print(source.problem)));
}

Json results_json(const CaseList& cases, const RunOutcome& outcome,
                  const RunDescription& description) {
  // Beside the table: both walk through all cases, of which there may be hundreds of thousands.
  auto cases_sha256 = std::async(
      [&] { return outcome.cases_sha256 ? *outcome.cases_sha256 : sha256_of_cases(cases); });
  CaseTable table(cases, outcome, description.seed);
  // An object that grows copies what it holds: what is large is put in its place at last.
  Json json = {{"schema", "concord-results-2"},
               {"concord",
                {{"version", CONCORD_VERSION},
                 {"build", description.build},
                 {"build_id", build_note()},
                 {"compiler", compiler()}}},
               {"run",
                {{"suite", description.suite},
                 {"seed", description.seed},
                 {"reading", or_null(description.reading)},
                 {"operations", description.operations},
                 {"dtypes", description.dtypes},
                 {"threads", description.threads},
                 {"jobs", description.jobs},
                 {"lower", description.lower},
                 {"filter", or_null(description.filter)},
                 {"shard", description.shard},
                 {"started", description.started},
                 {"seconds", outcome.seconds},
                 {"command", description.command},
                 {"complete", outcome.complete},
                 {"cases", outcome.selected.value_or(cases.size())},
                 {"cases_sha256", cases_sha256.get()},
                 {"narrowed", description.narrowed},
                 {"remarks", description.remarks},
                 {"covering", covering_json(description.covering)},
                 {"machine", machine_json(this_machine())}}},
               {"cases", nullptr},
               {"backends", Json::array()},
               {"digest", nullptr}};
  for (std::size_t b = 0; b < outcome.backends.size(); ++b) {
    const bool known = b < description.judged_covering.size();
    json["backends"].push_back(backend_json(cases, table, outcome.backends[b],
                                            known ? description.judged_covering[b] : std::nullopt,
                                            description));
  }
  json["cases"] = table.take_json();
  json["digest"] = digest_of(json);
  return json;
}

}  // namespace concord::conformance
