// SPDX-License-Identifier: Apache-2.0
// `concord power`: what the criteria see, measured with simulated libraries.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/command/command.h"
#include "conformance/power/alarms.h"
#include "conformance/power/power.h"
#include "conformance/power/search.h"
#include "conformance/power/search_tiles.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string dtype = "f32", declared = "strict";
  PowerOptions power{};
  std::vector<std::string> fills{};
  std::uint64_t alarms = 0, first = 0;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool search = false;
  double seconds = 0;
  std::uint64_t steps = 20'000;
};

const std::map<std::string, Fill> kPowerFills{{"integers", Fill::kIntegers},
                                              {"impulse", Fill::kImpulse},
                                              {"sparse", Fill::kSparse},
                                              {"uniform", Fill::kUniform},
                                              {"wide", Fill::kWide}};

int print_alarms(const Arguments& arguments) {
  AlarmOptions options{arguments.alarms, arguments.power.seed, arguments.first, arguments.jobs};
  const Alarms alarms = count_alarms(options);
  for (const std::string& which : alarms.which) fmt::print("false alarm: {}\n", which);
  fmt::print("{} of {} tensors and {} of {} pools of honest libraries failed\n", alarms.failed,
             alarms.tensors, alarms.failed_pools, alarms.pools);
  fmt::print("of {} tensors that were asked, {} could reject a wrong output\n", alarms.assessed,
             alarms.able);
  return alarms.failed + alarms.failed_pools == 0 ? 0 : 1;
}

// As many sums as --steps says, or rounds of that many until the time is up; a tile takes as long
// as many sums.
int print_search(const Arguments& arguments) {
  constexpr std::uint64_t kSumsOfTile = 20;
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.seconds);
  SearchTable table;
  std::vector<TileReach> tiles;
  std::uint64_t seed = arguments.power.seed;
  do {
    search_bounds(table, arguments.steps, seed);
    search_tiles(tiles, arguments.steps / kSumsOfTile + 1, seed++);
  } while (Clock::now() < end);
  const double most = std::max(table.largest(), largest(tiles));
  fmt::print("{}\n{}{} sums; the largest error is {:.3f} of its bound\n", print(table),
             print(tiles), table.sums, most);
  return most <= 1 ? 0 : 1;
}

int print_power(Arguments& arguments) {
  const auto declared = parse_arithmetic(arguments.declared);
  if (!declared) {
    fmt::print(stderr, "concord power: --class {}: {}\n", arguments.declared,
               declared.why().detail);
    return 2;
  }
  arguments.power.dtype = *parse_dtype(arguments.dtype);
  arguments.power.declared = *declared;
  if (!arguments.fills.empty()) arguments.power.fills.clear();
  for (const auto& fill : arguments.fills) arguments.power.fills.push_back(kPowerFills.at(fill));
  fmt::print("{}", power_table(arguments.power));
  return 0;
}

// The options of what is measured instead of the table.
void add_other_measurements(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--alarms", arguments.alarms,
                 "instead, judge so many tensors of honest libraries and count those that fail")
      ->check(CLI::Range(std::uint64_t{0}, kTensorsOfSeed));
  sub.add_option("--first", arguments.first,
                 "with --alarms: from this number on, to go on or to repeat one of them")
      ->check(CLI::Range(std::uint64_t{0}, kTensorsOfSeed - 1))
      ->capture_default_str();
  sub.add_option("--jobs", arguments.jobs, "with --alarms: threads; they change no number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub.add_flag("--search", arguments.search,
               "instead, search for sums that are legal in their class and beyond its bound");
  sub.add_option("--steps", arguments.steps,
                 "with --search: sums of each simulation and way of adding")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  sub.add_option("--seconds", arguments.seconds,
                 "with --search: go on with further seeds for so long")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}

}  // namespace

void add_power_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("power", "Measure what the criteria see, on simulated libraries");
  sub->footer(
      "Each cell is the criterion that fails the simulated library, and the least number of "
      "outputs\n"
      "of a case that it needs, as a power of two: docs/power.md explains the letters.\n\n"
      "Examples:\n"
      "  concord power --dtype bf16 --length 576\n"
      "  concord power --class bilinear\n"
      "  concord power --alarms 100000\n"
      "  concord power --alarms 1 --seed 3 --first 4711\n"
      "  concord power --search --seconds 60");
  auto arguments = std::make_shared<Arguments>();
  sub->add_option("--dtype", arguments->dtype, "the element type")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  sub->add_option("--class", arguments->declared, "the arithmetic class that is declared")
      ->capture_default_str();
  sub->add_option("--fill", arguments->fills, "only cases of this fill (repeatable)")
      ->check(CLI::IsMember(kPowerFills));
  sub->add_option("--suspect", arguments->power.suspect,
                  "only libraries with these words in their names, such as FFT");
  sub->add_option("--length", arguments->power.lengths, "products of an output (repeatable)")
      ->check(CLI::Range(Extent{1}, Extent{1} << 20))
      ->capture_default_str();
  sub->add_option("--most-outputs", arguments->power.most_outputs,
                  "no case has more outputs than two to the power of this")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  sub->add_option("--most-products", arguments->power.most_products,
                  "no case has more products in all than two to the power of this")
      ->check(CLI::Range(0, 30))
      ->capture_default_str();
  sub->add_option("--seed", arguments->power.seed, "the seed that all data follow from")
      ->check(CLI::Range(std::uint64_t{0}, kLastAlarmSeed))
      ->capture_default_str();
  add_other_measurements(*sub, *arguments);
  sub->callback([arguments, &surroundings] {
    surroundings.exit_code = arguments->search       ? print_search(*arguments)
                             : arguments->alarms > 0 ? print_alarms(*arguments)
                                                     : print_power(*arguments);
  });
}

}  // namespace concord::conformance
