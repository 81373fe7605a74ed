#pragma once
// A finished run of one champion with verified times and what its device can do.

#include "tests/archive/temporary_run.hpp"
#include "tests/conformance/samples.hpp"

namespace ke::test {

inline const std::vector<WorkloadCost> two_costs = {{"n=8", "bench", 4'000, 1'000},
                                                    {"n=9", "holdout", 8'000, 0}};

inline Fact timed_fact(const Digest& key, double candidate_ns, double opponent_ns,
                       double floor_ns) {
  Fact fact = sample_fact(4);
  fact.key = key;
  WorkloadTiming timing = sample_timing(1);
  timing.workload = "n=8";
  timing.candidate_ns = candidate_ns;
  timing.opponent_ns = opponent_ns;
  timing.floor_ns = floor_ns;
  fact.comparison->workloads = {timing};
  return fact;
}

/// Writes a step of two candidates. The first was screened in 200 ns and, as the champion, verified
/// in 190 and 210 ns.
inline void write_timed_run(TemporaryRun& run) {
  const StepRecord step = sample_step(0, sample_header().first_hash());
  for (const double flops_per_s : {5e10, 4e10}) {
    ASSERT_TRUE(run.store().begin_session({"h", "cpu", "0x1", "6.1", "abc", "full", 1, {}, {}}));
    ASSERT_TRUE(run.store().describe_roofline(two_costs, {{"multiply-adds", flops_per_s}}));
  }
  ASSERT_TRUE(run.history().begin(sample_header()));
  for (const char* key : {"b0", "b1", "s1"}) {
    Fact built = sample_fact(5);
    built.key = digest(key);
    ASSERT_TRUE(run.facts().append(sample_job(1, JobKind::build), built));
  }
  ASSERT_TRUE(
      run.facts().append(sample_job(1, JobKind::screen), timed_fact(digest("s0"), 200, 500, 50)));
  ASSERT_TRUE(run.history().commit(step));
  for (const auto& [name, ns] : {std::pair("anchor", 190.0), {"naive", 210.0}}) {
    ASSERT_TRUE(run.facts().append(sample_job(2, JobKind::verify),
                                   timed_fact(digest(name), ns, 10 * ns, 40)));
    ASSERT_TRUE(
        run.history().add_verified({{0, 0, 0}, name, "bench", 10, {9, 11}, digest(name), ""}));
  }
  ASSERT_TRUE(run.history().finish({"budget", 2, 2, LogicalId{0, 0, 0}, {}}));
}

}  // namespace ke::test
