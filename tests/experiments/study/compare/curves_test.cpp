#include "experiments/study/compare/curves.hpp"

#include <gmock/gmock.h>

#include "experiments/study/compare/read_endpoint.hpp"

namespace ke {
namespace {

ProgressPoint point(std::int64_t evaluations, double best) {
  ProgressPoint p;
  p.evaluations = evaluations;
  p.best = best;
  return p;
}

TEST(AreaUnderCurve, is_the_mean_of_the_best_so_far_over_the_budget) {
  // Best after evaluations 1..10: 0 2 2 2 5 5 5 5 5 5.
  const std::vector<ProgressPoint> points = {point(1, 0), point(2, 2), point(4, 2), point(5, 5)};
  EXPECT_DOUBLE_EQ(area_under_curve(points, 10), 3.6);
  EXPECT_DOUBLE_EQ(area_under_curve(points, 4), 1.5);
  EXPECT_DOUBLE_EQ(area_under_curve({}, 10), 0);
}

TEST(Curves, give_quartiles_of_the_last_step_within_what_was_spent) {
  const std::vector<RunCurve> curves = {{"a", "t", {1, 2, 4}, {1, 2, 3}, {10, 20, 30}},
                                        {"a", "t", {2}, {6}, {60}},
                                        {"a", "t", {3, 4}, {0, 9}, {0, 90}}};
  const auto points = quartiles(curves, 4);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1].at, 2);
  EXPECT_EQ(points[1].runs, 3u);
  // 2, 6 and 0 (nothing yet) at a cost of two; the second run is carried forward.
  EXPECT_THAT(points[1].best, ::testing::ElementsAre(1, 2, 4));
  EXPECT_THAT(points[3].best, ::testing::ElementsAre(4.5, 6, 7.5));
  EXPECT_THAT(points[3].qd_score, ::testing::ElementsAre(45, 60, 75));
  EXPECT_THAT(csv_of(points, "evaluations"),
              ::testing::HasSubstr("task,arm,evaluations,runs,best_q25"));
}

}  // namespace
}  // namespace ke
