#include "operators/llm/similarity.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ke {
namespace {

double similarity_of(std::string_view a, std::string_view b) {
  return similarity(shingles(a), shingles(b));
}

TEST(Shingles, are_the_distinct_runs_of_tokens) {
  EXPECT_EQ(shingles("a b c d e", 4).size(), 2u);
  EXPECT_EQ(shingles("a b c d e", 1).size(), 5u);
  EXPECT_EQ(shingles("a a a a a a", 3).size(), 1u);
  EXPECT_EQ(shingles("a b", 4).size(), 1u);
  EXPECT_TRUE(shingles(" // nothing\n/* at all").empty());
}

TEST(Shingles, see_words_numbers_strings_and_signs) {
  EXPECT_EQ(shingles("a1_b", 1).size(), 1u);
  EXPECT_EQ(shingles("1'000.5e-3f", 1).size(), 1u);
  EXPECT_EQ(shingles("0x1p-3", 1).size(), 1u);
  EXPECT_EQ(shingles("0xe-3", 1).size(), 3u);
  EXPECT_EQ(shingles(".5+x", 1).size(), 3u);
  EXPECT_EQ(shingles("\"a \\\" // b\"", 1).size(), 1u);
  EXPECT_EQ(shingles("R\"x(a)\" )x\"", 1).size(), 1u);
  EXPECT_EQ(shingles("'\\''", 1).size(), 1u);
  EXPECT_EQ(shingles("x+=y", 1).size(), 4u);
}

TEST(Shingles, end_in_sources_that_are_broken_off) {
  for (const auto* text :
       {"\"", "'", "\"\\", "R\"", "R\"x(", "R\"(", "/*", "//", "\\", "1'", "."}) {
    EXPECT_LE(shingles(text, 1).size(), 2u) << text;
  }
}

TEST(Similarity, is_blind_to_comments_and_white_space) {
  EXPECT_EQ(similarity_of("int a = b + 1;", "int a=b\n/* more */ +\\\n 1; // end"), 1);
  EXPECT_LT(similarity_of("int a = b + 1;", "int a = c + 1;"), 1);
  EXPECT_LT(similarity_of("f(\"// a\")", "f(\"// b\")"), 1);
}

TEST(Similarity, is_common_runs_over_all_runs) {
  // abcd bcde cdef against abcd bcde cdeg
  EXPECT_EQ(similarity_of("a b c d e f", "a b c d e g"), 2.0 / 4.0);
  EXPECT_EQ(similarity_of("a b c d", "e f g h"), 0);
  EXPECT_EQ(similarity_of("", "a"), 0);
  EXPECT_EQ(similarity_of("", "// b"), 1);
}

TEST(Similarity, is_symmetric) {
  const std::string_view a = "for (int i = 0; i < n; ++i) y[i] = 2 * x[i];";
  const std::string_view b = "for (int i = 0; i < n; i += 2) y[i] = 2 * x[i];";
  EXPECT_EQ(similarity_of(a, b), similarity_of(b, a));
  EXPECT_GT(similarity_of(a, b), 0.5);
}

}  // namespace
}  // namespace ke
