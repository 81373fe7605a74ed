#include "experiments/run/progress.hpp"

#include <gmock/gmock.h>

#include <sstream>
#include <thread>

namespace ke {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProgressLine : public ::testing::Test {
 protected:
  std::string line(Limits limits, std::int64_t proposals, std::int64_t evaluations) {
    Progress progress(out_, false, "task s1", limits);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    SearchStatus status;
    status.steps = 1;
    status.proposals = proposals;
    status.evaluations = evaluations;
    progress.on_commit({}, status);
    return progress.line();
  }
  std::ostringstream out_;
};

TEST_F(ProgressLine, counts_towards_the_limit_that_ends_the_run) {
  const std::string proposals = line({.proposals = 10, .evaluations = 200}, 5, 4);
  EXPECT_THAT(proposals, HasSubstr("5/10 proposals  4 evaluations"));
  EXPECT_THAT(proposals, HasSubstr("eta 0:00"));  // five more at 250 a second
  EXPECT_THAT(line({.proposals = 1000, .evaluations = 200}, 5, 4),
              HasSubstr("  4/200 evaluations"));
  // 900 of 1000 proposals gave 10 of 200 evaluations: the proposals run out first.
  EXPECT_THAT(line({.proposals = 1000, .evaluations = 200}, 900, 10),
              HasSubstr("900/1000 proposals  10 evaluations"));
}

TEST_F(ProgressLine, before_the_first_commit_names_the_smaller_limit) {
  Progress progress(out_, false, "task s1", {.proposals = 10, .evaluations = 200});
  EXPECT_THAT(progress.line(), HasSubstr("0/10 proposals"));
  EXPECT_THAT(progress.line(), HasSubstr("eta -"));
  EXPECT_THAT(Progress(out_, false, "task s1", {.evaluations = 200}).line(),
              Not(HasSubstr("proposals")));
}

}  // namespace
}  // namespace ke
