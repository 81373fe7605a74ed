#include "experiments/text/table.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ke {
namespace {

TEST(Csv, quotes_what_would_break_a_row) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines\r"), "\"two\nlines\r\"");
}

TEST(Csv, numbers_read_back_and_others_are_empty) {
  EXPECT_EQ(std::stod(csv_number(0.1 + 0.2)), 0.1 + 0.2);
  EXPECT_EQ(csv_number(3), "3");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Csv, a_table_has_a_head_and_rows) {
  CsvTable table({"arm", "share"});
  EXPECT_TRUE(table.empty());
  table.add({"a,b", "0.5"});
  EXPECT_EQ(table.text(), "arm,share\n\"a,b\",0.5\n");
}

}  // namespace
}  // namespace ke
