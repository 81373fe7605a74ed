#include "fitness/content/generate.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/codec.hpp"
#include "fitness/content/content.hpp"

namespace ke {
namespace {

std::vector<float> floats(const char* input_class, std::size_t count, std::int64_t row,
                          std::uint64_t seed = 1) {
  SecretRandom random({seed, 2, 3, 4});
  std::vector<float> values(count);
  generate_floats(input_class, row, random, values);
  return values;
}

std::vector<std::int32_t> ints(const char* input_class, std::size_t count, std::int64_t low,
                               std::int64_t high) {
  SecretRandom random({1, 2, 3, 4});
  std::vector<std::int32_t> values(count);
  generate_ints(input_class, low, high, random, Dtype::int32,
                std::as_writable_bytes(std::span(values)));
  return values;
}

double moment(const std::vector<float>& values, double power) {
  double sum = 0;
  for (const float value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

TEST(secret_random, seeds_and_lanes_differ_and_equal_seeds_agree) {
  SecretRandom a({1, 2, 3, 4});
  SecretRandom b({1, 2, 3, 4});
  SecretRandom c({1, 2, 3, 5});
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t value = a.bits();
    EXPECT_EQ(value, b.bits());
    seen.insert(value);
    seen.insert(c.bits());
  }
  EXPECT_EQ(seen.size(), 2000u);
}

/// Scalar xoshiro256++ by its authors.
std::uint64_t next(std::array<std::uint64_t, 4>& s) {
  const auto rotl = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
  const std::uint64_t result = rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotl(s[3], 45);
  return result;
}

TEST(secret_random, lanes_are_xoshiro256_plus_plus_from_hashed_states) {
  SecretRandom random({1, 2, 3, 4});
  std::array<std::array<std::uint64_t, 4>, 8> states;
  for (std::size_t lane = 0; lane < 8; ++lane) {
    Encoder out;
    out("secret/1")(lane)(1)(2)(3)(4);
    std::memcpy(&states[lane], out.digest().bytes.data(), 32);
  }
  for (int i = 0; i < 1000; ++i) {
    for (auto& state : states) ASSERT_EQ(random.bits(), next(state)) << i;
  }
}

TEST(secret_random, every_bit_is_fair) {
  SecretRandom random({9, 9, 9, 9});
  std::vector<int> ones(64);
  constexpr int count = 40000;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t value = random.bits();
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(value >> bit & 1);
  }
  for (const int one : ones) EXPECT_NEAR(one, count / 2, 5 * std::sqrt(count / 4.0));
}

TEST(secret_random, two_systems_seeds_differ) {
  auto a = SecretRandom::from_system();
  auto b = SecretRandom::from_system();
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->bits(), b->bits());
}

TEST(secret_random, fill_uses_every_byte_at_any_length) {
  SecretRandom random({1, 2, 3, 4});
  for (std::size_t size : {1u, 7u, 8u, 2047u, 2049u, 10001u}) {
    std::vector<std::byte> all(size);
    for (int round = 0; round < 8; ++round) {
      std::vector<std::byte> bytes(size);
      random.fill_bytes(bytes);
      for (std::size_t i = 0; i < size; ++i) all[i] |= bytes[i];
    }
    EXPECT_EQ(std::count(all.begin(), all.end(), std::byte{0}), 0) << size;
  }
}

TEST(generate, normal_has_the_moments_of_a_normal) {
  const auto values = floats("normal", 1000003, 1000);
  EXPECT_NEAR(moment(values, 1), 0, 0.005);
  EXPECT_NEAR(moment(values, 2), 1, 0.005);
  EXPECT_NEAR(moment(values, 4), 2.86, 0.06);  // four uniforms: 3 - 1.2 / 4, and tails
  const auto beyond = [&](float size) {
    const auto count = std::ranges::count_if(values, [=](float v) { return std::abs(v) > size; });
    return static_cast<double>(count) / 1e6;
  };
  EXPECT_NEAR(beyond(3), 0.0027, 0.0003);  // as of a normal, which has 6.3e-5 beyond 4
  EXPECT_NEAR(beyond(4), 6.3e-5, 4e-5);
  std::set<float> distinct(values.begin(), values.begin() + 10000);
  EXPECT_GT(distinct.size(), 9980u);
}

TEST(generate, normal_uses_the_low_bits_of_the_mantissa) {
  int low_bits = 0;
  const auto values = floats("normal", 10000, 100);
  for (const float value : values) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    low_bits += (bits & 0xff) != 0;
  }
  EXPECT_GT(low_bits, 9500);  // otherwise truncated inputs would go unnoticed
}

TEST(generate, large_is_sixty_times_wider) {
  EXPECT_NEAR(std::sqrt(moment(floats("large", 100000, 100), 2)), 60, 0.6);
}

TEST(generate, tiny_has_normals_of_1e_20_and_subnormals) {
  const auto values = floats("tiny", 100000, 100);
  const auto subnormal =
      std::count_if(values.begin(), values.end(), [](float v) { return std::abs(v) < FLT_MIN; });
  EXPECT_NEAR(static_cast<double>(subnormal), 100000.0 / 16, 400);
  EXPECT_NEAR(std::sqrt(moment(values, 2)) / 1e-20, 1, 0.05);
}

TEST(generate, marks_stand_in_no_elements_in_some_in_half_or_at_the_ends_of_rows) {
  TensorSpec spec;
  spec.dtype = Dtype::int64;
  spec.marks = {-100};
  SecretRandom random({1, 2, 3, 4});
  int none = 0, some = 0, half = 0, ends = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::int64_t> values(64 * 25, 7);
    put_marks(spec, 25, random, std::as_writable_bytes(std::span(values)));
    const auto marks = std::ranges::count(values, -100);
    EXPECT_EQ(marks + std::ranges::count(values, 7), std::ssize(values));
    bool at_ends = marks > 0;
    for (auto row = values.begin(); row != values.end(); row += 25) {
      at_ends = at_ends && std::is_sorted(row, row + 25, std::greater<>());
    }
    none += marks == 0;
    ends += at_ends;
    some += !at_ends && marks > 0 && marks < 200;
    half += !at_ends && marks > 600;
  }
  EXPECT_EQ(none + some + half + ends, 400);
  for (const int count : {none, some, half, ends}) EXPECT_GT(count, 60);
}

TEST(generate, vast_reaches_far_beyond_large) {
  double most = 0;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const auto values = floats("vast", 1000, 100, seed);
    most = std::max(most, std::sqrt(moment(values, 2)));
    for (const float value : values) EXPECT_LT(std::abs(value), 0x1p48f);
  }
  EXPECT_GT(most, 1e9);
}

TEST(generate, nan_inf_has_rows_with_runs_of_low_numbers_beside_usual_ones) {
  const auto values = floats("nan_inf", 4000 * 64, 64);
  int begin = 0, end = 0;
  for (auto row = values.begin(); row != values.end(); row += 64) {
    if (!std::all_of(row, row + 64, [](float v) { return std::isfinite(v); })) continue;
    begin += row[0] < -1000 && row[15] < -1000 && row[63] > -1000;
    end += row[63] < -1000 && row[48] < -1000 && row[0] > -1000;
  }
  for (const int count : {begin, end}) EXPECT_GT(count, 20);
}

TEST(generate, nan_inf_has_runs_from_either_end_and_nans_of_either_sign) {
  const auto values = floats("nan_inf", 2000 * 64, 64);
  int prefixes = 0, suffixes = 0, negative = 0, positive = 0;
  for (auto row = values.begin(); row != values.end(); row += 64) {
    const auto low = [](float v) { return v < -FLT_MAX; };
    prefixes += std::all_of(row, row + 16, low) && std::isfinite(row[63]);
    suffixes += std::all_of(row + 48, row + 64, low) && std::isfinite(row[0]);
    for (auto at = row; at != row + 64; ++at) {
      if (std::isnan(*at)) (std::signbit(*at) ? negative : positive) += 1;
    }
  }
  for (const int count : {prefixes, suffixes, negative, positive}) EXPECT_GT(count, 20);
}

// The error of the variance as E[x^2] - E[x]^2 grows with the square of the mean [Chan1983].
TEST(generate, shifted_has_a_mean_far_from_0_where_sums_are_short) {
  for (const auto& [elements, least, most] :
       {std::tuple(1000, 256.0, 512.0), {262144, 8.0, 16.0}}) {
    const auto values = floats("shifted", elements, 10);
    const double mean = moment(values, 1);
    EXPECT_GE(std::abs(mean), least - 0.1);
    EXPECT_LE(std::abs(mean), most + 0.1);
    double squares = 0;
    for (const float value : values) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(std::sqrt(squares / elements), 1, 0.1);
  }
}

TEST(generate, positive_stays_within_its_bounds) {
  const auto values = floats("positive", 100000, 100);
  EXPECT_GT(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), 2);
  EXPECT_NEAR(moment(values, 1), 1, 0.01);
}

TEST(generate, constant_is_one_value_and_another_next_time) {
  const auto values = floats("constant", 100, 10);
  EXPECT_EQ(std::set<float>(values.begin(), values.end()).size(), 1u);
  EXPECT_NE(values[0], 0);
  EXPECT_NE(values[0], floats("constant", 100, 10, 2)[0]);
}

TEST(generate, one_hot_has_one_element_a_row) {
  const auto values = floats("one_hot", 70, 7);
  for (std::size_t row = 0; row < 10; ++row) {
    EXPECT_EQ(std::count(values.begin() + 7 * row, values.begin() + 7 * row + 7, 0.0f), 6);
  }
}

TEST(generate, sorted_rows_rise_from_end_to_end) {
  const auto values = floats("sorted", 40 * 25, 25);
  for (auto row = values.begin(); row != values.end(); row += 25) {
    EXPECT_TRUE(std::is_sorted(row, row + 25));
    EXPECT_GE(row[0], -4);
    EXPECT_LT(row[0], -2);
    EXPECT_NEAR(row[24], 4, 1e-5);
  }
}

TEST(generate, nan_inf_spoils_some_rows_and_leaves_others) {
  const auto values = floats("nan_inf", 1000 * 20, 20);
  int clean = 0, with_nan = 0, with_inf = 0, with_minus = 0, all_minus = 0;
  for (auto row = values.begin(); row != values.end(); row += 20) {
    clean += std::all_of(row, row + 20, [](float v) { return std::isfinite(v); });
    with_nan += std::any_of(row, row + 20, [](float v) { return std::isnan(v); });
    with_inf += std::any_of(row, row + 20, [](float v) { return v > FLT_MAX; });
    with_minus += std::any_of(row, row + 20, [](float v) { return v < -FLT_MAX; });
    all_minus += std::all_of(row, row + 20, [](float v) { return v < -FLT_MAX; });
  }
  EXPECT_NEAR(clean, 250, 60);
  for (const int count : {with_nan, with_inf, with_minus, all_minus}) EXPECT_GT(count, 50);
}

// A task with a single row must also meet each kind: 5 of 8 contents hold a NaN, 1 of 8 only +inf.
TEST(generate, nan_inf_spoils_every_content_of_one_row) {
  int with_nan = 0, only_plus = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    SecretRandom random({i, 2, 3, 4});
    std::vector<float> values(20);
    generate_floats("nan_inf", 20, random, values);
    const auto count = [&](auto is) { return std::count_if(values.begin(), values.end(), is); };
    const auto nans = count([](float x) { return std::isnan(x); });
    const auto infinities = count([](float x) { return std::isinf(x); });
    EXPECT_GT(nans + infinities, 0);
    with_nan += nans > 0 ? 1 : 0;
    only_plus += nans == 0 && infinities == count([](float x) { return x > FLT_MAX; }) ? 1 : 0;
  }
  EXPECT_NEAR(with_nan, 667, 60);
  EXPECT_NEAR(only_plus, 104, 40);
}

TEST(generate, clustered_rows_rise_in_few_steps_with_equal_values_between) {
  const auto values = floats("clustered", 40 * 250, 250);
  for (auto row = values.begin(); row != values.end(); row += 250) {
    EXPECT_TRUE(std::is_sorted(row, row + 250));
    EXPECT_GE(row[0], -4.0f);
    EXPECT_NEAR(row[249], 4, 1e-5);
    const auto seen = std::set<float>(row, row + 250).size();
    EXPECT_GT(seen, 5u);
    EXPECT_LT(seen, 220u);
  }
}

TEST(generate, huge_lies_near_the_end_of_the_range_and_can_be_doubled) {
  const auto values = floats("huge", 10000, 100);
  EXPECT_GT(*std::ranges::max_element(values), FLT_MAX / 4);
  for (const float value : values) EXPECT_LT(std::abs(value), FLT_MAX / 2);
}

TEST(generate, steps_rise_and_share_values_with_grid) {
  const auto steps = floats("steps", 40 * 250, 250), grid = floats("grid", 1000, 100);
  for (auto row = steps.begin(); row != steps.end(); row += 250)
    EXPECT_TRUE(std::is_sorted(row, row + 250));
  const std::set<float> levels(steps.begin(), steps.end());
  EXPECT_LE(levels.size(), 33u);
  EXPECT_TRUE(std::ranges::all_of(grid, [&](float value) { return levels.contains(value); }));
}

TEST(generate, tiny_sorted_rows_rise_within_the_subnormal_numbers) {
  const auto values = floats("tiny_sorted", 40 * 250, 250);
  for (auto row = values.begin(); row != values.end(); row += 250)
    EXPECT_TRUE(std::is_sorted(row, row + 250));
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 9000u);
  for (const float value : values) EXPECT_LE(std::abs(value), FLT_MIN);
}

TEST(generate, positive_nan_inf_has_no_negative_number_beside_minus_infinity) {
  const auto values = floats("positive_nan_inf", 1000 * 20, 20);
  int spoilt = 0;
  for (const float value : values) {
    EXPECT_TRUE(!std::isfinite(value) || value > 0);
    spoilt += !std::isfinite(value);
  }
  EXPECT_GT(spoilt, 500);
}

TEST(generate, wide_lies_between_normal_and_large) {
  EXPECT_NEAR(std::sqrt(moment(floats("wide", 100000, 100), 2)), 8, 0.1);
}

TEST(generate, masked_has_rows_of_every_density_of_zeros_and_minus_infinity) {
  const auto values = floats("masked", 1000 * 20, 20);
  int none = 0, all = 0, few = 0;
  for (auto row = values.begin(); row != values.end(); row += 20) {
    const auto zeros = std::count(row, row + 20, 0.0F);
    EXPECT_EQ(zeros + std::count(row, row + 20, -INFINITY), 20);
    none += zeros == 0 ? 1 : 0;
    all += zeros == 20 ? 1 : 0;
    few += zeros > 0 && zeros < 4 ? 1 : 0;
  }
  for (const int count : {none, all, few}) EXPECT_GT(count, 20);
}

TEST(generate, every_class_serves_rows_of_one_and_a_cut_last_row) {
  for (const std::string& name : classes_of(Dtype::float32)) {
    EXPECT_EQ(floats(name.c_str(), 1, 1).size(), 1u);
    const auto cut = floats(name.c_str(), 11, 4);
    if (!name.ends_with("nan_inf") && name != "masked") {
      for (const float value : cut) EXPECT_TRUE(std::isfinite(value)) << name;
    }
  }
}

TEST(generate, ints_stay_in_range) {
  for (const std::string& name : classes_of(Dtype::int32)) {
    for (const std::int64_t high : {-4, 0, 90, 100000}) {
      const auto values = ints(name.c_str(), 5000, -5, high);
      EXPECT_GE(*std::min_element(values.begin(), values.end()), -5) << name;
      EXPECT_LT(*std::max_element(values.begin(), values.end()), high) << name;
    }
  }
}

TEST(generate, int_classes_have_their_shapes) {
  std::map<std::int32_t, int> uniform, zipf;
  for (const auto value : ints("uniform", 100000, 0, 10)) ++uniform[value];
  for (const auto value : ints("zipf", 100000, 0, 1000)) ++zipf[value];
  for (const auto& [value, count] : uniform) EXPECT_NEAR(count, 10000, 500) << value;
  // P(v) = log((v + 2) / (v + 1)) / log(1001)
  EXPECT_NEAR(zipf[0], 1e5 * std::log(2.0) / std::log(1001.0), 500);
  EXPECT_NEAR(zipf[9], 1e5 * std::log(11.0 / 10) / std::log(1001.0), 250);
  EXPECT_EQ(ints("sequential", 5, 3, 6), (std::vector<std::int32_t>{3, 4, 5, 3, 4}));
  const auto constant = ints("constant", 50, 0, 1 << 30);
  EXPECT_EQ(std::set<std::int32_t>(constant.begin(), constant.end()).size(), 1u);
}

// The parts of a large tensor are drawn side by side.
TEST(generate, a_large_tensor_is_the_same_on_any_number_of_processors) {
  constexpr std::size_t parts = 3, part = std::size_t{1} << 24;
  const std::size_t count = parts * part - 5;
  for (const char* const name : {"normal", "positive"}) {
    const auto all = floats(name, count, 64);
    cpu_set_t usual, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof usual, &usual), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const auto alone = floats(name, count, 64);
    ASSERT_EQ(sched_setaffinity(0, sizeof usual, &usual), 0);
    EXPECT_TRUE(all == alone) << name;
    EXPECT_FALSE(std::equal(all.begin(), all.begin() + part, all.begin() + part)) << name;
    const double mean = moment(all, 1), wanted = std::string_view(name) == "normal" ? 0 : 1;
    EXPECT_NEAR(mean, wanted, 5 / std::sqrt(static_cast<double>(count))) << name;
  }
}

TEST(poison, is_finite_plausible_and_new_each_time) {
  SecretRandom random({1, 2, 3, 4});
  std::vector<float> first(5001), second(5001);
  poison(Dtype::float32, random, std::as_writable_bytes(std::span(first)));
  poison(Dtype::float32, random, std::as_writable_bytes(std::span(second)));
  int negative = 0, same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_GE(std::abs(first[i]), 0x1p-4f);
    EXPECT_LT(std::abs(first[i]), 16);
    negative += first[i] < 0;
    same += first[i] == second[i];
  }
  EXPECT_NEAR(negative, 2500, 200);
  EXPECT_LE(same, 1);
}

}  // namespace
}  // namespace ke
