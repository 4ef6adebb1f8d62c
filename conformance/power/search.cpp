// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <utility>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/acceptance.h"
#include "conformance/judge/error_bound.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kClimb = 2000;  // sums of one start
constexpr Extent kMostTerms = 64;

// Data, and the choices that are left to a library.
struct Candidate {
  std::vector<double> x, w;
  std::vector<double> picks;  // in 0..1: which nodes of a tree are added, to which neighbours
  double bias = 0;
  bool fused = false;
  std::size_t block = 2;  // terms of a run, tile or block; lanes
};

struct Class {
  const Simulation& simulation;
  Summation summation;
  concord_arithmetic arithmetic;
  bool faithful;
};

double any_value(Dtype dtype, Xoshiro& random) {
  const double significand = random.below(3) == 0 ? 1 : 1 + random.unit();
  const auto exponent = random.below(2) == 0 ? 0 : static_cast<int>(random.between(-13, 3));
  return round_to(dtype, static_cast<double>(random.sign()) * std::ldexp(significand, exponent));
}

// Half of them so that the second and all later products are lost in the first when they are added
// one by one.
Candidate draw_start(const Class& c, Xoshiro& random) {
  const Simulation& s = c.simulation;
  Candidate start;
  const auto n = static_cast<std::size_t>(1 + random.below(kMostTerms));
  const bool lost = random.below(2) == 0;
  const int bits = accumulator_of(s.dtype, c.arithmetic).bits;
  const int half = std::min(bits / 2, 12);
  for (std::size_t i = 0; i < n; ++i) {
    start.x.push_back(lost ? (i == 0 ? 1 : std::ldexp(1, -half)) : any_value(s.dtype, random));
    start.w.push_back(lost ? (i == 0 ? 1 : std::ldexp(1, half - bits))
                           : any_value(s.dtype, random));
    const bool nearest = s.accumulator.rounding == Rounding::kNearest;
    if (lost && i > 0 && !nearest) start.w.back() = round_to(s.dtype, start.w.back() * 1.99);
    for (int pick = 0; pick < 3; ++pick) start.picks.push_back(lost ? 0 : random.unit());
  }
  start.fused = random.below(2) == 0;
  start.block = std::size_t{1} << (1 + random.below(4));
  return start;
}

void change(Candidate& candidate, Dtype dtype, Xoshiro& random) {
  const auto any = [&](std::vector<double>& values) -> double& {
    return values[static_cast<std::size_t>(random.below(std::ssize(values)))];
  };
  std::vector<double>& data = random.below(2) == 0 ? candidate.x : candidate.w;
  double& value = any(data);
  switch (random.below(9)) {
    case 0:
      value = any_value(dtype, random);
      break;
    case 1:
      value = -value;
      break;
    case 2:
      value = round_to(dtype, std::ldexp(value, random.below(2) == 0 ? 1 : -1));
      break;
    case 3:
      value = round_to(dtype, value * (1 + format_of(dtype).unit_roundoff() *
                                               static_cast<double>(random.between(-4, 4))));
      break;
    case 4:
      value = any(data);
      break;
    case 5:
      any(candidate.picks) = random.unit();
      break;
    case 6:
      candidate.bias = random.below(2) == 0 ? 0 : any_value(dtype, random);
      break;
    case 7:
      candidate.block = std::size_t{1} << (1 + random.below(4));
      break;
    default:
      candidate.fused = !candidate.fused;
  }
}

// Adds the terms of one candidate.
class Adder {
 public:
  Adder(const Class& of, const Candidate& candidate) : class_(of), candidate_(candidate) {}

  double sum() {
    const std::vector<double> terms = make_terms();
    const double bias = candidate_.bias;
    const std::size_t block = candidate_.block;
    switch (class_.summation) {
      case Summation::kTree:
        return tree(terms);
      case Summation::kLanes:
        return chain(lanes(terms, 0, terms.size(), block), bias);
      case Summation::kSplit:
        return blocks(terms, bias, [&](std::size_t begin, std::size_t end) {
          return lanes(terms, begin, end, 1).front();
        });
      case Summation::kTiles:
        return blocks(terms, bias, [&](std::size_t begin, std::size_t end) {
          return chain(lanes(terms, begin, end, 2), 0);
        });
      case Summation::kAligned:
        return aligned(terms, bias);
      case Summation::kPairs:
        break;
    }
    return pairs(terms, bias);
  }

 private:
  double pick() { return candidate_.picks[picked_++ % candidate_.picks.size()]; }

  double round(double value) {
    if (!class_.faithful) return class_.simulation.accumulator.round(value);
    SimulatedAccumulator either = class_.simulation.accumulator;
    either.rounding = pick() < 0.5 ? Rounding::kZero : Rounding::kAway;
    return either.round(value);
  }

  std::vector<double> make_terms() {
    const SimulatedInput& input = class_.simulation.input;
    const auto demoted = [&](double value) {
      return input.bits == 0 ? value : round_to_bits(input.bits, value, input.rounding);
    };
    std::vector<double> terms;
    const auto add = [&](double a, double b) {
      terms.push_back(candidate_.fused ? a * b : round(a * b));
    };
    for (std::size_t i = 0; i < candidate_.x.size(); ++i) {
      const double a = demoted(candidate_.x[i]), b = demoted(candidate_.w[i]);
      add(a, b);
      if (!input.split) continue;
      add(a, demoted(candidate_.w[i] - b));
      add(demoted(candidate_.x[i] - a), b);
    }
    return terms;
  }

  double chain(const std::vector<double>& terms, double sum) {
    for (const double term : terms) sum = round(sum + term);
    return sum;
  }

  std::vector<double> lanes(const std::vector<double>& terms, std::size_t begin, std::size_t end,
                            std::size_t count) {
    std::vector<double> sums(count);
    for (std::size_t i = begin; i < end; ++i) {
      double& lane = sums[(i - begin) % count];
      lane = round(lane + terms[i]);
    }
    return sums;
  }

  // `sum` and what `add` makes of each block of terms.
  template <class Add>
  double blocks(const std::vector<double>& terms, double sum, Add add) {
    const std::size_t block = candidate_.block;
    for (std::size_t begin = 0; begin < terms.size(); begin += block) {
      sum = round(sum + add(begin, std::min(begin + block, terms.size())));
    }
    return sum;
  }

  double aligned(const std::vector<double>& terms, double sum) {
    const std::size_t block = candidate_.block;
    for (std::size_t begin = 0; begin < terms.size(); begin += block) {
      const std::size_t count = std::min(block, terms.size() - begin);
      sum = class_.simulation.accumulator.add_aligned(sum, std::span(terms).subspan(begin, count));
    }
    return sum;
  }

  double pairs(std::vector<double> terms, double sum) {
    for (std::size_t i = 1; i < terms.size(); i += 2) std::swap(terms[i - 1], terms[i]);
    return chain(terms, sum);
  }

  double tree(const std::vector<double>& terms) {
    // A product is fused into one addition at most.
    struct Node {
      double value;
      bool exact;
    };
    std::vector<Node> nodes;
    if (candidate_.bias != 0) nodes.push_back({candidate_.bias, false});
    for (const double term : terms) nodes.push_back({term, candidate_.fused});
    const auto take = [&] {
      const auto at = static_cast<std::size_t>(pick() * static_cast<double>(nodes.size()));
      const Node node = nodes[at];
      nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(at));
      return node;
    };
    while (nodes.size() > 1) {
      const Node a = take();
      Node b = take();
      if (a.exact && b.exact) b.value = round(b.value);
      nodes.insert(nodes.begin(), {round(a.value + b.value), false});
    }
    return round(nodes.front().value);
  }

  const Class& class_;
  const Candidate& candidate_;
  std::size_t picked_ = 0;
};

// Simulations that differ in their order alone are one: the search has orders of its own.
std::vector<const Simulation*> searched() {
  const auto is_same = [](const Simulation& a, const Simulation& b) {
    return a.arithmetic == b.arithmetic && a.dtype == b.dtype &&
           a.accumulator.rounding == b.accumulator.rounding &&
           a.accumulator.through_f32 == b.accumulator.through_f32 &&
           a.input.rounding == b.input.rounding;
  };
  std::vector<const Simulation*> all;
  for (const Simulation& each : simulations()) {
    const bool is_known = std::any_of(
        all.begin(), all.end(), [&](const Simulation* other) { return is_same(each, *other); });
    if (!is_known) all.push_back(&each);
  }
  return all;
}

// Of a bias after the store: how far the result is towards the end of its interval.
double late_ratio(const Class& c, Candidate candidate, const ErrorBound& bound, double exact,
                  double magnitude) {
  const Simulation& s = c.simulation;
  const double bias = std::exchange(candidate.bias, 0);
  const double sum = Adder(c, candidate).sum();
  if (!std::isfinite(sum)) return 0;
  const double got = s.stored(sum, bias);
  return Acceptance(s.dtype, c.arithmetic, bound)
      .judge({&got, 1}, {&exact, 1}, {&magnitude, 1}, {{&bias, 1}})
      .margin;
}

double ratio_of(const Class& c, const Candidate& candidate) {
  long double exact = candidate.bias, magnitude = std::fabs(candidate.bias);
  double largest_x = 0, largest_w = 0;
  for (std::size_t i = 0; i < candidate.x.size(); ++i) {
    const long double product = static_cast<long double>(candidate.x[i]) * candidate.w[i];
    exact += product;
    magnitude += std::fabs(product);
    largest_x = std::max(largest_x, std::fabs(candidate.x[i]));
    largest_w = std::max(largest_w, std::fabs(candidate.w[i]));
  }
  const ErrorBound bound = error_bound(c.simulation.dtype, c.arithmetic, std::ssize(candidate.x),
                                       {candidate.bias != 0, largest_x + largest_w});
  const double allowed = bound.of(static_cast<double>(magnitude));
  if (bound.is_vacuous() || allowed == 0) return 0;
  if (c.simulation.late_bias) {
    return late_ratio(c, candidate, bound, static_cast<double>(exact),
                      static_cast<double>(magnitude));
  }
  const double computed = Adder(c, candidate).sum();
  return std::isfinite(computed) ? static_cast<double>(std::fabs(computed - exact)) / allowed : 0;
}

}  // namespace

std::string to_string(Summation summation) {
  constexpr std::array kNames{"tree", "lanes", "split", "pairs", "tiles", "aligned"};
  return kNames.at(static_cast<std::size_t>(summation));
}

bool is_legal(const Simulation& simulation, Summation summation) {
  const bool faithful =
      accumulator_of(simulation.dtype, *parse_arithmetic(simulation.arithmetic)).faithful;
  return summation != Summation::kAligned || faithful;
}

Reached search_bound(const Simulation& simulation, Summation summation, std::uint64_t steps,
                     std::uint64_t seed) {
  const concord_arithmetic arithmetic = *parse_arithmetic(simulation.arithmetic);
  const Class c{simulation, summation, arithmetic,
                accumulator_of(simulation.dtype, arithmetic).faithful};
  Reached reached;
  Xoshiro random(seed, static_cast<std::uint64_t>(summation));
  Candidate best;
  double best_ratio = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const bool starts = step % kClimb == 0;
    Candidate next = starts ? draw_start(c, random) : best;
    if (!starts) change(next, simulation.dtype, random);
    const double ratio = ratio_of(c, next);
    if (!starts && ratio < best_ratio) continue;
    best = std::move(next);
    best_ratio = ratio;
    if (ratio > reached.ratio) reached = {ratio, best.x.size()};
  }
  return reached;
}

double SearchTable::largest() const {
  double most = 0;
  for (const Row& row : rows) {
    for (const Reached& reached : row.reached) most = std::max(most, reached.ratio);
  }
  return most;
}

void search_bounds(SearchTable& table, std::uint64_t steps, std::uint64_t seed) {
  const std::vector<const Simulation*> all = searched();
  table.rows.resize(all.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> sums = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < all.size(); at = next++) {
      SearchTable::Row& row = table.rows[at];
      row.name = all[at]->name;
      for (const Summation summation : kSummations) {
        if (!is_legal(*all[at], summation)) continue;
        const Reached reached = search_bound(*all[at], summation, steps, seed);
        Reached& best = row.reached.at(static_cast<std::size_t>(summation));
        if (reached.ratio > best.ratio) best = reached;
        sums += steps;
      }
    }
  };
  std::vector<std::jthread> workers(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& worker : workers) worker = std::jthread(work);
  workers.clear();
  table.sums += sums;
}

std::string print(const SearchTable& table) {
  std::string text = "| |", rule = "\n|---|";
  for (const Summation summation : kSummations) {
    text += fmt::format(" {} |", to_string(summation));
    rule += "---|";
  }
  text += rule + "\n";
  for (const SearchTable::Row& row : table.rows) {
    text += fmt::format("| {} |", row.name);
    for (const Reached& reached : row.reached) {
      text += reached.terms == 0 ? "  |" : fmt::format(" {:.3f} |", reached.ratio);
    }
    text += "\n";
  }
  return text;
}

}  // namespace concord::conformance
