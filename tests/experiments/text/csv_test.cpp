#include "experiments/text/table.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

TEST(Csv, quotes_what_would_break_a_row) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines\r"), "\"two\nlines\r\"");
}

}  // namespace
}  // namespace ke
