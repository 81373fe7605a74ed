#include "operators/llm/lessons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hash.hpp"

#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Written by hand in the format of README.md.
constexpr const char* layernorm_line =
    R"({"id":"q.layernorm.s1@0badcafe/9.0.0","task":"layernorm","device":"Xeon avx512","language":"cpp",)"
    R"("operator":"llm_mutation","gain":1.5,"interval":[1.25,1.75],"evidence":"duel",)"
    R"("features":{"workloads":["rows=64,cols=1024"],"limiters":["memory"]},)"
    R"("pattern":"UNROLL: 1 -> 4\n"})";
constexpr const char* gemm_line =
    R"({"id":"q.sgemm.s1@0badcafe/3.0.0","task":"sgemm","device":"Xeon avx512","language":"cpp",)"
    R"("operator":"knob_step","gain":2,"interval":[1.9,2.1],"evidence":"screens",)"
    R"("features":{"workloads":["m=64"],"limiters":["latency"]},"pattern":"TILE: 8 -> 16\n"})";

std::string both() { return std::string(layernorm_line) + "\n" + gemm_line + "\n"; }

/// Output of `sha256sum` for both().
constexpr const char* hash_of_both =
    "9fe7f6372f38afce9dc532fa477097bbd07f7fd91602ac2eff83ad13c3784b9b";

struct Snapshot {
  explicit Snapshot(const std::string& text) { folder.write("l.jsonl", text); }
  std::string error(const std::string& sha256) const {
    const auto lessons = read_lessons(folder.file("l.jsonl"), sha256);
    return lessons ? "none" : lessons.error().message;
  }
  test::TemporaryFolder folder;
};

std::vector<Passage> passages() {
  const Snapshot snapshot(both());
  const auto lessons = read_lessons(snapshot.folder.file("l.jsonl"), hash_of_both);
  EXPECT_TRUE(lessons) << lessons.error().message;
  std::vector<Passage> list;
  for (const Lesson& lesson : *lessons) list.push_back(passage_of(lesson));
  return list;
}

std::string recall(double probability, std::uint64_t seed, std::string_view query = "memory") {
  RandomStream random({seed, 0, 7, 0, Purpose::vary});
  return make_lessons({hash_of_both, probability, 1, 900}, passages())->recall(query, random);
}

TEST(Lessons, a_prompt_is_told_what_fits_its_query) {
  const std::string told = recall(1, 1, "rows of layernorm, limited by memory");
  EXPECT_THAT(told, HasSubstr("### llm_mutation of layernorm: 1.50 [1.25, 1.75] times"));
  EXPECT_THAT(told, HasSubstr("The parent's limit was memory."));
  EXPECT_THAT(told, HasSubstr("UNROLL: 1 -> 4\n"));
  EXPECT_THAT(told, Not(HasSubstr("TILE")));
  EXPECT_THAT(recall(1, 1, "latency"), HasSubstr("TILE: 8 -> 16"));
  EXPECT_EQ(recall(1, 1, "zebra"), "");
}

TEST(Lessons, are_told_as_often_as_the_probability_says) {
  int told = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) told += recall(0.25, seed).empty() ? 0 : 1;
  EXPECT_NEAR(told, 100, 35);  // four standard deviations
  EXPECT_EQ(recall(0, 1), "");
  EXPECT_EQ(recall(0.5, 3), recall(0.5, 3));
}

TEST(Lessons, a_line_is_written_as_it_was_read) {
  const Snapshot snapshot(both());
  const auto lessons = read_lessons(snapshot.folder.file("l.jsonl"), hash_of_both);
  ASSERT_TRUE(lessons);
  ASSERT_EQ(lessons->size(), 2u);
  Lesson first = lessons->front();
  EXPECT_EQ(first.interval.high, 1.75);
  EXPECT_EQ(first.limiters, std::vector<std::string>{"memory"});
  // All numbers are doubles, including whole ones.
  EXPECT_EQ(lesson_line(first), layernorm_line);
}

TEST(Lessons, a_file_that_is_not_the_pinned_one_is_refused) {
  const std::string wrong(64, '0');
  EXPECT_THAT(Snapshot(both()).error(wrong), HasSubstr("is not the snapshot of the config"));
  EXPECT_THAT(Snapshot(both()).error(wrong), HasSubstr(hash_of_both));
  EXPECT_THAT(read_lessons("no_such_file", wrong).error().message,
              HasSubstr("no_such_file: cannot be read"));
}

TEST(Lessons, a_broken_line_is_named) {
  const auto error_of = [](const std::string& text) {
    return Snapshot(text).error(sha256(text).hex());
  };
  EXPECT_THAT(error_of(std::string(gemm_line) + "\n{\"id\": "),
              HasSubstr("l.jsonl:2: a lesson is no JSON object"));
  EXPECT_THAT(error_of("{\"id\": \"x\"}\n"), HasSubstr("l.jsonl:1: a lesson has no text 'task'"));
  std::string no_gain = gemm_line;
  no_gain.replace(no_gain.find("\"gain\""), 6, "\"gone\"");
  EXPECT_THAT(error_of(no_gain), HasSubstr("has no numbers 'gain' and 'interval'"));
  EXPECT_EQ(error_of("\n"), "none");
}

TEST(Lessons, tasks_of_one_family_share_a_name) {
  EXPECT_EQ(family_of("recsys/softmax"), family_of("conformance/softmax1d"));
  EXPECT_EQ(family_of("conv2d"), "conv");
  EXPECT_NE(family_of("layernorm"), family_of("rmsnorm"));
}

}  // namespace
}  // namespace ke
