#include "fitness/content/admit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Contents {
  explicit Contents(const std::string& text, std::map<std::string, std::int64_t> axes,
                    std::vector<std::size_t> cases = {})
      : task(sample::task(text)),
        pool(*ContentPool::create(task, sample::workload(std::move(axes)), sample::oracle(task),
                                  random, {.entries = 4, .cases = std::move(cases)})) {
    for (int i = 0; i < 6; ++i) list.push_back(pool.fresh());
  }
  Task task;
  SecretRandom random{{1, 2, 3, 4}};
  ContentPool pool;
  std::vector<FreshContent> list;
};

std::string edited(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// Computes in single precision with one plain loop.
NaiveOutputs naive_matvec(const FreshContent& content) {
  const auto inputs = sample::inputs_of(content);
  const auto a = sample::floats_of(inputs[0]);
  const auto x = sample::floats_of(inputs[1]);
  NaiveOutputs run{content, {std::vector<std::byte>(4 * a.size() / x.size())}};
  auto* y = reinterpret_cast<float*>(run.outputs[0].data());
  for (std::size_t r = 0; r < a.size() / x.size(); ++r) {
    y[r] = 0;
    for (std::size_t c = 0; c < x.size(); ++c) y[r] += a[r * x.size() + c] * x[c];
  }
  return run;
}

TEST(admit, no_trivial_kernel_survives_a_sound_task) {
  Contents softmax(sample::softmax_text(), {{"rows", 16}, {"cols", 40}});
  EXPECT_THAT(trivial_survivors(softmax.task, softmax.list), IsEmpty());
  Contents matvec(sample::matvec_text(), {{"rows", 16}, {"cols", 40}});
  EXPECT_THAT(trivial_survivors(matvec.task, matvec.list), IsEmpty());
  Contents gather(sample::gather_text(), {{"entries", 16}, {"n", 40}});
  EXPECT_THAT(trivial_survivors(gather.task, gather.list), IsEmpty());
}

TEST(admit, a_constant_survives_where_every_output_is_one) {
  Contents softmax(sample::softmax_text(), {{"rows", 16}, {"cols", 1}}, {0});
  EXPECT_THAT(trivial_survivors(softmax.task, softmax.list), ElementsAre("constant"));
}

TEST(admit, a_constant_does_not_survive_one_output_that_varies) {
  Contents matvec(sample::matvec_text(), {{"rows", 1}, {"cols", 40}});
  EXPECT_THAT(trivial_survivors(matvec.task, matvec.list), IsEmpty());
}

TEST(admit, zeros_survive_a_tolerance_that_is_too_wide) {
  const std::string wide =
      edited(edited(sample::matvec_text(), "relative: 1.0e-4", "relative: 0.5"),
             "classes: [normal, tiny, large]", "classes: [tiny]");
  // All products are subnormal: every expected value is below 4 FLT_MIN.
  const std::string tiny =
      edited(wide, "x: {shape: [cols]}", "x: {shape: [cols], classes: [tiny]}");
  Contents matvec(tiny, {{"rows", 16}, {"cols", 40}});
  EXPECT_THAT(trivial_survivors(matvec.task, matvec.list),
              UnorderedElementsAre("zeros", "constant"));
}

TEST(admit, the_identity_survives_a_task_that_copies) {
  Contents softmax(sample::softmax_text(), {{"rows", 16}, {"cols", 8}}, {0});
  for (FreshContent& fresh : softmax.list) {
    auto copy = std::make_shared<Content>(*fresh.entry);
    const auto x = sample::floats_of(copy->inputs[0]);
    copy->expected[0].assign(x.begin(), x.end());
    copy->facts[0] = facts_of(copy->expected[0], 8);
    fresh.entry = copy;
  }
  EXPECT_THAT(trivial_survivors(softmax.task, softmax.list), ElementsAre("identity of x"));
}

TEST(admit, naive_margin_is_small_for_a_sound_tolerance_and_refused_for_a_tight_one) {
  Contents sound(sample::matvec_text(), {{"rows", 16}, {"cols", 40}}, {0});
  std::vector<NaiveOutputs> runs;
  for (const FreshContent& fresh : sound.list) runs.push_back(naive_matvec(fresh));
  EXPECT_GT(naive_margin(runs), 0);
  EXPECT_LE(naive_margin(runs), 0.1);
  EXPECT_EQ(tolerance_refusal(runs), std::nullopt);

  Contents tight(edited(sample::matvec_text(), "relative_l2: 1.0e-5", "relative_l2: 2.0e-7"),
                 {{"rows", 16}, {"cols", 40}}, {0});
  runs.clear();
  for (const FreshContent& fresh : tight.list) runs.push_back(naive_matvec(fresh));
  ASSERT_TRUE(tolerance_refusal(runs));
  EXPECT_THAT(*tolerance_refusal(runs), testing::HasSubstr("at most 0.25 is admitted"));
}

}  // namespace
}  // namespace ke
