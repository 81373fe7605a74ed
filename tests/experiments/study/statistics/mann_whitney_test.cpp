#include "experiments/study/statistics/mann_whitney.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/experiments/study/statistics/golden_statistics.hpp"

namespace ke::statistics {
namespace {

using testing::alternatives;
using testing::golden_statistics;
using testing::numbers;

int compare_ranked(const char* key, const MannWhitneyOptions& base) {
  int compared = 0;
  for (const auto& set : golden_statistics().at("data")) {
    const auto& golden = set.at("mann_whitney");
    if (!golden.contains(key)) continue;
    auto options = base;
    for (int i = 0; i < 3; ++i) {
      options.alternative = alternatives[i];
      const auto result = mann_whitney(numbers(set.at("x")), numbers(set.at("z")), options);
      EXPECT_NEAR(result.p, golden.at(key).at(i).get<double>(), 1e-9) << key << set;
      EXPECT_EQ(result.statistic, golden.at("statistic").get<double>());
    }
    ++compared;
  }
  return compared;
}

TEST(MannWhitney, exact_p_agrees_with_scipy_with_ties) {
  EXPECT_GE(compare_ranked("exact", {.method = PMethod::exact}), 100);
}

TEST(MannWhitney, normal_p_agrees_with_scipy_with_ties) {
  EXPECT_EQ(compare_ranked("normal", {.method = PMethod::normal, .continuity = false}), 200);
  EXPECT_EQ(compare_ranked("continuity", {.method = PMethod::normal}), 200);
}

TEST(MannWhitney, automatic_is_exact_up_to_twenty_values_a_side) {
  const std::vector<double> few(20, 1.0), many(21, 2.0);
  EXPECT_TRUE(mann_whitney(few, few).exact);
  EXPECT_FALSE(mann_whitney(few, many).exact);
}

TEST(MannWhitney, samples_of_one_value_are_no_evidence) {
  const std::vector<double> same(30, 4.0);
  EXPECT_EQ(mann_whitney(same, same).p, 1.0);
  EXPECT_EQ(mann_whitney(same, same, {.method = PMethod::exact}).p, 1.0);
}

}  // namespace
}  // namespace ke::statistics
