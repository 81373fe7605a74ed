#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "fitness/content/float_lines.hpp"
#include "fitness/content/int_lines.hpp"

namespace ke {
namespace {

constexpr std::size_t length = 64;

std::vector<std::string> all_but(const std::vector<std::string>& names, const std::string& kept) {
  std::vector<std::string> list;
  std::ranges::copy_if(names, std::back_inserter(list), [&](const auto& n) { return n != kept; });
  return list;
}

std::vector<double> uniform_values(std::size_t count, SecretRandom& random, double low = -1) {
  std::vector<double> values(count);
  for (double& value : values) value = low + (1 - low) * random.uniform();
  return values;
}

/// Rows of `length` values in which every line is as drawn or of that kind.
std::vector<std::vector<double>> rows_of(const std::string& kind, FloatRules rules = {.most = 8},
                                         std::size_t count = 400) {
  SecretRandom random({1, 2, 3, 4});
  rules.avoid = all_but(float_line_kinds(), kind);
  std::vector<std::vector<double>> rows;
  while (rows.size() < count) {
    // One row alone: a tensor of one dimension would be cut into lines of any length.
    auto values = uniform_values(2 * length, random, rules.positive ? 1e-3 : -1);
    if (rules.ascending) {
      std::sort(values.begin(), values.begin() + length);
      std::sort(values.begin() + length, values.end());
    }
    SecretRandom kinds({rows.size(), 2, 3, 4});
    const std::int64_t dims[] = {2, length};
    vary_floats(values, dims, rules, kinds, random);
    rows.emplace_back(values.begin(), values.begin() + length);
    rows.emplace_back(values.begin() + length, values.end());
  }
  return rows;
}

double share(const std::vector<std::vector<double>>& rows,
             const std::function<bool(const std::vector<double>&)>& of) {
  return static_cast<double>(std::ranges::count_if(rows, of)) / static_cast<double>(rows.size());
}

double largest(const std::vector<double>& row) {
  double most = 0;
  for (const double value : row) most = std::max(most, std::abs(value));
  return most;
}

std::size_t distinct(const std::vector<double>& row) {
  return std::set<double>(row.begin(), row.end()).size();
}

double mean(const std::vector<double>& row) {
  return std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
}

double deviation(const std::vector<double>& row) {
  double sum = 0;
  for (const double value : row) sum += (value - mean(row)) * (value - mean(row));
  return std::sqrt(sum / static_cast<double>(row.size()));
}

// Lines of a whole tensor or of a part hold rows too, so that at least five of eight rows are of a
// kind: one in four lines stays as drawn, and lines of other lengths end within a row.
constexpr double at_least = 0.5;

TEST(float_lines, scales_are_spread_evenly_over_their_logarithm) {
  const auto rows = rows_of("shrunk", {}, 2000);
  std::map<int, int> counts;
  for (const auto& row : rows) ++counts[static_cast<int>(std::floor(std::log2(largest(row))))];
  // 2^-1 to 2^-24, of three quarters of the lines, some of them once more as a whole.
  for (int shift = -24; shift <= -2; ++shift) EXPECT_NEAR(counts[shift], 2000 * 0.75 / 24, 40);
}

TEST(float_lines, growth_ends_at_the_largest_magnitude_of_the_classes) {
  const auto rows = rows_of("grown", {.most = 64}, 1000);
  double most = 0;
  for (const auto& row : rows) most = std::max(most, largest(row));
  EXPECT_LE(most, 64);
  EXPECT_GT(most, 50);
  // log2 of the factor is uniform in [0, 6].
  const double above_8 = share(rows, [](const auto& row) { return largest(row) > 8; });
  EXPECT_NEAR(above_8, 0.75 / 2, 0.1);
}

TEST(float_lines, offsets_reach_means_of_hundreds_of_deviations_of_either_sign) {
  const auto rows = rows_of("offset", {.most = 64}, 1000);
  const auto ratio = [](const auto& row) { return std::abs(mean(row)) / deviation(row); };
  EXPECT_GT(share(rows, [&](const auto& row) { return ratio(row) > 8; }), 0.4);
  EXPECT_GT(share(rows, [&](const auto& row) { return ratio(row) > 200; }), 0.1);
  EXPECT_GT(share(rows, [&](const auto& row) { return ratio(row) > 8 && mean(row) < 0; }), 0.2);
  for (const auto& row : rows) EXPECT_LE(largest(row), 64);
}

TEST(float_lines, offsets_of_half_types_leave_digits) {
  const auto rows = rows_of("offset", {.most = 64, .digits = 8}, 400);
  for (const auto& row : rows) EXPECT_LT(std::abs(mean(row)) / deviation(row), 20);
}

TEST(float_lines, ties_are_frequent_where_a_kind_is_made_of_them) {
  for (const char* kind : {"coarse", "copies", "runs", "plateau"}) {
    const auto rows = rows_of(kind);
    EXPECT_GT(share(rows, [](const auto& row) { return distinct(row) < length; }), at_least)
        << kind;
  }
  const auto pairs = share(rows_of("copies"), [](auto row) {
    std::ranges::sort(row);
    return row[length - 1] == row[length - 2];
  });
  EXPECT_GT(pairs, 0.2) << "the largest element twice";
  const auto neighbours = share(rows_of("runs"), [](const auto& row) {
    return std::adjacent_find(row.begin(), row.end()) != row.end();
  });
  EXPECT_GT(neighbours, at_least);
}

TEST(float_lines, order_and_signs_follow_their_kinds) {
  const auto falls = [](const auto& row) { return std::ranges::is_sorted(row, std::greater<>()); };
  const auto rises = [](const auto& row) { return std::ranges::is_sorted(row); };
  EXPECT_GT(share(rows_of("falling"), falls), 0.35);
  EXPECT_GT(share(rows_of("rising"), rises), 0.35);
  EXPECT_EQ(share(rows_of("falling"), rises), 0);
  const auto positive = [](const auto& row) { return std::ranges::min(row) >= 0; };
  const auto negative = [](const auto& row) { return std::ranges::max(row) <= 0; };
  EXPECT_GT(share(rows_of("one_signed"), positive), 0.2);
  EXPECT_GT(share(rows_of("one_signed"), negative), 0.2);
  const auto starts = [](const auto& row) {
    return std::all_of(row.begin(), row.begin() + 8, [](double v) { return v > 0; }) &&
           std::ranges::min(row) < 0;
  };
  EXPECT_GT(share(rows_of("split_signs"), starts), 0.1);
  EXPECT_LT(share(rows_of("coarse"), starts), 0.02);
}

TEST(float_lines, zeros_come_in_every_share_and_in_ranges) {
  const auto zeros = [](const auto& row) { return std::ranges::count(row, 0.0); };
  const auto sparse = rows_of("sparse");
  EXPECT_GT(share(sparse, [&](const auto& row) { return zeros(row) > 48; }), 0.3);
  EXPECT_GT(share(sparse, [&](const auto& row) { return zeros(row) > 20 && zeros(row) < 44; }),
            0.05);
  EXPECT_GT(share(rows_of("zeros"), [&](const auto& row) { return zeros(row) == length; }),
            at_least);
  EXPECT_GT(share(rows_of("cut"), [&](const auto& row) { return zeros(row) > 1; }), at_least);
}

TEST(float_lines, one_element_dominates_often_the_first) {
  const auto first = [](const auto& row) {
    return std::abs(row[0]) > 100 * std::abs(*std::max_element(row.begin() + 1, row.end()));
  };
  EXPECT_GT(share(rows_of("dominated", {}, 1000), first), 0.05);
}

TEST(float_lines, columns_are_zero_in_a_range_of_rows_alone) {
  SecretRandom random({1, 2, 3, 4});
  const FloatRules rules{.avoid = all_but(float_line_kinds(), "columns")};
  int partly = 0, whole = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    auto values = uniform_values(32 * 8, random);
    SecretRandom kinds({i, 2, 3, 4});
    const std::int64_t dims[] = {32, 8};
    vary_floats(values, dims, rules, kinds, random);
    for (std::size_t c = 0; c < 8; ++c) {
      int zeros = 0;
      for (std::size_t r = 0; r < 32; ++r) zeros += values[r * 8 + c] == 0 ? 1 : 0;
      whole += zeros == 32 ? 1 : 0;
      partly += zeros > 0 && zeros < 32 ? 1 : 0;
    }
  }
  EXPECT_NEAR(whole, 400 * 8 / 4 / 8, 50);
  EXPECT_NEAR(partly, 400 * 8 / 4 / 8, 50);
}

TEST(float_lines, numbers_of_the_task_are_among_the_elements) {
  const auto rows = rows_of("numbers", {.most = 8, .numbers = {0.25, 7}});
  const auto holds = [](double number) {
    return [number](const auto& row) { return std::ranges::count(row, number) > 0; };
  };
  EXPECT_GT(share(rows, holds(0.25)), 0.3);
  EXPECT_GT(share(rows, holds(7)), 0.3);
}

TEST(float_lines, inputs_that_must_stay_positive_do) {
  for (const std::string& kind : float_line_kinds()) {
    for (const auto& row : rows_of(kind, {.most = 8, .positive = true, .numbers = {1, 2}}, 100)) {
      EXPECT_GT(std::ranges::min(row), 0) << kind;
    }
  }
}

TEST(float_lines, inputs_that_must_ascend_do) {
  for (const std::string& kind : float_line_kinds()) {
    SecretRandom random({5, 2, 3, 4});
    const FloatRules rules{
        .most = 8, .ascending = true, .equals = true, .avoid = all_but(float_line_kinds(), kind)};
    for (std::uint64_t i = 0; i < 50; ++i) {
      auto values = uniform_values(length, random);
      std::ranges::sort(values);
      SecretRandom kinds({i, 2, 3, 4});
      const std::int64_t dims[] = {length};
      vary_floats(values, dims, rules, kinds, random);
      EXPECT_TRUE(std::ranges::is_sorted(values)) << kind;
    }
  }
}

TEST(float_lines, lines_of_equal_elements_need_leave_unless_they_are_zero) {
  const auto equal = [](const auto& row) { return distinct(row) == 1 && row[0] != 0; };
  for (const std::string& kind : float_line_kinds()) {
    EXPECT_EQ(share(rows_of(kind, {.most = 8, .numbers = {3}}, 200), equal), 0) << kind;
  }
  EXPECT_GT(share(rows_of("equals", {.most = 8, .equals = true}), equal), 0.15);
}

// --- integers ---

using Ints = std::vector<std::int64_t>;

std::vector<Ints> int_rows(const std::string& kind, IntRules rules, bool of_bool = false,
                           std::size_t count = 1000) {
  SecretRandom random({1, 2, 3, 4});
  rules.avoid = all_but(of_bool ? bool_line_kinds() : int_line_kinds(), kind);
  std::vector<Ints> rows;
  while (rows.size() < count) {
    Ints values(2 * length);
    const auto low =
        static_cast<std::uint64_t>(rules.low);  // unsigned: the range may be of 2^64 - 1 values
    const std::uint64_t range = static_cast<std::uint64_t>(rules.high) - low;
    for (auto& value : values) value = static_cast<std::int64_t>(low + random.below(range));
    SecretRandom kinds({rows.size(), 2, 3, 4});
    const std::int64_t dims[] = {2, length};
    of_bool ? vary_bools(values, dims, rules, kinds, random)
            : vary_ints(values, dims, rules, kinds, random);
    rows.emplace_back(values.begin(), values.begin() + length);
    rows.emplace_back(values.begin() + length, values.end());
  }
  return rows;
}

double int_share(const std::vector<Ints>& rows, const std::function<bool(const Ints&)>& of) {
  return static_cast<double>(std::ranges::count_if(rows, of)) / static_cast<double>(rows.size());
}

TEST(int_lines, every_kind_stays_within_the_range) {
  for (const std::string& kind : int_line_kinds()) {
    for (const IntRules& rules : {IntRules{-3, 4, {0}}, IntRules{5, 6}, IntRules{0, 1 << 20},
                                  IntRules{INT64_MIN, INT64_MAX, {7}}}) {
      for (const Ints& row : int_rows(kind, rules, false, 40)) {
        EXPECT_GE(std::ranges::min(row), rules.low) << kind;
        EXPECT_LT(std::ranges::max(row), rules.high) << kind;
      }
    }
  }
}

TEST(int_lines, bags_fall_strictly_repeat_and_are_extreme) {
  const IntRules rules{0, 100000};
  const auto strictly = [](const Ints& row) {
    return std::ranges::adjacent_find(row, std::less_equal<>()) == row.end();
  };
  EXPECT_GT(int_share(int_rows("falling", rules), strictly), 0.3);
  EXPECT_GT(int_share(int_rows("counting", rules), strictly), 0.1);
  const auto triple = [](const Ints& row) {
    for (std::size_t i = 2; i < row.size(); ++i) {
      if (row[i] == row[i - 1] && row[i] == row[i - 2]) return true;
    }
    return false;
  };
  EXPECT_GT(int_share(int_rows("runs", rules), triple), 0.4);
  EXPECT_GT(int_share(int_rows("highest", rules),
                      [](const Ints& row) { return std::ranges::count(row, 99999) == length; }),
            at_least);
  EXPECT_GT(int_share(int_rows("extremes", rules),
                      [](const Ints& row) {
                        return std::ranges::count(row, 99999) > 16 &&
                               std::ranges::count(row, 0) > 16;
                      }),
            at_least);
  EXPECT_GT(int_share(int_rows("few", rules),
                      [](const Ints& row) {
                        return std::set<std::int64_t>(row.begin(), row.end()).size() <= 4;
                      }),
            at_least);
}

TEST(int_lines, masks_have_every_density) {
  const auto rows = int_rows("density", {}, true, 4000);
  // Three of four lines have a share that is uniform in [0, 1].
  int low = 0;
  for (const Ints& row : rows) {
    const auto ones = std::accumulate(row.begin(), row.end(), std::int64_t{0});
    low += ones < static_cast<std::int64_t>(length) / 5 ? 1 : 0;
  }
  EXPECT_NEAR(low, 4000 * 0.75 / 5, 150);
  const auto ones_in = [](std::int64_t least, std::int64_t most) {
    return [=](const Ints& row) {
      const auto ones = std::accumulate(row.begin(), row.end(), std::int64_t{0});
      return ones >= least && ones <= most;
    };
  };
  EXPECT_GT(int_share(int_rows("none", {}, true), ones_in(0, 0)), at_least);
  EXPECT_GT(int_share(int_rows("all", {}, true), ones_in(64, 64)), at_least);
  EXPECT_GT(int_share(int_rows("nearly_none", {}, true), ones_in(1, 8)), 0.2);
  EXPECT_GT(int_share(int_rows("nearly_all", {}, true), ones_in(56, 63)), 0.2);
  EXPECT_GT(int_share(int_rows("one_alone", {}, true), ones_in(1, 1)), 0.15);
}

TEST(int_lines, inputs_with_equal_kinds_get_lines_that_are_alike) {
  SecretRandom random({1, 2, 3, 4});
  const std::int64_t dims[] = {200, 16};
  Ints left(3200, 0), right(3200, 0);
  for (Ints* values : {&left, &right}) {
    for (auto& value : *values) value = static_cast<std::int64_t>(random.below(2));
    SecretRandom kinds({9, 2, 3, 4});
    vary_bools(*values, dims, {.avoid = {"repeated"}}, kinds, random);
  }
  const auto none = [](const Ints& values, std::size_t row) {
    return std::ranges::count(std::span(values).subspan(16 * row, 16), 0) == 16;
  };
  int both = 0, one = 0;
  for (std::size_t row = 0; row < 200; ++row) {
    both += none(left, row) && none(right, row) ? 1 : 0;
    one += none(left, row) != none(right, row) ? 1 : 0;
  }
  EXPECT_GT(both, one);
}

}  // namespace
}  // namespace ke
