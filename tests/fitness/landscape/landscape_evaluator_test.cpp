#include <gmock/gmock.h>

#include "fitness/landscape/problem.hpp"
#include "tests/fitness/landscape/sample_landscapes.hpp"

namespace ke {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const LandscapeProblem> small(LandscapeOptions options = {}) {
  auto landscape = read_landscape(golden_landscape("small_T4.json"));
  EXPECT_TRUE(landscape);
  auto problem = LandscapeProblem::make(*landscape, std::move(options));
  EXPECT_TRUE(problem) << problem.error().message;
  return *problem;
}

Job job_of(JobKind kind, const std::string& width, const std::string& unroll, bool row,
           std::string_view key) {
  Job job;
  job.key = sha256(key);
  job.kind = kind;
  job.kernel.knobs = {{"width", width},
                      {"unroll", unroll},
                      {"order", row ? "row_major" : "col"},
                      {"ratio", row ? "_0_5" : "_0_25"}};
  return job;
}

Fact answer(Evaluator& evaluator, const Job& job) {
  EXPECT_TRUE(evaluator.submit(job));
  const auto facts = evaluator.poll(std::chrono::milliseconds(1000));
  EXPECT_EQ(facts.size(), 1u);
  return facts.empty() ? Fact{} : facts[0];
}

TEST(LandscapeEvaluator, objectives_are_reference_over_time) {
  const auto evaluator = make_landscape_evaluator(small(), 1, 1);
  const Job job = job_of(JobKind::screen, "8", "false", true, "a");
  EXPECT_EQ(answer(*evaluator, job).comparison->speedup, 1.0 / 2.5);
  LandscapeOptions options;
  options.reference = LandscapeOptions::Reference::median;  // median of 1, 2.5, 4
  const auto median = make_landscape_evaluator(small(options), 1, 1);
  EXPECT_EQ(answer(*median, job).comparison->speedup, 1.0);
}

TEST(LandscapeEvaluator, failures_cost_a_screen_and_unrecorded_points_are_rejected_before) {
  const auto evaluator = make_landscape_evaluator(small(), 1, 1);
  const Fact built = answer(*evaluator, job_of(JobKind::build, "4", "true", false, "b"));
  EXPECT_EQ(built.verdict, Verdict::ok);
  const Fact failed = answer(*evaluator, job_of(JobKind::screen, "4", "true", false, "c"));
  EXPECT_EQ(failed.verdict, Verdict::compile_error);
  EXPECT_EQ(failed.message, "compile");
  const Fact nowhere = answer(*evaluator, job_of(JobKind::build, "8", "true", false, "d"));
  EXPECT_EQ(nowhere.verdict, Verdict::rejected);
  EXPECT_EQ(nowhere.reason, "not_recorded");
}

TEST(LandscapeEvaluator, descriptors_are_expressions_or_recorded_measures) {
  LandscapeOptions options;
  options.descriptors = {{"work", "width * (unroll + 1)"}, {"bandwidth", "GB/s"}};
  const auto evaluator = make_landscape_evaluator(small(options), 1, 1);
  const Fact fact = answer(*evaluator, job_of(JobKind::build, "8", "false", true, "e"));
  EXPECT_EQ(fact.measures.at("work"), 8);
  EXPECT_EQ(fact.measures.at("bandwidth"), 10.5);
  EXPECT_EQ(fact.measures.at("first_half"), (0.5 + 0.0) / 2);
  EXPECT_EQ(fact.measures.at("second_half"), 1.0);
  options.descriptors = {{"work", "width * depth"}};
  const auto wrong =
      LandscapeProblem::make(*read_landscape(golden_landscape("small_T4.json")), options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              HasSubstr("device.descriptors: work = 'width * depth': 'depth' is nothing of "
                        "small; it has GB/s, width, unroll, order, ratio"));
}

TEST(LandscapeEvaluator, noise_is_drawn_from_the_raw_repeats_by_key_and_seed) {
  LandscapeOptions options;
  options.noise = LandscapeOptions::Noise::sample;
  const auto problem = small(options);
  std::map<double, int> seen;
  for (int i = 0; i < 300; ++i) {
    const auto evaluator = make_landscape_evaluator(problem, i, 1);
    const Job job = job_of(JobKind::screen, "8", "false", true, "f");
    const double speedup = answer(*evaluator, job).comparison->speedup;
    EXPECT_EQ(answer(*evaluator, job).comparison->speedup, speedup) << "equal keys differ";
    ++seen[speedup];
  }
  ASSERT_EQ(seen.size(), 3u);  // 2, 2.5 and 3
  for (const auto& [speedup, count] : seen) EXPECT_NEAR(count, 100, 35) << speedup;
  EXPECT_EQ(seen.count(1.0 / 2.5), 1u);
}

TEST(LandscapeEvaluator, duels_of_exact_times_are_decided_by_them) {
  const auto evaluator = make_landscape_evaluator(small(), 1, 1);
  Job duel = job_of(JobKind::duel, "16", "false", true, "g");
  const Job other = job_of(JobKind::duel, "8", "false", true, "h");
  duel.opponent = Opponent{"", other.kernel};
  EXPECT_EQ(answer(*evaluator, duel).comparison->decision, Decision::better);
  Job back = other;
  back.opponent = Opponent{"", duel.kernel};
  EXPECT_EQ(answer(*evaluator, back).comparison->decision, Decision::worse);
}

TEST(LandscapeEvaluator, the_seed_declares_the_space_and_admits_recorded_points_alone) {
  const auto problem = small();
  const Seed& seed = problem->seed();
  const auto parsed = parse_kernel_space("landscape", seed.kernel.source);
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->knobs.size(), 4u);
  EXPECT_EQ(parsed->defaults("landscape", seed.kernel.source).genome_hash(),
            seed.kernel.genome_hash());
  EXPECT_TRUE(seed.space->admits(seed.kernel));
  EXPECT_FALSE(seed.space->admits(job_of(JobKind::build, "8", "true", false, "i").kernel));
  RandomStream random({.purpose = Purpose::test});
  std::map<std::map<std::string, std::string>, int> drawn;
  for (int i = 0; i < 1000; ++i) ++drawn[seed.space->sample(seed.kernel, random)->knobs];
  ASSERT_EQ(drawn.size(), 5u);
  for (const auto& [knobs, count] : drawn) EXPECT_NEAR(count, 200, 60);
}

}  // namespace
}  // namespace ke
