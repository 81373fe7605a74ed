#include <gmock/gmock.h>

#include "experiments/study/check/admission.hpp"
#include "tests/fitness/cpu/axpb_task.hpp"

namespace ke {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(NotesOfATask, name_what_it_leaves_unsaid) {
  Task task = *test::axpb_task();
  task.bytes = task.flops = test::expression("0");
  task.nonfinite = Nonfinite::unspecified;
  task.workloads.erase(task.workloads.end() - 1);
  EXPECT_THAT(notes_of(task),
              ElementsAre(HasSubstr("no 'cost.bytes'"), HasSubstr("no 'cost.flops'"),
                          HasSubstr("no 'nonfinite'"), HasSubstr("no validation workload"),
                          HasSubstr("no holdout workload")));
}

TEST(NotesOfATask, say_that_there_is_one_shape) {
  Task task = *test::axpb_task();
  task.constants = {{"n", 7}};
  task.workloads = {{{}, Role::bench, "one shape"}};
  EXPECT_THAT(notes_of(task), ElementsAre(HasSubstr("one shape: no length varies")));
}

TEST(NotesOfATask, say_that_a_declared_rule_is_never_checked) {
  Task task = *test::axpb_task();
  task.tensors.front().classes = {"normal"};
  task.workloads.push_back({{{"n", 5}}, Role::validation, "n=5"});
  EXPECT_THAT(notes_of(task), ElementsAre(HasSubstr("no input has the class nan_inf")));
}

TEST(NotesOfATask, say_how_much_of_an_output_may_be_wrong) {
  Task task = *test::axpb_task();
  task.workloads.push_back({{{"n", 5}}, Role::validation, "n=5"});
  task.tolerance.matched_ratio = 0.98;
  EXPECT_THAT(notes_of(task), ElementsAre(HasSubstr("a kernel may get 2 % of the elements wrong")));
  task.tolerance.max_error = 1;
  EXPECT_THAT(notes_of(task), IsEmpty());
}

TEST(NotesOfATask, are_none_where_all_is_said) {
  Task task = *test::axpb_task();
  task.workloads.push_back({{{"n", 5}}, Role::validation, "n=5"});
  EXPECT_THAT(notes_of(task), IsEmpty());
}

}  // namespace
}  // namespace ke
