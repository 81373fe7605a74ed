#include "fitness/content/special_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace ke {
namespace {

using testing::Each;

constexpr std::size_t length = 8;

/// Values 1, -2, 3, -4, ...: all distinct and unsorted.
std::vector<double> alternating(std::size_t rows) {
  std::vector<double> values(rows * length);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i + 1) * (i % 2 == 0 ? 1.0 : -1.0);
  }
  return values;
}

/// Counts how often each kind occurred, with the last values of each.
std::map<std::string, std::vector<double>> kinds_of(std::size_t count, const SpecialRows& rows) {
  SecretRandom random({1, 2, 3, 4});
  std::map<std::string, std::vector<double>> kinds;
  for (int i = 0; i < 200; ++i) {
    auto values = alternating(count);
    const std::string kind = make_special(values, rows, random);
    kinds[kind] = values;
  }
  return kinds;
}

std::vector<std::size_t> changed_rows(const std::vector<double>& values) {
  const auto before = alternating(values.size() / length);
  std::vector<std::size_t> rows;
  for (std::size_t at = 0; at < values.size(); at += length) {
    const auto from = static_cast<std::ptrdiff_t>(at);
    if (!std::equal(values.begin() + from, values.begin() + from + length, before.begin() + from)) {
      rows.push_back(at / length);
    }
  }
  return rows;
}

TEST(special_row, every_kind_comes_and_changes_one_row) {
  const std::vector<double> elsewhere = {1000, 2000, 3000};
  auto kinds = kinds_of(5, {length, true, elsewhere});
  EXPECT_EQ(kinds.size(), 8u);
  for (const auto& [kind, values] : kinds) {
    EXPECT_EQ(changed_rows(values).size(), kind == "small values" ? 5u : 1u) << kind;
  }
  EXPECT_EQ(std::ranges::count(kinds["a row of zeros"], 0.0), 8);
  const auto& equals = kinds["a row of equals"];
  const auto at = static_cast<std::ptrdiff_t>(changed_rows(equals)[0] * length);
  EXPECT_THAT(std::vector(equals.begin() + at, equals.begin() + at + length),
              Each(equals[static_cast<std::size_t>(at)]));
  EXPECT_GT(
      std::ranges::count_if(kinds["elements of other inputs"], [](double v) { return v >= 1000; }),
      0);
}

TEST(special_row, a_nearly_sorted_row_holds_the_same_elements) {
  auto values = kinds_of(5, {length, false, {}})["a nearly sorted row"];
  auto before = alternating(5);
  std::ranges::sort(values);
  std::ranges::sort(before);
  EXPECT_EQ(values, before);
}

TEST(special_row, small_values_are_exact_powers_of_two_smaller) {
  const auto values = kinds_of(5, {length, false, {}})["small values"];
  const auto before = alternating(5);
  const double factor = double{before[0]} / values[0];
  EXPECT_EQ(std::exp2(std::round(std::log2(factor))), factor);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i] * factor, before[i]);
}

TEST(special_row, equals_twins_and_loans_only_where_they_can_be) {
  const auto kinds = kinds_of(1, {length, false, {}});
  EXPECT_EQ(kinds.size(), 4u);
  EXPECT_FALSE(kinds.contains("a row of equals") || kinds.contains("a row nearly twice") ||
               kinds.contains("elements of other inputs"));
}

}  // namespace
}  // namespace ke
