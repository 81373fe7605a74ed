#include "operators/surrogate/sources.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

TEST(Encoding, turns_a_kernel_into_numbers_as_documented) {
  constexpr const char* source =
      "// @knob X int {1, 2, 4, 8} = 2\n// @knob ONE int {7} = 7\n"
      "// @knob ORDER enum {ijk, jik, kij} = jik\n// @knob Y int {16, 32, 64} = 64\n"
      "// @knob ON bool = true\n// @knob OFF int {0, 1, 2} = 2\n"
      "// @flags -O3; -funroll-loops?; -mwidth={128,256,512}\n";
  const KernelSpace space = *parse_kernel_space("k.cpp", source);
  Kernel kernel = space.defaults("k.cpp", source);
  kernel.flags = {"-funroll-loops", "-mwidth=512"};
  const Encoding encoding(space);
  std::vector<double> row;
  encoding.append(kernel, row);
  EXPECT_EQ(row.size(), encoding.width());
  const std::vector<double> expected = {1,            // X: second value
                                        0, 1,     0,  // ORDER: one of three
                                        2, 1 + 6,     // Y: third value, log2 2 + log2 64
                                        1,            // ON
                                        2,            // OFF may be 0: no size
                                        1};           // -funroll-loops
  ASSERT_GT(row.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(row[i], expected[i], 1e-12) << i;
  EXPECT_EQ(row.back(), 1) << "-mwidth: the last of its values";
}

TEST(Encoding, appends_rows_of_equal_width) {
  constexpr const char* source = "// @knob X int {1, 2, 4} = 2\n// @knob Y int {1, 3, 9} = 3\n";
  const KernelSpace space = *parse_kernel_space("k.cpp", source);
  const Encoding encoding(space);
  std::vector<double> rows;
  RandomStream random({1, 0, 0, 0, Purpose::test});
  const Kernel base = space.defaults("k.cpp", source);
  for (int i = 0; i < 5; ++i) encoding.append(*space.sample(base, random), rows);
  EXPECT_EQ(encoding.width(), 3u);
  EXPECT_EQ(rows.size(), 15u);
}

}  // namespace
}  // namespace ke
