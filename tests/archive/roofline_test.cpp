// Roofline data that a run records about its device and task, and the times compared with it.

#include "archive/roofline.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "archive/run_rows.hpp"
#include "tests/archive/timed_run.hpp"

namespace ke::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

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
