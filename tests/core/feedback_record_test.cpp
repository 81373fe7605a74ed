#include "core/feedback_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ke {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(FeedbackRecord, sentences_join_what_is_there) {
  std::string feedback = R"({"verdict":"ok","timing":{"speedup":1.5}})";
  add_profile(feedback, {"one", "two"});
  EXPECT_EQ(feedback, R"({"verdict":"ok","timing":{"speedup":1.5},"profile":["one","two"]})");
  EXPECT_THAT(profile_of(feedback), ElementsAre("one", "two"));
  add_profile(feedback, {"three"});
  EXPECT_THAT(profile_of(feedback), ElementsAre("three"));
}

TEST(FeedbackRecord, without_a_record_one_is_made_and_without_sentences_none) {
  std::string feedback;
  add_profile(feedback, {});
  EXPECT_EQ(feedback, "");
  add_profile(feedback, {"one"});
  EXPECT_EQ(feedback, R"({"profile":["one"]})");
}

TEST(FeedbackRecord, only_so_much_is_added_as_fits) {
  std::string feedback = R"({"message":")" + std::string(feedback_limit_bytes - 60, 'x') + R"("})";
  add_profile(feedback, {"short", std::string(100, 'y')});
  EXPECT_THAT(profile_of(feedback), ElementsAre("short"));
  EXPECT_LE(feedback.size(), feedback_limit_bytes);
}

TEST(FeedbackRecord, of_other_texts_nothing_is_read) {
  for (const char* text : {"", "no JSON", "[1]", "{}", R"({"profile":"a word"})"}) {
    EXPECT_LE(profile_of(text).size(), 1U) << text;
  }
}

TEST(FeedbackRecord, a_profiled_fact_adds_its_counters_alone) {
  Fact fact;
  fact.measures = {{"ncu_dram_pct", 91}, {"registers", 32}};
  fact.feedback = R"({"timing":{"against":"incumbent"},"profile":["slow"]})";
  std::map<std::string, double> measures{{"registers", 40}};
  std::string feedback = R"({"timing":{"against":"anchor"}})";
  take_profile(fact, measures, feedback);
  EXPECT_THAT(measures, ElementsAre(Pair("ncu_dram_pct", 91), Pair("registers", 40)));
  EXPECT_THAT(feedback, HasSubstr("anchor"));
  EXPECT_THAT(profile_of(feedback), ElementsAre("slow"));
  take_profile(Fact{}, measures, feedback);
  EXPECT_THAT(profile_of(feedback), ElementsAre("slow"));
}

TEST(FeedbackRecord, timings_are_read_with_roles_and_floors) {
  const auto timings = timings_of(
      R"({"timing":{"workloads":[{"workload":"n=8","ns":2000,"speedup":1.5,"ci":[1.4,1.6],)"
      R"("opponent_ns":3010,"floor_ns":500,"gb_per_s":7.5,"gflops":2,"limiter":"memory"},)"
      R"({"workload":"n=9","role":"validation","ns":10}]}})");
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_EQ(timings[0].workload, "n=8");
  EXPECT_EQ(timings[0].role, "bench");
  EXPECT_EQ(timings[0].time, 2000);
  EXPECT_EQ(timings[0].opponent_time, 3010);
  EXPECT_EQ(timings[0].ci.high, 1.6);
  EXPECT_EQ(timings[0].floor, 500);
  EXPECT_EQ(timings[0].gb_per_s, 7.5);
  EXPECT_EQ(timings[0].limiter, "memory");
  EXPECT_EQ(timings[1].role, "validation");
  EXPECT_EQ(timings[1].floor, 0);
}

TEST(FeedbackRecord, timings_of_older_records_follow_from_their_ratios) {
  const auto timings = timings_of(
      R"({"timing":{"workloads":[{"workload":"n=8","ns":200,"speedup":1.5,"floor_share":0.25}]}})");
  ASSERT_EQ(timings.size(), 1u);
  EXPECT_EQ(timings[0].opponent_time, 300);
  EXPECT_EQ(timings[0].floor, 50);
}

TEST(FeedbackRecord, timings_of_malformed_records_are_none) {
  for (const char* text : {"", "no JSON", "[]", R"({"timing":3})", R"({"timing":{"workloads":{}}})",
                           R"({"timing":{"workloads":[1,"x"]}})"}) {
    EXPECT_TRUE(timings_of(text).empty()) << text;
  }
  const auto odd = timings_of(R"({"timing":{"workloads":[{"ns":"fast","ci":[1],"role":2}]}})");
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd[0].time, 0);
}

TEST(FeedbackRecord, timings_of_a_further_screen_join_those_of_the_first) {
  std::string feedback =
      R"({"verdict":"ok","timing":{"answer":"tie","workloads":[{"workload":"n=8","ns":2}]}})";
  add_timings(feedback, R"({"timing":{"workloads":[{"workload":"n=9","role":"validation"}]}})");
  const auto timings = timings_of(feedback);
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_EQ(timings[1].workload, "n=9");
  EXPECT_NE(feedback.find(R"("answer":"tie")"), feedback.npos);
}

TEST(FeedbackRecord, timings_that_do_not_fit_are_left_out) {
  const std::string long_message(4060, 'x');
  std::string feedback = R"({"message":")" + long_message + R"("})";
  const std::string before = feedback;
  add_timings(feedback, R"({"timing":{"workloads":[{"workload":"n=9","role":"validation"}]}})");
  EXPECT_EQ(feedback, before);
}

}  // namespace
}  // namespace ke
