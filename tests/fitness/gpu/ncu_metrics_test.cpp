#include "fitness/gpu/ncu_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ke::gpu {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

ProfiledLaunch launch(std::map<std::string, double> metrics) { return {"k", std::move(metrics)}; }

std::string stalled(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

TEST(NcuMetrics, are_asked_for_once_each) {
  const auto names = ncu_metric_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) EXPECT_NE(name.find("__"), std::string::npos) << name;
}

TEST(NcuMetrics, launches_count_by_their_time) {
  const auto measures =
      ncu_measures({launch({{"gpu__time_duration.sum", 3000},
                            {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 90},
                            {"launch__registers_per_thread", 40}}),
                    launch({{"gpu__time_duration.sum", 1000},
                            {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 10},
                            {"lts__t_sector_hit_rate.pct", 80},
                            {"launch__registers_per_thread", 32}})});
  EXPECT_THAT(measures,
              UnorderedElementsAre(Pair("ncu_time_ns", 4000), Pair("ncu_dram_pct", 70),
                                   Pair("ncu_l2_hit_pct", 80), Pair("ncu_registers", 40)));
}

TEST(NcuMetrics, without_times_launches_count_equally) {
  const char* hits = "l1tex__t_sector_hit_rate.pct";
  EXPECT_THAT(ncu_measures({launch({{hits, 20}}), launch({{hits, 40}})}),
              ElementsAre(Pair("ncu_l1_hit_pct", 30)));
}

TEST(NcuMetrics, bank_conflicts_are_told_for_each_request) {
  const char* conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
  const char* loads = "smsp__inst_executed_op_shared_ld.sum";
  const char* stores = "smsp__inst_executed_op_shared_st.sum";
  EXPECT_THAT(ncu_measures({launch({{conflicts, 300}, {loads, 50}, {stores, 50}}),
                            launch({{conflicts, 0}, {loads, 100}})}),
              ElementsAre(Pair("ncu_bank_conflicts", DoubleNear(1.5, 1e-12))));
  EXPECT_THAT(ncu_measures({launch({{conflicts, 0}, {loads, 0}})}), IsEmpty());
}

TEST(NcuMetrics, only_the_two_worst_stalls_are_measures) {
  EXPECT_THAT(
      ncu_measures({launch({{stalled("barrier"), 2},
                            {stalled("long_scoreboard"), 9.5},
                            {stalled("wait"), 1},
                            {stalled("gmma"), 0}})}),
      UnorderedElementsAre(Pair("ncu_stall_long_scoreboard", 9.5), Pair("ncu_stall_barrier", 2)));
}

TEST(NcuMetrics, nothing_gives_nothing) {
  EXPECT_THAT(ncu_measures({}), IsEmpty());
  EXPECT_THAT(ncu_measures({launch({})}), IsEmpty());
  EXPECT_THAT(ncu_sentences({}), IsEmpty());
}

TEST(NcuSentences, name_the_limiter_first) {
  EXPECT_THAT(ncu_sentences({{"ncu_dram_pct", 91.2}, {"ncu_sm_pct", 30}}),
              ElementsAre("DRAM 91 % of peak: memory-bound; SM 30 %."));
  EXPECT_THAT(
      ncu_sentences({{"ncu_dram_pct", 20}, {"ncu_sm_pct", 82}, {"ncu_tensor_pct", 79.6}}),
      ElementsAre("SM 82 % of peak (tensor pipes 80 %): bound by its instructions; DRAM 20 %."));
  EXPECT_THAT(
      ncu_sentences({{"ncu_dram_pct", 20}, {"ncu_sm_pct", 12}}),
      ElementsAre("DRAM 20 % and SM 12 % of peak: neither is busy, bound by latency or by too "
                  "little work in flight."));
}

TEST(NcuSentences, say_what_warps_wait_for) {
  EXPECT_THAT(ncu_sentences({{"ncu_stall_barrier", 2}, {"ncu_stall_long_scoreboard", 9.46}}),
              ElementsAre("For each issued instruction warps wait most for long_scoreboard (data "
                          "from global or local memory, 9.5 cycles) and barrier (other warps at a "
                          "barrier, 2.0 cycles)."));
}

TEST(NcuSentences, tell_of_accesses_only_when_they_are_bad) {
  EXPECT_THAT(ncu_sentences({{"ncu_sectors_per_load", 16}, {"ncu_bank_conflicts", 0.1}}),
              IsEmpty());
  EXPECT_THAT(ncu_sentences({{"ncu_sectors_per_load", 31.9}, {"ncu_bank_conflicts", 3}}),
              ElementsAre("Global loads are not coalesced: 31.9 sectors a request. Shared memory "
                          "has 3.0 bank conflicts a request."));
}

TEST(NcuSentences, occupancy_comes_with_what_it_depends_on) {
  EXPECT_THAT(
      ncu_sentences({{"ncu_occupancy_pct", 24.6},
                     {"ncu_registers", 168},
                     {"ncu_issue_pct", 41},
                     {"ncu_l1_hit_pct", 3},
                     {"ncu_l2_hit_pct", 55}}),
      ElementsAre("Occupancy 25 % with 168 registers a thread; 41 % of issue slots are used.",
                  "Hit rates: L1 3 %, L2 55 %."));
}

// Written by the documented format of `ncu --csv --page raw`: names, units, one line per launch.
constexpr const char* table =
    "==PROF== Connected to process 4711 (/opt/kernelevolve-cuda)\n"
    "==PROF== Profiling \"row_sums\" - 0: 0%....50%....100% - 9 passes\n"
    "==PROF== Profiling \"scale\" - 1: 0%....50%....100% - 9 passes\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
    "\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"lts__t_sector_hit_rate.pct\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"usecond\",\"%\"\n"
    "\"0\",\"4711\",\"kernelevolve-cuda\",\"127.0.0.1\",\"row_sums(const float *, float *, int)\","
    "\"1\",\"14\",\"(256, 1, 1)\",\"(4096, 1, "
    "1)\",\"0\",\"9.0\",\"1,073.74\",\"1,234.5\",\"49.98\"\n"
    "\"1\",\"4711\",\"kernelevolve-cuda\",\"127.0.0.1\",\"say_\"\"hello\"\"(int)\","
    "\"1\",\"14\",\"(256, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"0\",\"2.0e+00\",\"n/a\"\n";

TEST(NcuCsv, fields_may_hold_commas_and_quotes) {
  EXPECT_THAT(csv_fields(R"("a","b, c","","d ""e"" f",4,"g")"),
              ElementsAre("a", "b, c", "", "d \"e\" f", "4", "g"));
  EXPECT_THAT(csv_fields(""), ElementsAre(""));
}

TEST(NcuCsv, numbers_may_have_separators_and_exponents) {
  EXPECT_EQ(number_of_field("1,234,567.25"), 1234567.25);
  EXPECT_EQ(number_of_field(" 4.0e-05 "), 4.0e-05);
  EXPECT_EQ(number_of_field("0"), 0);
  for (const char* none : {"", "n/a", "(256, 1, 1)", "12 %", ","}) {
    EXPECT_EQ(number_of_field(none), std::nullopt) << none;
  }
}

TEST(NcuCsv, each_launch_has_its_metrics_in_base_units) {
  const auto launches = parse_ncu_csv(table);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].kernel, "row_sums(const float *, float *, int)");
  EXPECT_THAT(launches[0].metrics, UnorderedElementsAre(Pair("dram__bytes_read.sum", 1073.74 * 1e6),
                                                        Pair("gpu__time_duration.sum", 1'234'500),
                                                        Pair("lts__t_sector_hit_rate.pct", 49.98)));
  EXPECT_EQ(launches[1].kernel, "say_\"hello\"(int)");
  EXPECT_THAT(launches[1].metrics, UnorderedElementsAre(Pair("dram__bytes_read.sum", 0),
                                                        Pair("gpu__time_duration.sum", 2000)));
}

TEST(NcuCsv, columns_may_stand_in_any_order_and_be_missing) {
  const auto launches = parse_ncu_csv(
      "\"ID\",\"gpu__time_duration.sum\",\"Kernel Name\"\r\n"
      "\"\",\"ns\",\"\"\r\n"
      "\"0\",\"96\",\"k\"\r\n");
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].kernel, "k");
  EXPECT_THAT(launches[0].metrics, UnorderedElementsAre(Pair("gpu__time_duration.sum", 96)));
}

TEST(NcuCsv, what_is_no_table_gives_no_launches) {
  for (const char* text :
       {"", "==WARNING== No kernels were profiled.\n", "\"0\",\"1\"\n\"quoted by the program\"\n",
        "\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"\",\"\",\"%\"\n\"0\",\"k\"\n"}) {
    EXPECT_TRUE(parse_ncu_csv(text).empty()) << text;
  }
}

}  // namespace
}  // namespace ke::gpu
