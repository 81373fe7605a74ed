#include "experiments/study/compare/report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Analysis analysis_from(const std::vector<std::string>& overrides) {
  const auto analysis = analysis_of_canonical("", "test", overrides);
  EXPECT_TRUE(analysis) << analysis.error().message;
  return *analysis;
}

/// Two arms, one seed a task.
std::vector<Observation> two_arms(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < a.size(); ++i) {
    observations.push_back({"no_crossover", fmt::format("t{}", i), "d", 1, a[i]});
    observations.push_back({"plain", fmt::format("t{}", i), "d", 1, b[i]});
  }
  return observations;
}

ArmComparison compared_within(const std::vector<std::string>& overrides,
                              const ValueRange& objective,
                              const std::vector<Observation>& observations) {
  auto comparison =
      compare_arms(analysis_from(overrides), {"no_crossover", "plain"}, observations, objective);
  EXPECT_TRUE(comparison) << comparison.error().message;
  return *std::move(comparison);
}

TEST(Intervals, of_shares_stay_within_0_and_1_and_few_units_are_said) {
  auto observations = two_arms({0.99, 1, 0.78}, {0.95, 0.6, 0.99});
  for (std::size_t i = 0; i < 6; ++i) {
    const Observation& first = observations[i];
    observations.push_back(
        {first.arm, first.task, "d", 2, first.value - 0.01 * static_cast<double>(i + 1)});
  }
  const std::vector<std::string> best = {"reference=no_crossover"};
  EXPECT_GT(compared_within(best, {}, observations).arms[0].mean.high, 1);
  const ArmComparison cut = compared_within(best, {0, 1}, observations);
  for (const ArmFigures& arm : cut.arms) {
    EXPECT_GE(arm.mean.low, 0);
    EXPECT_EQ(arm.mean.high, 1);
    EXPECT_EQ(arm.units, 3);
  }
  EXPECT_GE(cut.contrasts[0].effect.low, -1);
  EXPECT_LE(cut.contrasts[0].effect.high, 1);
  EXPECT_THAT(cut.notes, testing::Contains(HasSubstr("intervals rest on 3 units")));
  const auto coverage =
      compared_within({"reference=no_crossover", "endpoint=coverage"}, {}, observations);
  EXPECT_EQ(coverage.arms[0].mean.high, 1);
}

TEST(Intervals, of_evaluations_to_a_target_end_at_the_budget) {
  auto observations = two_arms({20, 60, 21, 22, 19}, {20, 20, 21, 22, 19});
  observations[2].censored = true;  // 60 = the budget
  const auto result = compared_within(
      {"reference=no_crossover", "endpoint=evaluations_to_target", "target=1"}, {}, observations);
  EXPECT_LE(result.arms[0].mean.high, 60);
  EXPECT_GE(result.arms[0].mean.low, 1);
}

TEST(Intervals, of_values_outside_a_range_are_not_cut_to_it) {
  const auto comparison = compared_within({"reference=no_crossover"}, {0, 1},
                                          two_arms({0.9, 1.2, 1.0}, {0.9, 1.0, 0.8}));
  EXPECT_GT(comparison.arms[0].mean.high, 1.2);
}

TEST(PText, has_a_floor) {
  EXPECT_EQ(p_text(0.03124), "0.0312");
  EXPECT_EQ(p_text(0.00001), "<0.0001");
  EXPECT_EQ(p_text(std::nullopt), "-");
}

class Latex : public ::testing::Test {
 protected:
  void SetUp() override {
    report_.comparison =
        compared_within({"reference=no_crossover"}, {},
                        two_arms({1.5, 2, 3, 4, 5, 6, 7, 80}, {2, 3, 4, 5, 6, 7, 8, 81}));
    report_.provenance.tasks = {"t"};
    report_.provenance.seeds = {1};
    report_.provenance.hardware = {"simulated"};
    report_.provenance.config_ids = {{"plain", {"abc"}}};
    text_ = latex_of(report_);
  }
  ComparisonReport report_;
  std::string text_;
};

TEST_F(Latex, names_p_as_adjusted_and_says_the_caption_in_sentences) {
  EXPECT_THAT(text_, HasSubstr("$p_{\\mathrm{Holm}}$"));
  EXPECT_THAT(
      text_,
      HasSubstr(
          "\\caption{Mean best objective seen by arm and its "
          "difference from that of no\\_crossover, with 95 \\% intervals; "
          "p-values by the paired hierarchical bootstrap over tasks, adjusted "
          "by Holm's method for 1 comparison. 1 task (t), 1 seed (1), measured on: simulated."));
  EXPECT_THAT(text_, HasSubstr("% Configurations: plain abc.\n"));
}

// A column of two is 240 pt wide, letters of 8 pt are about 4.2 pt, those of 7 pt 3.7 pt.
TEST_F(Latex, fits_one_column) {
  EXPECT_THAT(text_, HasSubstr("{@{}p{0.3\\columnwidth}rrr@{}}"));
  for (const std::string_view line : split(text_, '\n')) {
    if (line.find(" & ") == line.npos) continue;
    double width = 0.3 * 240 + 3 * 6;
    const auto cells = split(line, '&');
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const bool small = cells[i].find("\\scriptsize") != cells[i].npos;
      const double letters = static_cast<double>(cells[i].size()) - (small ? 16 : 2);
      width += letters * (small ? 3.7 : 4.2);
    }
    EXPECT_LE(width, 240) << line;
  }
}

TEST_F(Latex, gives_all_numbers_of_a_column_the_same_decimals) {
  EXPECT_THAT(text_,
              HasSubstr("no\\_\\allowbreak crossove\\penalty5000 r & 13.6 & -- & -- \\\\\n"));
  EXPECT_THAT(text_, HasSubstr("plain & 14.5 & "));
}

TEST_F(Latex, calls_arms_by_their_labels) {
  report_.labels["plain"] = "Plain search";
  EXPECT_THAT(latex_of(report_), AllOf(HasSubstr("\n\\raggedright Plain search & "),
                                       Not(HasSubstr("raggedright plain &"))));
  report_.labels["no_crossover"] = "[all] *";
  EXPECT_THAT(latex_of(report_), HasSubstr("from that of {[}all] {*}, with"));
}

TEST_F(Latex, very_large_numbers_are_divided_by_a_power_of_ten) {
  for (ArmFigures& arm : report_.comparison.arms) arm.mean = {1.2e6, -4e5, 2.5e6};
  EXPECT_THAT(latex_of(report_),
              AllOf(HasSubstr("arm & mean / $10^{6}$ & "), HasSubstr("[$-$0.40, 2.50]")));
}

TEST_F(Latex, notes_beyond_a_few_are_counted) {
  report_.comparison.notes = {"a", "b 'plain'", "c", "d", "e"};
  report_.labels["plain"] = "Plain search";
  EXPECT_THAT(latex_of(report_),
              AllOf(HasSubstr("Note: b `Plain search'. Note: c. "),
                    HasSubstr("c. 2 more notes are left out."), Not(HasSubstr("Note: d"))));
}

TEST(Profile, has_a_step_at_each_ratio_to_the_best_arm) {
  // By hand: on t0 both are best, on t1 the first needs 1.25 of the best, on t2 the second 1.5.
  const auto observations = two_arms({1, 0.8, 0.9}, {1, 1, 0.6});
  const Shares shares = shares_of(analysis_from({}), {"no_crossover", "plain"}, observations);
  EXPECT_THAT(shares.profile.thresholds,
              ElementsAre(1, testing::DoubleEq(1.25), testing::DoubleEq(1.5)));
  EXPECT_THAT(shares.profile.shares.at("no_crossover"),
              ElementsAre(testing::DoubleEq(2. / 3), 1, 1));
  EXPECT_THAT(shares.profile.shares.at("plain"),
              ElementsAre(testing::DoubleEq(2. / 3), testing::DoubleEq(2. / 3), 1));
}

}  // namespace
}  // namespace ke
