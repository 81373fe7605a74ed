#include "fitness/gpu/ncu_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ke::gpu {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

// Written by the documented format of `ncu --csv --page raw`: names, units, one line per launch.
constexpr const char* table =
    "==PROF== Connected to process 4711 (/opt/kernelevolve-cuda)\n"
    "==PROF== Profiling \"row_sums\" - 0: 0%....50%....100% - 9 passes\n"
    "==PROF== Profiling \"scale\" - 1: 0%....50%....100% - 9 passes\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
    "\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"lts__t_sector_hit_rate.pct\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"usecond\",\"%\"\n"
    "\"0\",\"4711\",\"kernelevolve-cuda\",\"127.0.0.1\",\"row_sums(const float *, float *, int)\","
    "\"1\",\"14\",\"(256, 1, 1)\",\"(4096, 1, "
    "1)\",\"0\",\"9.0\",\"1,073.74\",\"1,234.5\",\"49.98\"\n"
    "\"1\",\"4711\",\"kernelevolve-cuda\",\"127.0.0.1\",\"say_\"\"hello\"\"(int)\","
    "\"1\",\"14\",\"(256, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"0\",\"2.0e+00\",\"n/a\"\n";

TEST(NcuCsv, fields_may_hold_commas_and_quotes) {
  EXPECT_THAT(csv_fields(R"("a","b, c","","d ""e"" f",4,"g")"),
              ElementsAre("a", "b, c", "", "d \"e\" f", "4", "g"));
  EXPECT_THAT(csv_fields(""), ElementsAre(""));
}

TEST(NcuCsv, numbers_may_have_separators_and_exponents) {
  EXPECT_EQ(number_of_field("1,234,567.25"), 1234567.25);
  EXPECT_EQ(number_of_field(" 4.0e-05 "), 4.0e-05);
  EXPECT_EQ(number_of_field("0"), 0);
  for (const char* none : {"", "n/a", "(256, 1, 1)", "12 %", ","}) {
    EXPECT_EQ(number_of_field(none), std::nullopt) << none;
  }
}

TEST(NcuCsv, each_launch_has_its_metrics_in_base_units) {
  const auto launches = parse_ncu_csv(table);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].kernel, "row_sums(const float *, float *, int)");
  EXPECT_THAT(launches[0].metrics, UnorderedElementsAre(Pair("dram__bytes_read.sum", 1073.74 * 1e6),
                                                        Pair("gpu__time_duration.sum", 1'234'500),
                                                        Pair("lts__t_sector_hit_rate.pct", 49.98)));
  EXPECT_EQ(launches[1].kernel, "say_\"hello\"(int)");
  EXPECT_THAT(launches[1].metrics, UnorderedElementsAre(Pair("dram__bytes_read.sum", 0),
                                                        Pair("gpu__time_duration.sum", 2000)));
}

TEST(NcuCsv, columns_may_stand_in_any_order_and_be_missing) {
  const auto launches = parse_ncu_csv(
      "\"ID\",\"gpu__time_duration.sum\",\"Kernel Name\"\r\n"
      "\"\",\"ns\",\"\"\r\n"
      "\"0\",\"96\",\"k\"\r\n");
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].kernel, "k");
  EXPECT_THAT(launches[0].metrics, UnorderedElementsAre(Pair("gpu__time_duration.sum", 96)));
}

TEST(NcuCsv, what_is_no_table_gives_no_launches) {
  for (const char* text :
       {"", "==WARNING== No kernels were profiled.\n", "\"0\",\"1\"\n\"quoted by the program\"\n",
        "\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"\",\"\",\"%\"\n\"0\",\"k\"\n"}) {
    EXPECT_TRUE(parse_ncu_csv(text).empty()) << text;
  }
}

}  // namespace
}  // namespace ke::gpu
