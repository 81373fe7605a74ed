#include "fitness/host/watchdog.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

pid_t start_sleeper() {
  const pid_t pid = fork();
  if (pid == 0) {
    pause();
    _exit(0);
  }
  return pid;
}

void end(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

int descriptor_of(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

TEST(Watchdog, kills_at_the_deadline) {
  const pid_t sleeper = start_sleeper();
  Watchdog watchdog;
  watchdog.arm(descriptor_of(sleeper), now_ns() + 100'000'000);
  int status = 0;
  ASSERT_EQ(waitpid(sleeper, &status, 0), sleeper);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(watchdog.disarm());
}

/// Exits with status 0 if the deadline did not pass while this process was suspended.
[[noreturn]] void judge_that_is_suspended() {
  const pid_t sleeper = start_sleeper();
  Watchdog watchdog;
  watchdog.arm(descriptor_of(sleeper), now_ns() + 2'000'000'000);
  std::this_thread::sleep_for(milliseconds(100));
  raise(SIGSTOP);
  std::this_thread::sleep_for(milliseconds(300));
  const bool fired = watchdog.disarm();
  end(sleeper);
  _exit(fired ? 1 : 0);
}

TEST(Watchdog, does_not_count_the_time_of_a_machine_that_stood_still) {
  const pid_t judge = fork();
  if (judge == 0) judge_that_is_suspended();
  int status = 0;
  ASSERT_EQ(waitpid(judge, &status, WUNTRACED), judge);
  ASSERT_TRUE(WIFSTOPPED(status));
  std::this_thread::sleep_for(milliseconds(2500));
  kill(judge, SIGCONT);
  ASSERT_EQ(waitpid(judge, &status, 0), judge);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ke
