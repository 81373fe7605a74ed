#include "experiments/study/statistics/wilcoxon.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/experiments/study/statistics/golden_statistics.hpp"

namespace ke::statistics {
namespace {

using testing::alternatives;
using testing::golden_statistics;
using testing::numbers;

// Compares all data sets that have `key` with SciPy; returns the number of comparisons.
int compare_signed(const char* key, const WilcoxonOptions& base) {
  int compared = 0;
  for (const auto& set : golden_statistics().at("data")) {
    if (!set.at("wilcoxon").contains(key)) continue;
    const auto differences = numbers(set.at("d"));
    auto options = base;
    for (int i = 0; i < 3; ++i) {
      options.alternative = alternatives[i];
      const double expected = set.at("wilcoxon").at(key).at(i);
      EXPECT_NEAR(wilcoxon_signed_rank(differences, options).p, expected, 1e-9) << key << set;
    }
    ++compared;
  }
  return compared;
}

TEST(Wilcoxon, statistic_agrees_with_scipy) {
  for (const auto& set : golden_statistics().at("data"))
    EXPECT_EQ(wilcoxon_signed_rank(numbers(set.at("d"))).statistic,
              set.at("wilcoxon").at("statistic").get<double>());
}

TEST(Wilcoxon, exact_p_agrees_with_scipy_with_ties_and_zeros) {
  EXPECT_GE(compare_signed("exact_drop", {.method = PMethod::exact}), 100);
  EXPECT_GE(compare_signed("exact_pratt", {.method = PMethod::exact, .zeros = Zeros::pratt}), 80);
}

TEST(Wilcoxon, normal_p_agrees_with_scipy_with_ties_and_zeros) {
  const auto normal = PMethod::normal;
  EXPECT_EQ(compare_signed("normal_drop", {.method = normal}), 200);
  EXPECT_EQ(compare_signed("normal_pratt", {.method = normal, .zeros = Zeros::pratt}), 200);
  EXPECT_GE(compare_signed("continuity_drop", {.method = normal, .continuity = true}), 150);
  EXPECT_GE(compare_signed("continuity_pratt",
                           {.method = normal, .zeros = Zeros::pratt, .continuity = true}),
            150);
}

TEST(Wilcoxon, exact_and_normal_meet_for_many_differences) {
  std::vector<double> differences;
  for (int i = 1; i <= 50; ++i) differences.push_back(i % 3 == 0 ? -i : i);
  const auto exact = wilcoxon_signed_rank(differences);
  const auto normal = wilcoxon_signed_rank(differences, {.method = PMethod::normal});
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(normal.exact);
  EXPECT_NEAR(exact.p, normal.p, 0.003);
  EXPECT_NE(exact.p, normal.p);
}

TEST(Wilcoxon, automatic_turns_normal_beyond_fifty) {
  std::vector<double> differences(51, 1.0);
  EXPECT_FALSE(wilcoxon_signed_rank(differences).exact);
}

TEST(Wilcoxon, nothing_but_zeros_is_no_evidence) {
  const auto result = wilcoxon_signed_rank(std::vector<double>{0.0, 0.0, 0.0});
  EXPECT_EQ(result.p, 1.0);
  EXPECT_EQ(wilcoxon_signed_rank({}).p, 1.0);
}

}  // namespace
}  // namespace ke::statistics
