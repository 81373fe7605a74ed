#include <poll.h>

#include <algorithm>
#include <deque>

#include "operators/llm/messages.hpp"
#include "operators/llm/providers/child_process.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

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
