#include "experiments/dispatch/make_dispatcher.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>

#include "core/text.hpp"
#include "experiments/dispatch/compose_plan.hpp"
#include "experiments/dispatch/contenders.hpp"
#include "experiments/dispatch/kernel_pool.hpp"
#include "experiments/dispatch/library_folder.hpp"
#include "experiments/dispatch/library_text.hpp"
#include "experiments/dispatch/measure.hpp"
#include "experiments/run/device_tasks.hpp"
#include "experiments/run/host.hpp"
#include "experiments/run/stored_run.hpp"
#include "experiments/view/report/candidates.hpp"

namespace ke {
namespace {

const std::vector<std::string> checked_roles = {"bench", "validation", "holdout"};

/// The runs, with the experiment and task of the first.
struct OpenedRuns {
  std::vector<std::unique_ptr<RunReader>> runs;
  Experiment experiment;
  Subject subject;
};

Result<OpenedRuns> open_run(const std::string& file, const std::string& tasks) {
  OpenedRuns source;
  source.runs.emplace_back();
  KE_TRY(source.runs.back(), RunReader::open(file));
  KE_TRY(const RunHeader header, source.runs.back()->header());
  KE_TRY(source.experiment, stored_experiment(header, file, {}));
  const auto& devices = source.experiment.devices;
  if (devices.size() != 1 || !MeasuringBench::takes(devices.front().kind)) {
    return Error{
        Failure::usage,
        file +
            ": dispatchers are made of runs with one device, of kind cpu, cuda, hip, opencl or "
            "python"};
  }
  KE_TRY(source.subject, stored_subject(source.experiment, header, file, tasks));
  return source;
}

/// Gives a task without kernels the champion, at its default knobs, as anchor.
Result<void> adopt_champion(OpenedRuns& source) {
  if (!source.subject.task->kernels.empty()) return {};
  KE_TRY(const CandidateView champion, find_candidate(*source.runs.front(), "champion"));
  auto task = std::make_shared<Task>(*source.subject.task);
  task->kernels.emplace_back("anchor", champion.candidate->kernel.source);
  source.subject.task = std::move(task);
  return {};
}

Result<OpenedRuns> open_runs(const DispatchRequest& request) {
  KE_TRY(OpenedRuns source, open_run(request.run_files.front(), request.tasks));
  for (std::size_t i = 1; i < request.run_files.size(); ++i) {
    const std::string& file = request.run_files[i];
    KE_TRY(OpenedRuns other, open_run(file, request.tasks));
    if (abi_of(other.subject) != abi_of(source.subject)) {
      return Error{Failure::usage,
                   fmt::format("{}: kernels of task '{}' take other arguments than those of '{}'",
                               file, other.subject.name, source.subject.name)};
    }
    source.runs.push_back(std::move(other.runs.front()));
  }
  KE_TRY_VOID(adopt_champion(source));
  return source;
}

/// Makes a C identifier from the given name, or from the task's.
Result<std::string> symbol_of(const std::string& given, const std::string& task) {
  std::string symbol = given.empty() ? std::filesystem::path(task).filename().string() : given;
  if (given.empty()) {
    std::ranges::replace_if(symbol, std::not_fn(may_stand_in_identifier), '_');
  }
  if (is_identifier(symbol)) return symbol;
  return Error{Failure::usage, fmt::format("--name = '{}' is no name of C: letters, digits and _, "
                                           "no digit first",
                                           symbol)};
}

SpeedupFigure inverse(const SpeedupFigure& figure) {
  if (figure.speedup <= 0) return figure;
  return {1 / figure.speedup, {1 / figure.ci.high, 1 / figure.ci.low}, figure.note};
}

/// Multiplies two speedups; 0 if either is missing.
SpeedupFigure product(const SpeedupFigure& a, const SpeedupFigure& b) {
  if (a.speedup <= 0 || b.speedup <= 0) return {0, {}, a.speedup <= 0 ? a.note : b.note};
  return ratio(a, inverse(b));
}

class Making {
 public:
  Making(const DispatchRequest& request, const OpenedRuns& source, Console& console)
      : request_(request), source_(source), console_(console) {}

  Result<DispatchResult> run() {
    KE_TRY(const std::string symbol, symbol_of(request_.symbol, source_.subject.task->name));
    KE_TRY_VOID(claim_folder(request_.folder, {"dispatch.json", "measured"}));
    KE_TRY(Task task, with_training_shapes(*source_.subject.task, request_.shapes));
    KE_TRY_VOID(open_bench(std::move(task)));
    if (!bench_->warning().empty()) console_.err << "warning: " << bench_->warning() << "\n";
    KE_TRY(const Contenders all, screen_pool());
    say("verifying the few that gain most");
    KE_TRY(Contenders few,
           verified(*bench_, all, static_cast<std::size_t>(request_.variants), champion_.kernel));
    KE_TRY_VOID(write(few, symbol));
    KE_TRY(const std::string library, build_library(request_.folder, plan_));
    say("measuring the library");
    KE_TRY_VOID(bench_->codes() != nullptr ? check_choices(few)
                                           : check_library(library, all.anchor()));
    return DispatchResult{std::move(plan_), std::move(few.refused)};
  }

 private:
  void say(const std::string& text) { console_.err << "dispatch: " << text << std::endl; }

  /// Replaces the previous bench, because two judges would share the lane's core.
  Result<void> open_bench(Task task, std::vector<std::string> readable = {}) {
    bench_.reset();
    KE_TRY(bench_, MeasuringBench::start(
                       source_.experiment, std::make_shared<const Task>(std::move(task)),
                       console_.cache_folder, request_.folder + "/measured", std::move(readable)));
    return {};
  }

  Result<Contenders> screen_pool() {
    KE_TRY(auto pool, kernel_pool(source_.runs, static_cast<std::size_t>(request_.kernels)));
    champion_ = pool.front();
    KE_TRY(Contenders all, gather(*bench_, pool));
    say(fmt::format("timing {} kernels at {} shapes", all.list.size() - 1,
                    deciding_workloads(bench_->task()).size()));
    return screened(*bench_, std::move(all));
  }

  Result<void> write(const Contenders& few, const std::string& symbol) {
    const std::string date = fmt::format("{:%Y-%m-%d %H:%M UTC}", fmt::gmtime(now_ms() / 1000));
    KE_TRY(DispatchPlan plan, compose_plan(*bench_, few, symbol, date));
    plan.task_hash = source_.subject.task->content_hash.hex();
    plan.devices.front().champion = champion_.origin;
    KE_TRY(auto before, read_plan(request_.folder));
    KE_TRY(plan_, merged(std::move(before), std::move(plan)));
    return write_library(request_.folder, *source_.subject.task, plan_);
  }

  /// Measures the library, as a baseline of the task, and the champion against the anchor.
  Result<void> check_library(const std::string& library, const Contender& anchor) {
    KE_TRY(const Digest content, hash_of_file(library));
    Task task = bench_->task();
    task.baselines.emplace_back(dispatcher_name, caller_text(task, plan_, library));
    Encoder key;
    key("dispatcher/1")(task.content_hash)(content);
    task.content_hash = key.digest();
    KE_TRY_VOID(open_bench(std::move(task), {library}));
    KE_TRY(const Fact dispatcher, bench_->verify(anchor.kernel, anchor.build,
                                                 std::string(dispatcher_name), checked_roles));
    return add_checks(anchor, [&](const Workload& shape, const std::string&) {
      return inverse(figure_at(dispatcher, shape));
    });
  }

  /// Measures each kernel that a library launches against the anchor: the library adds only host
  /// time.
  Result<void> check_choices(const Contenders& few) {
    std::map<std::string, Fact> facts;
    for (const Contender& one : few.list) {
      if (one.name() == few.anchor().name() || plan_.find(one.name()) == nullptr) continue;
      KE_TRY(facts[one.name()], bench_->verify(one.kernel, one.build, "anchor", checked_roles));
    }
    return add_checks(few.anchor(), [&](const Workload& shape, const std::string& called) {
      const auto fact = facts.find(called);
      return fact == facts.end() ? SpeedupFigure{1, {1, 1}, ""} : figure_at(fact->second, shape);
    });
  }

  /// `figure` gives the library's speedup over the anchor at a workload where it calls a variant.
  template <typename FigureAt>
  Result<void> add_checks(const Contender& anchor, FigureAt figure) {
    KE_TRY(const Fact built, bench_->build(champion_.kernel));
    KE_TRY(const Fact champion,
           bench_->verify(champion_.kernel, built.build_hash, "anchor", checked_roles));
    KE_TRY(const auto libraries, anchor_over_libraries(anchor));
    DispatchDevice& device = plan_.devices.front();
    for (const Workload& shape : bench_->task().workloads) {
      if (shape.role == Role::test) continue;
      const std::string& called = called_at(plan_, device, argument_lengths(bench_->task(), shape));
      device.checks.push_back({shape.label, std::string(to_string(shape.role)), called,
                               figure(shape, called), figure_at(champion, shape)});
      DispatchCheck& check = device.checks.back();
      for (const auto& [name, fact] : libraries) {
        check.libraries[name] = product(check.dispatcher, figure_at(fact, shape));
      }
    }
    return write_library(request_.folder, *source_.subject.task, plan_);
  }

  /// Measures the anchor against each library that is a baseline, and against a reference in
  /// Python.
  Result<std::map<std::string, Fact>> anchor_over_libraries(const Contender& anchor) {
    std::map<std::string, Fact> facts;
    for (const std::string& name : bench_->libraries()) {
      KE_TRY(facts[name], bench_->verify(anchor.kernel, anchor.build, name, checked_roles));
    }
    return facts;
  }

  const DispatchRequest& request_;
  const OpenedRuns& source_;
  Console& console_;
  std::unique_ptr<MeasuringBench> bench_;
  PoolKernel champion_;
  DispatchPlan plan_;
};

}  // namespace

Result<DispatchResult> make_dispatcher(const DispatchRequest& request, Console& console) {
  KE_TRY(const OpenedRuns source, open_runs(request));
  return Making(request, source, console).run();
}

}  // namespace ke
