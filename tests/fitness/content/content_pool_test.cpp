#include "fitness/content/content_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "fitness/content/compare.hpp"
#include "fitness/content/rounding_room.hpp"
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

TEST(content_pool, varied_contents_are_of_every_scale_and_stay_outside) {
  Pool p(sample::softmax_text(), {{"rows", 6}, {"cols", 9}}, {.entries = 1, .cases = {0}});
  const auto kept = p.pool.entries()[0];
  float least = 1, most = 1;
  for (int i = 0; i < 60; ++i) {
    const FreshContent content = p.pool.varied();
    const auto x = floats_of(inputs_of(content)[0]);
    expect_near(expected_outputs(content)[0], softmax(x, 9), 1);
    EXPECT_THAT(content.entry->label, testing::EndsWith(", varied"));
    float size = 0;
    for (const float value : x) size = std::max(size, std::abs(value));
    least = std::min(least, size);
    most = std::max(most, size);
  }
  EXPECT_LT(least, 1e-2F);
  EXPECT_GT(most, 100) << "as large as class large";
  EXPECT_EQ(p.pool.entries()[0], kept);
}

TEST(content_pool, varied_contents_stay_within_twice_the_classes_magnitudes) {
  Pool p(sample::matvec_text(), {{"rows", 6}, {"cols", 9}}, {.entries = 1, .cases = {0}});
  for (int i = 0; i < 60; ++i) {  // x has class normal alone, whose tails reach 6.8
    for (const float value : floats_of(inputs_of(p.pool.varied())[1])) EXPECT_LE(value, 13.6);
  }
}

TEST(content_pool, varied_contents_avoid_what_the_task_says_and_hold_its_numbers) {
  std::string text = sample::matvec_text();
  text.replace(text.find("x: {shape: [cols]}"), 18,
               "x: {shape: [cols], numbers: [0.0625], avoid: [shrunk, fading, dominated]}");
  Pool p(text, {{"rows", 6}, {"cols", 9}}, {.entries = 1, .cases = {0}});
  int with_number = 0;
  for (int i = 0; i < 200; ++i) {
    const auto x = floats_of(inputs_of(p.pool.varied())[1]);
    with_number += std::ranges::count(x, 0.0625F) > 0 ? 1 : 0;
  }
  EXPECT_GT(with_number, 3);
}

TEST(content_pool, values_that_must_stay_positive_do_so_when_varied) {
  std::string text = sample::softmax_text();
  const std::size_t from = text.find("classes: [") + 10;
  text.replace(from, text.find(']', from) - from, "positive");
  Pool p(text, {{"rows", 6}, {"cols", 9}}, {.entries = 1, .cases = {0}});
  for (int i = 0; i < 60; ++i) {
    for (const float value : floats_of(inputs_of(p.pool.varied())[0])) EXPECT_GT(value, 0);
  }
}

/// Right outputs but for the order of single-precision sums and `factor`.
bool passes_in_order(const FreshContent& content, float factor) {
  const auto inputs = inputs_of(content);
  const auto a = floats_of(inputs[0]), x = floats_of(inputs[1]);
  sample::Outputs y(content);
  for (std::size_t r = 0; r < a.size() / x.size(); ++r) {
    float sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c) sum += a[r * x.size() + c] * x[c];
    y.floats()[r] = sum * factor;
  }
  return !compare(content, y.pointers());
}

TEST(content_pool, a_sum_in_order_is_right_at_varied_contents_and_a_wrong_factor_is_not) {
  Pool p(sample::matvec_text(), {{"rows", 6}, {"cols", 4000}}, {.entries = 1, .cases = {0}});
  int wrong = 0;
  for (int i = 0; i < 40; ++i) {
    const FreshContent content = p.pool.varied();
    EXPECT_TRUE(passes_in_order(content, 1)) << i;
    wrong += passes_in_order(content, 1.01F) ? 0 : 1;
  }
  EXPECT_GT(wrong, 28);
}

TEST(content_pool, a_sum_that_cancels_has_room_for_rounding_alone) {
  Pool p(sample::matvec_text(), {{"rows", 1}, {"cols", 1000}}, {.entries = 1, .cases = {0}});
  auto content = std::make_shared<Content>(*p.pool.entries()[0]);
  auto a = floats_of(content->inputs[0]);
  // 1000 products of about 1 that nearly cancel: a sum in order errs by more than the tolerance.
  std::vector<float> x(1000, 1.0F);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i < 500 ? 1 + 1e-4F * a[i] : -a[i - 500];
  a[999] += 1e-4F;
  std::memcpy(content->inputs[0].data(), a.data(), 4 * a.size());
  std::memcpy(content->inputs[1].data(), x.data(), 4 * x.size());
  content->expected[0] = matvec(a, x);
  content->facts[0] = facts_of(content->expected[0], 1);
  content->room = std::make_shared<RoundingRoom>();
  const FreshContent fresh = untransformed(content);
  sample::Outputs y(fresh);
  const auto with_error = [&](double error) {
    y.floats()[0] = static_cast<float>(content->expected[0][0] + error);
    return !compare(fresh, y.pointers());
  };
  EXPECT_TRUE(with_error(1e-6));
  EXPECT_FALSE(with_error(1e-3));
  content->room = nullptr;
  EXPECT_FALSE(with_error(1e-6)) << "beyond the task's own tolerance";
}

TEST(content_pool, an_output_that_jumps_has_no_room) {
  Pool p(sample::mixed_text(), {{"n", 40}}, {.entries = 1});
  const auto& content = *p.pool.entries()[0];
  for (const double room : rounding_room(content)[2]) EXPECT_EQ(room, 0) << "of type bool";
}

TEST(content_pool, varied_inputs_that_never_change_differ_where_the_pool_draws_them_anew) {
  Pool p(sample::gather_text(), {{"entries", 9}, {"n", 20}},
         {.entries = 1, .unchanging_anew = true});
  const FreshContent one = p.pool.varied(), other = p.pool.varied();
  EXPECT_NE(inputs_of(one)[0], inputs_of(other)[0]);
  EXPECT_NE(one.entry->unchanging, other.entry->unchanging);
  Pool fixed(sample::gather_text(), {{"entries", 9}, {"n", 20}});
  EXPECT_EQ(inputs_of(fixed.pool.varied())[0], inputs_of(fixed.pool.fresh())[0]);
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

TEST(content_pool, shapes_at_their_ends_have_the_first_class) {
  const Task task = sample::task(sample::gather_text());
  Workload ends = sample::workload({{"entries", 30}, {"n", 40}});
  ends.first_classes = true;
  SecretRandom random{{1, 2, 3, 4}};
  for (int i = 0; i < 20; ++i) {
    const auto pool = ContentPool::of_one_case(task, ends, sample::oracle(task), random);
    ASSERT_TRUE(pool);
    EXPECT_THAT(pool->entries().front()->label, testing::HasSubstr("index: uniform"));
  }
}

// Takes the values away, as an oracle on a device does.
class TakingOracle final : public DeviceOracle {
 public:
  Result<void> answer(Content& content, std::span<const double> least_rms) override {
    if (fails) return Error{Failure::reference, "no memory"};
    seen_bytes.push_back(content.inputs[0].size());
    least.assign(least_rms.begin(), least_rms.end());
    for (std::vector<std::byte>& input : content.inputs) input = {};
    OutputFacts facts;
    facts.largest = 1;
    facts.row_rms = {static_cast<double>(seen_bytes.size())};
    content.magnitudes.assign(content.inputs.size(), {0.5, 1});
    content.facts = {facts};
    content.expected.resize(1);
    content.integers.resize(1);
    content.on_device = std::make_shared<DeviceTensors>();
    return {};
  }
  std::vector<std::size_t> seen_bytes;
  std::vector<double> least;
  bool fails = false;
};

TEST(content_pool, contents_on_a_device_have_transforms_and_no_values_here) {
  TakingOracle oracle;
  Pool p(sample::softmax_text(), {{"rows", 16}, {"cols", 64}},
         {.entries = 2, .cases = {0}, .device = &oracle});
  EXPECT_EQ(oracle.seen_bytes, (std::vector<std::size_t>{4096, 4096}));
  EXPECT_THAT(oracle.least, testing::IsEmpty());
  std::set<std::vector<std::int64_t>> rotations;
  for (int i = 0; i < 20; ++i) {
    const FreshContent fresh = p.pool.fresh();
    EXPECT_TRUE(fresh.entry->on_device);
    EXPECT_THAT(fresh.entry->inputs[0], testing::IsEmpty());
    rotations.insert(fresh.rotation);
  }
  EXPECT_GT(rotations.size(), 5u);
}

TEST(content_pool, a_device_is_told_the_usual_rms_of_a_small_output) {
  TakingOracle oracle;
  Pool p(sample::softmax_text(), {{"rows", 1}, {"cols", 8}},
         {.entries = 1, .cases = {0}, .device = &oracle});
  EXPECT_EQ(oracle.seen_bytes.size(), 3u);                            // two draws for the scale
  EXPECT_THAT(oracle.least, testing::ElementsAre(testing::Eq(1.5)));  // the median of 1 and 2
}

TEST(content_pool, reports_an_oracle_on_a_device_that_fails) {
  TakingOracle oracle;
  oracle.fails = true;
  const Task task = sample::task(sample::softmax_text());
  SecretRandom random{{1, 2, 3, 4}};
  const auto pool = ContentPool::create(task, sample::workload({{"rows", 4}, {"cols", 100}}),
                                        sample::oracle(task), random, {.device = &oracle});
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().message, "no memory");
}

}  // namespace
}  // namespace ke
