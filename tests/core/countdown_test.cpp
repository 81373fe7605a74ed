#include "core/countdown.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace ke {
namespace {

using namespace std::chrono_literals;

std::chrono::milliseconds waited(Countdown limit) {
  const auto begin = std::chrono::steady_clock::now();
  while (const int wait_ms = limit.step()) std::this_thread::sleep_for(wait_ms * 1ms);
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               begin);
}

TEST(Countdown, takes_its_time_in_steps) {
  EXPECT_EQ(Countdown(0ns).step(), 0);
  EXPECT_EQ(Countdown(10s).step(), 100);
  EXPECT_GE(waited(Countdown(250ms)), 250ms);
}

TEST(Countdown, does_not_count_the_time_of_a_process_that_is_stopped) {
  const pid_t child = fork();
  if (child == 0) {
    Countdown limit(1s);
    limit.step();
    raise(SIGSTOP);
    _exit(limit.step() == 100 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  std::this_thread::sleep_for(1200ms);
  kill(child, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ke
