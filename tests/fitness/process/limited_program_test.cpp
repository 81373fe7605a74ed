#include "fitness/process/limited_program.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

LimitedRun shell(const std::string& script, int limit_ms = 10'000) {
  return run_limited({"/bin/sh", "-c", script}, std::chrono::milliseconds(limit_ms), 16);
}

TEST(LimitedProgram, gives_exit_code_and_the_beginning_of_what_it_says) {
  const LimitedRun run = shell("echo 0123456789abcdefghij; exit 3");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(run.in_time);
  EXPECT_EQ(run.output, "0123456789abcdef");
}

TEST(LimitedProgram, that_is_not_there_is_127) {
  EXPECT_EQ(run_limited({"no-such-program-here"}, std::chrono::seconds(1), 16).code, 127);
}

TEST(LimitedProgram, ended_by_a_signal_is_minus_one) { EXPECT_EQ(shell("kill -9 $$").code, -1); }

TEST(LimitedProgram, is_ended_when_its_time_is_up_whether_it_speaks_or_not) {
  EXPECT_FALSE(shell("sleep 60", 100).in_time);
  EXPECT_FALSE(shell("exec >/dev/null; sleep 60", 100).in_time);
}

TEST(LimitedProgram, what_it_leaves_behind_ends_with_it) {
  EXPECT_TRUE(shell("(sleep 60 >/dev/null) & exit 0").in_time);
}

}  // namespace
}  // namespace ke
