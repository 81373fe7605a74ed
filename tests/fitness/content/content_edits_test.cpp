// Contents that differ from another one in a single element.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "fitness/content/compare.hpp"
#include "fitness/content/content_pool.hpp"
#include "tests/fitness/content/closed_forms.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using closed_form::expect_near;
using closed_form::matvec;
using closed_form::softmax;
using sample::floats_of;
using sample::inputs_of;
using sample::Pool;

TEST(content_pool, edits_of_a_chain_do_not_grow_with_each_other) {
  Pool p(sample::matvec_text(), {{"rows", 40}, {"cols", 30}}, {.entries = 1, .cases = {0}});
  for (int i = 0; i < 10; ++i) {
    p.pool.renew_edits(8);
    for (const FreshContent& content : p.pool.edit_chain()) {
      for (const auto& values : content.entry->inputs) {
        for (const float value : floats_of(values)) EXPECT_LT(std::abs(value), 3 * 3.5);
      }
    }
  }
}

TEST(content_pool, an_edit_changes_one_element_and_is_seen) {
  for (const std::size_t which : {0u, 1u, 3u, 4u, 5u}) {
    Pool p(sample::softmax_text(), {{"rows", 4}, {"cols", 9}}, {.entries = 1, .cases = {which}});
    const FreshContent base = p.pool.fresh();
    const FreshContent edited = p.pool.edited(base);
    const auto before = floats_of(inputs_of(base)[0]);
    const auto after = floats_of(inputs_of(edited)[0]);
    int changed = 0;
    for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i];
    EXPECT_EQ(changed, 1);
    expect_near(expected_outputs(edited)[0], softmax(after, 9), 1);
    EXPECT_TRUE(compare(edited, sample::Outputs(base).pointers())) << edited.entry->label;
    EXPECT_THAT(edited.entry->label, testing::EndsWith(", edited"));
  }
}

// For a value near its row's mean, a weight mostly multiplies the mean's rounding error.
TEST(content_pool, textbook_arithmetic_is_right_whatever_is_edited) {
  constexpr std::size_t rows = 256, cols = 1024;
  Pool p(sample::centred_text(), {{"rows", rows}, {"cols", cols}}, {.entries = 1});
  const FreshContent base = p.pool.fresh();
  for (int edit = 0; edit < 40; ++edit) {
    const FreshContent edited = p.pool.edited(base);
    const auto x = floats_of(inputs_of(edited)[0]), weight = floats_of(inputs_of(edited)[1]);
    sample::Outputs y(edited);
    for (std::size_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (std::size_t c = 0; c < cols; ++c) sum += x[r * cols + c];
      for (std::size_t c = 0; c < cols; ++c)
        y.floats()[r * cols + c] = (x[r * cols + c] - sum / cols) * weight[c];
    }
    const auto wrong = compare(edited, y.pointers());
    EXPECT_FALSE(wrong) << wrong->text();
  }
}

TEST(content_pool, contents_of_an_edit_chain_are_one_element_apart_and_right) {
  Pool p(sample::matvec_text(), {{"rows", 40}, {"cols", 30}}, {.entries = 2, .cases = {0}});
  EXPECT_TRUE(p.pool.edit_chain().empty());
  p.pool.renew_edits(4);
  std::set<std::vector<float>> starts;
  for (int i = 0; i < 20; ++i) {
    const auto chain = p.pool.edit_chain();
    ASSERT_EQ(chain.size(), 5U);
    for (std::size_t c = 0; c < chain.size(); ++c) {
      const auto now = inputs_of(chain[c]);
      const auto a = floats_of(now[0]), x = floats_of(now[1]);
      expect_near(expected_outputs(chain[c])[0], matvec(a, x), 1e3);
      if (c == 0) {
        starts.insert(a);
        continue;
      }
      const auto before = inputs_of(chain[c - 1]);
      int changed = 0;
      for (std::size_t t = 0; t < now.size(); ++t) {
        const auto was = floats_of(before[t]), is = floats_of(now[t]);
        for (std::size_t e = 0; e < is.size(); ++e) changed += was[e] != is[e];
      }
      EXPECT_EQ(changed, 1);
    }
  }
  EXPECT_GT(starts.size(), 4U) << "each use has a transform of its own";
}

TEST(content_pool, an_edit_of_an_index_stays_in_range) {
  Pool p(sample::gather_text(), {{"entries", 3}, {"n", 20}});
  for (int round = 0; round < 30; ++round) {
    const FreshContent base = p.pool.fresh();
    const auto before = inputs_of(base)[1];
    const auto after = inputs_of(p.pool.edited(base))[1];
    int changed = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      std::int32_t value;
      std::memcpy(&value, after.data() + 4 * i, 4);
      EXPECT_GE(value, 0);
      EXPECT_LT(value, 3);
      changed += std::memcmp(after.data() + 4 * i, before.data() + 4 * i, 4) != 0;
    }
    EXPECT_EQ(changed, 1);
  }
}

TEST(content_pool, an_edit_keeps_inputs_sorted_that_must_be) {
  std::string text = sample::matvec_text();
  text.replace(text.find("classes: [normal, tiny, large]"), 30,
               "classes: [sorted], changes: never");
  text.replace(text.find("x: {shape: [cols]}"), 18, "x: {shape: [cols], classes: [sorted]}");
  Pool p(text, {{"rows", 3}, {"cols", 6}});
  for (int round = 0; round < 50; ++round) {
    const FreshContent base = p.pool.new_draw(0);
    const auto before = floats_of(inputs_of(base)[1]);
    const auto after = floats_of(inputs_of(p.pool.edited(base))[1]);
    EXPECT_NE(before, after);
    EXPECT_TRUE(std::is_sorted(after.begin(), after.end()));
  }
}

TEST(content_pool, half_of_all_edits_lie_near_an_end_of_a_row) {
  Pool p(sample::softmax_text(), {{"rows", 3}, {"cols", 500}}, {.entries = 1, .cases = {0}});
  int near = 0, last = 0;
  for (int round = 0; round < 200; ++round) {
    const FreshContent base = p.pool.fresh();
    const auto before = floats_of(inputs_of(base)[0]);
    const auto after = floats_of(inputs_of(p.pool.edited(base))[0]);
    const auto at = std::ranges::mismatch(before, after).in1 - before.begin();
    near += at % 500 < 32 || at % 500 >= 500 - 32;
    last += at % 500 == 499;
  }
  EXPECT_NEAR(near, 113, 35);
  EXPECT_GT(last, 8);
}

TEST(content_pool, a_chain_ends_with_a_nan_and_an_infinity_where_classes_have_them) {
  Pool p(sample::softmax_text(), {{"rows", 6}, {"cols", 20}}, {.entries = 1, .cases = {0}});
  p.pool.renew_edits(2);
  const auto chain = p.pool.edit_chain();
  ASSERT_EQ(chain.size(), 5U);
  int nans = 0, infinities = 0;
  for (const FreshContent& content : chain) {
    for (const float value : floats_of(inputs_of(content)[0])) {
      nans += std::isnan(value);
      infinities += std::isinf(value);
    }
  }
  EXPECT_EQ(nans, 1);
  EXPECT_EQ(infinities, 1);
  std::set<const Content*> seen;
  for (int i = 0; i < 6; ++i) seen.insert(p.pool.any().entry.get());
  EXPECT_EQ(seen.size(), 5U) << "the entry itself begins the chain";
}

TEST(content_pool, an_edit_shows_in_a_long_sum_of_positive_values) {
  std::string text = sample::matvec_text();
  text.replace(text.find("classes: [normal, tiny, large]"), 30, "classes: [positive]");
  text.replace(text.find("x: {shape: [cols]}"), 18, "x: {shape: [cols], classes: [positive]}");
  Pool p(text, {{"rows", 1}, {"cols", 200'000}}, {.entries = 1});
  for (int round = 0; round < 5; ++round) {
    const FreshContent base = p.pool.fresh();
    const double before = expected_outputs(base)[0][0];
    const double after = expected_outputs(p.pool.edited(base))[0][0];
    EXPECT_GT(std::abs(after / before - 1), 1e-3);
  }
}

int differing(const Content& a, const Content& b) {
  int count = 0;
  for (std::size_t t = 0; t < a.inputs.size(); ++t) {
    for (std::size_t at = 0; at < a.inputs[t].size(); at += 4)
      count += std::memcmp(a.inputs[t].data() + at, b.inputs[t].data() + at, 4) != 0;
  }
  return count;
}

TEST(content_pool, a_twin_differs_in_one_element_and_in_its_answer) {
  Pool p(sample::softmax_text(), {{"rows", 5}, {"cols", 13}},
         {.entries = 3, .cases = {0}, .twins = 2});
  for (int round = 0; round < 5; ++round) {
    const auto entries = p.pool.entries();
    ASSERT_EQ(entries.size(), 5u);
    for (const std::size_t i : {0u, 1u}) {
      EXPECT_EQ(differing(*entries[i], *entries[3 + i]), 1);
      EXPECT_NE(entries[i]->expected, entries[3 + i]->expected);
    }
    const auto before = entries[static_cast<std::size_t>(round % 2)];
    p.pool.renew_twins(0);
    EXPECT_NE(p.pool.entries()[static_cast<std::size_t>(round % 2)], before);
  }
}

TEST(content_pool, drawn_contents_are_no_edited_ones) {
  Pool p(sample::softmax_text(), {{"rows", 3}, {"cols", 20}},
         {.entries = 2, .cases = {0}, .twins = 2});
  std::set<std::string> drawn, all;
  for (int i = 0; i < 64; ++i) {
    drawn.insert(p.pool.fresh_drawn().entry->label);
    all.insert(p.pool.fresh().entry->label);
  }
  EXPECT_EQ(drawn.size(), 1u);
  EXPECT_EQ(all, (std::set<std::string>{*drawn.begin(), *drawn.begin() + ", edited"}));
}

TEST(content_pool, new_draws_leave_twins_alone) {
  Pool p(sample::softmax_text(), {{"rows", 5}, {"cols", 13}},
         {.entries = 2, .cases = {0}, .twins = 1});
  const auto twin = p.pool.entries()[2];
  for (int i = 0; i < 4; ++i) p.pool.new_draw(0);
  EXPECT_EQ(p.pool.entries()[2], twin);
}

TEST(content_pool, fixed_inputs_that_are_drawn_anew_are_edited_too) {
  Pool p(sample::gather_text(), {{"entries", 9}, {"n", 20}}, {.unchanging_anew = true});
  int edits_of_table = 0;
  for (int i = 0; i < 20; ++i) {
    const FreshContent base = p.pool.new_draw(0);
    const FreshContent edited = p.pool.edited(base);
    const bool other_table = inputs_of(edited)[0] != inputs_of(base)[0];
    EXPECT_EQ(edited.entry->unchanging != base.entry->unchanging, other_table);
    EXPECT_EQ(inputs_of(edited)[0], (*edited.entry->unchanging)[0]);
    edits_of_table += other_table ? 1 : 0;
  }
  EXPECT_GT(edits_of_table, 0);
  EXPECT_LT(edits_of_table, 20);
}

TEST(content_pool, an_edit_has_the_sign_that_all_elements_have) {
  Pool p(sample::softmax_text(), {{"rows", 4}, {"cols", 9}}, {.entries = 1, .cases = {4}});
  for (int i = 0; i < 30; ++i) {
    const auto x = floats_of(inputs_of(p.pool.edited(p.pool.new_draw(4)))[0]);
    const auto negative = std::ranges::count_if(x, [](float v) { return v < 0; });
    EXPECT_TRUE(negative == 0 || negative == 36) << negative;
  }
}

}  // namespace
}  // namespace ke
