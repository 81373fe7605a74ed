#include "experiments/run/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/device_router.hpp"
#include "core/evaluator.hpp"
#include "core/strategies/operator_choice.hpp"
#include "experiments/run/choose_seeds.hpp"
#include "experiments/run/config/archives.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "experiments/run/device_tasks.hpp"
#include "experiments/run/numeric/numeric_experiment.hpp"
#include "experiments/run/places.hpp"
#include "fitness/host/python_home.hpp"
#include "operators/llm/lessons.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

// Prints what an evaluator's threads have to say, in the thread that owns the evaluator.

/// Lines from any thread.
class Notes {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// Passes on what another evaluator does, and prints its notes whenever it is polled.
class NotedEvaluator final : public Evaluator {
 public:
  NotedEvaluator(std::unique_ptr<Evaluator> inner, std::shared_ptr<Notes> notes, std::ostream& err)
      : inner_(std::move(inner)), notes_(std::move(notes)), err_(err) {}

  const EvaluatorInfo& info() const override { return inner_->info(); }
  const EvaluatorInfo& device_info(std::size_t device) const override {
    return inner_->device_info(device);
  }
  Result<void> submit(const Job& job) override { return inner_->submit(job); }
  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::vector<Fact> facts = inner_->poll(wait);
    for (const std::string& line : notes_->take()) err_ << line << std::endl;
    return facts;
  }
  void cancel(const Digest& key) override { inner_->cancel(key); }
  Result<void> health() const override { return inner_->health(); }

 private:
  std::unique_ptr<Evaluator> inner_;
  std::shared_ptr<Notes> notes_;
  std::ostream& err_;
};

/// Reads the experiment's document again, for components that read their options anew. Errors are
/// impossible, because the document was checked when the experiment was read.
struct Reader {
  explicit Reader(const Experiment& experiment) : top(&experiment.document, "", log) {}
  ParamLog log;
  Params top;
};

/// True for operators that strategies use at any weight: all open with seed_source and may fall
/// back to random_restart.
bool is_always_there(std::string_view name) {
  return name == "seed_source" || name == "random_restart";
}

std::vector<NamedOperator> make_operators(Params section,
                                          const std::vector<OperatorWeight>& weights) {
  std::vector<NamedOperator> list;
  for (const auto& row : operators()) {
    double weight = 0;
    for (const OperatorWeight& given : weights) {
      if (given.name == row.name) weight = given.weight;
    }
    if (weight == 0 && !is_always_there(row.name)) continue;
    Params own = section.section(row.name);
    list.push_back({std::string(row.name), weight, row.make(own)});
  }
  return list;
}

IslandPlan make_island(const Experiment& experiment, std::size_t number) {
  Reader reader(experiment);
  const IslandSpec& spec = experiment.islands.each[number];
  Params section = island_section(reader.top, number, "strategy");
  IslandPlan island;
  island.device = experiment.islands.device_of[number];
  island.strategy = find_component(strategies(), spec.strategy)->make(section);
  island.archive = make_archive(experiment, number);
  island.operators =
      make_operators(island_section(reader.top, number, "operators"), spec.operators);
  Params choice = island_section(reader.top, number, "operators").section("selection");
  island.selection = read_operator_choice(choice);
  island.skip_idle = read_skip_idle(choice);
  Params llm = reader.top.section("llm");
  island.models = read_ensemble(llm);
  island.lag = spec.lag;
  island.rate = spec.rate;
  island.migration = spec.migration;
  return island;
}

std::shared_ptr<const Lessons> lessons_for(const Experiment& experiment, const Subject& subject) {
  if (!experiment.memory) return nullptr;
  const MemoryPlan& memory = *experiment.memory;
  return make_lessons(
      {memory.sha256, memory.probability, static_cast<std::size_t>(memory.lessons), memory.tokens},
      subject.lessons);
}

std::unique_ptr<EvaluatorKind> kind_named(const std::string& name) {
  const auto* row = find_component(evaluator_kinds(), name);
  KE_CHECK(row != nullptr);
  return row->make();
}

Result<Subject> read_on_devices(const Experiment& experiment, const std::string& task,
                                const std::string& beside,
                                const std::vector<std::string>& folders) {
  std::vector<Subject> subjects;
  for (std::size_t d = 0; d < experiment.devices.size(); ++d) {
    Reader reader(experiment);
    Params section = device_section(reader.top, experiment.devices[d]);
    const auto kind = evaluator_kind(experiment, d);
    std::string name = d < folders.size() ? folders[d] : "";
    // The first device decides the name of the run's task.
    if (name.empty()) name = task_on(experiment.devices[d], d == 0 ? task : subjects[0].name);
    if (d > 0 && !kind->task_option().empty()) name = kind->default_tasks(section).front();
    KE_TRY(Subject subject, kind->subject(section, name, beside));
    if (const auto kept = choose_seeds(experiment.kernels, subject); !kept) return kept.error();
    subjects.push_back(std::move(subject));
  }
  return join_devices(experiment, std::move(subjects));
}

Result<void> devices_ready(const Experiment& experiment) {
  for (std::size_t d = 0; d < experiment.devices.size(); ++d) {
    Reader reader(experiment);
    Params section = device_section(reader.top, experiment.devices[d]);
    KE_TRY_VOID(evaluator_kind(experiment, d)->ready(section));
  }
  return {};
}

bool validates(const Experiment& experiment, std::size_t device, const Subject& subject) {
  if (!experiment.acceptance.validation || !subject.task) return false;
  if (evaluator_kind(experiment, device)->simulated()) return false;
  return std::ranges::any_of(subject.task->workloads, [](const Workload& workload) {
    return workload.role == Role::validation;
  });
}

DevicePlan make_device(const Experiment& experiment, std::size_t device, const Subject& subject) {
  return {experiment.devices[device].name,
          abi_of(subject),
          subject.hash,
          subject.text,
          subject.seeds,
          subject.naive,
          subject.language,
          subject.interface,
          validates(experiment, device, subject),
          subject.task ? std::make_shared<const TaskContract>(subject.contract) : nullptr,
          subject.task ? subject.task->mean : WorkloadMean()};
}

/// Checks that a search without kernels can start: a language model drafts them, and they are timed
/// against the reference.
Result<void> can_start_without_kernel(const Experiment& experiment, const Task& task) {
  const std::string& kind = experiment.devices[0].kind;
  const bool stands_in =
      experiment.devices.size() == 1 && (kind == "cpu" || kind == "cuda" || kind == "python");
  if (!stands_in || !is_python(task.reference_file)) {
    return Error{
        Failure::config,
        fmt::format(
            "task '{}' has no kernel that others can be timed against; name one "
            "in its task.yaml, as in kernels: {{naive: naive.cpp, anchor: "
            "naive.cpp}}; on device: cpu, cuda or python a reference in Python can stand in for it",
            task.name)};
  }
  if (starts_from_drafts(experiment.kernels)) return {};
  return Error{Failure::config,
               fmt::format("task '{}' has no kernel to start from; set kernels: none, and "
                           "operators.llm_draft with a language model to ask",
                           task.name)};
}

/// Joins the sandbox descriptions of several devices, each once.
void add_words(std::string& text, const std::string& words) {
  if (text.find(words) == text.npos) text += (text.empty() ? "" : "; ") + words;
}

}  // namespace

std::unique_ptr<EvaluatorKind> evaluator_kind(const Experiment& experiment, std::size_t device) {
  if (experiment.devices.empty()) return common_kind(experiment);
  return kind_named(experiment.devices[device].kind);
}

std::unique_ptr<EvaluatorKind> common_kind(const Experiment& experiment) {
  return kind_named(experiment.device);
}

bool is_simulated(const Experiment& experiment) {
  for (std::size_t d = 1; d < experiment.devices.size(); ++d) {
    if (!evaluator_kind(experiment, d)->simulated()) return false;
  }
  return evaluator_kind(experiment)->simulated();
}

Result<Subject> read_subject(const Experiment& experiment, const std::string& task,
                             const std::string& beside) {
  if (!experiment.queue) KE_TRY_VOID(devices_ready(experiment));
  KE_TRY(Subject subject, read_subject_alone(experiment, task, beside));
  if (subject.task && subject.task->kernels.empty()) {
    KE_TRY_VOID(can_start_without_kernel(experiment, *subject.task));
  }
  if (!experiment.memory) return subject;
  KE_TRY(subject.lessons, remembered(*experiment.memory, subject, beside));
  return subject;
}

Result<Subject> read_subject_alone(const Experiment& experiment, const std::string& task,
                                   const std::string& beside,
                                   const std::vector<std::string>& folders) {
  if (experiment.numeric) return numeric_subject(experiment);
  return read_on_devices(experiment, task, beside, folders);
}

Result<StartedEvaluator> start_device(const Experiment& experiment, std::size_t device,
                                      const Subject& subject, const std::string& cache_folder,
                                      std::int64_t seed, std::ostream* notes) {
  Reader reader(experiment);
  Params section = device_section(reader.top, experiment.devices[device]);
  const auto lines = std::make_shared<Notes>();
  EvaluatorSetup setup{experiment.acceptance, cache_folder, tools_folder(), seed, experiment.llm};
  if (notes != nullptr) setup.tell = [lines](const std::string& line) { lines->add(line); };
  KE_TRY(StartedEvaluator started,
         evaluator_kind(experiment, device)->start(section, subject.on(device), setup));
  if (notes == nullptr) return started;
  started.evaluator = std::make_unique<NotedEvaluator>(std::move(started.evaluator), lines, *notes);
  return started;
}

Result<StartedEvaluator> start_compiler(const Experiment& experiment, const Subject& subject) {
  Reader reader(experiment);
  Params section = device_section(reader.top, experiment.devices.front());
  return evaluator_kind(experiment, 0)
      ->start_compiler(section, subject.on(0), {experiment.acceptance, "", tools_folder(), 0});
}

Result<StartedEvaluator> start_evaluator(const Experiment& experiment, const Subject& subject,
                                         const std::string& cache_folder, std::int64_t seed,
                                         std::ostream* notes) {
  if (experiment.devices.size() == 1) {
    return start_device(experiment, 0, subject, cache_folder, seed, notes);
  }
  StartedEvaluator all;
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  for (std::size_t d = 0; d < experiment.devices.size(); ++d) {
    KE_TRY(StartedEvaluator one, start_device(experiment, d, subject, cache_folder, seed, notes));
    evaluators.push_back(std::move(one.evaluator));
    add_words(all.sandbox_level, one.sandbox_level);
    add_words(all.warning, one.warning);
  }
  all.evaluator = std::make_unique<DeviceRouter>(std::move(evaluators));
  return all;
}

std::vector<AxisInfo> measures_of(const Experiment& experiment) {
  Reader reader(experiment);
  Params device = reader.top.section("device");
  return common_kind(experiment)->measures(device);
}

std::vector<AxisInfo> measures_of(const Experiment& experiment, std::size_t device) {
  Reader reader(experiment);
  Params section = device_section(reader.top, experiment.devices[device]);
  return evaluator_kind(experiment, device)->measures(section);
}

RunHeader make_header(const Experiment& experiment, const Subject& subject, std::int64_t seed) {
  RunHeader header;
  header.config_text = experiment.canonical_text;
  header.config_id = experiment.config_id();
  header.task = subject.name;
  header.task_hash = subject.hash;
  header.seed = seed;
  return header;
}

SearchPlan make_plan(const Experiment& experiment, const Subject& subject, std::int64_t seed) {
  SearchPlan plan;
  plan.header = make_header(experiment, subject, seed);
  plan.lessons = lessons_for(experiment, subject);
  Reader reader(experiment);
  plan.hints = read_hints(reader.top);
  for (std::size_t d = 0; d < experiment.devices.size(); ++d) {
    plan.devices.push_back(make_device(experiment, d, subject.on(d)));
  }
  plan.limits = experiment.limits;
  plan.target = experiment.target;
  plan.headroom = experiment.headroom;
  plan.stagnation = experiment.stagnation;
  plan.stop_exhausted = experiment.stop_exhausted;
  plan.exact_budget = experiment.exact_budget;
  plan.batch = experiment.batch;
  plan.repeats = experiment.repeats;
  plan.migrate_every = experiment.islands.migrate_every;
  plan.topology = find_component(topologies(), experiment.islands.topology)->make;
  plan.verify = experiment.verify;
  plan.min_gain = experiment.acceptance.min_gain;
  for (std::size_t i = 0; i < experiment.islands.each.size(); ++i) {
    plan.islands.push_back(make_island(experiment, i));
  }
  if (experiment.islands.schedule) {
    plan.schedule =
        std::make_unique<IslandSchedule>(plan.islands.size(), *experiment.islands.schedule);
  }
  plan.passive = make_passive_archive(experiment);
  return plan;
}

namespace {

bool may_be_told(const Lesson& lesson, const MemoryPlan& memory, const Subject& subject) {
  const std::string family = family_of(lesson.task);
  if (!memory.same_family && family == family_of(subject.name)) return false;
  if (!subject.seeds.empty() && lesson.language != subject.seeds.front().kernel.language) {
    return false;
  }
  return std::ranges::none_of(memory.exclude, [&](const std::string& name) {
    return name == lesson.task || name == family;
  });
}

}  // namespace

Result<std::vector<Passage>> remembered(const MemoryPlan& memory, const Subject& subject,
                                        const std::string& beside) {
  if (memory.snapshot.empty()) {
    return Error{Failure::config, "'memory.snapshot' is missing; name a file of lessons"};
  }
  std::error_code code;
  const auto there = std::filesystem::path(beside) / memory.snapshot;
  const bool found = std::filesystem::exists(there, code);
  const auto lessons = read_lessons(found ? there.string() : memory.snapshot, memory.sha256);
  if (!lessons) {
    return Error{Failure::config,
                 fmt::format("{}: 'memory.snapshot': {}", memory.place, lessons.error().message)};
  }
  std::vector<Passage> passages;
  for (const Lesson& lesson : *lessons) {
    if (may_be_told(lesson, memory, subject)) passages.push_back(passage_of(lesson));
  }
  return passages;
}

}  // namespace ke
