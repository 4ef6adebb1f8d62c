// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "conformance/catalog/arrays.h"
#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/listed.h"

namespace concord::conformance {
namespace {

// One attribute at a time, the others as in the base row.
std::vector<Source> sweeps() {
  const FactorModel model = attribute_model();
  const auto& factors = attribute_factors();
  const Row base = base_row();
  std::vector<Source> sources = {{"sweep", "base", problem_of(base), describe(base), ""}};
  for (std::size_t f = 0; f < factors.size(); ++f) {
    for (int level = 0; level < model.levels[f]; ++level) {
      Row row = base;
      row[f] = level;
      if (row == base || !model.allowed(row)) continue;
      const std::string name = std::string(factors[f].name) + "-" +
                               std::string(factors[f].levels[static_cast<std::size_t>(level)]);
      sources.push_back({"sweep", name, problem_of(row), describe(row), ""});
    }
  }
  return sources;
}

std::vector<Source> sources_of(const std::string& family, const std::vector<Row>& rows) {
  std::vector<Source> sources;
  for (const Row& row : rows) {
    const std::string number = fmt::format("{:03}", sources.size() + 1);
    sources.push_back({family, number, problem_of(row), describe(row), ""});
  }
  return sources;
}

// With the rows of pairs they hold every triple of levels that goes together.
void add_triples(Collector& collector) {
  constexpr Fill kExactFills[] = {Fill::kIntegers, Fill::kImpulse, Fill::kSubnormal, Fill::kRamp};
  constexpr Fill kOtherFills[] = {Fill::kUniform, Fill::kSpecial, Fill::kUniform, Fill::kWide,
                                  Fill::kOverflow};
  std::size_t turn = 0;
  for (const Source& source : sources_of("triples", array_rows("triples"))) {
    collector.add(source, kExactFills[turn % std::size(kExactFills)]);
    collector.add(source, kOtherFills[turn % std::size(kOtherFills)]);
    ++turn;
  }
}

// What nearly every library serves: every triple of levels, in both pairs of formats, and in 16
// bits by turns.
class PlainRows {
 public:
  explicit PlainRows(Collector& collector) : collector_(collector) {}

  void add_all() {
    for (const Row& row : array_rows("plain")) add(row);
  }

 private:
  void add(const Row& row) {
    constexpr Fill kExactFills[] = {Fill::kIntegers, Fill::kRamp, Fill::kIntegers, Fill::kImpulse,
                                    Fill::kSparse};
    constexpr Fill kOtherFills[] = {Fill::kUniform, Fill::kSpecial, Fill::kUniform, Fill::kIntegers,
                                    Fill::kWide,    Fill::kUniform, Fill::kOverflow};
    const Row nxc = with_level(with_level(row, Attribute::kDataFormat, "NXC"),
                               Attribute::kWeightsFormat, "XIO");
    const Row halved =
        with_level(turn_ % 4 < 2 ? row : nxc, Attribute::kDtype, turn_ % 2 == 0 ? "f16" : "bf16");
    const std::string number = fmt::format("{:03}", turn_ + 1);
    add(number, row, kExactFills[turn_ % std::size(kExactFills)]);
    add(number + "-nxc", nxc, kOtherFills[turn_ % std::size(kOtherFills)]);
    add(number, halved, kExactFills[turn_ / 4 % std::size(kExactFills)]);
    ++turn_;
  }

  // An impulse that meets one row or column of taps tells little. Data of which most taps and
  // channels are without effect do not come alone.
  void add(const std::string& name, const Row& row, Fill fill) {
    const bool is_narrow =
        level_of(row, Attribute::kKernelH) == "1" || level_of(row, Attribute::kKernelW) == "1";
    const bool is_weak = fill == Fill::kRamp || fill == Fill::kImpulse || fill == Fill::kSparse ||
                         fill == Fill::kOverflow;
    const Source source{"plain", name, problem_of(row), describe(row), ""};
    collector_.add(source, fill == Fill::kImpulse && is_narrow ? Fill::kRamp : fill);
    if (is_weak) collector_.add(source, Fill::kIntegers);
  }

  Collector& collector_;
  std::size_t turn_ = 0;
};

}  // namespace

void add_boundary(Collector& collector) {
  std::size_t turn = 0;
  for (const Source& source : sweeps()) collector.add_usual_fills(source, turn++);
  turn = 0;
  for (const Listed& line : listed("boundary")) {
    collector.add_all_usual_fills({"boundary", line.name, line.problem, "boundary.txt", ""},
                                  turn++);
  }
  turn = 0;
  for (const Source& source : sources_of("pairs", array_rows("pairs"))) {
    collector.add_usual_fills(source, turn++);
  }
}

void add_plain(Collector& collector) { PlainRows(collector).add_all(); }

void add_more_boundary(Collector& collector) {
  for (const Source& source : sweeps()) collector.add(source, Fill::kWide);
  for (const Source& source : sources_of("pairs", array_rows("pairs"))) {
    collector.add(source, Fill::kWide);
  }
  add_triples(collector);
}

}  // namespace concord::conformance
