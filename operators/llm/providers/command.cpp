#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "core/spawn.hpp"
#include "operators/llm/exchange_json.hpp"
#include "operators/llm/providers/registry.hpp"

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

/// Owns the process and its process group, and kills them on destruction. Not thread-safe.
class ChildProcess {
 public:
  enum class State { runs, done, failed, too_long };

  /// Starts `command` (looked up in PATH) with `input` as its standard input.
  static Result<ChildProcess> start(const std::vector<std::string>& command,
                                    std::string_view input) {
    if (command.empty()) return Error{Failure::config, "no program is named"};
    const auto broken = [&](int why) {
      return Error{Failure::provider, fmt::format("program '{}' cannot be started: {}", command[0],
                                                  std::strerror(why))};
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

  ChildProcess(ChildProcess&& other) noexcept { swap(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    swap(other);
    return *this;
  }

  ~ChildProcess() {
    if (output_ >= 0) close(output_);
    if (process_ > 0) reap();
  }

  /// Reads available output; more than `limit` bytes are too long. Never waits.
  State advance(std::size_t limit) {
    KE_CHECK(process_ > 0);
    const bool over = ended();  // checked before reading, so that all its output is in the pipe
    read_output(limit);
    if (text_.size() > limit) return State::too_long;
    if (!over) return State::runs;
    const int status = reap();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? State::done : State::failed;
  }

  /// The descriptor that becomes readable with more output; -1 after its end.
  int descriptor() const { return output_; }
  std::string& text() { return text_; }

 private:
  ChildProcess() = default;
  void swap(ChildProcess& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(output_, other.output_);
    std::swap(text_, other.text_);
  }

  bool ended() const {
    // Leaves the process a zombie, so that its group id is not reused.
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process_;
  }

  void read_output(std::size_t limit) {
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

  int reap() {
    kill(-process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

  int process_ = -1;
  int output_ = -1;
  std::string text_;
};

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Starts a program for each request, passes it as JSON (`request_text`) on standard input, and
/// takes its standard output as the reply: verbatim, or, with `reply: json`, parsed by
/// `read_reply`. Runs up to `concurrency` programs at once. Failures: program_failed (exit code,
/// signal), timeout, empty, bad_reply (malformed or beyond 4 MiB).
class CommandProvider final : public LlmClient {
 public:
  explicit CommandProvider(Params& params)
      : program_(params.texts("program", {}, "program and its arguments")),
        json_(params.choice("reply", "text", {"text", "json"},
                            "what the program writes: the reply or a JSON object that has it") ==
              "json"),
        deadline_(params.duration_ms("deadline", "10min", {1, 86'400'000},
                                     "how long one reply may take")),
        concurrency_(static_cast<std::size_t>(
            params.integer("concurrency", 4, {1, 1024}, "programs that run at once"))) {
    if (program_.empty()) params.fail("program", "is missing");
  }

  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    const auto same = [&](const auto& call) { return call.key == key; };
    if (std::any_of(waiting_.begin(), waiting_.end(), same) ||
        std::any_of(running_.begin(), running_.end(), same)) {
      return {};
    }
    waiting_.push_back({key, request});
    if (running_.size() >= concurrency_) return {};
    auto started = start_next();
    if (!started) waiting_.pop_back();
    return started;
  }

  std::vector<Exchange> poll(milliseconds wait) override {
    const auto until = Clock::now() + wait;
    for (;;) {
      std::vector<Exchange> answers;
      collect(answers);
      fill(answers);
      if (!answers.empty() || running_.empty()) return answers;
      const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
      if (left.count() <= 0) return {};
      watch(std::min(left, longest_look));
    }
  }

  void cancel(const Digest& key) override {
    const auto same = [&](const auto& call) { return call.key == key; };
    std::erase_if(waiting_, same);
    std::erase_if(running_, same);
  }

 private:
  struct Waiting {
    Digest key;
    LlmRequest request;
  };
  struct Running {
    Digest key;
    LlmRequest request;
    ChildProcess process;
    Clock::time_point deadline;
  };
  // A process that exits after closing its output triggers no wake-up, so poll regularly.
  static constexpr milliseconds longest_look{10};

  /// Starts the request that has waited longest.
  Result<void> start_next() {
    Waiting& next = waiting_.front();
    KE_TRY(auto process, ChildProcess::start(program_, request_text(next.key, next.request)));
    running_.push_back(
        {next.key, std::move(next.request), std::move(process), Clock::now() + deadline_});
    waiting_.pop_front();
    return {};
  }

  void fill(std::vector<Exchange>& answers) {
    while (!waiting_.empty() && running_.size() < concurrency_) {
      if (start_next()) continue;
      answers.push_back(
          failed_exchange(waiting_.front().key, waiting_.front().request, "program_failed"));
      waiting_.pop_front();
    }
  }

  void collect(std::vector<Exchange>& answers) {
    std::erase_if(running_, [&](Running& call) {
      const ChildProcess::State state = call.process.advance(longest_reply);
      const bool late = state == ChildProcess::State::runs && Clock::now() >= call.deadline;
      if (state == ChildProcess::State::runs && !late) return false;
      answers.push_back(late ? failed_exchange(call.key, call.request, "timeout")
                             : answer(call, state));
      return true;
    });
  }

  Exchange answer(Running& call, ChildProcess::State state) const {
    Exchange exchange = failed_exchange(call.key, call.request, "program_failed");
    if (state == ChildProcess::State::too_long) exchange.status = "bad_reply";
    if (state != ChildProcess::State::done) return exchange;
    if (json_) {
      read_reply(call.process.text(), exchange);
    } else {
      take_reply(std::move(call.process.text()), exchange);
    }
    return exchange;
  }

  void watch(milliseconds wait) {
    std::vector<pollfd> watched;
    for (const Running& call : running_) {
      if (call.process.descriptor() >= 0) watched.push_back({call.process.descriptor(), POLLIN, 0});
    }
    ::poll(watched.data(), watched.size(), static_cast<int>(wait.count()));
  }

  std::vector<std::string> program_;
  bool json_;
  milliseconds deadline_;
  std::size_t concurrency_;
  std::deque<Waiting> waiting_;
  std::vector<Running> running_;
};

}  // namespace

std::unique_ptr<LlmClient> make_command_provider(Params& params, const LlmWorld&) {
  return std::make_unique<CommandProvider>(params);
}

}  // namespace ke
