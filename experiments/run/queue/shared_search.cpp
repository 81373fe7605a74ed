#include "experiments/run/queue/shared_search.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <thread>

#include "experiments/run/assemble.hpp"
#include "experiments/run/queue/task_files.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

LeaseRules rules_of(const QueuePlan& plan) {
  return {WorkQueue::Time(plan.lease_ms), plan.attempts};
}

std::string name_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

Result<void> publish(SharedRun& run, const RunRequest& request) {
  std::vector<SharedDevice> devices;
  std::vector<TaskFile> files;
  for (std::size_t d = 0; d < request.experiment.devices.size(); ++d) {
    KE_TRY(PackedTask packed, pack_task(request.subject.on(d), d));
    devices.push_back({request.experiment.devices[d].kind, packed.origin});
    for (TaskFile& file : packed.files) files.push_back(std::move(file));
  }
  return run.publish(make_header(request.experiment, request.subject, request.seed),
                     rules_of(*request.experiment.queue), devices, files);
}

}  // namespace

Result<std::unique_ptr<SharedSearch>> SharedSearch::open(const RunRequest& request,
                                                         SqliteStore& store,
                                                         const StopSignals& signals,
                                                         Console& console) {
  const QueuePlan& plan = *request.experiment.queue;
  KE_TRY(const std::string url, queue_url(plan.url, console));
  const DatabaseWait wait{false, [&signals] { return signals.stop_requested(); },
                          [&console](const std::string& line) { console.err << line << "\n"; }};
  // The server notices within a lease that the host of another coordinator is gone.
  KE_TRY(auto run, open_shared_run(url, name_of(request.file), milliseconds(plan.lease_ms), wait));
  KE_TRY_VOID(publish(*run, request));
  return std::unique_ptr<SharedSearch>(
      new SharedSearch(std::move(run), store, request, signals, console));
}

SharedSearch::SharedSearch(std::unique_ptr<SharedRun> run, SqliteStore& store,
                           const RunRequest& request, const StopSignals& signals, Console& console)
    : run_(std::move(run)),
      request_(request),
      signals_(signals),
      console_(console),
      history_(store.history(), run_->history()),
      facts_(store.facts(), run_->facts()) {}

Result<bool> SharedSearch::find_workers() {
  std::vector<EvaluatorInfo> devices;
  bool told = false;
  while (devices.size() < request_.experiment.devices.size()) {
    if (signals_.stop_requested()) return false;
    KE_TRY(auto info, run_->evaluator(devices.size()));
    if (info) {
      devices.push_back(*std::move(info));
      continue;
    }
    if (!told) {
      tell(
          fmt::format("waits for a first worker with the device {}: 'kernelevolve worker' on a "
                      "host that has one",
                      request_.experiment.devices[devices.size()].kind));
    }
    told = true;
    std::this_thread::sleep_for(milliseconds(100));
  }
  next_look_ = Clock::now() + milliseconds(request_.experiment.queue->lease_ms);
  evaluator_.emplace(std::move(devices), run_->queue(), [this](milliseconds time) { wait(time); });
  return true;
}

void SharedSearch::wait(milliseconds time) {
  std::this_thread::sleep_for(time);
  if (Clock::now() >= next_look_) complain_without_workers();
}

void SharedSearch::complain_without_workers() {
  next_look_ = Clock::now() + milliseconds(request_.experiment.queue->lease_ms);
  const auto workers = run_->live_workers();
  if (!workers) return;  // the next statement of the search says it
  if (*workers > 0) {
    complained_ = false;
  } else if (!complained_) {
    complained_ = true;
    tell(fmt::format("no worker is left; {} jobs wait for one", evaluator_->open()));
  }
}

void SharedSearch::tell(const std::string& line) const {
  console_.err << request_.file << ": " << line << std::endl;
}

Result<std::string> queue_url(const std::string& given, const Console& console) {
  if (given != "env") return given;
  const auto value = console.variable ? console.variable("KERNELEVOLVE_QUEUE_URL") : std::nullopt;
  if (value && !value->empty()) return *value;
  return Error{
      Failure::usage,
      "the environment variable KERNELEVOLVE_QUEUE_URL is not set; it holds the address of "
      "the database, such as postgresql://user@host/kernelevolve"};
}

}  // namespace ke
