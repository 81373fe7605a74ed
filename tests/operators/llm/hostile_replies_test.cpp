// Large replies in shapes for which a careless scan needs quadratic time: each would take minutes.
#include <gtest/gtest.h>

#include <ctime>

#include "operators/llm/patch.hpp"
#include "operators/llm/similarity.hpp"

namespace ke {
namespace {

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  text.reserve(bytes);
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

/// Measures processor time, which other load does not stretch.
template <typename Work>
double seconds(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

constexpr double generous_seconds = 30;

TEST(HostileReplies, of_many_lines_are_read_in_linear_time) {
  constexpr std::size_t size = longest_reply / 8;  // reduced, because there are many shapes
  const auto parent = editable_source("k.cpp", "void kernel() {\n  a;\n}\n");
  for (const std::string_view part : {"```\n",
                                      "```c\n",
                                      "```c\nkernel(\n```\n",
                                      "```markdown\n",
                                      "````md\n```md\n",
                                      "~~~\n```\n",
                                      "<think>\n",
                                      "<think></thinking>",
                                      "</think>\n",
                                      "<think></think>",
                                      "</",
                                      "<<<<<<< SEARCH\n",
                                      "=======\n",
                                      ">>>>>>> REPLACE\n",
                                      "<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n",
                                      "\n",
                                      "\r",
                                      " ",
                                      "\t\n",
                                      "<",
                                      "`",
                                      "x",
                                      "kernel(",
                                      "// @launch k grid=(1)\n",
                                      "\xE2\x82\xAC",
                                      "\xFF"}) {
    SCOPED_TRACE(part);
    for (const std::string head : {"", "```cpp\n", "<<<<<<< SEARCH\n"}) {
      const std::string reply = head + repeated(part, size);
      EXPECT_LT(seconds([&] { (void)patch_by_reply(*parent, reply); }), generous_seconds);
      EXPECT_LT(seconds([&] {
                  (void)rewrite_by_reply(*parent,
                                         whole_kernel(*find_language("cuda"), parent->text), reply);
                }),
                generous_seconds);
    }
  }
}

TEST(HostileReplies, of_four_mebibytes_are_read_in_linear_time) {
  const auto parent = editable_source("k.cpp", "void kernel() {\n  a;\n}\n");
  const std::string reply = repeated("```c\nkernel(\n```\n<think></think>\n", longest_reply);
  EXPECT_LT(seconds([&] { (void)patch_by_reply(*parent, reply); }), generous_seconds);
  EXPECT_LT(seconds([&] {
              (void)rewrite_by_reply(*parent, whole_kernel(*find_language("cuda"), parent->text),
                                     reply);
            }),
            generous_seconds);
}

TEST(HostileReplies, against_the_largest_source_are_applied_in_linear_time) {
  for (const std::string_view part :
       {"x\n", "\n", " x\n  x\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"}) {
    const std::string text = repeated(part, longest_source - 2) + "y\n";
    const auto source = editable_source("k.cpp", text);
    for (const std::string last : {"y\n", "z\n", "x\n"}) {
      const std::vector<Block> deep = {
          {" " + repeated("x\n ", longest_source / 2) + "x\n", "b\n", 1}};
      EXPECT_LT(seconds([&] { (void)apply_blocks(*source, deep); }), generous_seconds);
      const std::vector<Block> one = {{repeated(part, longest_reply / 2) + last, "b\n", 1}};
      const std::vector<Block> many(most_blocks, {repeated(part, 8000) + last, "b\n", 1});
      EXPECT_LT(seconds([&] { (void)apply_blocks(*source, one); }), generous_seconds);
      EXPECT_LT(seconds([&] { (void)apply_blocks(*source, many); }), generous_seconds);
    }
  }
}

TEST(HostileReplies, with_ever_deeper_lines_are_indented_in_linear_time) {
  std::string source;
  std::string search;
  for (std::size_t depth = 0; depth < 700; ++depth) {
    source += std::string(depth, '\t') + "x\n";
    search += std::string(depth, ' ') + "x\n";
  }
  const auto editable = editable_source("k.cpp", source);
  const std::vector<Block> blocks = {{search, search + "y\n", 1}};
  EXPECT_LT(seconds([&] { EXPECT_EQ(apply_blocks(*editable, blocks).index(), 0u); }),
            generous_seconds);
}

TEST(HostileReplies, are_cut_into_tokens_in_linear_time) {
  for (const std::string_view part :
       {"'", "\\'", "\"\n", "R\"(", "R\"", "/*", "/", "\\", "1'", "."}) {
    SCOPED_TRACE(part);
    const std::string source = repeated(part, longest_source);
    EXPECT_LT(seconds([&] { (void)shingles(source); }), generous_seconds);
  }
}

}  // namespace
}  // namespace ke
