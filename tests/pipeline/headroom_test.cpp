// A search that stops when its best kernel needs hardly more time than memory allows.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/support/function_run.hpp"
#include "tests/support/memory_fact_log.hpp"
#include "tests/support/memory_history.hpp"

namespace ke {
namespace {

std::int64_t first_knob(const Kernel& kernel) { return std::stoll(kernel.knobs.at("x000")); }

/// The function's evaluator, whose kernels take 1000 ns and 100 more for each unit of their first
/// knob; memory needs 1000 ns.
class Floored final : public Evaluator {
 public:
  explicit Floored(const FunctionOptions& options) : inner_(make_function_evaluator(options)) {}
  const EvaluatorInfo& info() const override { return inner_->info(); }
  Result<void> submit(const Job& job) override {
    kernels_.emplace(job.key, job.kernel);
    return inner_->submit(job);
  }
  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::vector<Fact> facts = inner_->poll(wait);
    for (Fact& fact : facts) {
      if (!fact.comparison) continue;
      WorkloadTiming timing;
      timing.role = "bench";
      timing.floor_ns = 1000;
      timing.candidate_ns = 1000 + 100 * static_cast<double>(first_knob(kernels_.at(fact.key)));
      fact.comparison->workloads = {timing};
    }
    return facts;
  }
  void cancel(const Digest& key) override { inner_->cancel(key); }

 private:
  std::unique_ptr<Evaluator> inner_;
  std::map<Digest, Kernel> kernels_;
};

struct FlooredRun {
  MemoryHistory history;
  MemoryFactLog facts;
  StopRecord stop;
};

void search_to(double headroom, std::int64_t lanes, FlooredRun& out) {
  FunctionRun run;
  run.function.lanes = lanes;
  run.function.delay_us = lanes > 1 ? 300 : 0;
  run.limits = {0, 400};
  SearchPlan plan = make_plan(run);
  plan.headroom = headroom;
  Floored machine(run.function);
  SearchObserver observer;
  const CountingStop never;
  Search search(std::move(plan), {machine, out.facts, out.history, observer, never, never});
  const auto done = search.run();
  ASSERT_TRUE(done) << done.error().message;
  out.stop = *done;
}

TEST(Headroom, a_kernel_near_the_floor_of_memory_ends_the_search_whatever_the_lanes) {
  FlooredRun one, four;
  search_to(0.2, 1, one);
  search_to(0.2, 4, four);
  EXPECT_EQ(one.stop.reason, "headroom");
  EXPECT_LT(one.stop.evaluations, 400);
  EXPECT_EQ(one.history.steps().back().history_hash, four.history.steps().back().history_hash);
  std::int64_t least = 1000;
  for (const StepRecord& step : one.history.steps()) {
    for (const auto& candidate : step.candidates) {
      if (candidate->outcome == OutcomeKind::kernel &&
          candidate->evaluation.verdict == Verdict::ok) {
        least = std::min(least, first_knob(candidate->kernel));
      }
    }
  }
  EXPECT_LE(least, 2);  // 1200 ns: a sixth is above the floor; at 1300 ns it is more than a fifth
}

TEST(Headroom, that_nobody_asked_for_ends_no_search) {
  FlooredRun out;
  search_to(0, 1, out);
  EXPECT_EQ(out.stop.reason, "budget");
}

}  // namespace
}  // namespace ke
