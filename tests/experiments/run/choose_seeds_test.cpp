// Choice of the kernels of a task that a search starts from.

#include "experiments/run/choose_seeds.hpp"

#include <gmock/gmock.h>

#include "experiments/run/evaluators/cpu.hpp"

namespace ke {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const Subject& subject) {
  std::vector<std::string> list;
  for (const Seed& seed : subject.seeds) list.push_back(seed.kernel.name);
  return list;
}

Subject softmax() { return *subject_of(*load_task("softmax", ".")); }

TEST(SeedsOfASearch, are_all_but_the_naive_kernel_when_none_is_named) {
  Subject subject = softmax();
  ASSERT_TRUE(choose_seeds({}, subject));
  EXPECT_THAT(names(subject), ElementsAre("anchor", "online"));
}

TEST(SeedsOfASearch, are_kernels_that_searches_found_when_they_are_asked_for) {
  Task task = **load_task("softmax", ".");
  task.found = {"online"};
  const auto chosen = [&](const std::vector<std::string>& kernels) {
    Subject subject = *subject_of(std::make_shared<const Task>(task));
    EXPECT_TRUE(choose_seeds(kernels, subject));
    return names(subject);
  };
  EXPECT_THAT(chosen({}), ElementsAre("anchor"));
  EXPECT_THAT(chosen({"all"}), ElementsAre("anchor", "online"));
  EXPECT_THAT(chosen({"online"}), ElementsAre("online"));
}

TEST(SeedsOfASearch, are_the_named_ones_in_their_order) {
  Subject subject = softmax();
  ASSERT_TRUE(choose_seeds({"online", "naive"}, subject));
  EXPECT_THAT(names(subject), ElementsAre("online", "naive"));
  EXPECT_THAT(subject.seeds[1].kernel.source, testing::Eq(subject.naive.kernel.source));
}

TEST(SeedsOfASearch, that_the_task_does_not_have_are_an_error_which_tells_those_that_it_has) {
  Subject subject = softmax();
  const auto chosen = choose_seeds({"fast"}, subject);
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().failure, Failure::config);
  EXPECT_THAT(chosen.error().message,
              HasSubstr("task 'softmax' has no kernel 'fast'; it has anchor, online, naive"));
}

TEST(SeedsOfASearch, of_a_task_with_a_naive_kernel_alone_are_that_kernel) {
  Subject subject = softmax();
  subject.seeds = {subject.naive};
  ASSERT_TRUE(choose_seeds({"naive"}, subject));
  EXPECT_THAT(names(subject), ElementsAre("naive"));
}

TEST(SeedsOfASearch, are_none_when_a_model_drafts_and_prompts_show_the_naive_kernel) {
  Subject subject = softmax();
  ASSERT_TRUE(choose_seeds({"none"}, subject));
  EXPECT_TRUE(subject.seeds.empty());
  EXPECT_EQ(subject.interface.kernel.source, subject.naive.kernel.source);
}

TEST(SeedsOfASearch, show_the_anchor_where_the_naive_kernel_is_of_another_language) {
  Subject subject = softmax();
  subject.naive.kernel.language = "other";
  ASSERT_TRUE(choose_seeds({"none"}, subject));
  EXPECT_EQ(subject.interface.kernel.name, "anchor");
}

}  // namespace
}  // namespace ke
