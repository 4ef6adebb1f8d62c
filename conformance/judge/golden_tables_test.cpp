// SPDX-License-Identifier: Apache-2.0
// The geometry of reference/cntk_* and reference/continuous_* against the set `rationals`, which a
// program in exact fractions wrote from the documents alone.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reference/cntk_geometry.h"
#include "reference/continuous_grid.h"
#include "vectors/set.h"

namespace concord::reference {
namespace {

using Json = nlohmann::json;

Json table(const char* name) {
  const auto set =
      vectors::load_set(std::filesystem::path(CONCORD_VECTORS_DIRECTORY) / "rationals");
  EXPECT_TRUE(set) << set.why().detail;
  return Json::parse(set->table(name));
}

Rational rational(const Json& text) { return parse_rational(text.get<std::string>()).value(); }

template <class Choice>
Choice named(std::initializer_list<Choice> choices, const Json& text) {
  for (const Choice each : choices) {
    if (to_string(each) == text.get<std::string>()) return each;
  }
  ADD_FAILURE() << "no " << text;
  return *choices.begin();
}

ContinuousAxis axis_of(const Json& row) {
  return resolve_continuous_axis(
             {.in = row["in"],
              .out = row["out"],
              .scale = rational(row["scale"]),
              .K = row["K"],
              .ties = named({Ties::kHalfOpen, Ties::kOpen, Ties::kClosed}, row["ties"]),
              .boundary = named(
                  {Boundary::kZero, Boundary::kReplicate, Boundary::kReflect, Boundary::kSymmetric},
                  row["boundary"])})
      .value();
}

void expect_neighbours(const ContinuousAxis& axis, Extent n, const Json& row) {
  const auto at = static_cast<std::size_t>(n);
  const auto found = neighbours(axis, n);
  ASSERT_EQ(found.size(), row["neighbours"][at].size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].m, row["neighbours"][at][k]);
    EXPECT_EQ(found[k].distance, rational(row["distances"][at][k]));
    const Json& pixel = row["pixels"][at][k];
    EXPECT_EQ(found[k].source, pixel.is_null() ? std::nullopt : std::optional<Extent>(pixel));
  }
}

TEST(GoldenTables, GridsNeighboursDistancesAndPhasesOfTheContinuousLayer) {
  const Json rows = table("continuous_axes.json");
  EXPECT_GT(rows.size(), 150U);
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    const ContinuousAxis axis = axis_of(row);
    ASSERT_EQ(row["grid"].size(), axis.out);
    for (Extent n = 0; n < axis.out; ++n) {
      EXPECT_EQ(grid_point(axis, n), rational(row["grid"][static_cast<std::size_t>(n)]));
      expect_neighbours(axis, n, row);
    }
    std::vector<std::array<Extent, 4>> found;
    for (const Phase& p : phases(axis)) {
      found.push_back({p.count, p.stride, p.pad_begin, p.pad_end});
    }
    EXPECT_EQ(Json(found), row["phases"]);
  }
}

TEST(GoldenTables, SizesOfTheContinuousLayersChains) {
  const Json rows = table("continuous_chains.json");
  EXPECT_GE(rows.size(), 7U);
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    std::vector<Rational> scales;
    for (const Json& scale : row["scales"]) scales.push_back(rational(scale));
    const auto sizes = chain_sizes(row["in"], scales, rational(row["target"]));
    ASSERT_TRUE(sizes) << sizes.why().detail;
    EXPECT_EQ(Json(*sizes), row["sizes"]);
  }
}

CntkConvolutionAttributes attributes_of(const Json& row) {
  return {.kernel = row["kernel"],
          .map_count = row["map_count"],
          .stride = row["stride"],
          .sharing = row["sharing"],
          .auto_padding = row["auto_padding"],
          .lower_pad = row["lower_pad"],
          .upper_pad = row["upper_pad"],
          .max_temp_mem_size_in_samples = row["max_temp_mem_size_in_samples"]};
}

CntkOperands operands_of(const Json& row) {
  Extents src = row["input"];
  src.push_back(row["samples"]);
  Extent cells = 1;
  for (const Extent k : row["kernel"].get<Extents>()) cells *= k;
  return {src, {row["kernels"], cells}};
}

// The kernel of every output, the first axis fastest.
Extents kernels_of(const CntkGeometry& g) {
  Extents kernels;
  CntkIndex o{};
  for (o[3] = 0; o[3] < g.axes[3].output(); ++o[3]) {
    for (o[2] = 0; o[2] < g.axes[2].output(); ++o[2]) {
      for (o[1] = 0; o[1] < g.axes[1].output(); ++o[1]) {
        for (o[0] = 0; o[0] < g.axes[0].output(); ++o[0]) kernels.push_back(g.kernel_of(o));
      }
    }
  }
  return kernels;
}

TEST(GoldenTables, GeometryOfCntksConvolution) {
  const Json rows = table("cntk.json");
  EXPECT_GE(rows.size(), 120U);
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    const auto reading = named({Reading::kImplemented, Reading::kDocumented}, row["reading"]);
    const auto g = resolve_cntk(operands_of(row), attributes_of(row), reading);
    ASSERT_TRUE(g) << g.why().detail;
    for (std::size_t j = 0; j < g->rank; ++j) {
      const CntkAxis& axis = g->axes[j];
      EXPECT_EQ(axis.positions, row["positions"][j]);
      EXPECT_EQ(axis.start(), row["start"][j]);
      EXPECT_EQ(axis.lower, row["pads"][j][0]);
      EXPECT_EQ(axis.upper, row["pads"][j][1]);
    }
    EXPECT_EQ(g->kernel_count, row["kernels"]);
    EXPECT_EQ(Json(kernels_of(*g)), row["kernel_of"]);
    EXPECT_EQ(cntk_workspace(*g), std::optional<Extent>(row["workspace"]));
  }
}

// What the manual page allows and the system refuses is in the table as documented: it is refused.
TEST(GoldenTables, CntkRefusesWhatIsDocumentedAlone) {
  int refused = 0;
  for (const Json& row : table("cntk.json")) {
    if (row["reading"] != "documented") continue;
    EXPECT_FALSE(resolve_cntk(operands_of(row), attributes_of(row), Reading::kImplemented))
        << row.dump();
    ++refused;
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace concord::reference
