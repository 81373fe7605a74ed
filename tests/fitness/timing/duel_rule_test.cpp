#include "fitness/timing/duel_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ke {
namespace {

using ::testing::HasSubstr;

std::vector<ClusterEstimate> clusters_at(double centre, double spread, int count) {
  std::vector<ClusterEstimate> clusters;
  for (int i = 0; i < count; ++i)
    clusters.push_back({centre + (i % 2 == 0 ? spread : -spread), 12, 0.0});
  return clusters;
}

const DuelRule rule{.prior = {.spread = 0.005, .degrees = 10.0}};

TEST(DuelRule, waits_until_the_first_look) {
  const auto outcome = decide(clusters_at(0.5, 0.0, 3), rule);
  EXPECT_EQ(outcome.decision, Decision::none);
  EXPECT_EQ(outcome.clusters, 0);
}

TEST(DuelRule, gives_up_at_the_glance_who_seems_slower) {
  EXPECT_EQ(decide(clusters_at(-0.001, 0.001, 2), rule).decision, Decision::undecided);
  EXPECT_TRUE(decide(clusters_at(-0.001, 0.001, 2), rule).futile);
  EXPECT_EQ(decide(clusters_at(-0.1, 0.001, 2), rule).decision, Decision::worse);
  EXPECT_EQ(decide(clusters_at(0.5, 0.0, 2), rule).decision, Decision::none);
  DuelRule patient = rule;
  patient.glance = 0;
  EXPECT_EQ(decide(clusters_at(-0.1, 0.001, 2), patient).decision, Decision::none);
}

TEST(DuelRule, bounds_are_those_of_the_moderated_t) {
  // Variance: (10 * 2.5e-5 + 3 * (4 * 1e-6 / 3)) / 13; stats.t.ppf(0.999, 13) of SciPy 1.10.1.
  const double error = std::sqrt((2.5e-4 + 4e-6) / 13.0 / 4.0);
  const auto outcome = decide(clusters_at(0.02, 0.001, 4), rule);
  EXPECT_NEAR(outcome.estimate, 0.02, 1e-15);
  EXPECT_NEAR(outcome.lower, 0.02 - 3.851982391168387 * error, 1e-11);
  EXPECT_NEAR(outcome.upper, 0.02 + 3.851982391168387 * error, 1e-11);
  // 0.02 - 0.00855 is above log(1.01) = 0.00995.
  EXPECT_EQ(outcome.decision, Decision::better);
}

TEST(DuelRule, each_look_spends_its_own_error) {
  // 16 clusters: variance (10 * 2.5e-5 + 16 * 9e-6) / 25, stats.t.ppf(0.9975, 25) of SciPy 1.10.1.
  const double error = std::sqrt((2.5e-4 + 1.44e-4) / 25.0 / 16.0);
  const auto outcome = decide(clusters_at(0.012, 0.003, 16), rule);
  EXPECT_NEAR(outcome.lower, 0.012 - 3.078199460536119 * error, 1e-11);
  EXPECT_NEAR(outcome.upper, 0.012 + 3.078199460536119 * error, 1e-11);
}

TEST(DuelRule, answers_better_only_above_the_margin) {
  EXPECT_EQ(decide(clusters_at(0.03, 0.001, 4), rule).decision, Decision::better);
  auto wide = rule;
  wide.margin = 0.025;
  EXPECT_EQ(decide(clusters_at(0.03, 0.001, 4), wide).decision, Decision::none);
}

TEST(DuelRule, answers_worse_when_proven_slower) {
  const auto outcome = decide(clusters_at(-0.03, 0.001, 4), rule);
  EXPECT_EQ(outcome.decision, Decision::worse);
  EXPECT_FALSE(outcome.futile);
}

TEST(DuelRule, stops_for_futility_when_the_estimate_is_below_the_margin) {
  const auto clusters = clusters_at(0.005, 0.001, 4);
  const auto outcome = decide(clusters, rule);
  EXPECT_EQ(outcome.decision, Decision::undecided);
  EXPECT_TRUE(outcome.futile);
  auto patient = rule;
  patient.futility = false;
  EXPECT_EQ(decide(clusters, patient).decision, Decision::none);
}

TEST(DuelRule, is_undecided_after_the_last_look) {
  const auto outcome = decide(clusters_at(0.0105, 0.004, 16), rule);
  EXPECT_EQ(outcome.decision, Decision::undecided);
  EXPECT_FALSE(outcome.futile);
  EXPECT_EQ(outcome.clusters, 16);
}

TEST(DuelRule, clusters_between_looks_are_not_peeked_at) {
  auto clusters = clusters_at(0.015, 0.001, 4);
  const auto at_look = decide(clusters, rule);
  for (int i = 0; i < 3; ++i) clusters.push_back({0.9, 12, 0.0});
  const auto between = decide(clusters, rule);
  EXPECT_EQ(between.decision, at_look.decision);
  EXPECT_EQ(between.lower, at_look.lower);
  EXPECT_EQ(between.clusters, 4);
}

TEST(DuelRule, says_how_many_clusters_the_next_look_needs) {
  EXPECT_EQ(clusters_to_next_look(0, rule), 2);
  EXPECT_EQ(clusters_to_next_look(2, rule), 2);
  EXPECT_EQ(clusters_to_next_look(4, rule), 4);
  EXPECT_EQ(clusters_to_next_look(9, rule), 7);
  EXPECT_EQ(clusters_to_next_look(16, rule), 0);
}

TEST(DuelRule, names_every_problem_of_a_rule) {
  EXPECT_FALSE(problem_of(rule));
  const auto problem_with = [](auto change) {
    DuelRule broken = rule;
    change(broken);
    return problem_of(broken).value_or("none");
  };
  const auto errors = [](DuelRule& r) { r.errors = {0.1, 0.7, 0.1}; };
  EXPECT_THAT(problem_with([](DuelRule& r) { r.looks.clear(); }), HasSubstr("at least one look"));
  EXPECT_THAT(problem_with([](DuelRule& r) { r.looks = {4}; }), HasSubstr("1 looks but 3 errors"));
  EXPECT_THAT(problem_with([](DuelRule& r) { r.margin = -0.5; }),
              HasSubstr("margin -0.5 is below 0"));
  EXPECT_THAT(problem_with([](DuelRule& r) {
                r.looks = {0, 8, 16};
              }),
              HasSubstr("look 1 at 0 clusters: at least 1"));
  EXPECT_THAT(problem_with([](DuelRule& r) {
                r.looks = {4, 4, 16};
              }),
              HasSubstr("look 2 at 4 clusters: at least 5"));
  EXPECT_THAT(problem_with(errors), HasSubstr("error 0.7 of look 2 is outside (0, 0.5)"));
  EXPECT_THAT(problem_with([](DuelRule& r) { r.prior.spread = -1.0; }),
              HasSubstr("prior spread -1"));
}

}  // namespace
}  // namespace ke
