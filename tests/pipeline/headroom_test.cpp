// A search that stops when its best kernel needs hardly more time than memory allows.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/function_run.hpp"

namespace ke {
namespace {

std::int64_t first_knob(const Kernel& kernel) { return std::stoll(kernel.knobs.at("x000")); }

/// The function's evaluator, whose kernels take 1000 ns and 100 more for each unit of their first
/// knob; memory needs 1000 ns.
class Floored final : public ChangedFunction {
 public:
  using ChangedFunction::ChangedFunction;

 private:
  void change(const Job& job, Fact& fact) override {
    if (!fact.comparison) return;
    WorkloadTiming timing;
    timing.role = "bench";
    timing.floor_ns = 1000;
    timing.candidate_ns = 1000 + 100 * static_cast<double>(first_knob(job.kernel));
    fact.comparison->workloads = {timing};
  }
};

StopRecord search_to(double headroom, std::int64_t lanes, MemoryRun& memory) {
  FunctionRun run;
  run.function.lanes = lanes;
  run.function.delay_us = lanes > 1 ? 300 : 0;
  run.limits = {0, 400};
  SearchPlan plan = make_plan(run);
  plan.headroom = headroom;
  Floored machine(run.function);
  const auto stop = memory.search(std::move(plan), machine);
  EXPECT_TRUE(stop) << stop.error().message;
  return *stop;
}

TEST(Headroom, a_kernel_near_the_floor_of_memory_ends_the_search_whatever_the_lanes) {
  MemoryRun one, four;
  const StopRecord stop = search_to(0.2, 1, one);
  search_to(0.2, 4, four);
  EXPECT_EQ(stop.reason, "headroom");
  EXPECT_LT(stop.evaluations, 400);
  EXPECT_EQ(one.history.steps().back().history_hash, four.history.steps().back().history_hash);
  std::int64_t least = 1000;
  for (const CandidatePtr& candidate : one.candidates()) {
    if (candidate->outcome == OutcomeKind::kernel && candidate->evaluation.verdict == Verdict::ok) {
      least = std::min(least, first_knob(candidate->kernel));
    }
  }
  EXPECT_LE(least, 2);  // 1200 ns: a sixth is above the floor; at 1300 ns it is more than a fifth
}

TEST(Headroom, that_nobody_asked_for_ends_no_search) {
  MemoryRun memory;
  EXPECT_EQ(search_to(0, 1, memory).reason, "budget");
}

}  // namespace
}  // namespace ke
