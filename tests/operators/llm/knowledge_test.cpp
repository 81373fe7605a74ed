#include "operators/llm/knowledge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/options.hpp"

namespace ke {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A judged kernel with this record, on this machine.
struct Scene {
  explicit Scene(const std::string& record, std::string_view hardware = "Xeon avx2 avx512f") {
    auto candidate = std::make_shared<Candidate>();
    candidate->evaluation.feedback = record;
    parents = {{candidate, ParentRole::parent}};
    context.hardware = hardware;
  }
  std::vector<Parent> parents;
  Context context{{}, "Softmax over each row.", {7, 0, 0}};
  std::string look_up(const std::string& probability, std::uint64_t seed = 1) const {
    const Node options = test::options({{"probability", test::scalar(probability)},
                                        {"tokens", test::scalar("9000")},
                                        {"passages", test::scalar("16")}});
    ParamLog log;
    Params params(&options, "", log);
    RandomStream random({seed, 0, 7, 0, Purpose::vary});
    return Knowledge(params).look_up({parents, context}, random);
  }
};

constexpr const char* memory_bound = R"({"timing":{"workloads":[{"limiter":"memory"}]}})";

TEST(Knowledge, every_sheet_has_a_title_sources_and_short_passages_of_their_own) {
  std::set<std::string> titles;
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    EXPECT_TRUE(sheet.text.starts_with("# ")) << sheet.name;
    EXPECT_THAT(std::string(sheet.text), HasSubstr("\nsource: ")) << sheet.name;
  }
  for (const Passage& passage : knowledge_passages()) {
    EXPECT_TRUE(titles.insert(passage.title).second) << passage.title;
    EXPECT_GT(passage.text.size(), 100u) << passage.title;
    EXPECT_LT(estimated_tokens(passage.text), 300) << passage.title;
  }
  EXPECT_GE(knowledge_sheets().size(), 10u);
}

TEST(Knowledge, answers_what_the_judge_found) {
  EXPECT_THAT(Scene(memory_bound).look_up("1"), HasSubstr("### Signs that memory is the limit"));
  const std::string wrong = R"({"verdict":"wrong_result","failure":{"inputs":"nan_inf"}})";
  EXPECT_THAT(Scene(wrong).look_up("1"), HasSubstr("### NaN and infinity"));
}

TEST(Knowledge, keeps_to_the_kind_of_machine) {
  const std::string host = Scene(memory_bound).look_up("1");
  EXPECT_THAT(host, Not(HasSubstr("Hopper")));
  const std::string device = Scene(memory_bound, "NVIDIA H200 sm_90").look_up("1");
  EXPECT_THAT(device, HasSubstr("Hopper"));
  EXPECT_THAT(device, Not(HasSubstr("AVX")));
}

TEST(Knowledge, is_given_as_often_as_the_probability_says) {
  const Scene scene(memory_bound);
  int given = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    given += scene.look_up("0.25", seed).empty() ? 0 : 1;
  }
  EXPECT_NEAR(given, 100, 35);  // four standard deviations
  EXPECT_EQ(scene.look_up("0"), "");
}

TEST(Knowledge, equal_streams_give_equal_passages) {
  const Scene scene(memory_bound);
  EXPECT_EQ(scene.look_up("0.5", 3), scene.look_up("0.5", 3));
}

}  // namespace
}  // namespace ke
