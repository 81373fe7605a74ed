#include "fitness/content/content_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "fitness/content/compare.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using sample::floats_of;
using sample::inputs_of;
using sample::Pool;

/// Hand-written softmax in long double, for finite rows.
std::vector<double> softmax(const std::vector<float>& x, std::size_t cols) {
  std::vector<double> y(x.size());
  for (std::size_t at = 0; at < x.size(); at += cols) {
    long double top = x[at], total = 0;
    for (std::size_t c = 0; c < cols; ++c) top = std::max<long double>(top, x[at + c]);
    for (std::size_t c = 0; c < cols; ++c) total += expl(x[at + c] - top);
    for (std::size_t c = 0; c < cols; ++c)
      y[at + c] = static_cast<double>(expl(x[at + c] - top) / total);
  }
  return y;
}

std::vector<double> matvec(const std::vector<float>& a, const std::vector<float>& x) {
  std::vector<double> y(a.size() / x.size());
  for (std::size_t i = 0; i < a.size(); ++i) y[i / x.size()] += double{a[i]} * x[i % x.size()];
  return y;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want, double size) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], 1e-12 * (std::abs(want[i]) + size)) << i;
  }
}

std::size_t subnormals_among_inputs(const std::string& kernels_treat_them) {
  std::string text = sample::softmax_text();
  text.replace(text.find("subnormals: flush"), 17, "subnormals: " + kernels_treat_them);
  constexpr std::size_t tiny = 2;
  Pool p(text, {{"rows", 16}, {"cols", 64}}, {.cases = {tiny}});
  std::size_t count = 0;
  for (const float value : floats_of(inputs_of(p.pool.fresh())[0]))
    count += std::fpclassify(value) == FP_SUBNORMAL;
  return count;
}

TEST(content_pool, subnormals_are_inputs_only_of_tasks_that_want_them_exact) {
  EXPECT_EQ(subnormals_among_inputs("flush"), 0u);
  EXPECT_GT(subnormals_among_inputs("exact"), 0u);
}

TEST(content_pool, rotated_softmax_equals_the_closed_form_of_what_the_kernel_sees) {
  Pool p(sample::softmax_text(), {{"rows", 5}, {"cols", 13}},
         {.entries = 4, .cases = {0, 1, 3, 6}});
  std::set<std::vector<std::int64_t>> rotations;
  for (int round = 0; round < 60; ++round) {
    const FreshContent fresh = p.pool.fresh();
    rotations.insert(fresh.rotation);
    expect_near(expected_outputs(fresh)[0], softmax(floats_of(inputs_of(fresh)[0]), 13), 1);
  }
  EXPECT_GT(rotations.size(), 30u);
}

TEST(content_pool, scaled_and_signed_matvec_equals_the_closed_form) {
  Pool p(sample::matvec_text(), {{"rows", 6}, {"cols", 11}}, {.entries = 6});
  std::set<double> factors;
  for (int round = 0; round < 200; ++round) {
    const FreshContent fresh = p.pool.fresh();
    factors.insert(fresh.output_factors[0]);
    EXPECT_EQ(fresh.output_factors[0], double{fresh.input_factors[0]} * fresh.input_factors[1]);
    const auto inputs = inputs_of(fresh);
    const auto want = matvec(floats_of(inputs[0]), floats_of(inputs[1]));
    double size = 0;
    for (const double value : want) size = std::max(size, std::abs(value));
    expect_near(expected_outputs(fresh)[0], want, size);
    EXPECT_FALSE(compare(fresh, sample::Outputs(fresh).pointers()));
  }
  EXPECT_GT(factors.size(), 15u);
  EXPECT_LT(*factors.begin(), 0);
}

TEST(content_pool, calls_do_not_repeat) {
  Pool p(sample::softmax_text(), {{"rows", 64}, {"cols", 128}}, {.cases = {0}});
  std::set<std::vector<float>> seen;
  for (int round = 0; round < 30; ++round) seen.insert(floats_of(inputs_of(p.pool.fresh())[0]));
  EXPECT_GE(seen.size(), 29u);
}

TEST(content_pool, fixed_inputs_keep_their_bits_under_everything) {
  Pool p(sample::gather_text(), {{"entries", 9}, {"n", 20}});
  const auto table = inputs_of(p.pool.fresh())[0];
  bool rotated = false;
  for (int round = 0; round < 30; ++round) {
    const FreshContent fresh = round % 3 == 0 ? p.pool.new_draw(round % 4) : p.pool.fresh();
    const auto inputs = inputs_of(fresh);
    EXPECT_EQ(inputs[0], table);
    EXPECT_EQ(fresh.rotation[0], 0);
    rotated = rotated || fresh.rotation[1] != 0;
    const auto expected = expected_outputs(fresh);
    for (std::size_t i = 0; i < 20; ++i) {
      std::int32_t index;
      std::memcpy(&index, inputs[1].data() + 4 * i, 4);
      EXPECT_EQ(expected[0][i], floats_of(table)[static_cast<std::size_t>(index)]);
      EXPECT_EQ(expected[1][i], 2 * index);
    }
  }
  EXPECT_TRUE(rotated);
  EXPECT_EQ(inputs_of(p.pool.edited(p.pool.fresh()))[0], table);
}

TEST(content_pool, fixed_inputs_are_shared_between_pools_on_request) {
  Pool first(sample::gather_text(), {{"entries", 9}, {"n", 20}});
  const auto shared = first.pool.unchanging();
  ASSERT_NE(shared, nullptr);
  Pool second(sample::gather_text(), {{"entries", 9}, {"n", 20}}, {.unchanging = shared});
  for (Pool* p : {&first, &second}) {
    const FreshContent fresh = p->pool.new_draw(0);
    EXPECT_EQ(fresh.entry->unchanging, shared);
    EXPECT_EQ(p->pool.edited(fresh).entry->unchanging, shared);
    EXPECT_EQ(inputs_of(fresh)[0], (*shared)[0]);
  }
  Pool none(sample::matvec_text(), {{"rows", 4}, {"cols", 5}});
  EXPECT_EQ(none.pool.fresh().entry->unchanging, nullptr);
}

TEST(content_pool, rows_of_one_scale_are_measured_by_all_of_them) {
  const std::vector<double> expected = {3, 3, 4, 4, 0, 0};  // rows of two
  OutputFacts facts = facts_of(expected, 2);
  facts.raise_to_common_rms();
  EXPECT_THAT(facts.row_rms, testing::ElementsAre(3, 4, testing::DoubleEq(std::sqrt(25.0 / 3))));
}

TEST(content_pool, an_output_of_few_elements_has_the_scale_that_is_usual_at_its_shape) {
  OutputFacts facts = facts_of(std::vector<double>{1e-6, 3}, 1);
  facts.raise_to(2);
  EXPECT_THAT(facts.row_rms, testing::ElementsAre(2, 3));
  EXPECT_DOUBLE_EQ(facts.sum_squares, 9 + 1e-12);
  facts.raise_to(4);
  EXPECT_DOUBLE_EQ(facts.sum_squares, 2 * 16.0);
  // Products of two terms nearly cancel in some of many draws; no scale is far below the others.
  double least = 1e9, most = 0;
  for (int pool = 0; pool < 40; ++pool) {
    Pool p(sample::matvec_text(), {{"rows", 1}, {"cols", 2}}, {.cases = {0}});
    for (const auto& entry : p.pool.entries()) {
      least = std::min(least, entry->facts[0].row_rms[0]);
      most = std::max(most, entry->facts[0].row_rms[0]);
    }
  }
  EXPECT_GT(least, 0.01);
  EXPECT_LT(most, 100);
}

TEST(content_pool, fixed_inputs_are_drawn_anew_on_request) {
  Pool p(sample::gather_text(), {{"entries", 9}, {"n", 20}}, {.unchanging_anew = true});
  const FreshContent one = p.pool.new_draw(0), other = p.pool.new_draw(1);
  EXPECT_NE(one.entry->unchanging, other.entry->unchanging);
  EXPECT_NE(inputs_of(one)[0], inputs_of(other)[0]);
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

TEST(content_pool, varied_contents_have_one_special_row_and_stay_outside) {
  Pool p(sample::softmax_text(), {{"rows", 6}, {"cols", 9}}, {.entries = 1, .cases = {0}});
  const auto kept = p.pool.entries()[0];
  std::set<std::string> kinds;
  for (int i = 0; i < 60; ++i) {
    const FreshContent content = p.pool.varied();
    expect_near(expected_outputs(content)[0], softmax(floats_of(inputs_of(content)[0]), 9), 1);
    const std::string& label = content.entry->label;
    kinds.insert(label.substr(label.find(", ") + 2));
  }
  EXPECT_GE(kinds.size(), 5u);
  EXPECT_EQ(p.pool.entries()[0], kept);
}

TEST(content_pool, values_that_must_stay_positive_are_not_varied) {
  std::string text = sample::softmax_text();
  text.replace(text.find("normal, large"), std::string("normal").size(), "positive");
  Pool p(text, {{"rows", 6}, {"cols", 9}}, {.entries = 1, .cases = {0}});
  for (int i = 0; i < 20; ++i) {
    for (const float value : floats_of(inputs_of(p.pool.varied())[0])) EXPECT_GT(value, 0);
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

TEST(content_pool, new_draw_has_the_case_and_replaces_the_oldest) {
  Pool p(sample::softmax_text(), {{"rows", 4}, {"cols", 9}}, {.entries = 2});
  EXPECT_EQ(ContentPool::cases(p.task), 8u);
  const auto first = p.pool.entries()[0];
  const auto second = p.pool.entries()[1];
  EXPECT_EQ(first->label, "x: normal");
  EXPECT_EQ(p.pool.new_draw(7).entry->label, "x: nan_inf");
  EXPECT_NE(p.pool.entries()[0], first);
  EXPECT_EQ(p.pool.entries()[1], second);
  p.pool.new_draw(2);
  EXPECT_NE(p.pool.entries()[1], second);
}

std::set<std::string> labels_of(const ContentPool& pool) {
  std::set<std::string> labels;
  for (const auto& entry : pool.entries()) labels.insert(entry->label);
  return labels;
}

TEST(content_pool, holds_every_case_and_keeps_it_over_new_draws) {
  Pool p(sample::softmax_text(), {{"rows", 4}, {"cols", 9}}, {.entries = 8});
  EXPECT_EQ(p.pool.entries()[0]->label, "x: normal");
  for (int draws = 0; draws < 20; ++draws) {
    EXPECT_EQ(labels_of(p.pool).size(), 8u);
    p.pool.new_draw();
  }
}

TEST(content_pool, cases_have_their_turn_where_there_are_fewer_entries) {
  Pool p(sample::softmax_text(), {{"rows", 4}, {"cols", 9}}, {.entries = 8, .most_bytes = 1});
  ASSERT_EQ(p.pool.entries().size(), 3u);
  std::set<std::string> seen = labels_of(p.pool);
  EXPECT_EQ(seen.size(), 3u);
  for (int draws = 0; draws < 5; ++draws) seen.insert(p.pool.new_draw().entry->label);
  EXPECT_EQ(seen.size(), 8u);
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

TEST(content, inputs_intact_sees_one_bit) {
  Pool p(sample::matvec_text(), {{"rows", 6}, {"cols", 11}});
  for (int round = 0; round < 20; ++round) {
    const FreshContent fresh = p.pool.fresh();
    auto inputs = inputs_of(fresh);
    const std::vector<const std::byte*> pointers = {inputs[0].data(), inputs[1].data()};
    EXPECT_TRUE(inputs_intact(fresh, pointers));
    inputs[1][p.random.below(44)] ^= std::byte{1};
    EXPECT_FALSE(inputs_intact(fresh, pointers));
  }
}

TEST(content, null_destinations_are_skipped) {
  Pool p(sample::matvec_text(), {{"rows", 6}, {"cols", 11}});
  const FreshContent fresh = p.pool.fresh();
  std::vector<std::byte> x(44);
  const std::vector<std::byte*> destinations = {nullptr, x.data()};
  write_inputs(fresh, destinations);
  EXPECT_EQ(x, inputs_of(fresh)[1]);
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

}  // namespace
}  // namespace ke
