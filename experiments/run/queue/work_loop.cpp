#include "experiments/run/queue/work_loop.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ostream>
#include <set>
#include <utility>

#include "experiments/run/queue/work_session.hpp"

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// One process that looks for runs and serves them.
class Worker {
 public:
  Worker(const WorkOptions& options, const StopSignals& signals, Console& console)
      : options_(options), signals_(signals), console_(console) {}

  Result<WorkEnd> run() {
    const DatabaseWait wait{true, [this] { return signals_.stop_requested(); },
                            [this](const std::string& line) { tell(line); }};
    KE_TRY(board_, open_work_board(options_.url, wait));
    busy_until_ = Clock::now();
    while (!signals_.stop_requested() && !idle_for_long()) {
      KE_TRY(const auto work, next_work());
      if (!work) {
        board_->wait(milliseconds(1000));
        continue;
      }
      KE_TRY_VOID(serve(*work));
      busy_until_ = Clock::now();
    }
    return WorkEnd{signals_.stop_requested() ? signals_.exit_code() : exit_code::done, answered_};
  }

 private:
  bool idle_for_long() const {
    return options_.idle_s > 0 &&
           Clock::now() - busy_until_ >= std::chrono::seconds(options_.idle_s);
  }

  /// A device of a run that waits for workers and that this host did not fail at.
  Result<std::optional<OpenWork>> next_work() {
    KE_TRY(const std::vector<OpenWork> list, board_->open_work());
    for (const OpenWork& work : list) {
      const bool fits = options_.kind.empty() || options_.kind == work.on.kind;
      if (fits && work.waiting && !left_.contains({work.run, work.device}))
        return std::optional(work);
    }
    return std::optional<OpenWork>();
  }

  /// Serves a run until it ends, another one waits while this one does not, or it is told to stop.
  Result<void> serve(const OpenWork& work) {
    auto begun = WorkSession::begin(options_, work, *board_, signals_, console_);
    if (!begun) {
      tell(fmt::format("{}: not served: {}", work.name, begun.error().message));
      left_.insert({work.run, work.device});
      return {};
    }
    WorkSession& session = **begun;
    tell(fmt::format("{}: serves its device {}", work.name, work.on.kind));
    KE_TRY(const std::string reason, measure(work, session));
    KE_TRY_VOID(session.end(reason));
    answered_ += session.answered();
    tell(fmt::format("{}: {} jobs answered; {}", work.name, session.answered(), reason));
    return {};
  }

  Result<std::string> measure(const OpenWork& work, WorkSession& session) {
    busy_until_ = Clock::now();
    for (;;) {
      if (signals_.stop_requested()) return std::string("told to stop");
      if (!session.run_is_open()) return std::string("the run has ended");
      if (const auto done = session.step(); !done) {
        static_cast<void>(session.end(done.error().message));
        return done.error();
      }
      if (!session.idle()) {
        busy_until_ = Clock::now();
        continue;
      }
      if (idle_for_long()) return std::string("idle");
      if (Clock::now() - looked_ < milliseconds(1000)) continue;
      looked_ = Clock::now();
      KE_TRY(const auto next, next_work());
      const bool other = next && (next->run != work.run || next->device != work.device);
      if (other) return std::string("another run waits");
    }
  }

  void tell(const std::string& line) { console_.err << line << std::endl; }

  const WorkOptions& options_;
  const StopSignals& signals_;
  Console& console_;
  std::unique_ptr<WorkBoard> board_;
  std::set<std::pair<std::int64_t, std::size_t>> left_;  ///< runs and devices not served here
  Clock::time_point busy_until_;
  Clock::time_point looked_;  ///< for other runs, while one has nothing to do
  std::int64_t answered_ = 0;
};

}  // namespace

Result<WorkEnd> serve_runs(const WorkOptions& options, const StopSignals& signals,
                           Console& console) {
  return Worker(options, signals, console).run();
}

}  // namespace ke
