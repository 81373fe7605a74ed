// Compares numeric strategies with pyribs 0.10 on its sphere example: 100-D linear projection, 100
// x 100 cells, 540 solutions per iteration. Mean and deviation of single runs: MAP-Elites 28.77
// (0.36), line 40.11 (0.30) after 1,000 iterations; CMA-ME 19.84 (1.87) and CMA-MAE 20.65 (1.04)
// after 100.

#include <gtest/gtest.h>

#include "tests/support/numeric_run.hpp"

namespace ke {
namespace {

using test::mean_norm_qd;
using test::NumericKind;
using test::NumericRun;

constexpr double gaussian_figure = 28.77;
constexpr double line_figure = 40.11;
constexpr double tolerance = 0.5;  // three standard errors of a mean of five

TEST(NumericReference, gaussian_map_elites_reaches_the_published_score) {
  EXPECT_NEAR(mean_norm_qd({NumericKind::gaussian}, 5), gaussian_figure, tolerance);
}

TEST(NumericReference, line_map_elites_reaches_the_published_score) {
  EXPECT_NEAR(mean_norm_qd({NumericKind::line}, 5), line_figure, tolerance);
}

TEST(NumericReference, cma_me_reaches_the_published_score) {
  NumericRun run{NumericKind::cma_me};
  run.iterations = 100;
  EXPECT_NEAR(mean_norm_qd(run, 8), 19.84, 2.0);
}

TEST(NumericReference, cma_mae_reaches_the_published_score) {
  NumericRun run{NumericKind::cma_mae};
  run.iterations = 100;
  EXPECT_NEAR(mean_norm_qd(run, 8), 20.65, 1.5);
}

// --- the check is sensitive: each of these is outside its tolerance

TEST(NumericReference, notices_a_wrong_sigma) {
  for (const double sigma : {0.3, 0.7}) {
    NumericRun run{NumericKind::gaussian};
    run.sigma = sigma;
    EXPECT_GT(std::abs(mean_norm_qd(run, 2) - gaussian_figure), tolerance) << sigma;
  }
}

/// A grid with shifted bins: cells of `inner` moved by `shift`, the rest clipped.
class ShiftedCells final : public Cells {
 public:
  explicit ShiftedCells(std::shared_ptr<const Cells> inner) : inner_(std::move(inner)) {}
  std::size_t count() const override { return inner_->count(); }
  void locate(Rows measures, std::span<Place> places) const override {
    inner_->locate(measures, places);
    for (Place& place : places) {
      if (place.cell % 100 == 99) continue;
      ++place.cell;
    }
  }

 private:
  std::shared_ptr<const Cells> inner_;
};

TEST(NumericReference, a_grid_off_by_one_is_seen_cell_by_cell) {
  const auto problem = make_numeric_problem("sphere", 100);
  const auto right = test::square_grid(*problem, 100);
  const ShiftedCells wrong(right);
  const std::vector<double> measures = {-256, -256, 0, 0, 255.9, -5.11, 256, 256, -5.12, 250.88};
  // Computed by hand: 100 bins of 5.12 from -256.
  const std::vector<std::uint32_t> expected = {0, 50 * 100 + 50, 99 * 100 + 49, 99 * 100 + 99,
                                               49 * 100 + 99};
  std::vector<Cells::Place> places(expected.size());
  right->locate({measures, 2}, places);
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i].cell, expected[i]);
  wrong.locate({measures, 2}, places);
  EXPECT_NE(places[0].cell, expected[0]);
}

}  // namespace
}  // namespace ke
