#include "fitness/content/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>

#include "fitness/content/content.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using sample::Outputs;
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

using sample::replaced;

std::optional<Mismatch> compared(const FreshContent& fresh, const std::vector<float>& got) {
  const std::byte* output = reinterpret_cast<const std::byte*>(got.data());
  return compare(fresh, {&output, 1});
}

struct Given : sample::Given {
  Given(const std::string& text, std::int64_t rows, std::int64_t cols, std::vector<double> expected,
        bool drawn = false)
      : sample::Given(text, {{"rows", rows}, {"cols", cols}}, std::move(expected), drawn) {}
  bool accepts(const std::vector<float>& got) const { return !compared(fresh, got); }
  Mismatch mismatch(const std::vector<float>& got) const { return compared(fresh, got).value(); }
  /// The content as one that has an edited element.
  FreshContent edited() const {
    auto content = std::make_shared<Content>(*fresh.entry);
    content->label = "x: normal, edited";
    return untransformed(content);
  }
};

/// rows x cols values that no transform maps to each other.
std::vector<double> ramp(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 1 + static_cast<double>(i % 97) / 8;
  return values;
}
std::vector<float> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

TEST(compare, accepts_the_rounded_expected_values_at_every_length) {
  for (std::int64_t cols = 1; cols <= 67; ++cols) {
    const Given given(sample::softmax_text(), 3, cols, ramp(static_cast<std::size_t>(3 * cols)));
    EXPECT_TRUE(given.accepts(rounded(ramp(static_cast<std::size_t>(3 * cols))))) << cols;
  }
}

TEST(compare, rejects_one_wrong_element_wherever_it_stands) {
  for (const std::size_t cols : {1u, 3u, 4u, 5u, 8u, 11u}) {
    const Given given(sample::softmax_text(), 2, static_cast<std::int64_t>(cols), ramp(2 * cols));
    for (std::size_t i = 0; i < 2 * cols; ++i) {
      for (const float factor : {1.05f, 0.95f, 0.0f, -1.0f}) {
        auto got = rounded(ramp(2 * cols));
        got[i] *= factor;
        EXPECT_FALSE(given.accepts(got)) << cols << " " << i << " " << factor;
      }
      for (const float special : {nan, inf, -inf}) {
        auto got = rounded(ramp(2 * cols));
        got[i] = special;
        EXPECT_FALSE(given.accepts(got)) << cols << " " << i << " " << special;
      }
    }
  }
}

TEST(compare, tolerance_is_relative_plus_row_scale) {
  // One element of 1 among zeros: rms 0.5, so the tolerance is 2e-5 + 5e-7 at the 1 and 5e-7 at a
  // zero.
  const Given given(replaced(sample::softmax_text(), "relative_l2: 1.0e-5", "relative_l2: 0.1"), 1,
                    4, {1, 0, 0, 0});
  EXPECT_TRUE(given.accepts({1 + 2.02e-5f, 0, 0, 0}));
  EXPECT_FALSE(given.accepts({1 + 2.08e-5f, 0, 0, 0}));
  EXPECT_TRUE(given.accepts({1, 4.9e-7f, 0, 0}));
  EXPECT_FALSE(given.accepts({1, 5.1e-7f, 0, 0}));
}

TEST(compare, tolerance_is_16_times_as_large_at_shapes_that_stand_in_no_list) {
  // relative 2e-5, scale 1e-6, rms 1: a listed shape allows an error of 2.1e-5.
  const std::vector<double> expected(4096, 1.0);
  const auto accepts = [&](bool drawn, double error) {
    const Given given(sample::softmax_text(), 1, 4096, expected, drawn);
    std::vector<float> got = rounded(expected);
    got[7] += static_cast<float>(error);
    return given.accepts(got);
  };
  EXPECT_TRUE(accepts(false, 2.0e-5));
  EXPECT_FALSE(accepts(false, 2.3e-5));
  EXPECT_TRUE(accepts(true, 15 * 2.1e-5));
  EXPECT_FALSE(accepts(true, 17 * 2.1e-5));
}

TEST(compare, scale_is_of_the_elements_own_row) {
  const Given given(sample::softmax_text(), 2, 2, {1000, 0, 1, 0});
  EXPECT_TRUE(given.accepts({1000, 6e-4f, 1, 0}));
  EXPECT_FALSE(given.accepts({1000, 0, 1, 6e-4f}));
}

TEST(compare, relative_norm_catches_errors_that_each_element_hides) {
  const std::size_t count = 256;
  const Given given(sample::softmax_text(), 2, 128, ramp(count));
  auto got = ramp(count);
  for (double& value : got) value *= 1 + 1.5e-5;
  const Mismatch mismatch = given.mismatch(rounded(got));
  EXPECT_EQ(mismatch.pattern, ErrorPattern::norm);
  EXPECT_EQ(mismatch.count, 0);
  EXPECT_NEAR(mismatch.relative_l2, 1.5e-5, 1e-6);
  EXPECT_NEAR(mismatch.worst_ratio, 1.5, 0.1);
}

std::string with_tolerance(const std::string& text) {
  return replaced(sample::softmax_text(), "relative: 2.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6",
                  text);
}

/// The published rule [Lin2026], written out: a share of the elements is within atol + rtol |want|,
/// and no error exceeds the cap.
bool right_by_share(const std::vector<float>& got, const std::vector<double>& want, double rtol,
                    double atol, double share, double cap) {
  double within = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - want[i]);
    if (!(error <= cap) || !std::isfinite(got[i])) return false;
    within += error <= atol + rtol * std::abs(want[i]) ? 1 : 0;
  }
  return within / static_cast<double>(want.size()) >= share;
}

TEST(compare, a_share_of_the_elements_may_miss_and_no_error_exceeds_the_cap) {
  const std::vector<double> want = ramp(400);
  const Given capped(with_tolerance("relative: 0.01, absolute: 0.02, matched_ratio: 0.95, "
                                    "max_error: 2.5"),
                     4, 100, want);
  const Given open(with_tolerance("relative: 0.01, absolute: 0.02, matched_ratio: 0.95"), 4, 100,
                   want);
  const Given all(with_tolerance("relative: 0.01, absolute: 0.02"), 4, 100, want);
  int right = 0;
  for (std::size_t misses = 0; misses < 60; ++misses) {
    for (const float size : {0.01f, 0.5f, 2.4f, 2.6f, 1e6f}) {
      auto got = rounded(want);
      for (std::size_t i = 0; i < misses; ++i) got[(i * 149) % 400] -= size;
      const bool expected = right_by_share(got, want, 0.01, 0.02, 0.95, 2.5);
      EXPECT_EQ(capped.accepts(got), expected) << misses << " " << size;
      EXPECT_EQ(open.accepts(got), right_by_share(got, want, 0.01, 0.02, 0.95, 1e300))
          << misses << " " << size;
      EXPECT_EQ(all.accepts(got), right_by_share(got, want, 0.01, 0.02, 1, 1e300))
          << misses << " " << size;
      right += expected;
    }
  }
  EXPECT_EQ(right, 60 + 2 * 21 + 1 + 1);  // 20 of 400 elements may miss
}

TEST(compare, one_per_cent_wrong_is_wrong_unless_the_task_allows_it) {
  const std::vector<double> want = ramp(1000);
  auto got = rounded(want);
  for (std::size_t i = 0; i < 10; ++i) got[100 * i] = 0;
  const auto accepts = [&](const std::string& tolerance) {
    return Given(with_tolerance(tolerance), 10, 100, want).accepts(got);
  };
  const std::string usual = "relative: 2.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6";
  EXPECT_FALSE(accepts(usual));
  EXPECT_FALSE(accepts(usual + ", matched_ratio: 1"));
  EXPECT_FALSE(accepts("relative: 2.0e-5, matched_ratio: 0.991"));
  EXPECT_TRUE(accepts("relative: 2.0e-5, matched_ratio: 0.99"));
  EXPECT_FALSE(accepts(usual + ", matched_ratio: 0.99")) << "the norm holds where it is stated";
  EXPECT_FALSE(accepts("relative: 2.0e-5, matched_ratio: 0.99, max_error: 1"));
  EXPECT_TRUE(accepts("relative: 2.0e-5, matched_ratio: 0.99, max_error: 100"));
}

TEST(compare, nan_and_infinity_never_count_among_the_elements_that_may_miss) {
  const std::vector<double> want = ramp(1000);
  const Given given(with_tolerance("relative: 0.01, matched_ratio: 0.9"), 10, 100, want);
  auto got = rounded(want);
  got[500] = 1e30f;
  EXPECT_TRUE(given.accepts(got));
  const std::byte* output = reinterpret_cast<const std::byte*>(got.data());
  EXPECT_EQ(worst_ratio(given.fresh, {&output, 1}), 1) << "right, with nothing left";
  for (const float special : {nan, inf, -inf}) {
    got[500] = special;
    EXPECT_FALSE(given.accepts(got));
    const Mismatch mismatch = given.mismatch(got);
    EXPECT_EQ(mismatch.beyond, 1);
    EXPECT_THAT(mismatch.text(),
                testing::HasSubstr("100 may be wrong, 1 beyond the largest error"));
  }
}

TEST(compare, a_cap_below_the_tolerance_binds_every_element) {
  const std::vector<double> want = {1000, 1, 1, 1};
  const Given given(with_tolerance("relative: 0.1, relative_l2: 0.5, max_error: 0.5"), 1, 4, want);
  EXPECT_TRUE(given.accepts({1000.4f, 1.05f, 1, 1}));
  EXPECT_FALSE(given.accepts({1000.6f, 1, 1, 1}));
  EXPECT_FALSE(given.accepts({1000, 1.2f, 1, 1}));
}

TEST(compare, a_share_that_may_miss_does_not_excuse_answers_to_contents_before_an_edit) {
  std::vector<double> want(100, 1.0);
  want[7] = 5000;
  const Given given(with_tolerance("relative: 1.0e-2, matched_ratio: 0.9, max_error: 1.0e4"), 1,
                    100, want);
  std::vector<float> got = rounded(want);
  got[7] = 1;  // as before the edit
  EXPECT_TRUE(given.accepts(got));
  EXPECT_FALSE(compared(given.edited(), got)) << "within a cap that wide";
  const Given capped(with_tolerance("relative: 1.0e-2, matched_ratio: 0.9, max_error: 2"), 1, 100,
                     want);
  EXPECT_TRUE(compared(capped.edited(), got));
  got[7] = 4960;  // an ordinary rounding of the edited element
  EXPECT_FALSE(compared(capped.edited(), got));
}

TEST(compare, contents_with_an_edited_element_have_a_cap_that_grows_with_it) {
  const Given given(with_tolerance("relative: 1.0e-5, relative_l2: 0.5, max_error: 0.5"), 1, 4,
                    {1e7, 1, 1, 1});
  const std::vector<float> rounded_far_off = {1e7f + 2, 1, 1, 1};
  EXPECT_FALSE(given.accepts(rounded_far_off));
  EXPECT_FALSE(compared(given.edited(), rounded_far_off));
}

TEST(compare, an_absolute_tolerance_is_not_widened_at_shapes_of_no_list) {
  const std::vector<double> want(64, 1.0);
  for (const bool drawn : {false, true}) {
    const Given given(with_tolerance("relative: 0.0, absolute: 0.01"), 1, 64, want, drawn);
    auto got = rounded(want);
    got[3] += 0.009f;
    EXPECT_TRUE(given.accepts(got));
    got[3] += 0.002f;
    EXPECT_FALSE(given.accepts(got));
  }
}

TEST(compare, nan_is_right_only_where_nan_is_expected) {
  const Given given(sample::softmax_text(), 2, 2, {NAN, NAN, 0.5, 0.5});
  EXPECT_TRUE(given.accepts({nan, nan, 0.5f, 0.5f}));
  EXPECT_FALSE(given.accepts({0, nan, 0.5f, 0.5f}));
  EXPECT_FALSE(given.accepts({nan, inf, 0.5f, 0.5f}));
  EXPECT_FALSE(given.accepts({nan, nan, nan, 0.5f}));
}

TEST(compare, infinity_must_have_its_sign) {
  const Given given(sample::softmax_text(), 1, 3, {INFINITY, -INFINITY, 2});
  EXPECT_TRUE(given.accepts({inf, -inf, 2}));
  EXPECT_FALSE(given.accepts({-inf, -inf, 2}));
  EXPECT_FALSE(given.accepts({inf, FLT_MAX, 2}));
  EXPECT_FALSE(given.accepts({inf, nan, 2}));
  EXPECT_FALSE(given.accepts({inf, -inf, 2.1f}));
}

TEST(compare, unspecified_skips_only_non_finite_expected_values) {
  const Given given(
      replaced(sample::softmax_text(), "nonfinite: row_nan", "nonfinite: unspecified"), 1, 3,
      {NAN, INFINITY, 2});
  EXPECT_TRUE(given.accepts({7, nan, 2}));
  EXPECT_FALSE(given.accepts({nan, inf, 2.1f}));
  EXPECT_FALSE(given.accepts({nan, inf, nan}));
}

TEST(compare, values_beyond_float_may_overflow) {
  const Given given(sample::softmax_text(), 1, 2, {1e39, -1e39});
  EXPECT_TRUE(given.accepts({inf, -inf}));
  EXPECT_FALSE(given.accepts({inf, inf}));
  EXPECT_FALSE(given.accepts({inf, nan}));
  EXPECT_FALSE(given.accepts({inf, 0}));
}

TEST(compare, flush_allows_zero_for_subnormals_and_exact_does_not) {
  const std::vector<double> expected = {1e-39, 5e-40, 1e-41, 3e-39};
  const Given flush(sample::softmax_text(), 1, 4, expected);
  const Given exact(replaced(sample::softmax_text(), "subnormals: flush", "subnormals: exact"), 1,
                    4, expected);
  EXPECT_TRUE(flush.accepts({0, 0, 0, 0}));
  EXPECT_TRUE(exact.accepts(rounded(expected)));
  EXPECT_FALSE(exact.accepts({0, 5e-40f, 1e-41f, 3e-39f}));
  EXPECT_FALSE(flush.accepts({1e-36f, 0, 0, 0}));
}

TEST(compare, one_element_in_1009_off_by_5_percent_is_found) {
  const std::size_t count = 1009 * 13;
  const Given given(sample::softmax_text(), 13, 1009, ramp(count));
  auto got = rounded(ramp(count));
  for (std::size_t i = 1008; i < count; i += 1009) got[i] *= 1.05f;
  const Mismatch mismatch = given.mismatch(got);
  EXPECT_EQ(mismatch.count, 13);
  ASSERT_EQ(mismatch.first.size(), 5u);
  EXPECT_EQ(mismatch.first[1].index, 2 * 1009 - 1);
  EXPECT_NEAR(mismatch.worst_ratio, 0.05 / 2e-5, 300);
}

TEST(compare, names_the_pattern) {
  const std::size_t count = 40 * 50;
  const Given given(sample::softmax_text(), 40, 50, ramp(count));
  const auto pattern = [&](auto is_wrong, float value = -1) {
    auto got = rounded(ramp(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (is_wrong(i)) got[i] = value;
    }
    return given.mismatch(got);
  };
  EXPECT_EQ(pattern([](std::size_t) { return true; }).pattern, ErrorPattern::all);
  EXPECT_EQ(pattern([](std::size_t i) { return i % 3 == 0; }, nan).pattern, ErrorPattern::nan);
  EXPECT_EQ(pattern([&](std::size_t i) { return i >= count - 7; }).pattern, ErrorPattern::tail);
  EXPECT_EQ(pattern([](std::size_t i) { return i % 50 >= 48; }).pattern, ErrorPattern::tail);
  const Mismatch strided = pattern([](std::size_t i) { return i % 7 == 2; });
  EXPECT_EQ(strided.pattern, ErrorPattern::stride);
  EXPECT_EQ(strided.stride, 7);
  EXPECT_EQ(pattern([](std::size_t i) { return i == 3 || i == 77 || i == 1001; }).pattern,
            ErrorPattern::random);
}

TEST(compare, text_says_where_and_how_much) {
  const Given given(sample::softmax_text(), 1, 4, {1, 2, 4, 8});
  EXPECT_EQ(
      given.mismatch({1, 2, 4, 0}).text(),
      "y: 1 of 4 wrong (tail), error 4.86e+04 x allowed, relative L2 0.868; [3] got 0 want 8");
}

TEST(compare, stale_poison_is_wrong) {
  sample::Pool p(sample::softmax_text(), {{"rows", 5}, {"cols", 33}});
  for (int round = 0; round < 20; ++round) {
    const FreshContent fresh = p.pool.fresh();
    Outputs outputs(fresh);
    EXPECT_FALSE(compare(fresh, outputs.pointers()));
    const std::size_t at = p.random.below(outputs.size());
    poison(Dtype::float32, p.random, std::span(outputs.bytes[0]).subspan(4 * at, 4));
    EXPECT_TRUE(compare(fresh, outputs.pointers())) << at;
  }
}

TEST(compare, int_outputs_must_be_equal) {
  sample::Pool p(sample::gather_text(), {{"entries", 9}, {"n", 20}});
  const FreshContent fresh = p.pool.fresh();
  Outputs outputs(fresh);
  EXPECT_FALSE(compare(fresh, outputs.pointers()));
  outputs.ints(1)[19] += 1;
  const auto mismatch = compare(fresh, outputs.pointers());
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->output, "twice");
  EXPECT_EQ(mismatch->count, 1);
  EXPECT_EQ(mismatch->first[0].index, 19);
}

TEST(compare, wrong_under_any_transform_is_wrong_and_right_is_right) {
  for (const std::string& text : {sample::softmax_text(), sample::matvec_text()}) {
    const Task task = sample::task(text);
    SecretRandom random({5, 6, 7, 8});
    auto pool = *ContentPool::create(task, sample::workload({{"rows", 7}, {"cols", 19}}),
                                     sample::oracle(task), random, {.entries = 4, .cases = {0}});
    for (int round = 0; round < 50; ++round) {
      const FreshContent fresh = pool.fresh();
      Outputs outputs(fresh);
      ASSERT_FALSE(compare(fresh, outputs.pointers()));
      EXPECT_LE(worst_ratio(fresh, outputs.pointers()), 0.01);
      const std::size_t at = random.below(outputs.size());
      outputs.floats()[at] = outputs.floats()[at] * 1.05f + 0.05f;
      const auto mismatch = compare(fresh, outputs.pointers());
      ASSERT_TRUE(mismatch);
      EXPECT_EQ(mismatch->first[0].index, static_cast<std::int64_t>(at));
      EXPECT_EQ(mismatch->first[0].want, expected_outputs(fresh)[0][at]);
    }
  }
}

// 256 blocks of 1,024 elements: 4 standard errors about the declared quarter.
TEST(spot_compare, sees_one_wrong_block_of_a_large_output_for_a_quarter_of_the_keys) {
  const auto values = ramp(256 * 1024);
  const Given given(sample::softmax_text(), 256, 1024, values);
  auto got = rounded(values);
  const std::byte* output = reinterpret_cast<const std::byte*>(got.data());
  got[77 * 1024 + 5] *= 2;
  int seen = 0;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    seen += spot_compare(given.fresh, {&output, 1}, key * 0x9e3779b97f4a7c15u).has_value();
  }
  EXPECT_NEAR(seen, 250, 55);
}

TEST(spot_compare, tells_what_compare_tells) {
  const auto values = ramp(64 * 1024);
  const Given given(sample::softmax_text(), 64, 1024, values);
  auto got = rounded(values);
  const std::byte* output = reinterpret_cast<const std::byte*>(got.data());
  for (std::uint64_t key = 0; key < 50; ++key)
    EXPECT_FALSE(spot_compare(given.fresh, {&output, 1}, key));
  for (float& value : got) value += 1;
  const auto mismatch = spot_compare(given.fresh, {&output, 1}, 1);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->text(), given.mismatch(got).text());
}

TEST(spot_compare, looks_at_all_of_a_small_output) {
  const auto values = ramp(16 * 1024);
  const Given given(sample::softmax_text(), 16, 1024, values);
  auto got = rounded(values);
  const std::byte* output = reinterpret_cast<const std::byte*>(got.data());
  got[9 * 1024 + 1] = nan;
  for (std::uint64_t key = 0; key < 50; ++key)
    EXPECT_TRUE(spot_compare(given.fresh, {&output, 1}, key));
}

}  // namespace
}  // namespace ke
