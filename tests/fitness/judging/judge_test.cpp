// The protocol on scripted devices: the judge's requests, and its conclusions.

#include "fitness/judging/judge.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <deque>
#include <limits>
#include <thread>

#include "core/search/role_figure.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t second_ns = 1'000'000'000;

Finding wrong_answer() {
  Finding finding{Verdict::wrong_result, "mismatch", "too large by one"};
  finding.mismatch.emplace();
  return finding;
}

/// Common part of both kinds of devices. Each check uses the next script; the last one repeats.
template <class Device>
class Scripted : public Device {
 public:
  const Task& task() const override { return task_; }
  void renew_process() override { asked.emplace_back("renew"); }
  Result<CheckReport> check(Thoroughness thoroughness) override {
    asked.emplace_back(thoroughness == Thoroughness::full ? "full check" : "check");
    CheckReport report;
    if (wrong_checks-- > 0) {
      report.finding = wrong_answer();
      report.wrong = {task_.workloads[0], {}};
    }
    return report;
  }
  Result<std::optional<Finding>> call(int arm, const WrongCall&) override {
    asked.push_back(arm == 0 ? "candidate again" : "opponent too");
    return answers[arm];
  }
  Task& task() { return task_; }
  Result<FreshContent> content(const Workload& workload) override {
    asked.push_back("content of " + std::string(to_string(workload.role)));
    return FreshContent{};
  }

  std::vector<std::string> asked;
  int wrong_checks = 0;
  std::optional<Finding> answers[2] = {wrong_answer(), std::nullopt};  ///< answers to calls, by arm

 private:
  Task task_ = sample::task(sample::softmax_text());
};

/// Samples of 1000 ns for the candidate and `opponent_ns` for its opponent, times a factor.
class Timed final : public Scripted<TimedDevice> {
 public:
  Result<SamplePlan> plan(const std::vector<const Workload*>& on) override {
    asked.emplace_back("plan");
    SamplePlan plan;
    for (const Workload* workload : on) {
      plan.workloads.push_back({});
      plan.workloads.back().workload = workload;
    }
    return plan;
  }
  Result<PairResult> pair(const std::vector<TimedWorkload>& plan) override {
    asked.emplace_back("pair");
    std::this_thread::sleep_for(pause);
    if (!pairs.empty()) {
      PairResult result = std::move(pairs.front());
      pairs.pop_front();
      if (result.challenger || result.opponent || !result.noise.empty()) return result;
    }
    PairResult result;
    const double lucky = 1 + luck * random_.uniform();
    for (const TimedWorkload& timed : plan) {
      Cluster cluster;
      for (int quad = 0; quad < timed.quads; ++quad) {
        cluster.order += "ABBA";
        for (const char arm : std::string("ABBA")) {
          const double noise = 1 + spread * (random_.uniform() - 0.5);
          const double ns = (arm == 'A' ? 1000 * lucky : 2000) * factor * noise;
          cluster.samples_ns.push_back(static_cast<std::int64_t>(ns));
        }
      }
      cluster.cpu_ns = cluster.samples_ns;
      result.clusters.push_back(std::move(cluster));
      result.noise.emplace_back();
    }
    factor *= drift;
    return result;
  }
  Result<MemoryRate> memory_rate() override {
    return MemoryRate([this](std::int64_t) { return bytes_per_ns; });
  }
  SecretRandom& random() override { return random_; }

  std::deque<PairResult> pairs;  ///< scripted first pairs; one without findings and noise is
                                 ///< measured
  std::chrono::milliseconds pause{0};
  double bytes_per_ns = 1e9;
  double spread = 0.001;         ///< spread of the samples in a cluster
  double luck = 0;               ///< luck of a cluster in its speedup
  double factor = 1, drift = 1;  ///< each cluster multiplies both arms' times of the previous one
                                 ///< by this

 private:
  SecretRandom random_{{1, 2, 3, 4}};
};

PairResult disturbed() {
  PairResult result;
  result.noise.emplace_back(Noise{"contended", "something else ran", true});
  return result;
}

/// Costs by arm, or findings.
class Exact final : public Scripted<ExactDevice> {
 public:
  Result<std::optional<Finding>> costs(int arm, const std::vector<const Workload*>& on,
                                       std::vector<double>& costs) override {
    costs.assign(on.size(), cost[arm]);
    if (arm == 0) costs.front() *= of_first;
    return failed[arm];
  }
  double cost[2] = {100, 150};
  double of_first = 1;  ///< factor on the candidate's cost at the first workload
  std::optional<Finding> failed[2];
};

/// One job and its outcome.
struct Case {
  explicit Case(JobKind kind = JobKind::screen, const std::string& opponent_name = "anchor") {
    rules.duel.prior = {.spread = 0.004, .degrees = default_prior_degrees};
    job.kind = kind;
    job.roles = {"bench"};
    job.opponent = Opponent{opponent_name, std::nullopt};
  }
  Fact& on(Timed& device) {
    EXPECT_TRUE(judge(device, rules, closing, JudgedJob(job, arms(), fact)));
    return fact;
  }
  Fact& on(Exact& device) {
    EXPECT_TRUE(judge(device, JudgedJob(job, arms(), fact)));
    return fact;
  }
  JobArms<BuildOutcome>& arms() {
    built_.candidate = std::make_shared<const BuildOutcome>();
    built_.opponent = std::make_shared<const BuildOutcome>(opponent);
    return built_;
  }

  Job job;
  BuildOutcome opponent;
  JudgingRules rules;
  std::atomic<bool> closing = false;
  Fact fact;

 private:
  JobArms<BuildOutcome> built_;
};

long count(const std::vector<std::string>& asked, const std::string& what) {
  return std::ranges::count(asked, what);
}

template <class Device>
class EveryDevice : public testing::Test {};
using Devices = testing::Types<Timed, Exact>;
TYPED_TEST_SUITE(EveryDevice, Devices);

TYPED_TEST(EveryDevice, a_probe_calls_the_opponent_once) {
  TypeParam device;
  Case good(JobKind::probe);
  EXPECT_EQ(good.on(device).verdict, Verdict::ok);
  EXPECT_THAT(device.asked, testing::ElementsAre("content of bench", "opponent too"));
  device.answers[1] = Finding{Verdict::runtime_error, "exited", "RuntimeError: no"};
  Case bad(JobKind::probe);
  EXPECT_EQ(bad.on(device).verdict, Verdict::lost);
  EXPECT_EQ(bad.fact.message, "the opponent failed: RuntimeError: no");
}

TYPED_TEST(EveryDevice, a_kernel_that_is_wrong_and_wrong_again_is_refused) {
  TypeParam device;
  device.wrong_checks = 1;
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::wrong_result);
  EXPECT_EQ(one.fact.reason, "mismatch");
  EXPECT_THAT(one.fact.feedback, HasSubstr("too large by one"));
  EXPECT_THAT(device.asked, testing::ElementsAre("check", "candidate again", "opponent too"));
}

TYPED_TEST(EveryDevice, right_when_repeated_is_nondeterministic) {
  TypeParam device;
  device.wrong_checks = 1;
  device.answers[0].reset();
  device.answers[1] = wrong_answer();
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::nondeterministic);
  EXPECT_EQ(one.fact.reason, "right_when_repeated");
  EXPECT_EQ(count(device.asked, "opponent too"), 0);
}

TYPED_TEST(EveryDevice, contents_that_the_tasks_own_kernel_gets_wrong_count_against_nobody) {
  TypeParam device;
  device.wrong_checks = 2;
  device.answers[1] = wrong_answer();
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::ok) << one.fact.reason;
  EXPECT_EQ(count(device.asked, "check"), 3);
}

TYPED_TEST(EveryDevice, a_kernel_that_is_wrong_on_three_draws_finds_no_excuse) {
  TypeParam device;
  device.wrong_checks = 9;
  device.answers[1] = wrong_answer();
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::wrong_result);
}

TYPED_TEST(EveryDevice, neither_incumbents_nor_trusted_libraries_excuse_anybody) {
  for (const bool trusted : {false, true}) {
    TypeParam device;
    device.wrong_checks = 1;
    device.answers[1] = wrong_answer();
    Case one(JobKind::screen, trusted ? "library" : "");
    one.opponent.trusted = trusted;
    EXPECT_EQ(one.on(device).verdict, Verdict::wrong_result);
  }
}

TYPED_TEST(EveryDevice, champions_are_checked_in_full_in_a_fresh_process) {
  TypeParam device;
  Case one(JobKind::verify);
  EXPECT_EQ(one.on(device).verdict, Verdict::ok) << one.fact.reason;
  ASSERT_GE(device.asked.size(), 2u);
  EXPECT_EQ(device.asked[0], "renew");
  EXPECT_EQ(device.asked[1], "full check");
}

TYPED_TEST(EveryDevice, duels_are_not_checked_and_name_the_incumbent) {
  TypeParam device;
  Case one(JobKind::duel, "");
  EXPECT_EQ(one.on(device).verdict, Verdict::ok) << one.fact.reason;
  EXPECT_EQ(one.fact.comparison->decision, Decision::better);
  EXPECT_EQ(count(device.asked, "check"), 0);
  EXPECT_THAT(one.fact.feedback, HasSubstr("incumbent"));
}

TYPED_TEST(EveryDevice, jobs_without_roles_are_checked_in_full_and_not_timed) {
  TypeParam device;
  Case one;
  one.job.roles.clear();
  EXPECT_EQ(one.on(device).verdict, Verdict::ok);
  EXPECT_THAT(device.asked, testing::ElementsAre("full check"));
  EXPECT_FALSE(one.fact.comparison);
}

TYPED_TEST(EveryDevice, misses_without_a_bound_are_told) {
  const auto flags = [](double matched_ratio, double max_error) {
    TypeParam device;
    device.task().tolerance.matched_ratio = matched_ratio;
    device.task().tolerance.max_error = max_error;
    Case one;
    return one.on(device).policy_flags;
  };
  constexpr double any = std::numeric_limits<double>::infinity();
  const auto told =
      Contains("unbounded_misses: up to 1 % of the elements may be off by any amount");
  EXPECT_THAT(flags(0.99, any), told);
  EXPECT_THAT(flags(0.99, 10), Not(told));
  EXPECT_THAT(flags(1, any), Not(told));
}

TEST(JudgeOfCounts, quotients_are_exact_and_equal_costs_lose_a_duel) {
  Exact device;
  Case one;
  ASSERT_TRUE(one.on(device).comparison);
  EXPECT_DOUBLE_EQ(one.fact.comparison->speedup, 1.5);
  EXPECT_EQ(one.fact.comparison->ci.low, one.fact.comparison->ci.high);
  device.cost[0] = 150;
  Case duel(JobKind::duel, "");
  EXPECT_EQ(duel.on(device).comparison->decision, Decision::worse);
}

TEST(JudgeOfCounts, workloads_become_one_figure_as_the_task_says) {
  Exact device;
  device.of_first = 3;
  Case one(JobKind::verify);
  one.job.roles = {"holdout"};
  ASSERT_TRUE(one.on(device).comparison);
  EXPECT_DOUBLE_EQ(one.fact.comparison->speedup, std::cbrt(0.5 * 1.5 * 1.5));
  device.task().mean = {{{"rows=30 cols=10", 94}}, true};
  ASSERT_TRUE(one.on(device).comparison);
  EXPECT_NEAR(one.fact.comparison->speedup, 96.0 * 150 / (94 * 300 + 2 * 100), 1e-12);
}

TEST(JudgeOfCounts, an_opponent_that_fails_loses_the_job_and_not_the_candidate) {
  Exact device;
  device.failed[1] = wrong_answer();
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::lost);
  EXPECT_EQ(one.fact.reason, "opponent_failed");
  device.failed[1].reset();
  device.failed[0] = wrong_answer();
  Case other;
  EXPECT_EQ(other.on(device).verdict, Verdict::wrong_result);
  EXPECT_THAT(other.fact.feedback, HasSubstr("failure"));
}

TEST(JudgeOfTimes, kernels_that_are_wrong_while_timed_are_told_so) {
  Timed device;
  device.pairs.emplace_back().challenger = wrong_answer();
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::wrong_result);
  EXPECT_THAT(one.fact.feedback, HasSubstr("failure"));
  device.pairs.emplace_back().opponent = wrong_answer();
  Case other;
  EXPECT_EQ(other.on(device).verdict, Verdict::lost);
}

TEST(JudgeOfTimes, a_disturbed_pair_is_taken_again_while_patience_lasts) {
  Timed device;
  device.pairs.push_back(disturbed());
  device.pairs.push_back(disturbed());
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::ok) << one.fact.reason;
  EXPECT_EQ(count(device.asked, "pair"), 3);
  EXPECT_NEAR(one.fact.comparison->speedup, 2, 0.01);
}

TEST(JudgeOfTimes, the_wait_for_a_quiet_moment_is_bounded) {
  for (const JobKind kind : {JobKind::screen, JobKind::duel, JobKind::verify}) {
    for (const bool patient : {true, false}) {
      Timed device;
      device.pairs.assign(100, disturbed());
      Case one(kind);
      if (!patient) one.rules.patience_ns = one.rules.verify_ns = 0;
      EXPECT_EQ(one.on(device).verdict, Verdict::unreliable) << one.fact.message;
      EXPECT_EQ(one.fact.reason, "contended");
      EXPECT_THAT(one.fact.feedback, HasSubstr("something else ran"));
      EXPECT_EQ(count(device.asked, "pair"), patient ? 5 : 1);
    }
  }
}

TEST(JudgeOfTimes, short_samples_are_planned_anew) {
  Timed device;
  PairResult result = disturbed();
  result.noise[0] = Noise{short_sample, short_text};
  device.pairs = {result, result};
  Case one;
  EXPECT_EQ(one.on(device).verdict, Verdict::ok) << one.fact.reason;
  EXPECT_EQ(count(device.asked, "plan"), 3);
}

TEST(JudgeOfTimes, verifications_have_four_clusters_even_when_their_goal_is_spent) {
  Timed device;
  Case one(JobKind::verify);
  one.rules.verify_ns = 60 * second_ns;
  EXPECT_EQ(one.on(device).verdict, Verdict::ok);
  EXPECT_EQ(count(device.asked, "pair"), one.rules.verify_clusters);
  Timed slow;
  slow.pause = std::chrono::milliseconds(300);
  Case hurried(JobKind::verify);
  hurried.rules.verify_ns = second_ns;
  EXPECT_EQ(hurried.on(slow).verdict, Verdict::ok);
  EXPECT_EQ(count(slow.asked, "pair"), 4);
}

TEST(JudgeOfTimes, figures_that_are_not_resolved_take_four_times_the_clusters_and_are_flagged) {
  Timed device;
  device.luck = 4;
  Case one(JobKind::verify);
  one.rules.verify_ns = 60 * second_ns;
  EXPECT_EQ(one.on(device).verdict, Verdict::ok);
  EXPECT_EQ(count(device.asked, "pair"), 4 * one.rules.verify_clusters);
  EXPECT_THAT(one.fact.policy_flags, Contains("unresolved: bench"));
  EXPECT_EQ(figure_note(one.fact, "bench"), "not resolved");
  EXPECT_EQ(figure_note(one.fact, "holdout"), "");
  Timed same;
  same.luck = 4;
  Case content(JobKind::verify);
  content.rules.verify_ns = 60 * second_ns;
  content.rules.verify_within = 100;
  EXPECT_EQ(content.on(same).verdict, Verdict::ok);
  EXPECT_THAT(content.fact.policy_flags, Not(Contains("unresolved: bench")));
}

TEST(JudgeOfTimes, a_figure_whose_time_is_spent_stays_unresolved) {
  Timed device;
  device.luck = 4;
  device.pause = std::chrono::milliseconds(30);
  Case one(JobKind::verify);
  one.rules.verify_ns = 10'000'000;
  EXPECT_EQ(one.on(device).verdict, Verdict::ok);
  EXPECT_EQ(count(device.asked, "pair"), 3);  // eight times the goal is over after the third
  EXPECT_THAT(one.fact.policy_flags, Contains("unresolved: bench"));
}

TEST(JudgeOfTimes, figures_that_are_not_precise_take_twice_the_clusters) {
  Timed device;
  device.luck = 0.7;
  Case one(JobKind::verify);
  one.rules.verify_ns = 60 * second_ns;
  EXPECT_EQ(one.on(device).verdict, Verdict::ok);
  EXPECT_EQ(count(device.asked, "pair"), 2 * one.rules.verify_clusters);
}

TEST(JudgeOfTimes, screens_and_verifications_below_the_memory_floor_are_measured_again) {
  for (const JobKind kind : {JobKind::screen, JobKind::verify}) {
    Timed device;
    device.bytes_per_ns = 1e-3;
    Case one(kind);
    EXPECT_EQ(one.on(device).verdict, Verdict::ok) << one.fact.reason;
    EXPECT_THAT(one.fact.policy_flags, Contains("below_floor"));
    EXPECT_EQ(device.asked.back(), "pair");
    EXPECT_EQ(device.asked[device.asked.size() - 2], "renew");
    Timed other;
    other.bytes_per_ns = 1e-3;
    other.drift = 3;
    Case drifting(kind);
    EXPECT_EQ(drifting.on(other).verdict, Verdict::suspicious);
    EXPECT_EQ(drifting.fact.reason, "below_floor");
  }
}

TEST(JudgeOfTimes, duels_are_not_asked_for_the_floor) {
  Timed device;
  device.bytes_per_ns = 1e-3;
  Case one(JobKind::duel, "");
  EXPECT_EQ(one.on(device).verdict, Verdict::ok);
  EXPECT_THAT(one.fact.policy_flags, Not(Contains("below_floor")));
}

}  // namespace
}  // namespace ke
