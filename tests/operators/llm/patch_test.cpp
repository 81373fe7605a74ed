#include "operators/llm/patch.hpp"

#include <gtest/gtest.h>

#include "operators/llm/lines.hpp"
#include "operators/llm/locator.hpp"

namespace ke {
namespace {

Edit<std::string> patched(std::string_view source, const std::vector<Block>& blocks) {
  return apply_blocks(*editable_source("k.cpp", source), blocks);
}

TEST(LineIndex, finds_runs_at_each_tolerance) {
  const auto source = split_lines("a\n b \na\nb\na\n");
  const auto search = split_lines("a\nb\n");
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(LineIndex(source, MatchTolerance::nothing).find(search), Places{2});
  EXPECT_EQ(LineIndex(source, MatchTolerance::line_ends).find(search), Places{2});
  EXPECT_EQ(LineIndex(source, MatchTolerance::indentation).find(search), (Places{0, 2}));
  EXPECT_EQ(LineIndex(source, MatchTolerance::nothing).find({}), Places{});
}

TEST(LineIndex, finds_runs_that_overlap_and_reach_the_end) {
  const auto source = split_lines("x\nx\nx\ny");
  using Places = std::vector<std::size_t>;
  const LineIndex index(source, MatchTolerance::nothing);
  EXPECT_EQ(index.find(split_lines("x\nx\n")), (Places{0, 1}));
  EXPECT_EQ(index.find(split_lines("x\ny\n")), Places{2});
  EXPECT_EQ(index.find(split_lines("y\nx\n")), Places{});
}

TEST(IndentMap, gives_lines_the_indentation_of_the_file) {
  const IndentMap map(split_lines("a\n  b\n"), split_lines("\ta\n\t\tb\n"));
  EXPECT_TRUE(map.consistent());
  EXPECT_EQ(map.apply("x"), "\tx");
  EXPECT_EQ(map.apply("  x"), "\t\tx");
  EXPECT_EQ(map.apply("    x"), "\t\t  x");
  EXPECT_EQ(map.apply(""), "");
}

TEST(IndentMap, takes_off_what_the_search_text_has_too_much) {
  const IndentMap map(split_lines("      a\n"), split_lines("  a\n"));
  EXPECT_EQ(map.apply("        x"), "    x");
  EXPECT_EQ(map.apply("     x"), " x");
  EXPECT_EQ(map.apply("  x"), "x");
}

TEST(IndentMap, sees_a_structure_that_differs) {
  EXPECT_FALSE(IndentMap(split_lines("a\nb\n"), split_lines("a\n  b\n")).consistent());
  EXPECT_TRUE(IndentMap(split_lines("a\n\nb\n"), split_lines(" a\n\n b\n")).consistent());
}

TEST(NearestLines, show_the_first_line_that_differs_with_two_before_it) {
  const auto source = split_lines("int a;\nint b;\nint c;\nint d;\nint e;\n");
  const auto search = split_lines("int b;\nint c;\nint d;\nint x;\n");
  EXPECT_EQ(nearest_lines(source, search),
            "Nearest lines of the source:\n  line 3 | int c;\n  line 4 | int d;\n"
            "  line 5 | int e;\n  yours  | int x;\n  (they part at column 5)\n");
}

TEST(NearestLines, say_when_the_source_ends_before) {
  EXPECT_EQ(nearest_lines(split_lines("int a;\n"), split_lines("int a;\nint b;\n")),
            "Nearest lines of the source:\n  line 1 | int a;\n  yours  | int b;\n"
            "  (the source has no line there)\n");
}

TEST(NearestLines, stay_within_a_kilobyte) {
  const std::string wide(10000, 'x');
  const std::string source = wide + "\n" + wide + "\n" + wide + "a\n";
  const std::string search = wide + "\n" + wide + "\n" + wide + "b\n";
  EXPECT_LE(nearest_lines(split_lines(source), split_lines(search)).size(), 1024u);
}

TEST(Patch, keeps_every_byte_that_no_block_changes) {
  const std::string source =
      "\xEF\xBB\xBF"
      "a \r\nb\n\tc\r\nd";
  const auto edit = patched(source, {{"b\n", "B\nBB\n", 1}});
  EXPECT_EQ(std::get<0>(edit),
            "\xEF\xBB\xBF"
            "a \r\nB\r\nBB\r\n\tc\r\nd");
}

TEST(Patch, of_no_blocks_is_unchanged) {
  EXPECT_EQ(std::get<EditFailure>(patched("a\n", {})).reason, "unchanged");
}

TEST(Patch, lists_no_more_than_eight_places) {
  std::string source;
  for (int i = 0; i < 100; ++i) source += "x\n";
  const auto failed = std::get<EditFailure>(patched(source, {{"x\n", "y\n", 1}}));
  EXPECT_EQ(failed.message,
            "block 1 of 1: its SEARCH text is in the source 100 times, from lines 1, 2, 3, 4, 5, "
            "6, 7, 8, ...; add lines before or after it");
}

TEST(Patch, counts_no_more_places_than_it_has_to) {
  std::string source;
  for (int i = 0; i < 1000; ++i) source += "x\n";
  const auto failed = std::get<EditFailure>(patched(source, {{"x\n", "y\n", 1}}));
  EXPECT_NE(failed.message.find("in the source at least 256 times"), std::string::npos);
}

}  // namespace
}  // namespace ke
