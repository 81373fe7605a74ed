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

}  // namespace
}  // namespace ke
