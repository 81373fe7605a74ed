#include "experiments/run/queue/work_loop.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "core/evaluator.hpp"
#include "core/patient_evaluator.hpp"
#include "core/queue_evaluator.hpp"
#include "experiments/run/ask.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/host.hpp"
#include "experiments/run/queue/lease_keeper.hpp"
#include "experiments/run/queue/task_files.hpp"
#include "experiments/run/stored_run.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds idle_wait(1000);   // for the notification of a job
constexpr milliseconds busy_wait(50);     // for a fact
constexpr milliseconds news_wait(5);      // for a fact, while lanes are free for new jobs
constexpr milliseconds claim_pause(500);  // between looks for more while some work is under way

Result<std::string> make_folder() {
  std::string name = (fs::temp_directory_path() / "kernelevolve-task-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) return name;
  return Error{Failure::io, name + " cannot be made"};
}

/// The run's task as this device takes it.
Result<Subject> read_task_of(const Experiment& experiment, const OpenWork& work,
                             const std::string& folder) {
  std::vector<std::string> folders(experiment.devices.size());
  for (std::size_t d = 0; d < folders.size(); ++d) folders[d] = folder + fmt::format("/{}", d);
  std::vector<std::string> origins = folders;
  for (std::string& origin : origins) origin += "/" + work.on.origin;
  if (work.on.origin.empty()) origins.clear();
  KE_TRY(Subject subject, read_subject_alone(experiment, work.header.task, folder, origins));
  if (subject.hash == work.header.task_hash) return subject;
  return Error{
      Failure::config,
      fmt::format("task '{}' reads as another one here: its content is {}, that of the run "
                  "{}",
                  work.header.task, subject.hash.short_hex(), work.header.task_hash.short_hex())};
}

WorkerInfo worker_info(const EvaluatorInfo& evaluator) {
  const SessionInfo host = describe_host("");
  return {host.host, host.hardware + ", " + evaluator.device_class, getpid(), evaluator};
}

/// One worker at one device of one run.
class WorkSession {
 public:
  /// Starts the evaluator that the run names and registers it. Error when this host cannot, or when
  /// it is refused.
  static Result<std::unique_ptr<WorkSession>> begin(const WorkOptions& options,
                                                    const OpenWork& work, WorkBoard& board,
                                                    const StopSignals& signals, Console& console) {
    KE_TRY(std::string folder, make_folder());
    auto session = std::unique_ptr<WorkSession>(new WorkSession(work, board, std::move(folder)));
    KE_TRY_VOID(session->start(options, signals, console));
    return session;
  }
  ~WorkSession() {
    std::error_code code;
    fs::remove_all(folder_, code);
  }

  /// Submits finished facts and takes jobs up to the evaluator's number of lanes; waits briefly
  /// when there is nothing to do. True if it had a job. Error: the evaluator failed for good.
  Result<bool> step() {
    const bool news = held_.size() < most_held_ && board_.wait(milliseconds(0));
    if (held_.empty() || news || Clock::now() >= next_claim_) KE_TRY_VOID(claim());
    const milliseconds pause = idle_pause(keeper_->workers(), worker_, idle_turns_++);
    if (held_.empty()) {
      board_.wait(idle_wait);
      std::this_thread::sleep_for(pause);
      return false;
    }
    const bool full = held_.size() == most_held_;
    const std::vector<Fact> facts =
        evaluator_->poll(full ? busy_wait : std::clamp(pause, news_wait, busy_wait));
    KE_TRY_VOID(evaluator_->health());
    for (const Fact& fact : facts) KE_TRY_VOID(hand_in(fact));
    return true;
  }
  /// Gives open jobs back and unregisters the worker.
  Result<void> end(const std::string& reason) {
    for (const auto& [key, lease] : held_) {
      evaluator_->cancel(key);
      KE_TRY_VOID(queue_->give_back(lease));
    }
    held_.clear();
    return board_.leave(worker_, reason);
  }
  bool run_is_open() const { return keeper_->workers() > 0; }
  std::int64_t answered() const { return answered_; }

 private:
  WorkSession(OpenWork work, WorkBoard& board, std::string folder)
      : work_(std::move(work)), board_(board), folder_(std::move(folder)) {}
  Result<void> start(const WorkOptions& options, const StopSignals& signals, Console& console) {
    KE_TRY(const Experiment experiment,
           stored_experiment(work_.header, work_.name, options.overrides));
    KE_TRY(const auto files, board_.task_files(work_));
    for (std::size_t d = 0; d < experiment.devices.size(); ++d) {
      KE_TRY_VOID(unpack_files(files, d, folder_ + fmt::format("/{}", d)));
    }
    KE_TRY(const Subject subject, read_task_of(experiment, work_, folder_));
    KE_TRY(started_, start_device(experiment, work_.device, subject, console.cache_folder,
                                  work_.header.seed, &console.err));
    if (const auto& task = subject.on(work_.device).task) {
      KE_TRY(const auto tried, try_opponents(*started_.evaluator, 0, *task,
                                             started_.evaluator->info().baselines, signals));
      for (const std::string& text : tried.warnings) console.err << "warning: " << text << "\n";
    }
    evaluator_.emplace(*started_.evaluator, PatientEvaluator::Rules{});
    const EvaluatorInfo& info = evaluator_->info();
    capabilities_ = info.capabilities;
    capabilities_.push_back(device_capability(work_.device));
    most_held_ = static_cast<std::size_t>(std::max<std::int64_t>(1, info.lanes));
    KE_TRY(const Registration registered, board_.join(work_, worker_info(info)));
    if (!registered.refused.empty()) {
      return Error{Failure::device, "this host is refused: " + registered.refused};
    }
    worker_ = registered.worker;
    queue_ = board_.queue(work_, worker_);
    const DatabaseWait quiet{true, [&signals] { return signals.stop_requested(); },
                             [](const auto&) {}};
    KE_TRY(auto board, open_work_board(options.url, quiet));
    keeper_ = std::make_unique<LeaseKeeper>(std::move(board), work_, worker_);
    return {};
  }
  Result<void> claim() {
    while (held_.size() < most_held_) {
      KE_TRY(const auto lease, queue_->claim(capabilities_, board_.now(), work_.rules.time));
      if (!lease) break;
      KE_TRY_VOID(take(*lease));
    }
    next_claim_ = Clock::now() + claim_pause;
    return {};
  }
  Result<void> take(const Lease& lease) {
    held_[lease.job.key] = lease.id;
    keeper_->add(lease.id);
    const auto taken = evaluator_->submit(without_device_need(lease.job));
    return taken ? Result<void>() : hand_in(refused_job(lease.job.key, taken.error()));
  }
  Result<void> hand_in(const Fact& fact) {
    const auto held = held_.find(fact.key);
    if (held == held_.end()) return {};
    KE_TRY(const bool taken, queue_->complete(held->second, fact, board_.now()));
    if (taken) ++answered_;
    keeper_->remove(held->second);
    held_.erase(held);
    next_claim_ = {};
    return {};
  }

  const OpenWork work_;
  WorkBoard& board_;
  std::string folder_;  ///< folder of the task's files, removed at the end
  StartedEvaluator started_;
  std::optional<PatientEvaluator> evaluator_;
  std::vector<std::string> capabilities_;
  std::size_t most_held_ = 1;
  std::int64_t worker_ = 0;
  std::unique_ptr<WorkQueue> queue_;
  std::unique_ptr<LeaseKeeper> keeper_;
  std::map<Digest, std::int64_t> held_;  ///< key of a job -> its lease
  Clock::time_point next_claim_;
  std::int64_t answered_ = 0;
  std::int64_t idle_turns_ = 0;
};

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
      const auto worked = session.step();
      if (!worked) {
        static_cast<void>(session.end(worked.error().message));
        return worked.error();
      }
      if (*worked) {
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
