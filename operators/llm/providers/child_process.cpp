#include "operators/llm/providers/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/spawn.hpp"

namespace ke {
namespace {

/// Closes a descriptor at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

/// An anonymous file, positioned at its start. Unlike a pipe it takes any amount of text at once
/// and raises no signal.
int file_of(std::string_view text) {
  const int file = memfd_create("request", MFD_CLOEXEC);
  while (file >= 0 && !text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      close(file);
      return -1;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command,
                                         std::string_view input) {
  if (command.empty()) return Error{Failure::config, "no program is named"};
  const auto broken = [&](int why) {
    return Error{Failure::provider,
                 fmt::format("program '{}' cannot be started: {}", command[0], std::strerror(why))};
  };
  const Descriptor file(file_of(input));
  int ends[2];
  if (file.get() < 0 || pipe2(ends, O_CLOEXEC) != 0) return broken(errno);
  Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  ChildProcess child;
  const int failed = spawn_group(command, file.get(), writing.get(), child.process_);
  if (failed != 0) return broken(failed);
  child.output_ = reading.release();
  fcntl(child.output_, F_SETFL, O_NONBLOCK);
  return child;
}

ChildProcess::~ChildProcess() {
  if (output_ >= 0) close(output_);
  if (process_ > 0) reap();
}

void ChildProcess::swap(ChildProcess& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(output_, other.output_);
  std::swap(text_, other.text_);
}

bool ChildProcess::ended() const {
  // Leaves the process a zombie, so that its group id is not reused.
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process_;
}

int ChildProcess::reap() {
  kill(-process_, SIGKILL);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void ChildProcess::read_output(std::size_t limit) {
  char buffer[16384];
  while (output_ >= 0 && text_.size() <= limit) {
    const ssize_t got = read(output_, buffer, sizeof buffer);
    if (got > 0) {
      text_.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0) {
      close(std::exchange(output_, -1));
    } else if (errno != EINTR) {
      return;
    }
  }
}

ChildProcess::State ChildProcess::advance(std::size_t limit) {
  KE_CHECK(process_ > 0);
  const bool over = ended();  // checked before reading, so that all its output is in the pipe
  read_output(limit);
  if (text_.size() > limit) return State::too_long;
  if (!over) return State::runs;
  const int status = reap();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? State::done : State::failed;
}

}  // namespace ke
