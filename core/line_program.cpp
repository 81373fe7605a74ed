#include "core/line_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/spawn.hpp"

namespace ke {
namespace {

constexpr std::size_t longest_answer = std::size_t{1} << 20;

}  // namespace

Error LineProgram::broken(std::string_view what) const {
  return {Failure::io, fmt::format("program '{}' {}", fmt::join(options_.command, " "), what)};
}

Result<void> LineProgram::start() {
  if (runs()) return {};
  if (options_.command.empty()) return Error{Failure::config, "no program is named"};
  if (starts_ == options_.max_starts) return broken("failed before and is not started again");
  ++starts_;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return broken(fmt::format("cannot be started: {}", std::strerror(errno)));
  }
  const int failed = spawn_group(options_.command, ends[1], ends[1], process_);
  close(ends[1]);
  socket_ = ends[0];
  received_.clear();
  if (failed == 0) return {};
  stop();
  return broken(fmt::format("cannot be started: {}", std::strerror(failed)));
}

void LineProgram::stop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (process_ <= 0) return;
  kill(-process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

Result<void> LineProgram::wait(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd watched{socket_, events, 0};
    const int ready = poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready > 0) return {};
    if (ready < 0 && errno == EINTR) continue;
    return broken(fmt::format("gave no answer within {} ms", options_.deadline.count()));
  }
}

Result<void> LineProgram::send(std::string_view text, Clock::time_point deadline) {
  while (!text.empty()) {
    KE_TRY_VOID(wait(POLLOUT, deadline));
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      return broken("died");
    }
  }
  return {};
}

Result<std::string> LineProgram::receive(Clock::time_point deadline) {
  for (;;) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos) {
      if (end + 1 != received_.size()) return broken("answered more than one line");
      std::string line = std::move(received_);
      received_.clear();
      line.pop_back();
      return line;
    }
    if (received_.size() > longest_answer) return broken("answered a line beyond 1 MiB");
    KE_TRY_VOID(wait(POLLIN, deadline));
    char buffer[4096];
    const ssize_t got = recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) {
      received_.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return broken("died");
    }
  }
}

Result<std::string> LineProgram::exchange(std::string_view line) {
  KE_TRY_VOID(start());
  const auto deadline = Clock::now() + options_.deadline;
  char early = 0;
  if (recv(socket_, &early, 1, MSG_DONTWAIT | MSG_PEEK) > 0) {
    stop();
    return broken("spoke without being asked");
  }
  auto sent = send(std::string(line) + "\n", deadline);
  auto answer = sent ? receive(deadline) : Result<std::string>(std::move(sent).error());
  if (!answer) stop();
  return answer;
}

}  // namespace ke
