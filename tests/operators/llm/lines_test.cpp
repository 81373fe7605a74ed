#include "operators/llm/lines.hpp"

#include <gtest/gtest.h>

#include "operators/llm/edit.hpp"

namespace ke {
namespace {

TEST(Lines, keep_their_line_ends_apart) {
  const auto lines = split_lines("a\r\n\nb \rc\nd");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].text, "a");
  EXPECT_EQ(lines[0].whole, "a\r\n");
  EXPECT_EQ(lines[1].text, "");
  EXPECT_EQ(lines[2].text, "b \rc") << "a lone CR ends no line of a file";
  EXPECT_EQ(lines[3].whole, "d");
  EXPECT_TRUE(split_lines("").empty());
  EXPECT_EQ(split_lines("\n").size(), 1u);
}

TEST(Lines, begin_behind_a_byte_order_mark) {
  EXPECT_EQ(split_lines("\xEF\xBB\xBFx\n")[0].whole, "x\n");
  EXPECT_TRUE(split_lines("\xEF\xBB\xBF").empty());
}

TEST(Lines, all_line_ends_become_line_feeds) {
  EXPECT_EQ(with_line_feeds("a\r\nb\rc\n\r\rd\r"), "a\nb\nc\n\n\nd\n");
}

TEST(Lines, blank_ends_fall_away) {
  const auto lines = split_lines(" \n\na\n\nb\n\t\n");
  const auto inner = without_blank_ends(lines);
  ASSERT_EQ(inner.size(), 3u);
  EXPECT_EQ(inner[0].text, "a");
  EXPECT_EQ(inner[2].text, "b");
  EXPECT_TRUE(without_blank_ends(split_lines("\n \n")).empty());
}

TEST(Lines, are_the_same_but_for_blanks_at_their_ends) {
  EXPECT_TRUE(same_lines(split_lines("a \r\nb"), split_lines("a\nb\t\n")));
  EXPECT_FALSE(same_lines(split_lines(" a\n"), split_lines("a\n")));
  EXPECT_FALSE(same_lines(split_lines("a\n"), split_lines("a\nb\n")));
}

TEST(Text, is_utf8_without_nul) {
  for (const std::string_view good :
       {"", "a\t\r\n", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_text(good)) << good;
  }
  using namespace std::string_view_literals;
  for (const std::string_view bad :
       {"\0"sv, "\x80"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xC2"sv, "\xC2\x41"sv, "\xE0\x9F\xBF"sv,
        "\xED\xA0\x80"sv, "\xE2\x82"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv,
        "\xF5\x80\x80\x80"sv, "\xFF"sv}) {
    EXPECT_FALSE(is_text(bad)) << bad.size();
  }
}

TEST(Text, is_cut_between_characters) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abcdef", 5), "ab...");
  EXPECT_EQ(cut("a\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", 8), "a\xE2\x82\xAC...");
  const EditFailure long_one = failure("no_match", std::string(5000, 'x'));
  EXPECT_EQ(long_one.message.size(), longest_message);
}

}  // namespace
}  // namespace ke
