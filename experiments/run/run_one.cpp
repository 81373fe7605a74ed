#include "experiments/run/run_one.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "archive/archives.hpp"
#include "archive/recorded_facts.hpp"
#include "archive/run_devices.hpp"
#include "archive/sqlite_store.hpp"
#include "core/patient_evaluator.hpp"
#include "core/search/search.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/host.hpp"
#include "experiments/run/numeric/numeric_experiment.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/run/provider.hpp"
#include "experiments/run/queue/shared_search.hpp"

namespace ke {
namespace {

Result<std::unique_ptr<SqliteStore>> open_store(const RunRequest& request) {
  StoreOptions options;
  if (is_simulated(request.experiment)) {
    options.full_sync = false;
    options.group = std::chrono::milliseconds(100);
  }
  return SqliteStore::open(request.file, options);
}

int code_of(const StopRecord& stop, const StopSignals& signals) {
  if (stop.reason == "interrupted") return signals.exit_code();
  if (stop.reason == "waiting") return exit_code::waiting;
  return stop.reason == "safety" ? exit_code::safety : exit_code::done;
}

/// Shows no progress; for --json without a terminal.
struct NoProgress final : SearchObserver {};

std::unique_ptr<SearchObserver> make_observer(const RunRequest& request, Console& console) {
  if (request.quiet) return std::make_unique<NoProgress>();
  return std::make_unique<Progress>(console.err, console.terminal,
                                    fmt::format("{} s{}", request.subject.name, request.seed),
                                    request.experiment.limits);
}

/// Stores the axes of the archives, from which readers compute coverage.
Result<void> describe_archives(SqliteStore& store, const SearchPlan& plan) {
  KE_TRY_VOID(store.describe_archive("island", axes_of(*plan.islands.front().archive)));
  return store.describe_archive("passive", axes_of(*plan.passive));
}

/// Stores the devices: a replay needs them for its job keys, readers for the device of each island.
Result<void> describe_devices(SqliteStore& store, const RunRequest& request,
                              const Evaluator& evaluator) {
  KE_TRY_VOID(store.describe_evaluator(evaluator.info()));
  const auto& devices = request.experiment.devices;
  if (devices.size() == 1) return {};
  std::vector<DeviceRecord> records;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const Subject& subject = request.subject.on(d);
    records.push_back({devices[d].name, subject.name, evaluator.device_info(d), {}});
    if (subject.task) records.back().task = subject.task->folder;
  }
  const auto& device_of = request.experiment.islands.device_of;
  for (std::size_t i = 0; i < device_of.size(); ++i) {
    records[device_of[i]].islands.push_back(static_cast<std::int64_t>(i));
  }
  return store.describe_devices(records);
}

/// Stores workload costs and ceilings for the roofline of reports. Functions and landscapes have
/// none.
Result<void> describe_roofline(SqliteStore& store, const RunRequest& request) {
  std::vector<WorkloadCost> costs;
  if (!request.subject.task) return {};
  const Task& task = *request.subject.task;
  for (const Workload& workload : task.workloads) {
    if (workload.role == Role::test) continue;
    KE_TRY(const std::int64_t bytes, task.value(task.bytes, workload));
    KE_TRY(const std::int64_t flops, task.value(task.flops, workload));
    costs.push_back({workload.label, std::string(to_string(workload.role)), bytes, flops});
  }
  const bool here = !request.experiment.queue;
  return store.describe_roofline(
      costs, here ? evaluator_kind(request.experiment)->ceilings() : std::vector<Ceiling>());
}

/// Stores what reports tell of the task.
Result<void> describe_task(SqliteStore& store, const RunRequest& request) {
  if (!request.subject.task) return {};
  const Task& task = *request.subject.task;
  return store.describe_task({{"source", task.source},
                              {"licence", task.licence},
                              {"category", task.category},
                              {"op_type", task.op_type},
                              {"libraries", task.libraries ? "allowed" : "forbidden"},
                              {"threads", std::to_string(task.threads)}});
}

/// Costs of the run's earlier sessions.
Result<RunCosts> spent_on_models(const RunRequest& request) {
  if (!request.experiment.llm) return RunCosts{};
  KE_TRY(const auto reader, RunReader::open(request.file));
  return reader->costs();
}

/// Uses the device sheet of the first session in all prompts: bandwidths vary slightly between
/// sessions, and a letter that waits for its answer must not change.
Result<void> tell_first_sheets(const RunRequest& request, SearchPlan& plan) {
  KE_TRY(const auto reader, RunReader::open(request.file));
  KE_TRY(const auto only, recorded_evaluator(*reader));
  KE_TRY(const auto devices, recorded_devices(*reader));
  for (std::size_t d = 0; d < plan.devices.size(); ++d) {
    const DeviceSheet& sheet = d < devices.size() ? devices[d].info.sheet : only->sheet;
    if (!sheet.text.empty()) plan.devices[d].sheet = std::make_shared<const DeviceSheet>(sheet);
  }
  return {};
}

/// Who answers the jobs of a search, and where its record goes.
struct SearchPlaces {
  SqliteStore& store;
  Evaluator& evaluator;
  FactLog& facts;
  History& history;
};

Result<StopRecord> search(const RunRequest& request, const SearchPlaces& places,
                          const StopSignals& signals, Console& console, RunEnd& end) {
  SqliteStore& store = places.store;
  KE_TRY_VOID(describe_devices(store, request, places.evaluator));
  KE_TRY_VOID(describe_roofline(store, request));
  KE_TRY_VOID(describe_task(store, request));
  SearchPlan plan = make_plan(request.experiment, request.subject, request.seed);
  KE_TRY_VOID(describe_archives(store, plan));
  KE_TRY_VOID(tell_first_sheets(request, plan));
  const auto observer = make_observer(request, console);
  const WallLimit wall(std::chrono::milliseconds(request.experiment.safety_wall_ms));
  KE_TRY(const RunCosts spent, spent_on_models(request));
  Provider provider(request.experiment, request.file, spent, console.variable);
  Search search(std::move(plan), {places.evaluator, places.facts, places.history, *observer,
                                  signals, wall, provider.client(), request.until_waiting});
  KE_TRY(StopRecord stop, search.run());
  if (stop.reason == "waiting") end.letters = provider.client()->open_letters();
  if (stop.reason == "exhausted") {
    end.note = fmt::format("all {} points of the space were judged", search.exhausted_points());
  }
  return stop;
}

Result<StopRecord> search_numbers(const RunRequest& request, SqliteStore& store,
                                  const StopSignals& signals, Console& console) {
  KE_TRY_VOID(store.describe_archive("passive", numeric_axes(request.experiment)));
  const auto observer = make_observer(request, console);
  const WallLimit wall(std::chrono::milliseconds(request.experiment.safety_wall_ms));
  const RunHeader header = make_header(request.experiment, request.subject, request.seed);
  NumericSearch search(make_numeric_plan(request.experiment, header),
                       {store.history(), *observer, signals, wall});
  KE_TRY(StopRecord stop, search.run());
  KE_TRY_VOID(store.put_numeric_elites(search.elites()));
  KE_TRY_VOID(store.history().finish(stop));
  return stop;
}

/// Runs `search()` as one session of the store; returns its exit code.
template <typename Search>
Result<int> session(SqliteStore& store, const std::string& sandbox_level,
                    const StopSignals& signals, Search&& search) {
  KE_TRY_VOID(store.begin_session(describe_host(sandbox_level)));
  const Result<StopRecord> stop = search();
  const int code = stop ? code_of(*stop, signals) : exit_code_of(stop.error().failure);
  const auto ended = store.end_session(now_ms(), code);
  if (!stop) return stop.error();
  if (!ended) return ended.error();
  return code;
}

/// Stores the lessons before the first step; later sessions take them only from the record.
Result<void> keep_lessons(SqliteStore& store, const Subject& subject) {
  KE_TRY(const std::int64_t steps, store.history().committed_steps());
  if (steps > 0) return {};
  for (const Passage& lesson : subject.lessons) KE_TRY_VOID(store.knowledge().add(lesson));
  return {};
}

/// The search of a run whose kernels are measured elsewhere. Workers are patient themselves.
Result<void> search_with_workers(const RunRequest& request, SqliteStore& store,
                                 const StopSignals& signals, Console& console, RunEnd& end) {
  KE_TRY(const auto shared, SharedSearch::open(request, store, signals, console));
  KE_TRY(end.code, session(store, "that of each worker", signals, [&]() -> Result<StopRecord> {
           KE_TRY(const bool found, shared->find_workers());
           if (!found) return StopRecord{"interrupted", 0, 0, {}, {}};
           return search(request, {store, shared->evaluator(), shared->facts(), shared->history()},
                         signals, console, end);
         }));
  return {};
}

}  // namespace

Result<void> create_run(const RunRequest& request) {
  KE_TRY(const auto store, open_store(request));
  KE_TRY_VOID(keep_lessons(*store, request.subject));
  return store->history().begin(make_header(request.experiment, request.subject, request.seed));
}

Result<RunEnd> run_one(const RunRequest& request, const StopSignals& signals, Console& console) {
  KE_TRY(const auto store, open_store(request));
  KE_TRY_VOID(keep_lessons(*store, request.subject));
  RunEnd end;
  if (request.experiment.numeric) {
    KE_TRY(end.code, session(*store, "none needed", signals,
                             [&] { return search_numbers(request, *store, signals, console); }));
    return end;
  }
  if (request.experiment.queue) {
    KE_TRY_VOID(search_with_workers(request, *store, signals, console, end));
    return end;
  }
  KE_TRY(const StartedEvaluator started,
         start_evaluator(request.experiment, request.subject, console.cache_folder, request.seed));
  if (!started.warning.empty()) console.err << "warning: " << started.warning << "\n";
  PatientEvaluator evaluator(*started.evaluator, {});
  const SearchPlaces here{*store, evaluator, store->facts(), store->history()};
  KE_TRY(end.code, session(*store, started.sandbox_level, signals,
                           [&] { return search(request, here, signals, console, end); }));
  return end;
}

}  // namespace ke
