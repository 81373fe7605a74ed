#include <gtest/gtest.h>

#include "experiments/study/summary/run_summary.hpp"

namespace ke {
namespace {

using Figures = std::map<std::string, SpeedupFigure>;

TEST(StrongestBaseline, keeps_the_accuracy_of_the_task) {
  const Figures figures = {{"anchor", {5.6, {5.5, 5.7}, ""}},
                           {"pytorch_compiled", {4.0, {3.9, 4.1}, ""}},
                           {"pytorch_compiled_tf32", {0.83, {0.82, 0.84}, ""}}};
  EXPECT_EQ(strongest(figures)->first, "pytorch_compiled");
}

TEST(StrongestBaseline,
     is_the_anchor_or_a_less_accurate_form_only_where_nothing_else_was_measured) {
  EXPECT_EQ(strongest(Figures{{"anchor", {2, {1, 3}, ""}}, {"pytorch_eager_tf32", {1, {1, 1}, ""}}})
                ->first,
            "anchor");
  EXPECT_EQ(strongest(Figures{{"anchor", {0, {}, "lost"}}, {"pytorch_eager_tf32", {1, {1, 1}, ""}}})
                ->first,
            "pytorch_eager_tf32");
}

}  // namespace
}  // namespace ke
