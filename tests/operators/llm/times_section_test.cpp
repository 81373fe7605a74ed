#include "operators/llm/prompt_sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ke {
namespace {

using testing::HasSubstr;
using testing::Not;

std::shared_ptr<Candidate> timed(std::int64_t step, const std::string& workloads,
                                 double objective = 1.5) {
  auto made = std::make_shared<Candidate>();
  made->id = {step, 0, 0};
  made->kernel.source = "kernel " + std::to_string(step);
  made->evaluation.verdict = Verdict::ok;
  made->evaluation.objective = objective;
  made->evaluation.interval = {objective - 0.1, objective + 0.1};
  made->evaluation.feedback = R"({"timing":{"workloads":[)" + workloads + "]}}";
  return made;
}

constexpr const char* at_bench =
    R"({"workload":"n=8","ns":2000,"speedup":1.5,"ci":[1.4,1.6],"opponent_ns":3000,)"
    R"("floor_ns":1000,"gb_per_s":7.5,"gflops":2,"floor_share":0.5,"limiter":"latency"})";
constexpr const char* at_validation =
    R"({"workload":"n=9","role":"validation","ns":40000,"speedup":0.5,"ci":[0.4,0.6],)"
    R"("opponent_ns":20000,"floor_ns":8000})";

struct TimedScene {
  std::vector<Parent> parents;
  std::vector<CandidatePtr> judged;
  Context context{{}, "", {9, 0, 0}};

  PromptScene operator()() {
    context.judged = judged;
    return {parents, context};
  }
};

TEST(Times, show_floor_anchor_and_parent_in_microseconds_for_each_role) {
  TimedScene scene;
  scene.parents = {{timed(1, std::string(at_bench) + "," + at_validation), ParentRole::parent}};
  EXPECT_THAT(
      timing_section(scene()),
      HasSubstr(
          "bench n=8:\n"
          "  floor: 1.00 us\n"
          "  the anchor: 3.00 us, 3.00 times the floor (headroom 67 %)\n"
          "  parent: 2.00 us, 2.00 times the floor (headroom 50 %), speedup 1.500 [1.400, 1.600], "
          "7.5 GB/s, 2.0 GFLOP/s\n"
          "validation n=9:\n"
          "  floor: 8.00 us\n"
          "  the anchor: 20.00 us, 2.50 times the floor (headroom 60 %)\n"
          "  parent: 40.00 us, 5.00 times the floor (headroom 80 %), speedup 0.500 [0.400, "
          "0.600]\n"));
}

TEST(Times, take_the_floor_of_the_sheet_where_it_has_one) {
  TimedScene scene;
  scene.parents = {{timed(1, at_bench), ParentRole::parent}};
  DeviceSheet sheet;
  sheet.floors_ns["n=8"] = 500;
  scene.context.sheet = &sheet;
  EXPECT_THAT(timing_section(scene()), HasSubstr("parent: 2.00 us, 4.00 times the floor"));
}

TEST(Times, show_the_best_other_kernel_beside_several_parents) {
  TimedScene scene;
  scene.parents = {{timed(1, at_bench), ParentRole::parent},
                   {timed(2, at_bench), ParentRole::inspiration}};
  scene.judged = {scene.parents[0].candidate, timed(3, at_bench, 1.7), timed(4, at_bench, 1.6)};
  const std::string text = timing_section(scene());
  EXPECT_THAT(text, HasSubstr("  parent 1: 2.00 us"));
  EXPECT_THAT(text, HasSubstr("  parent 2: 2.00 us"));
  EXPECT_THAT(text, HasSubstr("  best other kernel (3.0.0): 2.00 us"));
  EXPECT_THAT(text, Not(HasSubstr("4.0.0")));
  EXPECT_THAT(score_section(scene()), HasSubstr("best other kernel (3.0.0): 1.700"));
}

TEST(Times, are_in_the_devices_own_unit) {
  TimedScene scene;
  scene.parents = {{timed(1, at_bench), ParentRole::parent}};
  DeviceSheet sheet;
  sheet.time_unit = "cost units";
  scene.context.sheet = &sheet;
  const std::string text = timing_section(scene());
  EXPECT_THAT(text, HasSubstr("parent: 2000 cost units"));
  EXPECT_THAT(text, Not(HasSubstr("GB/s")));
}

TEST(Times, of_kernels_that_were_not_timed_are_no_section) {
  TimedScene scene;
  auto failed = timed(1, "");
  failed->evaluation.verdict = Verdict::compile_error;
  failed->evaluation.feedback = "";
  scene.parents = {{failed, ParentRole::failed}};
  EXPECT_EQ(timing_section(scene()), "");
  EXPECT_EQ(score_section(scene()), "");
}

TEST(Score, tells_validation_and_who_loses_there) {
  TimedScene scene;
  auto loser = timed(1, at_bench);
  loser->evaluation.measures = {{"validation_speedup", 0.5},
                                {"validation_low", 0.4},
                                {"validation_high", 0.6},
                                {"validation_loses", 1}};
  scene.parents = {{loser, ParentRole::parent}};
  EXPECT_THAT(score_section(scene()),
              HasSubstr("parent: 1.500 [1.400, 1.600]; at the validation shapes 0.500 [0.400, "
                        "0.600], where it loses: it is no winner\n"));
  loser->evaluation.measures.erase("validation_loses");
  EXPECT_THAT(score_section(scene()), Not(HasSubstr("loses")));
}

TEST(Diagnostics, are_sentences_with_words_of_programs_in_quotes) {
  TimedScene scene;
  auto failed = timed(1, "");
  failed->evaluation.verdict = Verdict::wrong_result;
  failed->evaluation.reason = "mismatch";
  failed->evaluation.feedback =
      R"({"message":"y differs","failure":{"inputs":"x large","placement":"end","call":3,)"
      R"("workload":"n=8","output":"y","pattern":"stride","stride":4,"wrong":2,"elements":8,)"
      R"("error_used_of_allowed":12.5,"first":[{"index":3,"got":"nan","want":0.5}]},)"
      R"("diagnostics":[{"line":4,"column":2,"severity":"warning","message":"unused 'a'\nb"}],)"
      R"("policy_flags":["optimize_pragma"]})";
  scene.parents = {{failed, ParentRole::failed}};
  EXPECT_EQ(diagnostics_section(scene()),
            "## Compiler and checker\n"
            "Verdict: wrong_result (mismatch): \"y differs\"\n"
            "It failed at n=8, inputs x large, tensors at the end of their memory, call 3\n"
            "Output y: 2 of 8 elements wrong; pattern: stride, every 4; the largest error is 12.5 "
            "times the allowed one\n"
            "  y[3] is nan, should be 0.5\n"
            "The compiler says:\n"
            "  line 4, column 2: warning \"unused 'a'\\nb\"\n"
            "The judge notes \"optimize_pragma\"\n");
}

TEST(Diagnostics, do_not_show_a_shape_that_is_hidden) {
  TimedScene scene;
  auto failed = timed(1, "");
  failed->evaluation.verdict = Verdict::wrong_result;
  failed->evaluation.feedback = R"({"failure":{"inputs":"normal","workload":"not shown"}})";
  scene.parents = {{failed, ParentRole::failed}};
  EXPECT_THAT(diagnostics_section(scene()),
              HasSubstr("It failed at a shape that is not shown, inputs normal\n"));
}

// CUDA's occupancy calculator agrees: 48 warps at 40 registers, 16 at 128 registers.
TEST(Profile, tells_how_many_threads_registers_leave) {
  TimedScene scene;
  auto made = timed(1, at_bench);
  made->evaluation.measures = {
      {"registers", 40}, {"spill_bytes", 0}, {"shared_bytes", 49152}, {"shuffles", 5}};
  scene.parents = {{made, ParentRole::parent}};
  DeviceSheet sheet;
  sheet.residency = {65536, 2048, 233472, 32};
  scene.context.sheet = &sheet;
  EXPECT_EQ(profile_section(scene()),
            "## What limits it\n"
            "n=8: limited by latency; memory alone needs 50 % of its time\n"
            "40 registers a thread: an SM holds at most 1536 of 2048 threads (75 %); nothing is "
            "spilled\n"
            "49152 bytes of static shared memory a block: an SM holds at most 4 blocks\n"
            "shuffles = 5\n");
  made->evaluation.measures["registers"] = 128;
  made->evaluation.measures["spill_bytes"] = 16;
  EXPECT_THAT(profile_section(scene()),
              HasSubstr("128 registers a thread: an SM holds at most 512 of 2048 threads (25 %); "
                        "16 bytes a thread are spilled to memory\n"));
}

}  // namespace
}  // namespace ke
