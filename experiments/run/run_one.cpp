#include "experiments/run/run_one.hpp"
#include "experiments/text/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "archive/archives.hpp"
#include "archive/llm_bill.hpp"
#include "archive/recorded_facts.hpp"
#include "archive/run_devices.hpp"
#include "archive/run_reader.hpp"
#include "archive/sqlite_store.hpp"
#include "core/llm_client.hpp"
#include "core/patient_evaluator.hpp"
#include "core/search/search.hpp"
#include "experiments/run/ask.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "experiments/run/console.hpp"
#include "experiments/run/failure_text.hpp"
#include "experiments/run/host.hpp"
#include "experiments/run/kept_sheet.hpp"
#include "experiments/run/numeric/numeric_experiment.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/run/queue/shared_search.hpp"
#include "fitness/host/python_baseline.hpp"
#include "operators/llm/client/budget.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

// Connects a run's operators to the provider of its language model.

constexpr double picodollars_per_dollar = 1e12;

LlmCost cost_of(const RunCosts& costs) {
  LlmCost cost;
  cost.tokens = costs.input_tokens + costs.output_tokens;
  cost.picodollars = std::llround(costs.dollars * picodollars_per_dollar);
  return cost;
}

LlmBudget::Limits limits_of(const LlmLimits& given) {
  LlmBudget::Limits limits;
  if (given.tokens > 0) limits.tokens = given.tokens;
  if (given.dollars > 0) limits.picodollars = std::llround(given.dollars * picodollars_per_dollar);
  return limits;
}

/// Passes on what another client does. Reports the first prompt that its server cut, and when half
/// and four fifths of the money or tokens are spent.
class WarningClient final : public LlmClient {
 public:
  WarningClient(std::unique_ptr<LlmClient> inner, const LlmBudget& budget, std::ostream& err)
      : inner_(std::move(inner)), budget_(budget), err_(err) {}

  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    return inner_->submit(key, request);
  }
  std::vector<Exchange> poll(std::chrono::milliseconds wait) override {
    std::vector<Exchange> answers = inner_->poll(wait);
    for (const Exchange& exchange : answers) {
      if (exchange.detail.sent_tokens == 0 || std::exchange(told_, true)) continue;
      err_ << "warning: " << cut_prompt_text(exchange.input_tokens, exchange.detail.sent_tokens)
           << std::endl;
    }
    for (const double part : {0.8, 0.5}) {
      if (budget_.spent_share() < part || warned_at_ >= part) continue;
      err_ << fmt::format(
                  "warning: {:.0f} % of the language model's budget is spent: {} tokens, "
                  "${:.4f}",
                  100 * budget_.spent_share(), budget_.spent().tokens, budget_.spent().dollars())
           << std::endl;
      warned_at_ = part;
    }
    return answers;
  }
  void cancel(const Digest& key) override { inner_->cancel(key); }
  std::optional<OpenLetters> open_letters() const override { return inner_->open_letters(); }

 private:
  std::unique_ptr<LlmClient> inner_;
  const LlmBudget& budget_;
  std::ostream& err_;
  bool told_ = false;
  double warned_at_ = budget_.spent_share();  ///< an earlier session has warned of that
};

Result<std::vector<Exchange>> answered_in(const std::string& run_file) {
  KE_TRY(auto reader, RunReader::open(run_file));
  return recorded_exchanges(std::move(reader));
}

/// A client with its budget.
class Provider {
 public:
  /// `spent`: costs of earlier sessions of the run in `run_file`. Relative folders are resolved
  /// against that file's folder. There is no client without a section llm. Warns on `console.err`
  /// when the provider reads less of a prompt than was sent, and before the budget ends.
  Provider(const Experiment& experiment, const std::string& run_file, const RunCosts& spent,
           Console& console) {
    if (!experiment.llm) return;
    budget_ = std::make_unique<LlmBudget>(limits_of(experiment.llm_limits));
    budget_->add_spent(cost_of(spent));
    LlmWorld world;
    world.run_folder = std::filesystem::path(run_file).parent_path().string();
    world.answered = [run_file] { return answered_in(run_file); };
    world.variable = console.variable;
    world.budget = budget_.get();
    ParamLog log;
    Params top(&experiment.document, "", log);
    Params section = top.section("llm");
    client_ =
        std::make_unique<WarningClient>(make_llm_client(section, world), *budget_, console.err);
  }

  LlmClient* client() { return client_.get(); }

 private:
  std::unique_ptr<LlmBudget> budget_;
  std::unique_ptr<LlmClient> client_;
};

Result<std::unique_ptr<SqliteStore>> open_store(const RunRequest& request) {
  StoreOptions options;
  if (is_simulated(request.experiment)) {
    options.full_sync = false;
    options.group = std::chrono::milliseconds(100);
  }
  return SqliteStore::open(request.file, options);
}

int code_of(const StopRecord& stop, const RunEnd& end, const StopSignals& signals) {
  if (stop.reason == "interrupted") return signals.exit_code();
  if (stop.reason == "waiting") return exit_code::waiting;
  if (stop.reason == "safety") return exit_code::safety;
  return end.no_answer ? exit_code::nothing_judged : exit_code::done;
}

/// Shows no progress; for --json without a terminal.
struct NoProgress final : SearchObserver {};

std::unique_ptr<SearchObserver> make_observer(const RunRequest& request, Console& console) {
  if (request.quiet) return std::make_unique<NoProgress>();
  const auto& task = request.subject.task;
  return std::make_unique<Progress>(console.err, console.terminal,
                                    fmt::format("{} s{}", request.subject.name, request.seed),
                                    request.experiment.limits, task ? anchor_stand_in(*task) : "");
}

/// Stores the axes of the archives, from which readers compute coverage.
Result<void> describe_archives(SqliteStore& store, const SearchPlan& plan) {
  KE_TRY_VOID(store.describe_archive("island", axes_of(*plan.islands.front().archive)));
  return store.describe_archive("passive", axes_of(*plan.passive));
}

/// Stores the devices: a replay needs them for its job keys, readers for the device of each island.
Result<void> describe_devices(SqliteStore& store, const RunRequest& request,
                              const Evaluator& evaluator,
                              const std::vector<std::string>& opponents) {
  const auto& devices = request.experiment.devices;
  const auto info_of = [&](std::size_t device) -> Result<EvaluatorInfo> {
    EvaluatorInfo info = evaluator.device_info(device);
    if (info.sheet.text.empty()) return info;
    if (device < opponents.size()) info.sheet.text += opponents[device];
    const auto& task = request.subject.on(device).task;
    if (const std::string& file = request.experiment.sheets; !file.empty() && task) {
      const std::string key = fmt::format("{} {}", task->content_hash.hex(), info.device_class);
      KE_TRY(info.sheet, kept_sheet(file, key, info.sheet));
    }
    return info;
  };
  if (devices.size() == 1) {
    KE_TRY(const EvaluatorInfo info, info_of(0));
    return store.describe_evaluator(info);
  }
  KE_TRY_VOID(store.describe_evaluator(evaluator.info()));
  std::vector<DeviceRecord> records;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const Subject& subject = request.subject.on(d);
    KE_TRY(EvaluatorInfo info, info_of(d));
    records.push_back({devices[d].name, subject.name, std::move(info), {}});
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
                              {"math", task.tf32 ? "tf32" : ""},
                              {"shapes", task.has_one_shape() ? "one shape" : ""},
                              {"threads", std::to_string(task.threads)},
                              {"anchor", anchor_stand_in(task)}});
}

/// Costs of the run's earlier sessions.
Result<RunCosts> spent_on_models(const RunRequest& request) {
  if (!request.experiment.llm) return RunCosts{};
  KE_TRY(const auto reader, RunReader::open(request.file));
  return reader->costs();
}

/// Limits on money, which are no part of a run's identity but hold when it is resumed.
std::map<std::string, std::string> kept_options(const Experiment& experiment) {
  std::map<std::string, std::string> options;
  const auto& [tokens, dollars] = experiment.llm_limits;
  if (tokens > 0) options["llm.budget.tokens"] = std::to_string(tokens);
  if (dollars > 0) options["llm.budget.dollars"] = fmt::format("{}", dollars);
  return options;
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
  std::vector<std::string> opponents = {};  ///< what prompts tell of each device's opponents
};

/// A note for people about the end of a search; "" if there is nothing to say.
std::string note_of(const Search& search, const StopRecord& stop, const Experiment& experiment) {
  if (stop.reason == "exhausted") {
    return fmt::format("all {} points of the space were judged", search.exhausted_points());
  }
  if (const std::string shortage = search.shortage(); !shortage.empty()) {
    return fmt::format(
        "the money for the language model is used up: {}; 'kernelevolve resume' "
        "with a larger llm.budget goes on",
        shortage);
  }
  if (!ended_by_derived_limit(experiment.limits, stop.proposals, stop.evaluations)) return "";
  return fmt::format(
      "{} proposals gave {} evaluations: the limit of {} proposals is derived from "
      "budget.evaluations = {}; budget.proposals sets another",
      stop.proposals, stop.evaluations, derived_proposals(experiment.limits),
      experiment.limits.evaluations);
}

Result<StopRecord> search(const RunRequest& request, const SearchPlaces& places,
                          const StopSignals& signals, Console& console, RunEnd& end) {
  SqliteStore& store = places.store;
  KE_TRY_VOID(describe_devices(store, request, places.evaluator, places.opponents));
  KE_TRY_VOID(describe_roofline(store, request));
  KE_TRY_VOID(describe_task(store, request));
  SearchPlan plan = make_plan(request.experiment, request.subject, request.seed);
  KE_TRY_VOID(describe_archives(store, plan));
  KE_TRY_VOID(tell_first_sheets(request, plan));
  const auto observer = make_observer(request, console);
  const WallLimit wall(std::chrono::milliseconds(request.experiment.safety_wall_ms));
  KE_TRY(const RunCosts spent, spent_on_models(request));
  KE_TRY_VOID(store.keep_options(kept_options(request.experiment)));
  Provider provider(request.experiment, request.file, spent, console);
  Search search(std::move(plan), {places.evaluator, places.facts, places.history, *observer,
                                  signals, wall, provider.client(), request.until_waiting});
  KE_TRY(StopRecord stop, search.run());
  if (stop.reason == "waiting") end.letters = provider.client()->open_letters();
  end.note = note_of(search, stop, request.experiment);
  if (request.experiment.llm) {
    KE_TRY(const auto reader, RunReader::open(request.file));
    KE_TRY(const LlmBill bill, llm_bill(*reader));
    end.no_answer = bill.all_unusable() || (bill.models.empty() && !search.shortage().empty());
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
                    const StopSignals& signals, const RunEnd& end, Search&& search) {
  KE_TRY_VOID(store.begin_session(describe_host(sandbox_level)));
  const Result<StopRecord> stop = search();
  const int code = stop ? code_of(*stop, end, signals) : exit_code_of(stop.error().failure);
  const auto ended = store.end_session(now_ms(), code);
  if (!stop) return stop.error();
  if (!ended) return ended.error();
  return code;
}

/// Stores the lessons before the first step; later sessions take them only from the record.
Result<void> keep_lessons(SqliteStore& store, const Subject& subject) {
  KE_TRY(const std::int64_t steps, store.history().committed_steps());
  if (steps > 0) return {};
  for (const Passage& lesson : subject.lessons) KE_TRY_VOID(store.add_lesson(lesson));
  return {};
}

/// Opponents that the run's jobs name: all baselines, or the anchor alone without verification.
std::vector<std::string> opponents_of(const Experiment& experiment, const EvaluatorInfo& info) {
  std::vector<std::string> names = info.baselines;
  if (experiment.verify.cells == 0)
    std::erase_if(names, [](const auto& n) { return n != "anchor"; });
  return names;
}

/// Before the first step of a run that measures, calls each opponent once. Answers with what
/// prompts tell of them, by device.
Result<std::vector<std::string>> try_all_opponents(const RunRequest& request, SqliteStore& store,
                                                   Evaluator& evaluator, const StopSignals& signals,
                                                   std::ostream& warnings) {
  std::vector<std::string> times(request.experiment.devices.size());
  KE_TRY(const std::int64_t steps, store.history().committed_steps());
  if (steps > 0) return times;
  for (std::size_t d = 0; d < request.experiment.devices.size(); ++d) {
    const auto& task = request.subject.on(d).task;
    if (!task || evaluator_kind(request.experiment, d)->simulated()) continue;
    KE_TRY(const auto tried,
           try_opponents(evaluator, d, *task,
                         opponents_of(request.experiment, evaluator.device_info(d)), signals));
    for (const std::string& text : tried.warnings) warnings << "warning: " << text << "\n";
    times[d] = tried.times;
  }
  return times;
}

/// The search of a run whose kernels are measured elsewhere. Workers are patient themselves.
Result<void> search_with_workers(const RunRequest& request, SqliteStore& store,
                                 const StopSignals& signals, Console& console, RunEnd& end) {
  KE_TRY(const auto shared, SharedSearch::open(request, store, signals, console));
  KE_TRY(end.code, session(store, "that of each worker", signals, end, [&]() -> Result<StopRecord> {
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

namespace {

Result<RunEnd> run_session(const RunRequest& request, const StopSignals& signals,
                           Console& console) {
  KE_TRY(auto store, open_store(request));
  KE_TRY_VOID(keep_lessons(*store, request.subject));
  RunEnd end;
  if (request.experiment.numeric) {
    KE_TRY(end.code, session(*store, "none needed", signals, end,
                             [&] { return search_numbers(request, *store, signals, console); }));
    return end;
  }
  if (request.experiment.queue) {
    KE_TRY_VOID(search_with_workers(request, *store, signals, console, end));
    return end;
  }
  KE_TRY(const StartedEvaluator started,
         start_evaluator(request.experiment, request.subject, console.cache_folder, request.seed,
                         &console.err));
  if (!started.warning.empty()) console.err << "warning: " << started.warning << "\n";
  const auto tried = try_all_opponents(request, *store, *started.evaluator, signals, console.err);
  if (!tried) {
    store.reset();
    remove_never_begun(request.file);  // the same command may start again
    return tried.error();
  }
  PatientEvaluator evaluator(*started.evaluator, {});
  const SearchPlaces here{*store, evaluator, store->facts(), store->history(), *tried};
  KE_TRY(end.code, session(*store, started.sandbox_level, signals, end,
                           [&] { return search(request, here, signals, console, end); }));
  return end;
}

}  // namespace

Result<RunEnd> run_one(const RunRequest& request, const StopSignals& signals, Console& console) {
  KE_TRY(RunEnd end, run_session(request, signals, console));
  if (end.code != exit_code::done && end.code != exit_code::nothing_judged) return end;
  KE_TRY(const auto reader, RunReader::open(request.file));
  KE_TRY(const RunCounters counters, reader->counters());
  KE_TRY(const auto verified, reader->verified());
  const std::string more = end.note.empty() ? "" : "; " + end.note;
  if (counters.judged == 0) {
    end.code = exit_code::nothing_judged;
    end.note = nothing_judged_text(counters) + more;
  } else if (const std::string reason = unverified_reason(verified); !reason.empty()) {
    end.note = fmt::format(
        "no figure was verified: {}; 'kernelevolve verify {} --remeasure' "
        "measures the champion again{}",
        reason, shell_word(request.file), more);
  }
  return end;
}

}  // namespace ke
