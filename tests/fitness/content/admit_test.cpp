#include "fitness/content/admit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

using sample::replaced;

TEST(admit, no_trivial_kernel_survives_a_sound_task) {
  Contents softmax(sample::softmax_text(), {{"rows", 16}, {"cols", 40}});
  EXPECT_THAT(sample::trivial_survivors(softmax.task, softmax.list), IsEmpty());
  Contents matvec(sample::matvec_text(), {{"rows", 16}, {"cols", 40}});
  EXPECT_THAT(sample::trivial_survivors(matvec.task, matvec.list), IsEmpty());
  Contents gather(sample::gather_text(), {{"entries", 16}, {"n", 40}});
  EXPECT_THAT(sample::trivial_survivors(gather.task, gather.list), IsEmpty());
}

TEST(admit, a_constant_survives_where_every_output_is_one) {
  Contents softmax(sample::softmax_text(), {{"rows", 16}, {"cols", 1}}, {0});
  EXPECT_THAT(sample::trivial_survivors(softmax.task, softmax.list), ElementsAre("constant"));
}

TEST(admit, a_constant_does_not_survive_one_output_that_varies) {
  Contents matvec(sample::matvec_text(), {{"rows", 1}, {"cols", 40}});
  EXPECT_THAT(sample::trivial_survivors(matvec.task, matvec.list), IsEmpty());
}

TEST(admit, zeros_survive_a_tolerance_that_is_too_wide) {
  const std::string wide =
      replaced(replaced(sample::matvec_text(), "relative: 1.0e-4", "relative: 0.5"),
               "classes: [normal, tiny, large]", "classes: [tiny]");
  // All products are subnormal: every expected value is below 4 FLT_MIN.
  const std::string tiny =
      replaced(wide, "x: {shape: [cols]}", "x: {shape: [cols], classes: [tiny]}");
  Contents matvec(tiny, {{"rows", 16}, {"cols", 40}});
  EXPECT_THAT(sample::trivial_survivors(matvec.task, matvec.list),
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
  EXPECT_THAT(sample::trivial_survivors(softmax.task, softmax.list), ElementsAre("identity of x"));
}

}  // namespace
}  // namespace ke
