#include "experiments/dispatch/make_dispatcher.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <set>

#include "core/text.hpp"
#include "experiments/dispatch/compose_plan.hpp"
#include "experiments/dispatch/contenders.hpp"
#include "experiments/dispatch/kernel_pool.hpp"
#include "experiments/dispatch/known_figures.hpp"
#include "experiments/dispatch/library_folder.hpp"
#include "experiments/dispatch/library_text.hpp"
#include "experiments/dispatch/measure.hpp"
#include "experiments/run/device_tasks.hpp"
#include "experiments/run/host.hpp"
#include "experiments/run/stored_run.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/view/report/candidates.hpp"
#include "fitness/host/python_baseline.hpp"

namespace ke {
namespace {

/// The runs, with the experiment and task of the first.
struct OpenedRuns {
  std::vector<std::unique_ptr<RunReader>> runs;
  Experiment experiment;
  Subject subject;
  std::string stand_in;  ///< baseline that is the runs' anchor; "" = a kernel of the task
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
  source.stand_in = anchor_stand_in(*source.subject.task);
  if (!source.subject.task->kernels.empty()) return {};
  KE_TRY(const CandidateView champion, find_candidate(*source.runs.front(), "champion"));
  auto task = std::make_shared<Task>(*source.subject.task);
  task->kernels.emplace_back("anchor", champion.candidate->kernel.source);
  task->language = champion.candidate->kernel.language;
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

/// Shapes of the task and those of the request; drawn ones decide, and no figure is printed of
/// them.
Result<std::set<std::string>> listed_shapes(const Task& task, const ShapeRequest& request) {
  KE_TRY(const Task listed, with_training_shapes(task, {request.given, 0, request.seed}));
  std::set<std::string> labels;
  for (const Workload& workload : listed.workloads) labels.insert(workload.label);
  return labels;
}

class Making {
 public:
  Making(const DispatchRequest& request, const OpenedRuns& source, Console& console)
      : request_(request), source_(source), console_(console) {}

  Result<DispatchResult> run() {
    KE_TRY(const std::string symbol, symbol_of(request_.symbol, source_.subject.task->name));
    KE_TRY_VOID(claim_folder(request_.folder, {"dispatch.json", "measured"}));
    KE_TRY(listed_, listed_shapes(*source_.subject.task, request_.shapes));
    KE_TRY(Task task, with_training_shapes(*source_.subject.task, request_.shapes));
    KE_TRY_VOID(open_bench(std::move(task)));
    if (!bench_->warning().empty()) console_.err << "warning: " << bench_->warning() << "\n";
    KE_TRY(known_, KnownFigures::read(source_.runs, runs_task_hash(), *bench_));
    KE_TRY(Contenders few, choose());
    KE_TRY_VOID(write(few, symbol));
    say("building the library");
    KE_TRY(const std::string library, build_library(request_.folder, plan_));
    KE_TRY_VOID(measure(few, library));
    return DispatchResult{std::move(plan_), std::move(few.refused)};
  }

 private:
  /// Shapes at which the library calls one kernel.
  struct Called {
    Contender kernel;
    Labels shapes;
  };

  void say(const std::string& text) { console_.err << "dispatch: " << text << std::endl; }

  Digest runs_task_hash() const { return source_.subject.hash; }

  /// Replaces the previous bench, because two judges would share the lane's core.
  Result<void> open_bench(Task task, std::vector<std::string> readable = {}) {
    bench_.reset();
    KE_TRY(bench_, MeasuringBench::start(
                       source_.experiment, std::make_shared<const Task>(std::move(task)),
                       console_.cache_folder, request_.folder + "/measured", std::move(readable)));
    return {};
  }

  Result<Contenders> choose() {
    KE_TRY(auto pool, kernel_pool(source_.runs, static_cast<std::size_t>(request_.kernels)));
    champion_ = pool.front();
    KE_TRY(Contenders all, gather(*bench_, pool));
    const std::size_t kernels = all.list.size() - 1;
    const std::size_t compared_most =
        std::min(kernels, static_cast<std::size_t>(request_.variants) + 1);
    const double duel_s = bench_->verify_seconds();
    say(
        fmt::format("screens {} kernels at up to {} shapes, about 2 s each, then compares up to {} "
                    "of them, about {:.0f} s each, beside compiling",
                    kernels, deciding_workloads(bench_->task()).size(), compared_most, duel_s));
    const Tell tell = [this](const std::string& what) { say(what); };
    KE_TRY(all, screened(*bench_, std::move(all), known_, !source_.stand_in.empty(), tell));
    return compared(*bench_, all, static_cast<std::size_t>(request_.variants), champion_.kernel,
                    tell);
  }

  Result<void> write(const Contenders& few, const std::string& symbol) {
    const std::string date = fmt::format("{:%Y-%m-%d %H:%M UTC}", fmt::gmtime(now_ms() / 1000));
    KE_TRY(DispatchPlan plan, compose_plan(*bench_, few, symbol, date));
    plan.task_hash = source_.subject.task->content_hash.hex();
    if (!source_.stand_in.empty()) plan.against = source_.stand_in;
    plan.devices.front().champion = champion_.origin;
    plan.devices.front().within = bench_->within();
    KE_TRY(auto before, read_plan(request_.folder));
    KE_TRY(plan_, merged(std::move(before), std::move(plan)));
    return write_library(request_.folder, *source_.subject.task, plan_);
  }

  /// Measures what the library calls against each opponent, and the library against its kernels.
  Result<void> measure(const Contenders& few, const std::string& library) {
    const std::vector<Called> groups = called(few);
    std::vector<std::string> opponents = bench_->libraries();
    if (source_.stand_in.empty()) opponents.insert(opponents.begin(), "anchor");
    const std::size_t of_library = bench_->codes() == nullptr ? groups.size() : 0;
    const std::size_t most = groups.size() * opponents.size() + of_library + 1;
    say(
        fmt::format("up to {} verifications, mostly {:.0f} to {:.0f} s each, beside what opponents "
                    "compile; figures of the runs are not measured again",
                    most, bench_->verify_seconds(), 4 * bench_->verify_seconds()));
    for (const std::string& opponent : opponents) {
      for (const Called& group : groups) KE_TRY_VOID(verify(group, opponent, few.anchor()));
    }
    KE_TRY_VOID(verify_champion(few.anchor()));
    if (of_library > 0) KE_TRY_VOID(verify_library(groups, library));
    return add_checks(groups, opponents);
  }

  std::vector<Called> called(const Contenders& few) const {
    std::vector<Called> groups;
    const DispatchDevice& device = plan_.devices.front();
    for (const Workload& shape : bench_->task().workloads) {
      if (shape.role == Role::test || !listed_.contains(shape.label)) continue;
      const std::string& name = called_at(plan_, device, argument_lengths(bench_->task(), shape));
      auto group = std::ranges::find(groups, name, [](const Called& g) { return g.kernel.name(); });
      if (group == groups.end()) {
        const auto kernel = std::ranges::find(few.list, name, &Contender::name);
        KE_CHECK(kernel != few.list.end());
        group = groups.insert(groups.end(), Called{*kernel, {}});
      }
      group->shapes.push_back(shape.label);
    }
    return groups;
  }

  TimedFigure& figure(const Digest& build, const std::string& opponent, const std::string& shape) {
    return figures_[build.hex() + " " + opponent][shape];
  }

  void take(const TimedFigure& measured, TimedFigure& into) const {
    into = measured;
    into.note = reported(measured, bench_->within()).note;
  }

  /// Takes what runs have verified, and measures the rest.
  Result<void> verify(const Called& group, const std::string& opponent, const Contender& anchor) {
    const Digest& build = group.kernel.build;
    const bool itself = opponent == "anchor" && build == anchor.build;
    // Runs know the baseline that stands in for the anchor by that name.
    const std::string known_as = opponent == source_.stand_in ? "anchor" : opponent;
    Labels unknown;
    for (const std::string& shape : group.shapes) {
      const auto known = known_.verified(build, known_as, shape);
      if (itself) {
        figure(build, opponent, shape) = {{1, {1, 1}, ""}};
      } else if (known) {
        take(*known, figure(build, opponent, shape));
      } else {
        unknown.push_back(shape);
      }
    }
    if (unknown.empty()) return {};
    say(fmt::format("{} against {}, {} shapes", group.kernel.origin, opponent_name(opponent),
                    unknown.size()));
    KE_TRY(const Fact fact,
           bench_->verify(group.kernel.kernel, group.kernel.build, opponent, unknown));
    for (const std::string& shape : unknown) {
      take(figure_at(fact, shape), figure(build, opponent, shape));
    }
    return {};
  }

  /// The champion alone is what a user without a library would call.
  Result<void> verify_champion(const Contender& anchor) {
    KE_TRY(const Fact built, bench_->build(champion_.kernel));
    Called all{{champion_.kernel, champion_.origin, built.build_hash}, {}};
    champion_build_ = built.build_hash;
    for (const Workload& shape : bench_->task().workloads) {
      const bool wanted = shape.role != Role::test && listed_.contains(shape.label);
      const bool known = wanted && figure(champion_build_, plan_.against, shape.label).speedup > 0;
      if (wanted && !known) all.shapes.push_back(shape.label);
    }
    return verify(all, plan_.against, anchor);
  }

  /// Measures the library as a baseline of the task: what it costs over the kernels that it calls.
  Result<void> verify_library(const std::vector<Called>& groups, const std::string& library) {
    KE_TRY(const Digest content, hash_of_file(library));
    Task task = bench_->task();
    task.baselines.emplace_back(dispatcher_name, caller_text(task, plan_, library));
    Encoder key;
    key("dispatcher/1")(task.content_hash)(content);
    task.content_hash = key.digest();
    KE_TRY_VOID(open_bench(std::move(task), {library}));
    for (const Called& group : groups) {
      say(fmt::format("the library against {}", group.kernel.origin));
      KE_TRY(const Fact fact, bench_->verify(group.kernel.kernel, group.kernel.build,
                                             std::string(dispatcher_name), group.shapes));
      for (const std::string& shape : group.shapes) {
        figure(group.kernel.build, std::string(dispatcher_name), shape) = figure_at(fact, shape);
      }
    }
    return {};
  }

  /// The library's speedup over an opponent at a shape where it calls a kernel.
  TimedFigure of_library(const Called& group, const std::string& opponent,
                         const std::string& shape) {
    const TimedFigure kernel = figure(group.kernel.build, opponent, shape);
    if (bench_->codes() != nullptr || kernel.speedup <= 0) return kernel;
    const TimedFigure over_library =
        figure(group.kernel.build, std::string(dispatcher_name), shape);
    if (over_library.speedup <= 0) return over_library;
    TimedFigure combined = kernel;
    static_cast<SpeedupFigure&>(combined) = ratio(kernel, over_library);
    combined.kernel_ns = kernel.kernel_ns * over_library.speedup;
    combined.note = kernel.note;
    if (combined.note.empty()) combined.note = reported(combined, bench_->within()).note;
    return combined;
  }

  DispatchCheck check_at(const Called& group, const Workload& shape,
                         const std::vector<std::string>& opponents) {
    DispatchCheck check{shape.label, std::string(to_string(shape.role)), group.kernel.name(),
                        of_library(group, plan_.against, shape.label),
                        figure(champion_build_, plan_.against, shape.label)};
    for (const std::string& opponent : opponents) {
      const TimedFigure found = of_library(group, opponent, shape.label);
      if (opponent != plan_.against) check.libraries[opponent] = found;
      if (found.opponent_ns > 0) check.opponents_ns[opponent] = found.opponent_ns;
      if (check.library_ns == 0) check.library_ns = found.kernel_ns;
    }
    // A kernel is not timed over itself: where the library calls the opponent, its time is theirs.
    double ns = figure(champion_build_, plan_.against, shape.label).opponent_ns;
    if (ns <= 0 && group.kernel.build == champion_build_) {
      ns = figure(champion_build_, std::string(dispatcher_name), shape.label).kernel_ns;
    }
    if (ns > 0) check.opponents_ns.emplace(plan_.against, ns);
    return check;
  }

  Result<void> add_checks(const std::vector<Called>& groups,
                          const std::vector<std::string>& opponents) {
    DispatchDevice& device = plan_.devices.front();
    for (const Workload& shape : bench_->task().workloads) {
      for (const Called& group : groups) {
        const bool called = std::ranges::find(group.shapes, shape.label) != group.shapes.end();
        if (called) device.checks.push_back(check_at(group, shape, opponents));
      }
    }
    return write_library(request_.folder, *source_.subject.task, plan_);
  }

  const DispatchRequest& request_;
  const OpenedRuns& source_;
  Console& console_;
  std::set<std::string> listed_;  ///< labels of shapes whose figures are printed
  std::unique_ptr<MeasuringBench> bench_;
  KnownFigures known_;
  PoolKernel champion_;
  Digest champion_build_;
  DispatchPlan plan_;
  /// By build and opponent, then by shape.
  std::map<std::string, std::map<std::string, TimedFigure>> figures_;
};

}  // namespace

Result<DispatchResult> make_dispatcher(const DispatchRequest& request, Console& console) {
  KE_TRY(const OpenedRuns source, open_runs(request));
  return Making(request, source, console).run();
}

}  // namespace ke
