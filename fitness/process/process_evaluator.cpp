#include "fitness/process/process_evaluator.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "fitness/process/frame.hpp"
#include "fitness/process/message.hpp"

extern char** environ;

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;

/// A child process and our end of its socket; the destructor ends both.
class Child {
 public:
  static Result<std::unique_ptr<Child>> start(const std::vector<std::string>& argv);
  Child(pid_t pid, int fd) : pid_(pid), fd_(fd), reader_(fd) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(fd_);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  bool send(const ToWorker& message) { return write_frame(fd_, encode(message)); }
  /// Messages that arrive within `wait`; sets `ended` at the end of the stream.
  std::vector<FromWorker> receive(std::chrono::milliseconds wait, bool& ended);

 private:
  pid_t pid_;
  int fd_;
  FrameReader reader_;
};

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& argv) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{Failure::device, "no socket pair for a worker process"};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    return Error{Failure::device, fmt::format("cannot start the worker process '{}'", argv[0])};
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::make_unique<Child>(pid, ends[0]);
}

std::vector<FromWorker> Child::receive(std::chrono::milliseconds wait, bool& ended) {
  std::vector<FromWorker> messages;
  pollfd in{fd_, POLLIN, 0};
  if (poll(&in, 1, static_cast<int>(wait.count())) <= 0) return messages;
  ended = !reader_.fill();
  while (auto frame = reader_.next()) {
    if (auto message = decode<FromWorker>(*frame)) messages.push_back(*std::move(message));
  }
  return messages;
}

class ProcessEvaluator final : public Evaluator {
 public:
  ProcessEvaluator(std::vector<std::string> argv, std::chrono::milliseconds patience)
      : argv_(std::move(argv)), patience_(patience) {}

  /// Starts the process and waits for it to introduce itself.
  Result<void> connect() {
    KE_TRY(child_, Child::start(argv_));
    const auto deadline = Clock::now() + patience_;
    bool ended = false;
    while (!ended && Clock::now() < deadline) {
      for (FromWorker& message : child_->receive(std::chrono::milliseconds(20), ended)) {
        if (message.kind != FromWorker::Kind::hello) continue;
        info_ = std::move(message.info);
        return {};
      }
    }
    child_.reset();
    return Error{Failure::device, fmt::format("the worker process '{}' {}", argv_[0],
                                              ended ? "ended before it introduced itself"
                                                    : "did not introduce itself")};
  }

  const EvaluatorInfo& info() const override { return info_; }

  Result<void> submit(const Job& job) override {
    for (const auto& need : job.needs) {
      if (std::find(info_.capabilities.begin(), info_.capabilities.end(), need) ==
          info_.capabilities.end()) {
        return Error{Failure::device,
                     fmt::format("this evaluator cannot serve the need '{}'", need)};
      }
    }
    if (in_flight_.contains(job.key)) return {};
    if (!child_) KE_TRY_VOID(connect());
    in_flight_.insert(job.key);
    if (!child_->send({ToWorker::Kind::submit, job})) child_.reset();
    return {};
  }

  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::vector<Fact> facts;
    if (!child_) return lose_all();
    if (in_flight_.empty()) return facts;
    bool ended = false;
    for (FromWorker& message : child_->receive(wait, ended)) {
      if (message.kind == FromWorker::Kind::fact && in_flight_.erase(message.fact.key) > 0) {
        facts.push_back(std::move(message.fact));
      }
    }
    if (!ended) return facts;
    child_.reset();
    for (Fact& fact : lose_all()) facts.push_back(std::move(fact));
    return facts;
  }

  void cancel(const Digest& key) override {
    if (in_flight_.erase(key) == 0 || !child_) return;
    Job job;
    job.key = key;
    child_->send({ToWorker::Kind::cancel, job});
  }

 private:
  std::vector<Fact> lose_all() {
    std::vector<Fact> facts;
    for (const Digest& key : in_flight_) {
      Fact& fact = facts.emplace_back();
      fact.key = key;
      fact.verdict = Verdict::lost;
      fact.reason = "worker_died";
    }
    in_flight_.clear();
    return facts;
  }

  std::vector<std::string> argv_;
  std::chrono::milliseconds patience_;
  EvaluatorInfo info_;
  std::unique_ptr<Child> child_;
  std::set<Digest> in_flight_;
};

}  // namespace

Result<std::unique_ptr<Evaluator>> start_process_evaluator(std::vector<std::string> argv,
                                                           std::chrono::milliseconds patience) {
  auto evaluator = std::make_unique<ProcessEvaluator>(std::move(argv), patience);
  KE_TRY_VOID(evaluator->connect());
  return std::unique_ptr<Evaluator>(std::move(evaluator));
}

}  // namespace ke
