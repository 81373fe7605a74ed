// Runs `verify --replay`, `device: replay` and `landscape record` like a shell.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/experiments/shell.hpp"

namespace ke {
namespace {

using test::Shell;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* function_config =
    "device: {kind: function, dimensions: 4, noisy: true, failures: 0.1}\n"
    "budget: {evaluations: 60}\nacceptance: {rule: noisy_duel}\n";

TEST_F(Shell, a_run_is_proven_by_its_own_facts) {
  write("f.yaml", function_config);
  ASSERT_EQ(call("run f.yaml -q -o runs seed=1..3"), 0) << output_;
  ASSERT_EQ(call("verify --replay runs"), 0) << output_;
  // A changed fact changes the course of the search.
  const std::string file = folder_ + "/runs/f.sphere.s1.kev";
  ASSERT_EQ(call("!sqlite3 " + file +
                 " \"UPDATE measurement SET speedup = speedup * 3 WHERE attempt_id IN (SELECT id "
                 "FROM attempt WHERE purpose = 'screen' LIMIT 5)\""),
            0)
      << output_;
  EXPECT_EQ(call("verify --replay " + file), 1);
  EXPECT_THAT(output_, HasSubstr("fact hash"));
  EXPECT_THAT(output_, HasSubstr("replay: step"));
}

TEST_F(Shell, an_interrupted_run_is_proven_up_to_its_last_step) {
  write("f.yaml", function_config);
  // Kills the run once it has made some steps, at any build speed.
  call("!" KE_BINARY_DIR
       "/kernelevolve run f.yaml -q -o runs device.delay_us=8000 & pid=$!; n=0; "
       "for i in $(seq 400); do "
       "n=$(sqlite3 -readonly runs/f.sphere.s1.kev 'SELECT count(*) FROM step' 2>/dev/null || echo "
       "0); "
       "[ \"$n\" -gt 3 ] && break; sleep 0.05; done; kill -9 $pid; wait; [ \"$n\" -gt 3 ]");
  ASSERT_EQ(call("status runs"), 0) << output_;
  EXPECT_EQ(call("verify --replay runs"), 0) << output_;
  ASSERT_EQ(call("resume runs -q"), 0) << output_;
  EXPECT_EQ(call("verify --replay runs"), 0) << output_;
}

TEST_F(Shell, a_missing_fact_is_a_replay_miss_that_names_the_nearest) {
  write("f.yaml", function_config);
  ASSERT_EQ(call("run f.yaml -q -o runs"), 0) << output_;
  write("r.yaml",
        "device: {kind: replay, run: runs/f.sphere.s1.kev}\nbudget: {evaluations: 60}\n"
        "acceptance: {rule: noisy_duel}\n");
  EXPECT_EQ(call("run r.yaml -q -o same"), 0) << output_;
  EXPECT_EQ(call("run r.yaml -q -o other seed=2"), 6);
  EXPECT_THAT(output_, HasSubstr("replay miss: no recorded build"));
  EXPECT_THAT(output_, HasSubstr("the nearest is build"));
  EXPECT_THAT(output_, HasSubstr(" instead of "));
}

TEST_F(Shell, a_live_run_replays_without_compiling_or_measuring) {
  write("cpu.yaml",
        "task: conformance/axpb\nbudget: {evaluations: 6}\nislands: {count: 1}\n"
        "verify: {cells: 1, naive_flag_sets: 2}\n"
        "device: {kind: cpu, verify_time: 100ms, verify_clusters: 2}\n");
  ASSERT_EQ(call("run cpu.yaml -q -o runs"), 0) << output_;
  ASSERT_EQ(call("verify --replay --json runs"), 0) << output_;
  EXPECT_TRUE(Json::parse(output_)["ok"].get<bool>());
}

TEST_F(Shell, a_recording_that_was_killed_goes_on_where_it_was) {
  const std::string record = "landscape record conformance/axpb --limit 8 -o axpb.json.gz";
  call("!" KE_BINARY_DIR "/kernelevolve " + record + " & sleep 1; kill -9 $!; wait");
  if (call("!test -e axpb.json.gz") == 0) GTEST_SKIP() << "it was done before it could be killed";
  ASSERT_EQ(call(record + " --json"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("ETA"));
  EXPECT_THAT(output_, HasSubstr("\"recorded\": 8"));
  ASSERT_EQ(call("landscape stats axpb.json.gz --json"), 0) << output_;
  const Json stats = Json::parse(output_)["landscapes"][0];
  // without configurations that could not be timed
  EXPECT_LE(stats["configurations"].get<int>(), 8);
  EXPECT_EQ(call(record), 2);
  EXPECT_THAT(output_, HasSubstr("is not overwritten"));
  // Noise needs kernels timed at least twice: a busy machine may have none.
  ASSERT_EQ(call("!gunzip -c axpb.json.gz"), 0) << output_;
  const Json recording = Json::parse(output_);
  const bool sampled = std::ranges::any_of(recording["results"], [](const Json& result) {
    return result["verdict"] == "ok" && result["times"].value("runtimes", Json::array()).size() > 1;
  });
  EXPECT_EQ(stats["noise"]["p95"].get<double>() > 0, sampled);
}

}  // namespace
}  // namespace ke
