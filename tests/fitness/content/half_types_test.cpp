// Contents and comparison of float16 and bfloat16 tensors.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fitness/content/admit.hpp"
#include "fitness/content/compare.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/generate.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

class Half : public testing::TestWithParam<Dtype> {
 protected:
  std::vector<float> values(const std::string& input_class, std::size_t count, std::int64_t row) {
    SecretRandom random({1, 2, 3, 4});
    std::vector<float> made(count);
    generate_floats(input_class, row, random, made, GetParam());
    return made;
  }
  double epsilon() const { return format_of(GetParam()).epsilon; }
};

INSTANTIATE_TEST_SUITE_P(content, Half, testing::Values(Dtype::float16, Dtype::bfloat16),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(Half, classes_hold_values_of_the_type_alone) {
  for (const std::string& name : classes_of(GetParam())) {
    std::vector<std::byte> bytes(2 * 4000);
    const auto made = values(name, 4000, 100);
    narrow_all(GetParam(), made, bytes.data());
    const auto back = widened_all(GetParam(), bytes);
    for (std::size_t i = 0; i < made.size(); ++i) {
      ASSERT_TRUE(made[i] == back[i] || std::isnan(made[i])) << name << " " << made[i];
      ASSERT_TRUE(std::isfinite(made[i]) || name.ends_with("nan_inf") || name == "masked") << name;
    }
  }
}

TEST_P(Half, tiny_holds_normal_numbers_and_one_subnormal_in_16) {
  const FloatFormat format = format_of(GetParam());
  const auto made = values("tiny", 32000, 100);
  const auto subnormal = std::ranges::count_if(
      made, [&](float value) { return value != 0 && std::abs(value) < format.least_normal; });
  // Float16's N(0, 2^-20) itself has slightly more values near zero: 5 %.
  EXPECT_GT(subnormal, 1700);
  EXPECT_LT(subnormal, 4200);
}

TEST(overflow, is_a_class_of_float16_near_the_end_of_its_range_in_half_of_the_rows) {
  SecretRandom random({1, 2, 3, 4});
  std::vector<float> values(64 * 1000);
  generate_floats("overflow", 64, random, values, Dtype::float16);
  int rows = 0;
  for (std::size_t at = 0; at < values.size(); at += 64) {
    const auto line = std::span(values).subspan(at, 64);
    const auto large = std::ranges::count_if(line, [](float v) { return std::abs(v) >= 0x1p15f; });
    EXPECT_LE(large, 4);
    rows += large > 0;
  }
  EXPECT_NEAR(rows, 500, 80);
  EXPECT_LE(std::abs(*std::ranges::max_element(values)), 65504);
  EXPECT_EQ(std::ranges::count(classes_of(Dtype::bfloat16), "overflow"), 0);
}

TEST_P(Half, sorted_and_clustered_rows_never_fall) {
  for (const std::string name : {"sorted", "clustered"}) {
    const auto made = values(name, 40 * 250, 250);
    for (auto row = made.begin(); row != made.end(); row += 250) {
      EXPECT_TRUE(std::is_sorted(row, row + 250)) << name;
      EXPECT_GE(row[0], -4) << name;
      EXPECT_EQ(row[249], 4) << name;
    }
  }
}

TEST_P(Half, poison_is_moderate_and_new_each_time) {
  SecretRandom random({1, 2, 3, 4});
  std::vector<std::byte> first(2 * 5001), second(2 * 5001);
  poison(GetParam(), random, first);
  poison(GetParam(), random, second);
  EXPECT_NE(first, second);
  const auto made = widened_all(GetParam(), first);
  for (const double value : made) {
    ASSERT_GE(std::abs(value), 0x1p-4);
    ASSERT_LT(std::abs(value), 0x1p4);
  }
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(made, [](double v) { return v < 0; })),
              2500, 200);
}

/// A content with given expected values, to test the rule alone.
struct GivenHalves : sample::Given {
  GivenHalves(Dtype of, const std::vector<double>& expected, const std::string& from = "transforms",
              const std::string& to = "transforms")
      : Given(sample::replaced(sample::half_matvec_text(std::string(to_string(of))), from, to),
              {{"rows", static_cast<std::int64_t>(expected.size())}, {"cols", 1}}, expected),
        dtype(of) {}
  bool accepts(std::vector<float> got) const {
    std::vector<std::byte> bytes(2 * got.size());
    narrow_all(dtype, got, bytes.data());
    const std::byte* output = bytes.data();
    return !compare(fresh, {&output, 1});
  }
  Dtype dtype;
};

TEST_P(Half, neighbours_of_the_rounded_value_are_right_whatever_the_tolerance) {
  SecretRandom random({5, 6, 7, 8});
  std::vector<double> expected(4000);
  // Values across one binade, including its ends.
  for (double& value : expected) value = (1 + random.uniform()) * 0x1p-3;
  expected[0] = 0x1p-3 * (1 - epsilon() / 4 + 1e-12);
  expected[1] = 0x1p-3 * (1 + epsilon() / 2 - 1e-12);
  const GivenHalves given(GetParam(), expected,
                          "relative: 1.0e-4, relative_l2: 1.0e-5, scale: 1.0e-4",
                          "relative: 0.0, relative_l2: 0.0");
  for (const int ulps : {-1, 0, 1}) {
    std::vector<float> got;
    for (const double value : expected) {
      const std::uint16_t bits = narrowed(GetParam(), static_cast<float>(value));
      got.push_back(widened(GetParam(), static_cast<std::uint16_t>(bits + ulps)));
    }
    EXPECT_TRUE(given.accepts(got)) << ulps;
  }
  std::vector<float> got(expected.begin(), expected.end());
  for (const double ulps : {-3.0, 3.0}) {
    got[7] = static_cast<float>(expected[7] * (1 + ulps * epsilon()));
    EXPECT_FALSE(given.accepts(got)) << ulps;
  }
}

TEST_P(Half, rounding_uses_nothing_of_the_tolerance) {
  const GivenHalves given(GetParam(), {1 + epsilon() / 3, 2 - epsilon() / 3});
  const sample::Outputs outputs(given.fresh);
  const auto pointers = outputs.pointers();
  // Norm: each element has an error of a third of epsilon, and 1.5 is allowed.
  EXPECT_LT(worst_ratio(given.fresh, pointers), 0.25);
}

TEST(float16, results_beyond_the_range_may_be_infinite_and_no_others) {
  const GivenHalves given(Dtype::float16, {65503, 70000, -1e6, 3000});
  EXPECT_TRUE(given.accepts({65504, infinity, -infinity, 3000}));
  EXPECT_TRUE(given.accepts({infinity, infinity, -infinity, 3000}));  // one ulp from 65504
  EXPECT_FALSE(given.accepts({65504, infinity, -infinity, infinity}));
  EXPECT_FALSE(given.accepts({65504, -infinity, -infinity, 3000}));
  EXPECT_FALSE(given.accepts({65504, infinity, -65504, 3000}));  // saturated
  EXPECT_EQ(given.fresh.entry->facts[0].clean[0], 0);
}

TEST(float16, nan_and_infinity_are_asked_for_where_the_task_propagates) {
  const GivenHalves given(Dtype::float16, {no_number, infinity, 1}, "transforms",
                          "nonfinite: propagate, transforms");
  EXPECT_TRUE(given.accepts({no_number, infinity, 1}));
  EXPECT_FALSE(given.accepts({0, infinity, 1}));
  EXPECT_FALSE(given.accepts({no_number, 65504, 1}));
}

TEST(float16, the_floor_is_of_its_own_subnormals_which_nothing_flushes) {
  for (const std::string subnormals : {"exact", "flush"}) {
    const GivenHalves given(Dtype::float16, {0x1p-15, 1}, "scale: 1.0e-4}",
                            "scale: 0}, subnormals: " + subnormals);
    EXPECT_FALSE(given.accepts({0, 1}));
    EXPECT_TRUE(given.accepts({0x1p-15f + 0x1p-24f, 1}));
  }
}

TEST(bfloat16, results_below_its_least_normal_number_may_be_flushed) {
  for (const bool exact : {false, true}) {
    const GivenHalves given(Dtype::bfloat16, {0x1p-127, 0x1p-100}, "scale: 1.0e-4}",
                            exact ? "scale: 0}, subnormals: exact" : "scale: 0}");
    EXPECT_EQ(given.accepts({0, 0x1p-100f}), !exact);
  }
}

TEST_P(Half, fresh_contents_are_exact_images_of_their_entry) {
  sample::Pool p(
      sample::half_matvec_text(std::string(to_string(GetParam())), "normal, tiny, large, one_hot"),
      {{"rows", 5}, {"cols", 6}}, {.entries = 4, .cases = {}});
  int scaled_ones = 0;
  for (int i = 0; i < 200; ++i) {
    const FreshContent fresh = i % 4 == 0 ? p.pool.edited(p.pool.fresh()) : p.pool.fresh();
    const auto inputs = sample::inputs_of(fresh);
    ASSERT_EQ(inputs[0].size(), 2u * 5 * 6);
    scaled_ones += std::abs(fresh.input_factors[0]) != 1;
    // The expected values equal the products of the kernel's inputs in double precision.
    const auto a = widened_all(GetParam(), inputs[0]), x = widened_all(GetParam(), inputs[1]);
    const auto expected = expected_outputs(fresh)[0];
    for (std::size_t r = 0; r < 5; ++r) {
      double sum = 0, size = 0;
      for (std::size_t c = 0; c < 6; ++c) {
        sum += double{a[r * 6 + c]} * double{x[c]};
        size += std::abs(double{a[r * 6 + c]} * double{x[c]});
      }
      ASSERT_NEAR(expected[r], sum, 1e-14 * size);
    }
    std::vector<const std::byte*> seen{inputs[0].data(), inputs[1].data()};
    EXPECT_TRUE(inputs_intact(fresh, seen));
    auto changed = inputs[0];
    changed[17] ^= std::byte{1};
    seen[0] = changed.data();
    EXPECT_FALSE(inputs_intact(fresh, seen));
    EXPECT_FALSE(compare(fresh, sample::Outputs(fresh).pointers()));
  }
  EXPECT_GT(scaled_ones, 20);
}

TEST_P(Half, a_chain_of_edits_stays_in_range_but_for_a_nan_and_an_infinity_at_its_end) {
  const std::string text =
      sample::half_matvec_text(std::string(to_string(GetParam())), "normal, nan_inf");
  sample::Pool p(sample::replaced(text, "transforms", "nonfinite: propagate, transforms"),
                 {{"rows", 5}, {"cols", 6}}, {.entries = 1, .cases = {0}});
  p.pool.renew_edits(12);  // each is larger than all before: some reach the end of float16's range
  ASSERT_EQ(p.pool.edit_chain().size(), 15u);
  int nans = 0, infinities = 0;
  for (const FreshContent& one : p.pool.edit_chain()) {
    for (const auto& input : sample::inputs_of(one)) {
      const auto made = widened_all(GetParam(), input);
      nans += std::ranges::any_of(made, [](float value) { return std::isnan(value); });
      infinities += std::ranges::any_of(made, [](float value) { return std::isinf(value); });
    }
    EXPECT_FALSE(compare(one, sample::Outputs(one).pointers()));
  }
  EXPECT_EQ(nans, 1);
  EXPECT_EQ(infinities, 1);
}

TEST_P(Half, trivial_kernels_do_not_survive) {
  sample::Pool p(sample::half_matvec_text(std::string(to_string(GetParam()))),
                 {{"rows", 64}, {"cols", 128}});
  const std::vector<FreshContent> contents{p.pool.fresh(), p.pool.fresh()};
  EXPECT_TRUE(sample::trivial_survivors(p.task, contents).empty());
}

}  // namespace
}  // namespace ke
