#include "experiments/run/recording.hpp"

#include <fmt/format.h>

#include "archive/recorded_facts.hpp"
#include "archive/run_devices.hpp"
#include "core/search/search.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/run_in_memory.hpp"
#include "experiments/run/stored_run.hpp"

namespace ke {
namespace {

/// Answers nothing: a record contains all exchanges that its replay may need, except those of steps
/// that were asked ahead of its end.
class NoModel final : public LlmClient {
 public:
  Result<void> submit(const Digest& key, const LlmRequest&) override {
    if (!missed_) {
      missed_ = Error{Failure::replay_miss,
                      "replay miss: no recorded exchange " + key.short_hex() + " with a model"};
    }
    return {};
  }
  std::vector<Exchange> poll(std::chrono::milliseconds) override { return {}; }
  void cancel(const Digest&) override {}
  const std::optional<Error>& missed() const { return missed_; }

 private:
  std::optional<Error> missed_;
};

/// Delays a miss until the search cannot continue without it: the record need not answer steps that
/// were asked ahead of its end.
class PatientReplay final : public Evaluator {
 public:
  explicit PatientReplay(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {}

  const EvaluatorInfo& info() const override { return inner_->info(); }
  const EvaluatorInfo& device_info(std::size_t device) const override {
    return inner_->device_info(device);
  }
  Result<void> submit(const Job& job) override {
    auto submitted = inner_->submit(job);
    if (submitted || submitted.error().failure != Failure::replay_miss) return submitted;
    if (!missed_) missed_ = submitted.error();
    return {};
  }
  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    ++polls_;
    return inner_->poll(wait);
  }
  void cancel(const Digest& key) override { inner_->cancel(key); }

  void on_commit() { polls_ = 0; }
  /// Detects a missing fact: a commit takes a few polls, and recorded facts arrive at once.
  bool stuck() const { return polls_ > most_polls; }
  const std::optional<Error>& missed() const { return missed_; }

 private:
  static constexpr std::int64_t most_polls = 100'000;
  std::unique_ptr<Evaluator> inner_;
  std::optional<Error> missed_;
  std::int64_t polls_ = 0;
};

/// Observes the replay and compares each step.
class Follower final : public SearchObserver {
 public:
  Follower(const RunReader& reader, PatientReplay& evaluator)
      : reader_(reader), evaluator_(evaluator) {}

  void on_commit(const StepRecord& record, const SearchStatus&) override {
    ++report.steps;
    evaluator_.on_commit();
    report.history_hash = record.history_hash;
    if (!report.problems.empty()) return;
    const auto stored = reader_.step(record.index);
    const bool there = stored && *stored;
    if (there && (*stored)->history_hash == record.history_hash) return;
    report.problems.push_back(fmt::format("step {} of island {} (commit {}): {}", record.step,
                                          record.island, record.index,
                                          there ? "the replay differs" : "is not in the record"));
  }

  ReplayReport report;

 private:
  const RunReader& reader_;
  PatientReplay& evaluator_;
};

/// Requests a stop when `ask` returns true.
class StopWhen final : public StopToken {
 public:
  explicit StopWhen(std::function<bool()> ask) : ask_(std::move(ask)) {}
  bool stop_requested() const override { return ask_(); }

 private:
  std::function<bool()> ask_;
};

}  // namespace

Result<Recording> recording_of(std::shared_ptr<const RunReader> reader) {
  KE_TRY(std::optional<EvaluatorInfo> info, recorded_evaluator(*reader));
  if (!info) {
    return Error{Failure::store,
                 reader->path() + ": names no evaluator, so there is nothing to replay"};
  }
  Recording recording;
  recording.info = *std::move(info);
  KE_TRY(const auto devices, recorded_devices(*reader));
  for (const DeviceRecord& device : devices) recording.devices.push_back(device.info);
  recording.facts = recorded_facts(reader);
  recording.jobs = [reader] { return recorded_jobs(*reader); };
  return recording;
}

Result<ReplayReport> replay_run(const std::string& file, const std::string& tasks) {
  KE_TRY(const std::shared_ptr<const RunReader> reader, RunReader::open(file));
  KE_TRY(const RunHeader header, reader->header());
  KE_TRY(const Experiment experiment, stored_experiment(header, file, {}));
  KE_TRY(const Subject subject, stored_subject(experiment, header, file, tasks));
  KE_TRY(Recording recording, recording_of(reader));
  KE_TRY(const std::optional<StopRecord> stop, reader->stop());
  KE_TRY(const RunCounters counters, reader->counters());
  KE_TRY(const RunCosts costs, reader->costs());
  const auto facts = recorded_facts(reader);
  PatientReplay evaluator(make_replay_evaluator(std::move(recording)));
  Follower follower(*reader, evaluator);
  // These stops do not follow from the steps before them: a limit on time, or on money.
  const bool cut_short =
      stop && (stop->reason == "safety" || (stop->reason == "budget" && costs.exchanges > 0));
  const auto at_end = [&] { return follower.report.steps >= counters.steps; };
  const StopWhen cut([&] { return evaluator.stuck() || (!stop && at_end()); });
  const StopWhen early([&] { return cut_short && at_end(); });
  ForgetfulHistory history;
  NoModel model;
  Search search(
      make_plan(experiment, subject, header.seed),
      {evaluator, *facts, history, follower, cut, early, costs.exchanges > 0 ? &model : nullptr,
       false, cut_short ? std::string_view(stop->reason) : "safety"});
  KE_TRY(const StopRecord replayed, search.run());
  ReplayReport report = std::move(follower.report);
  const std::optional<Error>& missed = evaluator.missed() ? evaluator.missed() : model.missed();
  if (evaluator.stuck() && missed) {
    if (report.ok()) return *missed;
    return report;  // the replay diverged before it asked for the missing fact
  }
  if (stop) report.history_hash = replayed.history_hash;
  KE_TRY(const Digest stored, reader->history_hash());
  if (report.ok() && report.history_hash != stored) {
    report.problems.push_back(fmt::format("the replay ends with history {}, the record with {}",
                                          report.history_hash.short_hex(), stored.short_hex()));
  }
  return report;
}

}  // namespace ke
