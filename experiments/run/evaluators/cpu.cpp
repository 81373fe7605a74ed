#include "experiments/run/evaluators/cpu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "experiments/run/config/task_document.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/places.hpp"
#include "fitness/descriptors/descriptors.hpp"
#include "fitness/host/bandwidth.hpp"
#include "fitness/task_contract.hpp"

namespace ke {
namespace {

/// Derives axis defaults from the borders that the descriptors propose.
AxisInfo axis_info(const DescriptorAxis& axis) {
  AxisInfo info{.name = std::string(axis.name), .unit = std::string(axis.unit)};
  for (const DescriptorKind& kind : axis.kinds) {
    info.categories.push_back({std::string(kind.label), kind.value});
  }
  if (!info.categories.empty()) return info;
  info.bins = static_cast<std::int64_t>(axis.edges.size()) + 1;
  const double first = axis.edges.front();
  const double last = axis.edges.back();
  const bool logarithmic = last >= 8 * first;
  info.scale = logarithmic ? Scale::logarithmic : Scale::linear;
  info.low = logarithmic ? first / 2 : 0;
  info.high = logarithmic ? last * 2 : (last < 1 ? 1 : last * 2);
  return info;
}

class CpuKind final : public EvaluatorKind {
 public:
  void declare(Params& device) const override { CpuOptions::read(device); }

  Result<void> ready(Params& device) const override {
    return require_compiler(CpuOptions::read(device));
  }

  Result<Subject> subject(Params&, const std::string& task,
                          const std::string& beside) const override {
    return subject_of(task, beside, "cpu");
  }

  Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                 const EvaluatorSetup& setup) const override {
    KE_TRY(StartedCpu started, start_cpu(subject.task, cpu_options(device, setup)));
    return StartedEvaluator{std::move(started.evaluator), std::string(name(started.sandbox.level)),
                            started.sandbox.warning};
  }

  std::vector<AxisInfo> measures(Params&) const override { return descriptor_measures(); }
  std::string default_axes(Params&) const override {
    return "[{measure: vector_width, bins: [scalar, 128, 256, 512]}, "
           "{measure: arithmetic_intensity, low: 0.05, high: 16, bins: 6, scale: log}]";
  }
  std::vector<Ceiling> ceilings() const override {
    const auto peak = measure_peak_rate();
    if (!peak) return {};
    return {{fmt::format("float32 multiply-adds, {}, one core", peak->instructions),
             peak->flops_per_s}};
  }
};

}  // namespace

namespace {

/// Resolves `include: shipped` to the folder of headers that the shipped tasks share.
void resolve_include(Node& document) {
  const Node* include = document.find("include");
  if (include == nullptr || include->scalar != "shipped") return;
  for (const std::string& folder : config_folders()) {
    Node place = *include;
    place.scalar = folder + "/tasks/include";
    return document.set("include", std::move(place));
  }
}

/// Reports a kernel whose `@task` names another task, because its folder is wrong.
Result<void> check_task_lines(const Task& task, const std::string& kernels_of) {
  auto files = task.kernels;
  files.insert(files.end(), task.ports.begin(), task.ports.end());
  for (const auto& [name, source] : files) {
    const auto space = parse_kernel_space(name, source);
    if (!space || space->task.empty() || space->task == kernels_of) continue;
    return Error{Failure::config,
                 fmt::format("{}/task.yaml: kernel '{}' says '@task {}', but this is task '{}'",
                             task.folder, name, space->task, kernels_of)};
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Task>> load_task(const std::string& task, const std::string& beside) {
  KE_TRY(const std::string folder, find_task_folder(task, beside));
  KE_TRY(TaskDocument document, read_task_document(folder));
  resolve_include(document.node);
  KE_TRY(Task read, read_task(document.node, document.files));
  KE_TRY_VOID(
      check_task_lines(read, document.kernels_of.empty() ? read.name : document.kernels_of));
  read.folder = folder;
  return std::make_shared<const Task>(std::move(read));
}

Result<Seed> make_seed(const Task& task, const std::string& name, const std::string& source) {
  KE_TRY(KernelSpace space, parse_kernel_space(name, source));
  Seed seed;
  seed.kernel = space.defaults(name, source);
  seed.kernel.language = task.language_of(name);
  seed.space = std::make_shared<const KernelSpace>(std::move(space));
  return seed;
}

Result<Subject> subject_of(std::shared_ptr<const Task> task) {
  Subject subject;
  subject.name = task->name;
  subject.hash = task->content_hash;
  subject.text = task->text();
  for (const auto& [name, source] : task->kernels) {
    KE_TRY(Seed seed, make_seed(*task, name, source));
    if (name == "naive") {
      subject.naive = std::move(seed);
    } else {
      subject.seeds.insert(name == "anchor" ? subject.seeds.begin() : subject.seeds.end(),
                           std::move(seed));
    }
  }
  if (task->kernels.empty()) {
    subject.interface.kernel.language = task->language;
    subject.interface.kernel.name = "draft";
  } else if (subject.seeds.empty()) {
    subject.seeds.push_back(subject.naive);
  }
  subject.origin = task->folder;
  subject.contract = contract_of(*task);
  subject.task = std::move(task);
  return subject;
}

Result<Subject> subject_of(const std::string& task, const std::string& beside,
                           std::string_view kind) {
  KE_TRY(auto loaded, load_task(task, beside));
  KE_TRY(auto language, require_language(*loaded, kind));
  KE_TRY(Subject subject, subject_of(std::move(loaded)));
  subject.language = std::move(language);
  return subject;
}

std::vector<AxisInfo> descriptor_measures() {
  std::vector<AxisInfo> list;
  for (const DescriptorAxis& axis : descriptor_axes()) list.push_back(axis_info(axis));
  return list;
}

CpuOptions cpu_options(Params& device, const EvaluatorSetup& setup) {
  CpuOptions options = CpuOptions::read(device);
  options.tools_dir = setup.tools_folder;
  options.cache_folder = setup.cache_folder;
  options.sheet = setup.sheet;
  options.tell = setup.tell;
  set_duels(options.rules, setup.acceptance);
  return options;
}

void set_duels(JudgingRules& rules, const AcceptancePlan& acceptance) {
  rules.duel.margin = acceptance.min_gain;
  // Scales the errors of the looks to the declared error, in the rule's proportions: later looks
  // get more.
  double sum = 0;
  for (const double error : rules.duel.errors) sum += error;
  for (double& error : rules.duel.errors) error *= acceptance.error / sum;
}

Result<StartedCpu> start_cpu(const std::shared_ptr<const Task>& task, CpuOptions options) {
  StartedCpu started;
  KE_TRY_VOID(require_compiler(options));
  KE_TRY(started.sandbox, probe_sandbox(options.tools_dir, options.sandbox));
  options.level = started.sandbox.level;
  KE_TRY(options.python, python_of(*task));
  KE_TRY(Reference oracle, oracle_of(*task, options));
  KE_TRY(started.evaluator, make_cpu_evaluator(task, std::move(oracle), options));
  return started;
}

Result<void> require_compiler(const CpuOptions& options) {
  if (access(options.compiler.c_str(), X_OK) == 0) return {};
  return Error{Failure::device, fmt::format("device.compiler = {}: {}; name a g++ by its path",
                                            options.compiler, std::strerror(errno))};
}

std::vector<std::string> sandbox_choices() {
  std::vector<std::string> words = {"auto"};
  for (const SandboxLevel level :
       {SandboxLevel::namespaces, SandboxLevel::landlock, SandboxLevel::rlimits}) {
    words.emplace_back(name(level));
  }
  return words;
}

Result<Workbench> make_workbench(std::string_view sandbox) {
  ParamLog log;
  Params device(nullptr, "device", log);
  Workbench bench;
  bench.options = cpu_options(device, {{0.005, 0.01}, "", tools_folder(), 0});
  KE_TRY_VOID(require_compiler(bench.options));
  KE_TRY(bench.sandbox, probe_sandbox(bench.options.tools_dir, sandbox));
  bench.options.level = bench.sandbox.level;
  return bench;
}

std::unique_ptr<EvaluatorKind> make_cpu_kind() { return std::make_unique<CpuKind>(); }

}  // namespace ke
