// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/shrink.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "conformance/catalog/catalog.h"
#include "conformance/catalog/extents.h"
#include "conformance/output/results.h"
#include "conformance/run/unknown_number.h"
#include "conformance/shrink/program.h"

namespace concord::conformance {
namespace {

const std::string kFaulty = std::string(TEST_PLUGINS) + "/faulty.so";
const std::string kReference = std::string(TEST_PLUGINS) + "/reference.so";

/// Bugs that need more of a program than the first of their family.
/// Or that are of an operation which no family begins with.
constexpr const char* kMore[] = {"cntk_hwc_width_before_height",
                                 "cc_theta_mean",
                                 "cntk_weights_gradient_transposed",
                                 "sums_toward_zero",
                                 "weights_cached_by_address",
                                 "exits",
                                 "hangs",
                                 "weights_of_first_execution",
                                 "channels_summed_by_threads",
                                 "leaks_descriptors",
                                 "sets_a_variable",
                                 "keeps_a_signal_handler",
                                 "stride_outside_depth_ignored",
                                 "cntk_fifth_axis_unstrided"};

/// The first bug of each family that the faulty plugin knows, and kMore.
std::vector<std::pair<std::string, std::string>> bugs_of_all_families() {
  void* library = dlopen(kFaulty.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  using Catalogue = const char* (*)();
  const auto catalogue = reinterpret_cast<Catalogue>(dlsym(library, "concord_faulty_catalogue"));
  std::istringstream lines(catalogue());
  std::vector<std::pair<std::string, std::string>> bugs;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    std::string family = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
    const bool known = std::any_of(bugs.begin(), bugs.end(),
                                   [&](const auto& bug) { return bug.second == family; });
    std::string name = line.substr(0, tab);
    const bool more = std::find(std::begin(kMore), std::end(kMore), name) != std::end(kMore);
    if (!known || more) bugs.emplace_back(std::move(name), std::move(family));
  }
  dlclose(library);
  return bugs;
}

/// The smoke suite, cheap cases first.
std::vector<Case> cheap_cases() {
  const CaseList smoke = make_catalog(Suite::kSmoke, 1);
  std::vector<Case> cases(smoke.begin(), smoke.end());
  const auto cost = [](const Case& source) {
    const auto geometry = reference::resolve(source.problem);
    return geometry ? element_count(geometry->dst.dims).value() * geometry->products : 0;
  };
  std::stable_sort(cases.begin(), cases.end(),
                   [&](const Case& a, const Case& b) { return cost(a) < cost(b); });
  return cases;
}

TrialOptions options_for(const std::string& bug) {
  // A machine may stand still for a while; only what hangs on purpose is not waited for.
  const std::chrono::milliseconds deadline(bug == "hangs" ? 500 : 10000);
  return {.backend = {"faulty:" + bug, kFaulty, bug},
          .host = {.deadline = deadline, .worker_program = TEST_WORKER},
          .examine = {.threads = 2}};
}

/// A failure, whatever it took to find one.
struct Found {
  const Case* source = nullptr;
  CaseResult result{};
};

Found first_failure(const std::vector<Case>& cases, const TrialOptions& options) {
  Host host(options.backend, options.host);
  for (const Case& source : cases) {
    PreparedCase prepared(source);
    CaseResult result = examine(prepared, host, options.examine);
    if (is_failure(result.verdict)) return {&source, std::move(result)};
  }
  return {};
}

int run_shell(const std::string& command) {
  const int status = std::system((command + " >/dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The path of the program, compiled.
std::string built(const std::string& name, const Result<std::string>& program) {
  EXPECT_TRUE(program) << program.why().detail;
  const std::string path = fmt::format("{}shrunk_{}", testing::TempDir(), name);
  EXPECT_EQ(write_file(path + ".c", program ? *program : ""), std::nullopt);
  EXPECT_EQ(run_shell(fmt::format("{} -std=c99 -Wall -Wextra -pedantic -Werror -I '{}' '{}.c' "
                                  "-o '{}' -ldl -lm",
                                  TEST_C_COMPILER, TEST_PLUGIN_HEADER, path, path)),
            0);
  return path;
}

TEST(Shrink, MakesAProgramOfOneFailureOfEachFamilyThatShowsItWithoutConcord) {
  const std::vector<Case> cases = cheap_cases();
  std::set<Operation> seen;
  for (const auto& [bug, family] : bugs_of_all_families()) {
    SCOPED_TRACE(family + ": " + bug);
    const TrialOptions options = options_for(bug);
    const Found found = first_failure(cases, options);
    ASSERT_NE(found.source, nullptr);
    const Shrunk shrunk = shrink(*found.source, found.result, options);
    ASSERT_TRUE(shrunk.fails_again);
    seen.insert(shrunk.smallest.problem.operation());
    const std::string path = built(bug, program_of(shrunk, options));
    EXPECT_EQ(run_shell(fmt::format("'{}'", path)), 1)
        << print(shrunk.smallest.problem) << ": " << shrunk.result.reason;
    EXPECT_EQ(run_shell(fmt::format("'{}' '{}'", path, kReference)), 0)
        << print(shrunk.smallest.problem);
  }
  for (const Operation operation : kOperations) {
    // The same as the other convolution, but for names.
    if (operation == Operation::kConvolution1) continue;
    EXPECT_TRUE(seen.contains(operation)) << to_string(operation);
  }
}

Found failure_of(const std::string& bug, const std::string& line, Fill fill, Case& source) {
  source.problem = *parse(line);
  source.fill = fill;
  source.seed = 8;  // odd ones change weights from one execution to the next
  PreparedCase prepared(source);
  const TrialOptions options = options_for(bug);
  Host host(options.backend, options.host);
  return {&source, examine(prepared, host, options.examine)};
}

constexpr const char* kLarge =
    "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 pads_end=0,3 "
    "dilations=2,2 groups=2 data_format=NCX weights_format=OIX";

Shrunk shrunk_of(const std::string& bug, const std::string& line = kLarge,
                 Fill fill = Fill::kIntegers) {
  Case source;
  const Found found = failure_of(bug, line, fill, source);
  EXPECT_TRUE(is_failure(found.result.verdict)) << bug;
  return shrink(source, found.result, options_for(bug));
}

// What a plugin does not know is asked for by the program, too.
TEST(Shrink, AProgramAsksWithTheUnknownNumberThatFailed) {
  Case source;
  source.problem = *parse("Convolution f32 src=1x5x4x3 weights=2x2x3x3 strides=2,1");
  while (unknown_number_of(PreparedCase(source))->name != "weights_format") {
    ++source.seed;
  }
  for (const std::string config : {"formats", "table"}) {
    const TrialOptions options{.backend = {"careless", TEST_CARELESS, config},
                               .host = {.worker_program = TEST_WORKER}};
    Host host(options.backend, options.host);
    PreparedCase prepared(source);
    const Shrunk shrunk = shrink(source, examine(prepared, host, options.examine), options);
    ASSERT_TRUE(shrunk.fails_again) << config;
    EXPECT_EQ(element_count(shrunk.smallest.problem.src.dims), 1);
    EXPECT_NE(shrunk.result.reason.find("unknown"), std::string::npos) << shrunk.result.reason;
    const std::string path = built("unknown_" + config, program_of(shrunk, options));
    EXPECT_EQ(run_shell(fmt::format("'{}'", path)), 1) << config;
    EXPECT_EQ(run_shell(fmt::format("'{}' '{}'", path, kReference)), 0) << config;
  }
}

// A race may be lost three times in a row, and look as if it always were.
TEST(Shrink, AProgramTriesAgainWhateverTheSearchSaw) {
  const std::string bug = "race_at_tile_edge";
  Shrunk shrunk{.fails_again = true};
  Found found;
  for (int i = 0; i < 200 && !is_failure(found.result.verdict); ++i) {
    found = failure_of(bug, kLarge, Fill::kIntegers, shrunk.smallest);
  }
  shrunk.result = found.result;
  const std::string path = built("now_and_then", program_of(shrunk, options_for(bug)));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run_shell(fmt::format("'{}'", path)), 1);
}

// What a C program accepts where it wants a NaN, and of two executions that have one each.
TEST(Shrink, AProgramTakesANaNOfAnySignAndPayload) {
  Case source;
  const std::string bug = "clamp_swallows_nan";
  const Found found = failure_of(bug, kLarge, Fill::kSpecial, source);
  ASSERT_TRUE(is_failure(found.result.verdict));
  // As it is, not shrunk: with NaNs of more than one origin in a window.
  const Shrunk whole{.fails_again = true, .smallest = source, .result = found.result};
  const std::string path = built("any_nan", program_of(whole, options_for(bug)));
  EXPECT_EQ(run_shell(fmt::format("'{}'", path)), 1);
  EXPECT_EQ(run_shell(fmt::format("'{}' '{}' nan", path, TEST_VARYING)), 0);
  EXPECT_EQ(run_shell(fmt::format("'{}' '{}' order", path, TEST_VARYING)), 1);
}

// Mirrored, a kernel of two taps needs one of them to count: nothing smaller shows it.
TEST(Shrink, LeavesOfAMirroredKernelTwoTapsAndOneImpulse) {
  const Shrunk shrunk = shrunk_of("kernel_flip");
  const auto geometry = reference::resolve(shrunk.smallest.problem);
  ASSERT_TRUE(geometry);
  EXPECT_EQ(geometry->products, 2);
  EXPECT_EQ(geometry->discrete().N * geometry->discrete().OC, 1);
  const auto& src = shrunk.smallest.recorded->src;
  EXPECT_EQ(std::count_if(src.begin(), src.end(), [](double x) { return x != 0; }), 1);
  ASSERT_EQ(shrunk.taps.size(), 3U);
  EXPECT_NE(shrunk.taps[0].find("the backend: x"), std::string::npos) << shrunk.taps[0];
}

TEST(Shrink, ExplainsAnElementThatShouldBeNaN) {
  const Shrunk shrunk = shrunk_of("clamp_swallows_nan", kLarge, Fill::kSpecial);
  ASSERT_TRUE(shrunk.result.failure);
  EXPECT_TRUE(std::isnan(shrunk.result.failure->want));
  EXPECT_FALSE(shrunk.taps.empty());
}

TEST(Shrink, ExplainsANeighbourThatShouldBeAnother) {
  const Shrunk shrunk = shrunk_of("cc_replicate_for_reflect",
                                  "ContinuousConvolution f32 src=1x2x6x5 weights=73 scale=2/3,3/2 "
                                  "channels=3 kernel=5,4 widths=4,5 boundary=reflect");
  EXPECT_EQ(element_count(shrunk.smallest.problem.src.dims), 2);
  ASSERT_GE(shrunk.taps.size(), 2U);
  EXPECT_TRUE(shrunk.taps[0].starts_with("the output is at (0; 0)")) << shrunk.taps[0];
  EXPECT_NE(shrunk.taps[1].find("at distance (0; 0), x 1; the backend: x 2"), std::string::npos)
      << shrunk.taps[1];
}

TEST(Shrink, ExplainsAnElementThatIsMovedFromElsewhere) {
  const Shrunk shrunk =
      shrunk_of("to_batch_columns_first", "SpaceToBatch f32 src=2x6x8x3 block_size=2");
  ASSERT_EQ(shrunk.taps.size(), 1U);
  EXPECT_TRUE(shrunk.taps[0].starts_with("it should be src[")) << shrunk.taps[0];
  EXPECT_NE(shrunk.taps[0].find("the backend: src["), std::string::npos) << shrunk.taps[0];
}

// The first execution is right, and every tap of it.
TEST(Shrink, ExplainsTheExecutionWithOtherInputsWhereThatOneFails) {
  Case source;
  source.problem = *parse(kLarge);
  source.seed = 9;
  const TrialOptions options = options_for("weights_of_first_execution");
  Host host(options.backend, options.host);
  PreparedCase prepared(source);
  const Shrunk shrunk = shrink(source, examine(prepared, host, options.examine), options);
  ASSERT_TRUE(shrunk.fails_again);
  ASSERT_GE(shrunk.taps.size(), 3U);
  EXPECT_EQ(shrunk.taps.front(), "in an execution after one with other inputs:");
  EXPECT_NE(shrunk.taps[1].find("; the backend: x"), std::string::npos) << shrunk.taps[1];
}

TEST(Shrink, KeepsWhatTheFailureNeeds) {
  const auto groups = reference::resolve(shrunk_of("groups_reversed").smallest.problem);
  EXPECT_EQ(groups->discrete().G, 2);
  const auto strided = reference::resolve(shrunk_of("stride_ignored").smallest.problem);
  EXPECT_GT(*std::max_element(strided->discrete().S.begin(), strided->discrete().S.end()), 1);
  EXPECT_EQ(strided->discrete().G, 1);
  EXPECT_TRUE(shrunk_of("bias_doubled").smallest.problem.bias.has_value());
}

// A stride of 1 here would make an output of 16 million elements, each trial of which costs more
// of the budget than one.
TEST(Shrink, DoesNotTradeAPlainerStrideForAFarLargerOutput) {
  const std::string bug = "stride_kept_in_16_bits";
  Case source;
  const Found found =
      failure_of(bug,
                 "Convolution f16 src=1x3x2 weights=2x2x1 strides=8388608 pads_begin=16777214 "
                 "data_format=NXC weights_format=OIX",
                 Fill::kIntegers, source);
  TrialOptions options = options_for(bug);
  options.budget = 150;
  const Shrunk shrunk = shrink(source, found.result, options);
  EXPECT_TRUE(shrunk.fails_again);
  EXPECT_EQ(shrunk.limit, "");
  const auto geometry = reference::resolve(shrunk.smallest.problem);
  ASSERT_TRUE(geometry);
  EXPECT_LE(element_count(geometry->dst.dims), 4096);
}

TEST(Shrink, IsTheSameEveryTime) {
  for (const char* bug : {"pads_swapped", "groups_interleaved", "exits"}) {
    const Shrunk a = shrunk_of(bug), b = shrunk_of(bug);
    EXPECT_EQ(print(a.smallest.problem), print(b.smallest.problem));
    EXPECT_EQ(a.trials, b.trials);
    EXPECT_EQ(a.taps, b.taps);
  }
}

TEST(Shrink, AFailureThatLetsPoisonOutNamesItsOrigin) {
  Case source;
  const auto reason = [&](const char* bug) {
    return failure_of(bug, kLarge, Fill::kIntegers, source).result.reason;
  };
  EXPECT_NE(reason("output_untouched").find("was never written, or added to"), std::string::npos);
  EXPECT_NE(reason("workspace_assumed_zero").find("an earlier value of the workspace"),
            std::string::npos);
}

TEST(Shrink, StopsAtItsBudget) {
  Case source;
  const Found found = failure_of("kernel_flip", kLarge, Fill::kUniform, source);
  TrialOptions options = options_for("kernel_flip");
  options.budget = 5;
  const Shrunk shrunk = shrink(source, found.result, options);
  EXPECT_TRUE(shrunk.limit == "the budget of 5 ran out");
  EXPECT_LE(shrunk.trials, 5U);
  EXPECT_TRUE(shrunk.fails_again);
}

TEST(Shrink, FindsAFailureAgainThatNeedsAnotherCaseBeforeIt) {
  Case source;
  failure_of("previous_output", kLarge, Fill::kIntegers, source);
  source.seed = 2;  // nothing comes between its executions
  CaseResult failed;
  failed.verdict = Verdict::kFail;
  failed.tier = Tier::kExact;
  const Shrunk shrunk = shrink(source, failed, options_for("previous_output"));
  EXPECT_TRUE(shrunk.fails_again);
  EXPECT_TRUE(shrunk.setup.warmed);
  // By itself the element is right: there is nothing to be said of its taps.
  EXPECT_EQ(shrunk.taps, std::vector<std::string>{});
}

TEST(Shrink, SaysThatASearchEndedAtItsTimeLimitOrAtASignal) {
  Case source;
  const Found found = failure_of("kernel_flip", kLarge, Fill::kUniform, source);
  TrialOptions options = options_for("kernel_flip");
  options.time_limit = std::chrono::milliseconds(0);
  const Shrunk late = shrink(source, found.result, options);
  EXPECT_FALSE(late.fails_again);
  EXPECT_EQ(late.trials, 0U);
  EXPECT_EQ(late.limit, "the time limit of 0 s ran out");
  const std::atomic<bool> stop{true};
  options.stop = &stop;
  EXPECT_EQ(shrink(source, found.result, options).limit, "it was stopped");
}

TEST(Shrink, SaysIfACaseDoesNotFailAgain) {
  Case source;
  failure_of("none", kLarge, Fill::kIntegers, source);
  CaseResult failed;
  failed.verdict = Verdict::kFail;
  failed.tier = Tier::kExact;
  const Shrunk shrunk = shrink(source, failed, options_for("none"));
  EXPECT_FALSE(shrunk.fails_again);
  EXPECT_EQ(shrunk.tried,
            "alone it passed once; after the same problem with other data it passed once; "
            "repeatedly it passed 64 times");
}

TEST(Shrink, SaysHowACaseFailsThatFailsOtherwise) {
  Case source;
  const Found found = failure_of("kernel_flip", kLarge, Fill::kIntegers, source);
  CaseResult crashed;
  crashed.verdict = Verdict::kCrash;
  crashed.tier = Tier::kProcess;
  const Shrunk shrunk = shrink(source, crashed, options_for("kernel_flip"));
  EXPECT_FALSE(shrunk.fails_again);
  EXPECT_TRUE(shrunk.tried.starts_with("alone it failed differently, in the exact tier once; "))
      << shrunk.tried;
}

}  // namespace
}  // namespace concord::conformance
