// Moments of emitters' samples: scores after a thousand batches hardly distinguish a sigma of 0.5
// from one of 0.55.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/numeric/emitter.hpp"
#include "core/numeric/evolution_strategy.hpp"

namespace ke {
namespace {

constexpr std::size_t n = 100;
constexpr std::size_t batch = 2000;
constexpr double everywhere = std::numeric_limits<double>::infinity();
const SearchSpace space{n, 3, -everywhere, everywhere};

/// Elites with equal coordinates, each in its own cell.
NumericArchive archive_of(const std::vector<double>& values) {
  NumericArchive archive(std::make_shared<GridCells>(std::vector<EqualBins>{{0, 10, 10}}), n, 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<double> solution(n, values[i]);
    const double objective = 1;
    const double measure = static_cast<double>(i) + 0.5;
    NumericAddition addition;
    archive.offer({solution, n}, {&objective, 1}, {{&measure, 1}, 1}, {&addition, 1});
  }
  return archive;
}

std::vector<double> ask(Emitter& emitter, const NumericArchive& archive) {
  std::vector<double> solutions(batch * n);
  NormalSource random({9, 0, 0, 0, Purpose::test});
  emitter.ask(archive, random, solutions);
  return solutions;
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments(std::span<const double> values) {
  Moments m;
  const double count = static_cast<double>(values.size());
  for (const double x : values) m.mean += x / count;
  for (const double x : values) m.variance += (x - m.mean) * (x - m.mean) / count;
  return m;
}

// For 200,000 numbers, the standard errors are 0.0011 (mean) and 0.3 % (variance) at sigma 0.5.
void expect_moments(std::span<const double> values, double mean, double deviation) {
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean, mean, 0.006);
  EXPECT_NEAR(m.variance, deviation * deviation, 0.015 * deviation * deviation);
}

TEST(NumericEmitters, gaussian_noise_has_the_declared_deviation_around_its_parent) {
  const auto emitter = make_gaussian_emitter(space, {batch, 0.5});
  expect_moments(ask(*emitter, archive_of({})), 3, 0.5);
  expect_moments(ask(*emitter, archive_of({-2})), -2, 0.5);
}

TEST(NumericEmitters, gaussian_parents_are_drawn_uniformly) {
  const auto emitter = make_gaussian_emitter(space, {batch, 1e-9});
  const auto solutions = ask(*emitter, archive_of({1, 2, 3, 4}));
  std::array<int, 5> counts{};
  for (std::size_t i = 0; i < batch; ++i) {
    ++counts.at(static_cast<std::size_t>(std::lround(solutions[i * n])));
  }
  for (std::size_t v = 1; v <= 4; ++v) EXPECT_NEAR(counts[v], batch / 4, 100);  // 5 standard errors
}

// With a single elite, both parents are equal and the line has length zero.
TEST(NumericEmitters, line_noise_has_the_declared_deviation_around_its_parent) {
  const auto emitter = make_line_emitter(space, {batch, 0.5, 0.2});
  expect_moments(ask(*emitter, archive_of({})), 3, 0.5);
  expect_moments(ask(*emitter, archive_of({-2})), -2, 0.5);
}

// With elites at 0 and 10 and almost no other noise, half of the solutions lie at one of them, the
// others at 0 + 10 t or 10 - 10 t with t ~ N(0, 0.2), equal in every coordinate.
TEST(NumericEmitters, line_steps_point_to_the_other_parent) {
  const auto emitter = make_line_emitter(space, {batch, 1e-9, 0.2});
  const auto solutions = ask(*emitter, archive_of({0, 10}));
  std::vector<double> steps;
  std::size_t still = 0;
  for (std::size_t i = 0; i < batch; ++i) {
    const double x = solutions[i * n];
    for (std::size_t d = 1; d < n; ++d) EXPECT_NEAR(solutions[i * n + d], x, 1e-7);
    const double step = std::abs(x) < std::abs(x - 10) ? x : 10 - x;
    if (std::abs(step) < 1e-7) {
      ++still;
    } else {
      steps.push_back(step);
    }
  }
  EXPECT_NEAR(static_cast<double>(still), batch / 2.0, 112);  // 5 standard errors
  EXPECT_NEAR(moments(steps).mean, 0, 0.35);
  EXPECT_NEAR(std::sqrt(moments(steps).variance), 2, 0.2);
}

TEST(NumericEmitters, bounds_clip_every_coordinate) {
  const SearchSpace narrow{n, 0, -0.25, 0.5};
  const auto emitter = make_gaussian_emitter(narrow, {batch, 1});
  for (const double x : ask(*emitter, archive_of({}))) {
    ASSERT_GE(x, -0.25);
    ASSERT_LE(x, 0.5);
  }
}

TEST(NumericEmitters, strategies_sample_with_their_first_step_size) {
  for (const auto make : {make_full_cma, make_separable_cma}) {
    const auto strategy = make(space, {batch, 0.5});
    strategy->reset(std::vector<double>(n, -1.0));
    std::vector<double> solutions(batch * n);
    NormalSource random({10, 0, 0, 0, Purpose::test});
    strategy->ask(random, solutions);
    expect_moments(solutions, -1, 0.5);
  }
}

}  // namespace
}  // namespace ke
