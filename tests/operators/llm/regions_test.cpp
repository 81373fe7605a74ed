#include "operators/llm/regions.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

std::string error_of(std::string_view text) {
  const auto source = editable_source("k.cpp", text);
  return source ? "" : source.error().message;
}

TEST(Regions, lie_between_markers) {
  const auto source = editable_source(
      "k.cpp",
      "a\n  // EVOLVE-BLOCK-START\nb\n//EVOLVE-BLOCK-END\nc\n# EVOLVE-BLOCK-START x y\n"
      "# EVOLVE-BLOCK-END\n");
  ASSERT_TRUE(source);
  EXPECT_TRUE(source->marked);
  ASSERT_EQ(source->regions.size(), 2u);
  EXPECT_EQ(source->regions[0].first, 2u);
  EXPECT_EQ(source->regions[0].end, 3u);
  EXPECT_EQ(source->regions[1].first, source->regions[1].end);
}

TEST(Regions, of_a_source_without_markers_are_all_of_it) {
  const auto source = editable_source("k.cpp", "a\n// see EVOLVE-BLOCK-START\n\"EVOLVE-BLOCK\"\n");
  ASSERT_TRUE(source);
  EXPECT_FALSE(source->marked);
  ASSERT_EQ(source->regions.size(), 1u);
  EXPECT_TRUE(source->regions[0].holds(0, 3));
}

TEST(Regions, hold_what_is_inside_and_nothing_at_their_end) {
  const EditRegion region{2, 4};
  EXPECT_TRUE(region.holds(2, 4));
  EXPECT_TRUE(region.holds(4, 4));
  EXPECT_TRUE(region.holds(2, 2));
  EXPECT_FALSE(region.holds(1, 3));
  EXPECT_FALSE(region.holds(3, 5));
  EXPECT_FALSE(region.holds(5, 5));
}

TEST(Regions, with_markers_out_of_order_are_an_error_of_the_task) {
  EXPECT_EQ(error_of("a\n// EVOLVE-BLOCK-END\n"),
            "k.cpp:2: EVOLVE-BLOCK-END without a EVOLVE-BLOCK-START before it");
  EXPECT_EQ(error_of("// EVOLVE-BLOCK-START\n\n// EVOLVE-BLOCK-START\n// EVOLVE-BLOCK-END\n"),
            "k.cpp:3: EVOLVE-BLOCK-START inside the block of line 1");
  EXPECT_EQ(error_of("\n// EVOLVE-BLOCK-START\na\n"),
            "k.cpp:2: EVOLVE-BLOCK-START without a following EVOLVE-BLOCK-END");
}

TEST(Regions, with_misspelt_markers_are_an_error_of_the_task) {
  EXPECT_EQ(error_of("// EVOLVE-BLOCK-BEGIN\n"),
            "k.cpp:1: '// EVOLVE-BLOCK-BEGIN' is no marker; write '// EVOLVE-BLOCK-START' or "
            "'// EVOLVE-BLOCK-END'");
  EXPECT_NE(error_of("/* EVOLVE-BLOCK-START */\n"), "");
  EXPECT_NE(error_of("# EVOLVE-BLOCK-START: loop\n"), "");
  EXPECT_EQ(editable_source("k.cpp", "//EVOLVE-BLOCK\n").error().failure, Failure::config);
}

}  // namespace
}  // namespace ke
