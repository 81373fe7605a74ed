#include <gtest/gtest.h>

#include <set>

#include "core/memory/memory_fact_log.hpp"
#include "core/memory/memory_history.hpp"
#include "tests/support/function_run.hpp"

namespace ke {
namespace {

/// The function's evaluator on a machine where the first `bad` looks of a verification fail.
class BusyMachine final : public Evaluator {
 public:
  BusyMachine(const FunctionOptions& options, std::int64_t bad)
      : inner_(make_function_evaluator(options)), info_(inner_->info()), bad_(bad) {
    info_.baselines = {"anchor"};
  }
  const EvaluatorInfo& info() const override { return info_; }
  Result<void> submit(const Job& job) override {
    if (job.kind == JobKind::verify) {
      ++verifications;
      verify_.insert(job.key);
      if (job.look < bad_) spoilt_.insert(job.key);
    }
    return inner_->submit(job);
  }
  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::vector<Fact> facts = inner_->poll(wait);
    for (Fact& fact : facts) {
      if (verify_.contains(fact.key)) {
        WorkloadTiming timing;
        timing.role = "bench";
        timing.speedup = fact.comparison->speedup;
        fact.comparison->workloads = {timing};
      }
      if (!spoilt_.contains(fact.key)) continue;
      fact.verdict = Verdict::unreliable;
      fact.reason = "contended";
      fact.comparison.reset();
    }
    return facts;
  }
  void cancel(const Digest& key) override { inner_->cancel(key); }

  int verifications = 0;

 private:
  std::unique_ptr<Evaluator> inner_;
  EvaluatorInfo info_;
  std::int64_t bad_;
  std::set<Digest> verify_;
  std::set<Digest> spoilt_;
};

/// What was verified of the champion when the first `bad` looks fail.
std::vector<VerifiedFigure> verified(std::int64_t bad, int& verifications, bool noisy = true) {
  FunctionRun run;
  run.function.noisy = noisy;
  run.limits = {0, 30};
  BusyMachine machine(run.function, bad);
  MemoryHistory history;
  MemoryFactLog facts;
  SearchObserver observer;
  const CountingStop never;
  SearchPlan plan = make_plan(run);
  plan.verify.cells = 1;
  Search search(std::move(plan), {machine, facts, history, observer, never, never});
  EXPECT_TRUE(search.run());
  verifications = machine.verifications;
  return history.verified();
}

TEST(Finals, ask_once_more_when_the_machine_was_too_busy_to_tell) {
  int verifications = 0;
  const auto figures = verified(1, verifications);
  EXPECT_EQ(verifications, 2);
  ASSERT_FALSE(figures.empty());
  for (const VerifiedFigure& figure : figures) EXPECT_EQ(figure.note, "");
}

TEST(Finals, say_so_when_the_second_look_fails_too) {
  int verifications = 0;
  const auto figures = verified(2, verifications);
  EXPECT_EQ(verifications, 2);
  ASSERT_FALSE(figures.empty());
  for (const VerifiedFigure& figure : figures) EXPECT_EQ(figure.note, "unreliable contended");
}

TEST(Finals, exact_figures_are_also_compared_with_the_baselines) {
  int verifications = 0;
  const auto figures = verified(0, verifications, false);
  EXPECT_EQ(verifications, 1);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].baseline, "anchor");
}

TEST(Finals, one_look_is_enough_on_a_quiet_machine) {
  int verifications = 0;
  verified(0, verifications);
  EXPECT_EQ(verifications, 1);
}

}  // namespace
}  // namespace ke
