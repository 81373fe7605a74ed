#include "operators/llm/reply.hpp"

#include <gtest/gtest.h>

#include "core/language.hpp"
#include "operators/llm/fences.hpp"
#include "operators/llm/reasoning.hpp"
#include "tests/operators/llm/corpus.hpp"

namespace ke {
namespace {

TEST(Reasoning, is_taken_out_and_the_rest_kept) {
  EXPECT_EQ(without_reasoning("a\n<think>b\nc</think> d\ne").text, "a\n d\ne\n");
  EXPECT_EQ(without_reasoning("<think>a</think>").text, "\n");
  EXPECT_EQ(without_reasoning("a <think>b</think>").text, "a <think>b</think>\n");
  EXPECT_EQ(without_reasoning("<thinker>b</thinker>").text, "<thinker>b</thinker>\n");
  EXPECT_FALSE(without_reasoning("<Reasoning>a</REASONING>b").cut_short);
}

TEST(Reasoning, that_never_ends_cuts_the_answer_short) {
  const ReplyText answer = without_reasoning("a\n<thought>b\nc");
  EXPECT_EQ(answer.text, "a\n");
  EXPECT_TRUE(answer.cut_short);
}

TEST(Reasoning, without_an_opening_tag_reaches_back_to_the_start) {
  EXPECT_EQ(without_reasoning("a\n```\nb\n</think>c").text, "c\n");
  EXPECT_EQ(without_reasoning("a\nb </think>c").text, "a\nb </think>c\n");
}

TEST(FenceMark, has_sign_length_indentation_and_words) {
  const auto mark = fence_mark(" \t~~~~ cpp  x ");
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->sign, '~');
  EXPECT_EQ(mark->length, 4u);
  EXPECT_EQ(mark->indent, 2u);
  EXPECT_EQ(mark->info, "cpp  x");
  for (const auto* none : {"", "``", "a```", "```a```", "~~", "-```"}) {
    EXPECT_FALSE(fence_mark(none)) << none;
  }
}

TEST(Fences, that_hold_code_are_told_from_their_wrappers) {
  const auto lines = split_lines("```md\n```c\na\n```\n~~~\nb\n~~~\n```\n```py\nc");
  const auto fences = find_fences(lines);
  ASSERT_EQ(fences.size(), 4u);
  EXPECT_FALSE(fences[0].code);
  EXPECT_TRUE(fences[1].code);
  EXPECT_EQ(content(fences[1], lines), "a\n");
  EXPECT_TRUE(fences[2].code);
  EXPECT_EQ(content(fences[2], lines), "b\n");
  EXPECT_FALSE(fences[3].closed);
  EXPECT_FALSE(fences[3].code);
}

TEST(EntryPoint, is_defined_by_name_parameters_and_body) {
  for (const auto* yes :
       {"void f(int a) {}", "void f (int (*g)(int), int b = (1))\n{", "auto f() -> int {",
        "def f(x):", "def f(x, y=(1, 2)) -> int:", "int x = (; void f() const {", "void f(){"}) {
    EXPECT_TRUE(defines(yes, "f")) << yes;
  }
  for (const auto* no : {"", "f(x);", "void g() { f(x); }", "if (f(x)) {", "a ? f(x) : y {",
                         "void ff() {", "void f_() {", "return f(x)\n", "f{}", "f(", "f)"}) {
    EXPECT_FALSE(defines(no, "f")) << no;
  }
}

TEST(EntryPoint, is_mentioned_as_a_word) {
  EXPECT_TRUE(mentions("a f", "f"));
  EXPECT_TRUE(mentions("ff,f;", "f"));
  EXPECT_FALSE(mentions("ff f2 _f", "f"));
  EXPECT_TRUE(mentions("", ""));
}

TEST(Blocks, have_sections_and_the_line_they_start_at) {
  const auto found = find_blocks(
      "x\n<<<<<<< SEARCH\na\n b\n=======\n>>>>>>> REPLACE\n"
      "<<<<<<< SEARCH\n=======\nc\n>>>>>>> REPLACE");
  const auto& blocks = std::get<0>(found);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].search, "a\n b\n");
  EXPECT_EQ(blocks[0].replace, "");
  EXPECT_EQ(blocks[0].line, 2u);
  EXPECT_EQ(blocks[1].search, "");
  EXPECT_EQ(blocks[1].replace, "c\n");
  EXPECT_EQ(blocks[1].line, 7u);
}

TEST(Blocks, may_be_as_many_as_the_limit_and_not_one_more) {
  std::string reply;
  for (std::size_t i = 0; i < most_blocks; ++i) {
    reply += "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
  }
  EXPECT_EQ(std::get<0>(find_blocks(reply)).size(), most_blocks);
  reply += "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
  EXPECT_EQ(std::get<EditFailure>(find_blocks(reply)).reason, "too_large");
}

TEST(Source, may_have_the_largest_size_and_not_one_byte_more) {
  const std::string body(longest_source - 1, 'x');
  const SourceRule any = function_rule("", "");
  EXPECT_EQ(std::get<0>(find_source("```\n" + body + "\n```", any, "")).size(), longest_source);
  const auto more = find_source("```\n" + body + "x\n```", any, "");
  EXPECT_EQ(std::get<EditFailure>(more).reason, "too_large");
}

}  // namespace
}  // namespace ke
