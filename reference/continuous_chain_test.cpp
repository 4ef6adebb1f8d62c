// SPDX-License-Identifier: Apache-2.0
#include "reference/continuous_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/continuous_example.h"

namespace concord::reference {
namespace {

using Values = std::vector<double>;

ContinuousChainAttributes example_1() {
  return {.scales_h = {1, {5, 6}, {5, 6}, {8, 9}, {189, 250}, {6, 7}, {5, 6}, {3, 4}},
          .scales_w = {1, {7, 9}, {4, 5}, {5, 6}, {3, 4}, {6, 7}, {7, 8}, {6, 7}},
          .widths = {2, 3}};
}

// Of one channel: 3 * 2 + 3 * 3 + 4 * 1 parameters.
constexpr Extent kParameters = 19;

TEST(ContinuousChain, HasTheSizesOfTable4) {
  const auto chain = resolve_continuous_chain({1, 1, 32, 32}, {8, kParameters}, example_1());
  ASSERT_TRUE(chain) << chain.why().detail;
  Extents rows, columns;
  for (const ContinuousGeometry& layer : chain->layers) {
    rows.push_back(layer.vertical.out);
    columns.push_back(layer.horizontal.out);
  }
  EXPECT_EQ(rows, (Extents{32, 27, 23, 20, 15, 13, 11, 8}));
  EXPECT_EQ(columns, (Extents{32, 25, 20, 17, 13, 11, 10, 8}));
  EXPECT_EQ(chain->dst(), (Extents{1, 1, 8, 8}));
}

TEST(ContinuousChain, IsOneLayerAfterAnotherWithItsOwnTheta) {
  const ContinuousChainAttributes a{
      .scales_h = {{3, 4}, {2, 3}}, .scales_w = {{2, 3}, {5, 6}}, .widths = {2, 3}};
  const Extent parameters = parameters_for(2, a.layer(2));
  const auto chain = resolve_continuous_chain({1, 2, 8, 9}, {2, parameters}, a);
  ASSERT_TRUE(chain) << chain.why().detail;
  const Values src = random_values(2 * 8 * 9, 1), theta = random_values(2 * parameters, 2);
  const auto row = static_cast<std::ptrdiff_t>(parameters);
  const Values first(theta.begin(), theta.begin() + row), second(theta.begin() + row, theta.end());
  const Oracle between = evaluate_continuous(chain->layers[0], src, first);
  const Oracle want = evaluate_continuous(chain->layers[1], between.value, second);
  const Oracle got = evaluate_continuous_chain(*chain, src, theta);
  EXPECT_EQ(got.value, want.value);
  // The second layer's magnitudes are of those of the first, which are larger than its values.
  for (std::size_t i = 0; i < got.value.size(); ++i) EXPECT_GT(got.magnitude[i], want.magnitude[i]);
  EXPECT_EQ(chain_roundings(*chain),
            forward_roundings(chain->layers[0]) + forward_roundings(chain->layers[1]));
}

TEST(ContinuousChain, RefusesWhatIsWrongWithIt) {
  const auto fault = [](const Extents& src, const Extents& theta, auto change) {
    ContinuousChainAttributes a = example_1();
    change(a);
    const auto chain = resolve_continuous_chain(src, theta, a);
    EXPECT_FALSE(chain);
    return chain ? Fault::kSyntax : chain.why().fault;
  };
  const Extents src{1, 1, 32, 32}, theta{8, kParameters};
  const auto nothing = [](ContinuousChainAttributes&) {};
  EXPECT_EQ(fault({1, 1, 32}, theta, nothing), Fault::kRank);
  EXPECT_EQ(fault(src, {kParameters}, nothing), Fault::kRank);
  EXPECT_EQ(fault({1, 1, 30, 32}, theta, nothing), Fault::kSize) << "30/4 rows";
  EXPECT_EQ(fault(src, {7, kParameters}, nothing), Fault::kTheta);
  EXPECT_EQ(fault(src, {8, kParameters - 1}, nothing), Fault::kTheta);
  EXPECT_EQ(fault(src, theta, [](auto& a) { a.scales_w.pop_back(); }), Fault::kSize);
  EXPECT_EQ(fault(src, theta, [](auto& a) { a.scales_h.clear(), a.scales_w.clear(); }),
            Fault::kSize);
  EXPECT_EQ(fault(src, theta, [](auto& a) { a.scales_w[3] = 0; }), Fault::kScale);
  EXPECT_EQ(fault(src, theta, [](auto& a) { a.kernel = {3}; }), Fault::kKernel);
  EXPECT_EQ(fault(src, theta, [](auto& a) { a.scales_h[0] = Extent{1} << 40; }), Fault::kSize);
}

}  // namespace
}  // namespace concord::reference
