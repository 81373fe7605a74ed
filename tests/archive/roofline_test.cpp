// Roofline data that a run records about its device and task, and the times compared with it.

#include "archive/roofline.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "archive/run_rows.hpp"
#include "tests/archive/temporary_run.hpp"
#include "tests/conformance/samples.hpp"

namespace ke::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const std::vector<WorkloadCost> two_costs = {{"n=8", "bench", 4'000, 1'000},
                                             {"n=9", "holdout", 8'000, 0}};

Fact timed_fact(const Digest& key, double candidate_ns, double opponent_ns, double floor_ns) {
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
void write_timed_run(TemporaryRun& run) {
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

Roofline roofline_of(const TemporaryRun& run) {
  const auto reader = RunReader::open(run.path());
  EXPECT_TRUE(reader) << reader.error().message;
  const auto rows = read_rows(**reader);
  EXPECT_TRUE(rows) << rows.error().message;
  return rows->roofline;
}

TEST(Roofline, holds_times_against_costs_and_ceilings) {
  TemporaryRun run;
  write_timed_run(run);
  const Roofline roofline = roofline_of(run);
  ASSERT_THAT(roofline.workloads, SizeIs(2));
  EXPECT_EQ(roofline.workloads[0].cost.flops, 1'000);
  EXPECT_DOUBLE_EQ(roofline.workloads[0].bytes_per_ns, 4'000 / 40.0);  // the fastest of all floors
  EXPECT_EQ(roofline.workloads[1].cost.role, "holdout");
  EXPECT_EQ(roofline.workloads[1].bytes_per_ns, 0);  // never timed
  ASSERT_THAT(roofline.ceilings, SizeIs(1));
  EXPECT_EQ(roofline.ceilings[0].flops_per_s, 5e10);  // the better session
  std::map<std::string, double> ns;
  for (const RooflinePoint& point : roofline.points) {
    EXPECT_EQ(point.workload, 0u);
    EXPECT_EQ(point.candidate, point.kernel == "screened" ? 0 : -1);
    ns[point.kernel] = point.ns;
  }
  EXPECT_EQ(ns, (std::map<std::string, double>{
                    {"screened", 200}, {"champion", 200}, {"anchor", 1'900}, {"naive", 2'100}}));
}

TEST(Roofline, is_empty_in_a_file_from_before_it_was_recorded) {
  TemporaryRun run;
  write_timed_run(run);
  run.close();
  SQLite::Database(run.path(), SQLite::OPEN_READWRITE)
      .exec("DROP TABLE workload_cost; DROP TABLE ceiling");
  EXPECT_THAT(roofline_of(run).workloads, IsEmpty());
  run.open();  // opening for writing adds the tables
  EXPECT_THAT(roofline_of(run).workloads, IsEmpty());
  ASSERT_TRUE(run.store().describe_roofline(two_costs, {}));
  EXPECT_THAT(roofline_of(run).points, SizeIs(4));
}

}  // namespace
}  // namespace ke::test
