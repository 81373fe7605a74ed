#include "operators/llm/prompt_sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ke {
namespace {

using testing::HasSubstr;
using testing::Not;

std::shared_ptr<Candidate> judged_kernel(std::int64_t step, const std::string& source,
                                         Verdict verdict, const std::string& message = "") {
  auto candidate = std::make_shared<Candidate>();
  candidate->id = {step, 0, 0};
  candidate->kernel.source = source;
  candidate->evaluation.verdict = verdict;
  candidate->evaluation.reason = verdict == Verdict::ok ? "" : "compiler";
  candidate->evaluation.message = message;
  return candidate;
}

std::string section_of(const std::vector<CandidatePtr>& judged) {
  Context context;
  context.judged = judged;
  return failures_section({{}, context});
}

TEST(FailuresSection, says_nothing_while_nothing_failed) {
  EXPECT_EQ(section_of({}), "");
  EXPECT_EQ(section_of({judged_kernel(0, "a", Verdict::ok)}), "");
}

TEST(FailuresSection, joins_failures_that_differ_in_numbers_alone) {
  const std::string text =
      section_of({judged_kernel(0, "a", Verdict::compile_error, "needs 70000 bytes of shared"),
                  judged_kernel(1, "b", Verdict::compile_error, "needs 131072 bytes of shared"),
                  judged_kernel(2, "c", Verdict::wrong_result, "row 3 differs")});
  EXPECT_THAT(text, HasSubstr("- 2 kernels failed, compile_error (compiler): \"needs 70000 bytes"));
  EXPECT_THAT(text, HasSubstr("- 1 kernel failed, wrong_result (compiler): \"row 3 differs\""));
  EXPECT_LT(text.find("2 kernels"), text.find("1 kernel "));
}

TEST(FailuresSection, prefers_the_compilers_first_error_to_the_message) {
  auto failed = judged_kernel(0, "a", Verdict::compile_error, "does not compile");
  failed->evaluation.diagnostics = {{"k.cpp", 3, 1, "warning", "unused"},
                                    {"k.cpp", 4, 1, "error", "'foo' was not declared"}};
  const std::string text = section_of({failed});
  EXPECT_THAT(text, HasSubstr("'foo' was not declared"));
  EXPECT_THAT(text, Not(HasSubstr("unused")));
}

TEST(FailuresSection, says_which_change_cured_a_failure) {
  auto failed = judged_kernel(0, "int a;\n  foo(a);\n", Verdict::compile_error, "no foo");
  auto repaired = judged_kernel(1, "int a;\n  bar(a);\n", Verdict::ok);
  repaired->ancestors = {{failed->id, ParentRole::failed}};
  EXPECT_THAT(
      section_of({failed, repaired}),
      HasSubstr("; a kernel that passed after that changed: \"foo(a);\" became \"bar(a);\""));
}

TEST(FailuresSection, names_knobs_and_flags_where_the_source_stayed) {
  auto failed = judged_kernel(0, "int a;\n", Verdict::runtime_error, "out of memory");
  failed->kernel.knobs = {{"TILE", "128"}, {"W", "4"}};
  failed->kernel.flags = {"-ffast-math"};
  auto passed = judged_kernel(1, "int a;\n", Verdict::ok);
  passed->kernel.knobs = {{"TILE", "64"}, {"W", "4"}};
  passed->kernel.flags = {""};
  passed->ancestors = {{failed->id, ParentRole::parent}};
  EXPECT_THAT(section_of({failed, passed}),
              HasSubstr("TILE=64 instead of 128, \"\" instead of \"-ffast-math\""));
}

TEST(FailuresSection, shows_eight_kinds_at_most) {
  std::vector<CandidatePtr> judged;
  for (int i = 0; i < 12; ++i) {
    judged.push_back(judged_kernel(i, "a", Verdict::wrong_result,
                                   "kind " + std::string(1, static_cast<char>('a' + i))));
  }
  const std::string text = section_of(judged);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 8);
  EXPECT_THAT(text, HasSubstr("kind l"));
  EXPECT_THAT(text, Not(HasSubstr("kind a"))) << "of equally frequent ones the newer are shown";
}

}  // namespace
}  // namespace ke
