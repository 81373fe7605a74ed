#include <gtest/gtest.h>

#include <set>

#include "tests/support/function_run.hpp"

namespace ke {
namespace {

/// The function's evaluator on a machine where the first `bad` looks of a verification fail.
class BusyMachine final : public ChangedFunction {
 public:
  /// The first `wrong` verified kernels get a wrong result; sanitizers refuse the first `unsafe`.
  BusyMachine(const FunctionOptions& options, std::int64_t bad, std::size_t wrong,
              std::size_t unsafe)
      : ChangedFunction(options),
        info_(ChangedFunction::info()),
        bad_(bad),
        wrong_(wrong),
        unsafe_(unsafe) {
    info_.baselines = {"anchor"};
    if (unsafe > 0) info_.capabilities.emplace_back("sanitizers");
  }
  const EvaluatorInfo& info() const override { return info_; }
  Result<void> submit(const Job& job) override {
    if (job.kind == JobKind::verify) {
      ++verifications;
      if (job.roles.size() > 1) {  // for a champion; other elites are measured at bench alone
        EXPECT_FALSE(refused_.contains(job.kernel.genome_hash()));
      }
      if (wrong_kernels_.size() < wrong_) wrong_kernels_.insert(job.kernel.genome_hash());
    }
    return ChangedFunction::submit(job);
  }
  int verifications = 0;

 private:
  void change(const Job& job, Fact& fact) override {
    if (job.kind == JobKind::sanitize) {
      fact.verdict = examined_++ < unsafe_ ? Verdict::suspicious : Verdict::ok;
      if (fact.verdict == Verdict::suspicious) refused_.insert(job.kernel.genome_hash());
    }
    if (job.kind != JobKind::verify) return;
    WorkloadTiming timing;
    timing.role = "bench";
    timing.speedup = fact.comparison->speedup;
    fact.comparison->workloads = {timing};
    if (wrong_kernels_.contains(job.kernel.genome_hash())) {
      fact.verdict = Verdict::wrong_result;
      fact.reason = "mismatch";
      fact.comparison.reset();
    }
    if (job.look >= bad_) return;
    fact.verdict = Verdict::unreliable;
    fact.reason = "contended";
    fact.comparison.reset();
  }

  EvaluatorInfo info_;
  std::int64_t bad_;
  std::size_t wrong_;
  std::set<Digest> wrong_kernels_, refused_;
  std::size_t unsafe_;
  std::size_t examined_ = 0;
};

struct Machine {
  std::int64_t bad = 0;
  std::size_t wrong = 0;
  bool noisy = true;
  bool fall_back = true;
  std::size_t unsafe = 0;
  std::int64_t spares = 6;
};

/// Verified figures of the champion.
std::vector<VerifiedFigure> verified(const Machine& on, int& verifications) {
  FunctionRun run;
  run.function.noisy = on.noisy;
  run.limits = {0, 30};
  BusyMachine machine(run.function, on.bad, on.wrong, on.unsafe);
  MemoryRun memory;
  SearchPlan plan = make_plan(run);
  plan.verify.cells = 1;
  plan.verify.fall_back = on.fall_back;
  plan.verify.spares = on.spares;
  EXPECT_TRUE(memory.search(std::move(plan), machine));
  verifications = machine.verifications;
  return memory.history.verified();
}

TEST(Finals, ask_once_more_when_the_machine_was_too_busy_to_tell) {
  int verifications = 0;
  const auto figures = verified({.bad = 1}, verifications);
  EXPECT_EQ(verifications, 2);
  ASSERT_FALSE(figures.empty());
  for (const VerifiedFigure& figure : figures) EXPECT_EQ(figure.note, "");
}

TEST(Finals, say_so_when_the_second_look_fails_too) {
  int verifications = 0;
  const auto figures = verified({.bad = 2}, verifications);
  EXPECT_EQ(verifications, 2);
  ASSERT_FALSE(figures.empty());
  for (const VerifiedFigure& figure : figures) EXPECT_EQ(figure.note, "unreliable contended");
}

TEST(Finals, exact_figures_are_also_compared_with_the_baselines) {
  int verifications = 0;
  const auto figures = verified({.noisy = false}, verifications);
  EXPECT_EQ(verifications, 1);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].baseline, "anchor");
}

TEST(Finals, next_best_kernel_is_champion_where_verification_refuses_the_best) {
  int verifications = 0;
  const auto figures = verified({.wrong = 2}, verifications);
  ASSERT_GE(figures.size(), 3U);
  EXPECT_EQ(figures.front().note, "wrong_result mismatch");
  EXPECT_EQ(figures.back().note, "");
  EXPECT_GT(figures.back().speedup, 0);
  EXPECT_NE(figures.back().candidate, figures.front().candidate);
}

TEST(Finals, refused_champion_stays_in_runs_that_do_not_fall_back) {
  int verifications = 0;
  const auto figures = verified({.wrong = 1, .fall_back = false}, verifications);
  EXPECT_EQ(verifications, 1);
  for (const VerifiedFigure& figure : figures) EXPECT_EQ(figure.note, "wrong_result mismatch");
}

TEST(Finals, next_best_kernel_is_champion_where_sanitizers_refuse_the_best) {
  int verifications = 0;
  const auto best = verified({}, verifications);
  const auto figures = verified({.unsafe = 2}, verifications);
  ASSERT_FALSE(best.empty());
  ASSERT_FALSE(figures.empty());
  EXPECT_NE(figures.front().candidate, best.front().candidate);
  EXPECT_LT(figures.front().speedup, best.front().speedup);
  EXPECT_TRUE(verified({.unsafe = 2, .spares = 1}, verifications).empty());
}

TEST(Finals, a_kernel_that_sanitizers_refuse_takes_no_refused_champion_s_place) {
  int verifications = 0;
  const auto figures = verified({.wrong = 1, .unsafe = 1}, verifications);
  ASSERT_GE(figures.size(), 2U);
  EXPECT_EQ(figures.front().note, "wrong_result mismatch");
  EXPECT_EQ(figures.back().note, "");
}

TEST(Finals, one_look_is_enough_on_a_quiet_machine) {
  int verifications = 0;
  verified({}, verifications);
  EXPECT_EQ(verifications, 1);
}

}  // namespace
}  // namespace ke
