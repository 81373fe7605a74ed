#include "experiments/run/queue/work_session.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "core/queue_evaluator.hpp"
#include "core/refused_job.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/host.hpp"
#include "experiments/run/queue/task_files.hpp"
#include "experiments/run/stored_run.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
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

}  // namespace

Result<std::unique_ptr<WorkSession>> WorkSession::begin(const WorkOptions& options,
                                                        const OpenWork& work, WorkBoard& board,
                                                        const StopSignals& signals,
                                                        Console& console) {
  KE_TRY(std::string folder, make_folder());
  auto session = std::unique_ptr<WorkSession>(new WorkSession(work, board, std::move(folder)));
  KE_TRY_VOID(session->start(options, signals, console));
  return session;
}

WorkSession::WorkSession(OpenWork work, WorkBoard& board, std::string folder)
    : work_(std::move(work)), board_(board), folder_(std::move(folder)) {}

WorkSession::~WorkSession() {
  std::error_code code;
  fs::remove_all(folder_, code);
}

Result<void> WorkSession::start(const WorkOptions& options, const StopSignals& signals,
                                Console& console) {
  KE_TRY(const Experiment experiment,
         stored_experiment(work_.header, work_.name, options.overrides));
  KE_TRY(const auto files, board_.task_files(work_));
  for (std::size_t d = 0; d < experiment.devices.size(); ++d) {
    KE_TRY_VOID(unpack_files(files, d, folder_ + fmt::format("/{}", d)));
  }
  KE_TRY(const Subject subject, read_task_of(experiment, work_, folder_));
  KE_TRY(started_,
         start_device(experiment, work_.device, subject, console.cache_folder, work_.header.seed));
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

Result<void> WorkSession::step() {
  const bool news = held_.size() < most_held_ && board_.wait(milliseconds(0));
  if (held_.empty() || news || Clock::now() >= next_claim_) KE_TRY_VOID(claim());
  const milliseconds pause = idle_pause(keeper_->workers(), worker_, idle_turns_++);
  if (held_.empty()) {
    board_.wait(idle_wait);
    std::this_thread::sleep_for(pause);
    return {};
  }
  const bool full = held_.size() == most_held_;
  const std::vector<Fact> facts =
      evaluator_->poll(full ? busy_wait : std::clamp(pause, news_wait, busy_wait));
  KE_TRY_VOID(evaluator_->health());
  for (const Fact& fact : facts) KE_TRY_VOID(hand_in(fact));
  return {};
}

Result<void> WorkSession::claim() {
  while (held_.size() < most_held_) {
    KE_TRY(const auto lease, queue_->claim(capabilities_, board_.now(), work_.rules.time));
    if (!lease) break;
    KE_TRY_VOID(take(*lease));
  }
  next_claim_ = Clock::now() + claim_pause;
  return {};
}

Result<void> WorkSession::take(const Lease& lease) {
  held_[lease.job.key] = lease.id;
  keeper_->add(lease.id);
  const auto taken = evaluator_->submit(without_device_need(lease.job));
  return taken ? Result<void>() : hand_in(refused_job(lease.job.key, taken.error()));
}

Result<void> WorkSession::hand_in(const Fact& fact) {
  const auto held = held_.find(fact.key);
  if (held == held_.end()) return {};
  KE_TRY(const bool taken, queue_->complete(held->second, fact, board_.now()));
  if (taken) ++answered_;
  keeper_->remove(held->second);
  held_.erase(held);
  next_claim_ = {};
  return {};
}

Result<void> WorkSession::end(const std::string& reason) {
  for (const auto& [key, lease] : held_) {
    evaluator_->cancel(key);
    KE_TRY_VOID(queue_->give_back(lease));
  }
  held_.clear();
  return board_.leave(worker_, reason);
}

}  // namespace ke
