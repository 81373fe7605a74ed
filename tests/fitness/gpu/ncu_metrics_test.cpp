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

}  // namespace
}  // namespace ke::gpu
