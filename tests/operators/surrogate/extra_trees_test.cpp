#include "operators/surrogate/extra_trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

struct Data {
  std::vector<double> rows;
  std::vector<double> targets;
};

/// `count` points of the unit square, with f at each.
template <typename F>
Data sample(std::size_t count, const F& f) {
  RandomStream random({5, 0, 0, 0, Purpose::test});
  Data data;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform();
    const double y = random.uniform();
    data.rows.insert(data.rows.end(), {x, y});
    data.targets.push_back(f(x, y));
  }
  return data;
}

ExtraTrees fit(const Data& data, const ExtraTrees::Options& options) {
  RandomStream random({1, 0, 0, 0, Purpose::test});
  return {data.rows, data.targets, options, random};
}

double product(double x, double y) { return x * y; }

TEST(ExtraTrees, repeat_what_they_have_seen) {
  const Data data = sample(50, product);
  const ExtraTrees model = fit(data, {.trees = 5});
  for (std::size_t i = 0; i < data.targets.size(); ++i) {
    const auto seen = model.predict(std::span(data.rows).subspan(2 * i, 2));
    EXPECT_NEAR(seen.mean, data.targets[i], 1e-5);
    EXPECT_NEAR(seen.deviation, 0, 1e-5);
  }
}

TEST(ExtraTrees, foretell_a_smooth_function) {
  const ExtraTrees model = fit(sample(400, product), {.trees = 30});
  double error = 0;
  for (double x = 0.15; x < 0.9; x += 0.1) {
    for (double y = 0.15; y < 0.9; y += 0.1) {
      error = std::max(error, std::abs(model.predict(std::vector{x, y}).mean - x * y));
    }
  }
  EXPECT_LT(error, 0.08);
}

TEST(ExtraTrees, stay_within_the_targets) {
  const ExtraTrees model = fit(sample(30, product), {.trees = 10});
  for (const double far : {-10.0, 10.0}) {
    const double mean = model.predict(std::vector{far, far}).mean;
    EXPECT_GE(mean, 0);
    EXPECT_LE(mean, 1);
  }
}

TEST(ExtraTrees, disagree_more_where_less_is_known) {
  // A step between 0.3 and 0.7, where there are no samples.
  Data data = sample(200, [](double x, double) { return x < 0.5 ? 0.0 : 1.0; });
  Data known;
  for (std::size_t i = 0; i < data.targets.size(); ++i) {
    if (data.rows[2 * i] > 0.3 && data.rows[2 * i] < 0.7) continue;
    known.rows.insert(known.rows.end(), {data.rows[2 * i], data.rows[2 * i + 1]});
    known.targets.push_back(data.targets[i]);
  }
  const ExtraTrees model = fit(known, {.trees = 50});
  EXPECT_GT(model.predict(std::vector{0.5, 0.5}).deviation, 0.2);
  EXPECT_LT(model.predict(std::vector{0.1, 0.5}).deviation, 0.01);
}

TEST(ExtraTrees, keep_leaves_as_large_as_asked) {
  const Data data = sample(40, product);
  const ExtraTrees one_leaf = fit(data, {.trees = 3, .min_leaf = 40});
  double mean = 0;
  for (const double target : data.targets) mean += target / 40;
  EXPECT_NEAR(one_leaf.predict(std::vector{0.2, 0.9}).mean, mean, 1e-12);
}

TEST(ExtraTrees, cope_with_equal_rows_and_equal_targets) {
  const Data constant = sample(20, [](double, double) { return 3.0; });
  EXPECT_NEAR(fit(constant, {}).predict(std::vector{0.5, 0.5}).mean, 3, 1e-12);
  const Data same{{1, 1, 1, 1}, {0, 2}};
  EXPECT_EQ(fit(same, {}).predict(std::vector{1.0, 1.0}).mean, 1);
  EXPECT_EQ(fit(same, {}).predict(std::vector{1.0, 1.0}).deviation, 1);
}

}  // namespace
}  // namespace ke
