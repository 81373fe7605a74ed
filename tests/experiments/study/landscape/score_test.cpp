#include "experiments/study/landscape/score.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "core/random_stream.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/yaml/read_yaml.hpp"
#include "experiments/study/landscape/stats.hpp"
#include "tests/support/made_landscape.hpp"

namespace ke {
namespace {

const std::vector<std::int64_t> usual_budgets = {25, 50, 100, 200, 400};

Experiment experiment_of(const std::string& name, const std::string& strategy) {
  auto document = read_yaml_value(
      "test", "{device: {kind: landscape}, islands: {count: 1, lag: 0}, strategy: {kind: " +
                  strategy + "}}");
  EXPECT_TRUE(document);
  auto experiment = score_experiment(*std::move(document), name, usual_budgets.back());
  EXPECT_TRUE(experiment) << experiment.error().message;
  return *std::move(experiment);
}

ScoreRequest request_of(std::int64_t threads) {
  ScoreRequest request;
  request.experiments.push_back(experiment_of("map_elites", "map_elites"));
  request.experiments.push_back(experiment_of("random", "random"));
  request.landscapes = {{"made", made_landscape()}};
  for (std::int64_t seed = 1; seed <= 40; ++seed) request.seeds.push_back(seed);
  request.budgets = usual_budgets;
  request.threads = threads;
  return request;
}

/// Expected best of `draws` values drawn without replacement, averaged over all orders.
double by_enumeration(std::vector<double> values, std::int64_t draws) {
  std::sort(values.begin(), values.end());
  double sum = 0;
  double count = 0;
  do {
    sum += *std::max_element(values.begin(), values.begin() + draws);
    ++count;
  } while (std::next_permutation(values.begin(), values.end()));
  return sum / count;
}

TEST(ExactRandom, agrees_with_the_mean_over_all_orders) {
  const std::vector<double> falling = {1.0, 0.75, 0.5, 0.3, 0.25, 0.0};
  for (std::int64_t draws = 1; draws <= 6; ++draws) {
    EXPECT_NEAR(expected_best(falling, draws), by_enumeration(falling, draws), 1e-12) << draws;
  }
  EXPECT_EQ(expected_best(falling, 7), 1.0);
}

TEST(Score, does_not_depend_on_the_number_of_threads) {
  const auto one = score(request_of(1));
  const auto three = score(request_of(3));
  ASSERT_TRUE(one);
  ASSERT_TRUE(three);
  for (std::size_t e = 0; e < 2; ++e) {
    for (std::size_t s = 0; s < 40; ++s) {
      EXPECT_EQ(one->runs[e][0][s].best_at, three->runs[e][0][s].best_at);
      EXPECT_EQ(one->runs[e][0][s].evaluations, three->runs[e][0][s].evaluations);
    }
  }
}

TEST(Score, curves_never_fall_and_early_ends_are_carried_forward) {
  ScoreRequest request = request_of(2);
  request.budgets = {25, 200, 100'000};
  request.experiments[0].limits = {1500, 100'000};
  request.experiments[1].limits = {150, 100'000};  // ends after 150 proposals
  const auto scored = score(request);
  ASSERT_TRUE(scored);
  for (const auto& experiment : scored->runs) {
    for (const ScoredRun& run : experiment[0]) {
      EXPECT_TRUE(std::is_sorted(run.best_at.begin(), run.best_at.end()));
      EXPECT_GT(run.best_at.back(), 0);
      EXPECT_LE(run.best_at.back(), 1);
    }
  }
  for (const ScoredRun& run : scored->runs[1][0]) {
    EXPECT_LT(run.evaluations, 200);
    EXPECT_EQ(run.best_at[1], run.best_at[2]);
  }
}

TEST(Score, raw_scores_hold_every_run_and_exact_random_search) {
  const ScoreRequest request = request_of(2);
  const auto scored = score(request);
  ASSERT_TRUE(scored);
  const Json raw = raw_scores(request, *scored);
  EXPECT_EQ(raw["experiments"].size(), 2);
  EXPECT_EQ(raw["experiments"][0]["runs"][0].size(), 40);
  EXPECT_EQ(raw["experiments"][1]["runs"][0][3]["best_at"], Json(scored->runs[1][0][3].best_at));
  const auto ranked = ranked_quality(*request.landscapes[0].landscape);
  EXPECT_EQ(raw["landscapes"][0]["random"][0], expected_best(ranked, request.budgets[0]));
}

TEST(Score, other_devices_are_refused) {
  auto document = read_yaml_value("test", "{device: {kind: function}}");
  const auto refused = score_experiment(*std::move(document), "f", 10);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("'device.kind' must be landscape"));
}

TEST(LandscapeStats, say_what_the_formula_gives) {
  const auto landscape = made_landscape();
  const LandscapeStats stats = landscape_stats(*landscape);
  EXPECT_EQ(stats.product, 1024);
  EXPECT_EQ(stats.worked() + stats.failed(), stats.size);
  EXPECT_EQ(stats.failures.at("runtime_error"), stats.failed());
  EXPECT_EQ(stats.optimum_ms, landscape->best_time());
  EXPECT_EQ(stats.repeats, 3);
  EXPECT_NEAR(stats.noise_of_optimum, 0.2, 1e-12);
  EXPECT_NEAR(stats.noise_median, 0.2, 1e-12);
}

// Published figures of six landscapes: size, failures, optimum, share near it, and the score of
// uniform random search without replacement.
struct Reference {
  const char* name;
  std::int64_t size;
  std::int64_t failed;
  double optimum_ms;
  double second;
  double median;
  std::array<std::int64_t, 3> within;
  double random_100;
  double random_800;
};

constexpr Reference references[] = {
    {"convolution_milo/A100", 4362, 161, 0.5536, 1.074, 3.31, {1, 1, 2}, 0.724, 0.891},
    {"convolution_milo/MI250X", 4362, 0, 0.6588, 1.000, 30.12, {2, 9, 9}, 0.677, 0.963},
    {"convolution_milo/W6600", 4362, 0, 1.7276, 1.006, 31.90, {3, 4, 4}, 0.804, 0.923},
    {"dedispersion_milo/A100", 11130, 0, 68.1166, 1.001, 1.06, {277, 4405, 7396}, 0.994, 0.997},
    {"dedispersion_milo/MI250X", 11130, 0, 49.5725, 1.002, 2.38, {7, 19, 53}, 0.829, 0.973},
    {"dedispersion_milo/W6600", 11130, 0, 135.0808, 1.012, 1.36, {1, 28, 152}, 0.928, 0.969},
};

TEST(LandscapeStats, agree_with_published_figures) {
  const char* folder = std::getenv("KE_LANDSCAPES");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "KE_LANDSCAPES names no folder: the reference landscapes are not in this tree";
  }
  double random = 0;
  double simulated = 0;
  for (const Reference& reference : references) {
    const auto read = read_landscapes({std::string(folder) + "/" + reference.name + "_T4.json.gz"});
    ASSERT_TRUE(read) << read.error().message;
    const Landscape& landscape = *read->front().landscape;
    const LandscapeStats stats = landscape_stats(landscape);
    EXPECT_EQ(stats.name, reference.name);
    EXPECT_EQ(stats.size, reference.size);
    EXPECT_EQ(stats.failed(), reference.failed);
    EXPECT_NEAR(stats.optimum_ms, reference.optimum_ms, 5e-5);
    EXPECT_NEAR(stats.second, reference.second, 5e-4);
    EXPECT_NEAR(stats.quantiles[3], reference.median, 5e-3);
    EXPECT_EQ(stats.within, reference.within);
    EXPECT_NEAR(stats.random[2], reference.random_100, 5e-4);
    EXPECT_NEAR(stats.random[5], reference.random_800, 5e-4);
    const std::vector<double> ranked = ranked_quality(landscape);
    for (const std::int64_t budget : usual_budgets) {
      random += expected_best(ranked, budget) / (6.0 * 5.0);
    }
    RandomStream stream({.seed = 7, .purpose = Purpose::test});
    for (int repeat = 0; repeat < 1000; ++repeat) {
      std::vector<std::size_t> order(ranked.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::size_t best = ranked.size() - 1;
      for (std::size_t i = 0; i < 400; ++i) {
        std::swap(order[i], order[i + stream.below(order.size() - i)]);
        best = std::min(best, order[i]);
        for (const std::int64_t budget : usual_budgets) {
          if (static_cast<std::int64_t>(i) + 1 == budget) simulated += ranked[best] / 30e3;
        }
      }
    }
  }
  EXPECT_NEAR(random, 0.819, 1.5e-3);  // published from 200 simulated runs
  EXPECT_NEAR(simulated, random, 3e-3);
}

}  // namespace
}  // namespace ke
