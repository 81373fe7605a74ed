#include "fitness/process/limited_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "core/spawn.hpp"
#include "fitness/sandbox/fd.hpp"

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads until the other end closes, keeping the first `most` bytes. False at the deadline.
bool read_until(int from, Clock::time_point deadline, std::size_t most, std::string& text) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd in{from, POLLIN, 0};
    if (::poll(&in, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return true;
    if (got < 0) continue;
    text.append(buffer.data(), std::min(static_cast<std::size_t>(got), most - text.size()));
  }
}

/// Waits for the process to end but does not reap it. False at the deadline.
bool ends_until(pid_t process, Clock::time_point deadline) {
  constexpr std::chrono::milliseconds step{2};
  for (;;) {
    siginfo_t info{};
    const int asked = waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT | WNOHANG);
    if (asked == 0 && info.si_pid == process) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(step);
  }
}

}  // namespace

LimitedRun run_limited(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                       std::size_t most_output) {
  constexpr int no_such_program = 127;
  LimitedRun run;
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return run;
  const Fd from(ends[0]);
  Fd into(ends[1]);
  const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  int process = -1;
  if (spawn_group(command, nothing.get(), into.get(), process) != 0) {
    run.code = no_such_program;
    return run;
  }
  into = Fd();  // otherwise reading would wait for our own end
  const Clock::time_point deadline = Clock::now() + limit;
  run.in_time =
      read_until(from.get(), deadline, most_output, run.output) && ends_until(process, deadline);
  kill(-process, SIGKILL);  // also kills leftover processes, which could still use a device
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  return run;
}

}  // namespace ke
