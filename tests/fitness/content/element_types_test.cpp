// Contents and comparison of tensors of int64, int8, uint8, bool and float64.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "fitness/content/admit.hpp"
#include "fitness/content/compare.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/generate.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr std::size_t sum = 0, y = 1, high = 2, less = 3;

std::vector<std::int64_t> drawn(Dtype dtype, const char* input_class, std::int64_t low,
                                std::int64_t one_past_high, std::size_t count = 4000) {
  SecretRandom random({1, 2, 3, 4});
  std::vector<std::byte> bytes(count * bytes_of(dtype));
  generate_ints(input_class, low, one_past_high, random, dtype, bytes);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(int_at(dtype, bytes.data(), i));
  return values;
}

TEST(IntegerClasses, fill_the_range_of_each_width) {
  for (const auto& [dtype, low, end] :
       {std::tuple{Dtype::int8, std::int64_t{-128}, std::int64_t{128}},
        {Dtype::uint8, 0, 256},
        {Dtype::boolean, 0, 2}}) {
    for (const std::string& name : classes_of(dtype)) {
      const auto values = drawn(dtype, name.c_str(), low, end);
      EXPECT_GE(std::ranges::min(values), low) << name;
      EXPECT_LT(std::ranges::max(values), end) << name;
      if (name != "uniform") continue;
      EXPECT_EQ(std::ranges::min(values), low);
      EXPECT_EQ(std::ranges::max(values), end - 1);
    }
  }
}

TEST(IntegerClasses, of_int64_reach_from_end_to_end) {
  for (const char* name : {"uniform", "zipf", "constant", "sequential"}) {
    const auto values = drawn(Dtype::int64, name, INT64_MIN, INT64_MAX);
    if (std::string_view(name) != "uniform") continue;
    EXPECT_LT(std::ranges::min(values), INT64_MIN / 8 * 7);
    EXPECT_GT(std::ranges::max(values), INT64_MAX / 8 * 7);
  }
  EXPECT_EQ(drawn(Dtype::int64, "sequential", INT64_MIN, INT64_MAX, 3)[2], INT64_MIN + 2);
}

TEST(IntegerClasses, of_bool_are_uniform_and_constant) {
  EXPECT_THAT(classes_of(Dtype::boolean), UnorderedElementsAre("uniform", "constant"));
}

TEST(DoubleClasses, hold_figures_that_float_does_not) {
  for (const std::string& name : classes_of(Dtype::float64)) {
    SecretRandom random({1, 2, 3, 4});
    std::vector<double> values(4000);
    generate_doubles(name, 50, random, values);
    const auto in_float = std::ranges::count_if(values, [](double v) {
      return std::isnan(v) || static_cast<double>(static_cast<float>(v)) == v;
    });
    const bool few_values =
        name == "grid" || name == "steps" || name == "one_hot" || name == "masked";
    EXPECT_EQ(in_float > 2000, few_values) << name << " " << in_float;
    for (const double value : values)
      ASSERT_TRUE(std::isfinite(value) || name.ends_with("nan_inf") || name == "masked") << name;
  }
}

TEST(DoubleClasses, reach_for_the_ends_of_the_range) {
  SecretRandom random({1, 2, 3, 4});
  std::vector<double> values(4000);
  generate_doubles("huge", 50, random, values);
  EXPECT_GT(std::ranges::max(values), DBL_MAX / 8);
  generate_doubles("tiny", 50, random, values);
  const auto subnormal =
      std::ranges::count_if(values, [](double v) { return v != 0 && std::abs(v) < DBL_MIN; });
  EXPECT_NEAR(static_cast<double>(subnormal), 250, 60);
}

TEST(Poison, of_float64_is_moderate) {
  SecretRandom random({1, 2, 3, 4});
  std::vector<std::byte> bytes(8 * 5001);
  poison(Dtype::float64, random, bytes);
  for (const double value : widened_all(Dtype::float64, bytes)) {
    ASSERT_GE(std::abs(value), 0x1p-4);
    ASSERT_LT(std::abs(value), 0x1p4);
  }
}

TEST(MixedTypes, the_oracle_sees_each_type_and_its_answers_are_right) {
  sample::Pool p(sample::mixed_text(), {{"n", 1009}}, {.entries = 4});
  for (int i = 0; i < 40; ++i) {
    const FreshContent content = i % 2 == 0 ? p.pool.fresh() : p.pool.edited(p.pool.fresh());
    const sample::Outputs outputs(content);
    const auto mismatch = compare(content, outputs.pointers());
    ASSERT_FALSE(mismatch) << mismatch->text();
    EXPECT_EQ(worst_ratio(content, outputs.pointers()), 0);
    EXPECT_FALSE(spot_compare(content, outputs.pointers(), 17));
    const auto inputs = sample::inputs_of(content);
    std::int64_t total = 0;
    for (std::size_t k = 0; k < 1009; ++k) {
      const std::int64_t kept = int_at(Dtype::boolean, inputs[2].data(), k);
      ASSERT_TRUE(kept == 0 || kept == 1);
      if (kept == 1) total += int_at(Dtype::int64, inputs[0].data(), k);
    }
    ASSERT_EQ(int_at(Dtype::int64, outputs.bytes[sum].data(), 0), total);
  }
}

TEST(MixedTypes, one_wrong_bit_is_wrong_and_is_quoted_in_full) {
  sample::Pool p(sample::mixed_text(), {{"n", 1009}}, {.entries = 3, .cases = {2}});
  const FreshContent content = p.pool.fresh();
  for (const std::size_t output : {sum, high, less, std::size_t{4}}) {
    sample::Outputs outputs(content);
    outputs.bytes[output].back() ^= output == sum ? std::byte{0x80} : std::byte{1};
    const auto mismatch = compare(content, outputs.pointers());
    ASSERT_TRUE(mismatch) << output;
    EXPECT_EQ(mismatch->count, 1);
    EXPECT_TRUE(spot_compare(content, outputs.pointers(), 17));
  }
  sample::Outputs outputs(content);
  const std::int64_t right = content.entry->integers[sum][0];
  put_int(Dtype::int64, outputs.bytes[sum].data(), 0, right + 1);
  EXPECT_THAT(compare(content, outputs.pointers())->text(),
              HasSubstr(std::string("[0] got ") + std::to_string(right + 1) + " want " +
                        std::to_string(right)));
}

TEST(MixedTypes, float64_is_compared_in_double_precision) {
  sample::Pool p(sample::mixed_text(), {{"n", 1009}}, {.entries = 3, .cases = {0}});
  const FreshContent content = p.pool.fresh();
  sample::Outputs outputs(content);
  auto* values = reinterpret_cast<double*>(outputs.bytes[y].data());
  double& largest = *std::max_element(values, values + 1009,
                                      [](double p, double q) { return std::abs(p) < std::abs(q); });
  const double right = largest;
  largest = right * (1 + 5e-15);
  EXPECT_FALSE(compare(content, outputs.pointers()));
  largest = right * (1 + 1e-13);
  EXPECT_TRUE(compare(content, outputs.pointers()));
  largest = static_cast<double>(static_cast<float>(right));
  const auto mismatch = compare(content, outputs.pointers());
  ASSERT_TRUE(mismatch);
  EXPECT_NE(mismatch->first[0].got, mismatch->first[0].want);
  EXPECT_NE(mismatch->text().find(fmt::format("want {:.17g}", right)), std::string::npos);
}

TEST(MixedTypes, a_scale_multiplies_the_inputs_values) {
  sample::Pool p(sample::mixed_text(), {{"n", 3}}, {.entries = 8});
  for (const auto& entry : p.pool.entries()) {
    const double bias = widened_all(Dtype::float64, entry->inputs[5])[0];
    EXPECT_LT(std::abs(bias), 4 * 0x1p-10);
    EXPECT_NE(bias, 0);
  }
}

TEST(Scale, keeps_what_is_finite_finite_and_what_is_not_as_it_is) {
  const std::string text = sample::replaced(
      sample::softmax_text(),
      "classes: [normal, large, tiny, positive, constant, one_hot, sorted, nan_inf]",
      "scale: 1099511627776, classes: [huge, nan_inf]");
  sample::Pool p(text, {{"rows", 20}, {"cols", 50}}, {.entries = 4, .cases = {0, 1}});
  for (const auto& entry : p.pool.entries()) {
    const auto values = widened_all(Dtype::float32, entry->inputs[0]);
    const bool huge = entry->label.find("huge") != std::string::npos;
    EXPECT_EQ(std::ranges::all_of(values, [](double v) { return std::isfinite(v); }), huge);
    EXPECT_GT(entry->magnitudes[0].most, 0x1p38);
  }
}

/// y = a x in float64, with given expected values.
struct GivenDoubles : sample::Given {
  static constexpr const char* usual =
      "tolerance: {relative: 1.0e-4, relative_l2: 1.0e-5, scale: 1.0e-4}";
  explicit GivenDoubles(const std::vector<double>& expected, const std::string& tolerance = usual)
      : Given(sample::replaced(sample::half_matvec_text("float64"), usual, tolerance),
              {{"rows", static_cast<std::int64_t>(expected.size())}, {"cols", 1}}, expected) {}
  bool accepts(const std::vector<double>& got) const {
    const std::byte* output = reinterpret_cast<const std::byte*>(got.data());
    return !compare(fresh, {&output, 1});
  }
};

TEST(Float64, squares_beyond_the_range_leave_the_rule_as_it_is) {
  for (const double size : {1e-300, 1e-170, 1.0, 1e170, 1e300}) {
    const GivenDoubles given({size, -2 * size, 3 * size, size});
    EXPECT_TRUE(given.accepts({size, -2 * size, 3 * size, size})) << size;
    EXPECT_TRUE(given.accepts({size * (1 + 1e-6), -2 * size, 3 * size, size})) << size;
    EXPECT_FALSE(given.accepts({size * 1.01, -2 * size, 3 * size, size})) << size;
    const std::vector<double> over_norm = {size, -2 * size, 3 * size * (1 + 8e-5), size};
    EXPECT_FALSE(given.accepts(over_norm)) << size;
  }
}

TEST(Float64, results_below_4_dbl_min_may_be_flushed) {
  EXPECT_TRUE(GivenDoubles({2 * DBL_MIN, 1}).accepts({0, 1}));
  const std::string tight = "tolerance: {relative: 1.0e-4, relative_l2: 1.0e-5}";
  EXPECT_TRUE(GivenDoubles({2 * DBL_MIN, 1}, tight).accepts({0, 1}));
  EXPECT_FALSE(GivenDoubles({FLT_MIN, 1}, tight).accepts({0, 1}));
  EXPECT_FALSE(GivenDoubles({2 * DBL_MIN, 1}, tight + ", subnormals: exact").accepts({0, 1}));
}

TEST(Float64, trivial_outputs_of_the_mixed_task_do_not_pass) {
  sample::Pool p(sample::mixed_text(), {{"n", 1009}}, {.entries = 3});
  std::vector<FreshContent> contents = {p.pool.fresh(), p.pool.new_draw(0), p.pool.new_draw(2)};
  EXPECT_TRUE(sample::trivial_survivors(p.task, contents).empty());
}

TEST(Float64, fresh_contents_are_exact_images_of_their_entry) {
  sample::Pool p(sample::half_matvec_text("float64", "normal, tiny, large, one_hot"),
                 {{"rows", 5}, {"cols", 6}}, {.entries = 4});
  int scaled_ones = 0;
  for (int i = 0; i < 200; ++i) {
    const FreshContent fresh = i % 4 == 0 ? p.pool.edited(p.pool.fresh()) : p.pool.fresh();
    const auto inputs = sample::inputs_of(fresh);
    std::vector<const std::byte*> pointers;
    for (const auto& input : inputs) pointers.push_back(input.data());
    EXPECT_TRUE(inputs_intact(fresh, pointers));
    scaled_ones += std::abs(fresh.input_factors[0]) != 1;
    const auto a = widened_all(Dtype::float64, inputs[0]),
               x = widened_all(Dtype::float64, inputs[1]);
    const auto expected = expected_outputs(fresh)[0];
    for (std::size_t r = 0; r < 5; ++r) {
      double total = 0, size = 0;
      for (std::size_t c = 0; c < 6; ++c) {
        total += a[r * 6 + c] * x[c];
        size += std::abs(a[r * 6 + c] * x[c]);
      }
      ASSERT_NEAR(expected[r], total, 1e-14 * size + DBL_MIN);
    }
  }
  EXPECT_GT(scaled_ones, 50);
}

TEST(Float64, varied_lines_come_in_double_precision) {
  sample::Pool p(sample::half_matvec_text("float64"), {{"rows", 5}, {"cols", 6}}, {.entries = 1});
  int beyond_single = 0;
  for (int i = 0; i < 40; ++i) {
    const auto bytes = sample::inputs_of(p.pool.varied())[0];
    for (const double value : widened_all(Dtype::float64, bytes)) {
      beyond_single += static_cast<double>(static_cast<float>(value)) != value ? 1 : 0;
    }
  }
  EXPECT_GT(beyond_single, 400);
}

}  // namespace
}  // namespace ke
