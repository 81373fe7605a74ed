#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fitness/content/content_pool.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using sample::floats_of;
using sample::inputs_of;
using sample::Pool;

TEST(content_transforms, scales_are_exact_in_every_bit) {
  Pool p(sample::matvec_text(), {{"rows", 40}, {"cols", 50}}, {.entries = 6});
  for (int round = 0; round < 100; ++round) {
    const FreshContent fresh = p.pool.fresh();
    FreshContent plain = fresh;
    plain.input_factors = {1, 1};
    const auto scaled = floats_of(inputs_of(fresh)[0]);
    const auto source = floats_of(inputs_of(plain)[0]);
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      ASSERT_EQ(double{scaled[i]}, double{source[i]} * fresh.input_factors[0]) << source[i];
    }
  }
}

std::string compared_text() {
  std::string text = sample::matvec_text();
  const auto at = text.find("transforms: {");
  return text.replace(at, text.find("tolerance:") - at, "transforms: {scale_together: [a, x]}, ");
}

TEST(content_transforms, inputs_that_are_only_compared_get_each_others_elements) {
  Pool p(compared_text(), {{"rows", 6}, {"cols", 11}}, {.entries = 1, .cases = {0}});
  const FreshContent base = p.pool.fresh();
  const auto before = inputs_of(base);
  int equal = 0;
  for (int round = 0; round < 100; ++round) {
    const auto after = inputs_of(p.pool.edited(base));
    for (const std::size_t t : {0, 1}) {
      const auto was = floats_of(before[t]), is = floats_of(after[t]);
      const auto others = floats_of(before[1 - t]);
      for (std::size_t i = 0; i < is.size(); ++i)
        equal += is[i] != was[i] && std::ranges::count(others, is[i]) > 0;
    }
  }
  EXPECT_GT(equal, 25);
  EXPECT_LT(equal, 75);
}

TEST(content_transforms, inputs_that_are_only_compared_are_scaled_together_and_far) {
  Pool p(compared_text(), {{"rows", 6}, {"cols", 11}}, {.entries = 6});
  std::set<float> factors;
  for (int round = 0; round < 200; ++round) {
    const FreshContent fresh = p.pool.fresh();
    EXPECT_EQ(fresh.input_factors[0], fresh.input_factors[1]);
    EXPECT_EQ(fresh.output_factors[0], 1);
    factors.insert(fresh.input_factors[0]);
  }
  EXPECT_GT(factors.size(), 40u);
  EXPECT_GT(*factors.rbegin(), 0x1p30F);
  EXPECT_LT(*factors.begin(), 0x1p-30F);
  for (const float factor : factors) EXPECT_EQ(factor, std::exp2(std::round(std::log2(factor))));
}

TEST(content_transforms, subnormal_inputs_are_never_scaled_down) {
  std::string text = sample::matvec_text();
  text.insert(text.find("tolerance:"), "subnormals: exact, ");
  Pool p(text, {{"rows", 40}, {"cols", 50}}, {.entries = 1, .cases = {1}});
  ASSERT_LT(p.pool.entries()[0]->magnitudes[0].least, 1.17e-38);
  for (int round = 0; round < 100; ++round) EXPECT_GE(std::abs(p.pool.fresh().input_factors[0]), 1);
}

}  // namespace
}  // namespace ke
