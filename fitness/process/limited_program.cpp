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

#include "core/countdown.hpp"
#include "core/spawn.hpp"
#include "fitness/sandbox/fd.hpp"

namespace ke {
namespace {

/// Reads until the other end closes, keeping the first `most` bytes. False when the time is up.
bool read_all(int from, Countdown& limit, std::size_t most, std::string& text) {
  std::array<char, 4096> buffer{};
  while (const int wait_ms = limit.step()) {
    pollfd in{from, POLLIN, 0};
    if (::poll(&in, 1, wait_ms) <= 0) continue;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return true;
    if (got < 0) continue;
    text.append(buffer.data(), std::min(static_cast<std::size_t>(got), most - text.size()));
  }
  return false;
}

/// Waits for the process to end but does not reap it. False when the time is up.
bool ends(pid_t process, Countdown& limit) {
  constexpr std::chrono::milliseconds pause{2};
  for (;;) {
    siginfo_t info{};
    const int asked = waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT | WNOHANG);
    if (asked == 0 && info.si_pid == process) return true;
    if (limit.step() == 0) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

LimitedRun run_limited(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                       std::size_t most_output) {
  constexpr int no_such_program = 127;
  LimitedRun run;
  int pipe[2] = {-1, -1};
  if (pipe2(pipe, O_CLOEXEC) != 0) return run;
  const Fd from(pipe[0]);
  Fd into(pipe[1]);
  const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  int process = -1;
  if (spawn_group(command, nothing.get(), into.get(), process) != 0) {
    run.code = no_such_program;
    return run;
  }
  into = Fd();  // otherwise reading would wait for our own end
  Countdown left(limit);
  run.in_time = read_all(from.get(), left, most_output, run.output) && ends(process, left);
  kill(-process, SIGKILL);  // also kills leftover processes, which could still use a device
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  return run;
}

}  // namespace ke
