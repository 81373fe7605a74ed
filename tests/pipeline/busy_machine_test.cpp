#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "core/patient_evaluator.hpp"
#include "tests/support/function_run.hpp"

namespace ke {
namespace {

/// The function's evaluator on a machine that gives `answer` for its first `bad` timings.
class BusyAtFirst final : public ChangedFunction {
 public:
  BusyAtFirst(const FunctionOptions& options, std::int64_t bad, Fact answer)
      : ChangedFunction(options), bad_(bad), answer_(std::move(answer)) {}

 private:
  void change(const Job&, Fact& fact) override {
    if (!fact.comparison || bad_-- <= 0) return;
    fact.verdict = answer_.verdict;
    fact.reason = answer_.reason;
    fact.message = answer_.message;
    fact.comparison.reset();
  }

  std::int64_t bad_;
  Fact answer_;
};

Fact answer(Verdict verdict, const std::string& reason, const std::string& message) {
  Fact fact;
  fact.verdict = verdict;
  fact.reason = reason;
  fact.message = message;
  return fact;
}

const Fact contended = answer(Verdict::unreliable, "contended", "something else ran on the lane");

struct Failures final : SearchObserver {
  void on_commit(const StepRecord&, const SearchStatus& status) override { seen = status.failures; }
  std::map<std::string, std::int64_t> seen;
};

struct Outcome {
  Result<StopRecord> stop;
  std::int64_t unreliable = 0;
  std::int64_t steps = 0;
};

Outcome search_on_machine(std::int64_t bad, const Fact& answer = contended) {
  FunctionRun run;
  run.limits = {0, 40};
  run.function.noisy = true;
  BusyAtFirst machine(run.function, bad, answer);
  std::chrono::seconds time(0);
  PatientEvaluator::Rules rules;
  rules.now = [&time] { return PatientEvaluator::Clock::time_point(++time); };
  PatientEvaluator patient(machine, rules);
  MemoryHistory history;
  MemoryFactLog facts;
  Failures observer;
  const CountingStop never;
  Search search(make_plan(run), {patient, facts, history, observer, never, never});
  Outcome outcome{search.run()};
  outcome.steps = *history.committed_steps();
  if (observer.seen.contains("unreliable")) outcome.unreliable = observer.seen.at("unreliable");
  return outcome;
}

TEST(BusyMachine, a_search_waits_until_kernels_can_be_timed) {
  const Outcome outcome = search_on_machine(15);
  ASSERT_TRUE(outcome.stop);
  EXPECT_EQ(outcome.stop->reason, "budget");
  EXPECT_EQ(outcome.stop->evaluations, 40);
  EXPECT_EQ(outcome.unreliable, 0);
}

TEST(BusyMachine, a_search_that_can_time_nothing_stops_with_a_sentence) {
  const Outcome outcome = search_on_machine(std::numeric_limits<std::int64_t>::max());
  ASSERT_FALSE(outcome.stop);
  EXPECT_EQ(outcome.stop.error().failure, Failure::device);
  EXPECT_EQ(outcome.stop.error().message,
            "this machine is too busy to time kernels: 5 in a row came out unreliable (contended: "
            "something else ran on the lane), each tried 4 times; end other programs, then "
            "'resume' goes on");
  EXPECT_LT(outcome.steps, 6);
}

TEST(BusyMachine, a_search_whose_opponent_fails_again_and_again_stops_with_its_words) {
  const Outcome outcome =
      search_on_machine(std::numeric_limits<std::int64_t>::max(),
                        answer(Verdict::lost, "opponent_failed", "the opponent failed: no memory"));
  ASSERT_FALSE(outcome.stop);
  EXPECT_EQ(outcome.stop.error().failure, Failure::device);
  EXPECT_EQ(outcome.stop.error().message,
            "5 measurements in a row were lost (opponent_failed: the opponent failed: no memory); "
            "no evaluation was charged for them; 'resume' goes on once the cause is gone");
}

TEST(BusyMachine, a_few_lost_measurements_are_repeated) {
  const Outcome outcome = search_on_machine(2, answer(Verdict::lost, "killed", "from outside"));
  ASSERT_TRUE(outcome.stop);
  EXPECT_EQ(outcome.stop->evaluations, 40);
}

}  // namespace
}  // namespace ke
