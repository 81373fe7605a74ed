#include "experiments/dispatch/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "core/search/role_figure.hpp"
#include "experiments/dispatch/gpu_codes.hpp"
#include "experiments/dispatch/launch_text.hpp"
#include "experiments/dispatch/library/processor/processor.hpp"
#include "experiments/dispatch/training_shapes.hpp"
#include "experiments/run/ask.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/hip.hpp"
#include "experiments/run/evaluators/opencl.hpp"
#include "experiments/run/evaluators/python.hpp"
#include "experiments/run/places.hpp"
#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/hip/amd_compiler.hpp"
#include "fitness/plan/planned_kernel.hpp"
#include "fitness/task.hpp"

namespace ke {
namespace {

/// Programs in OpenCL for libraries, which build them on the device where they are called: the
/// kernel's source with its launch plan, which is what was judged.
class OpenclCodes final : public KernelCodes {
 public:
  /// `device`: name that OpenCL reports.
  OpenclCodes(std::shared_ptr<const Task> task, std::string device)
      : task_(std::move(task)), device_(std::move(device)) {}

  const std::string& name() const override { return device_; }
  const std::string& arch() const override { return arch_; }
  bool portable() const override { return true; }

  Result<std::vector<GpuCode>> make(const Kernel& kernel, const Digest&) const override {
    PlannedKernel parts;
    if (const auto refusal = take_apart(kernel, "kernel.cl", parts)) {
      return Error{Failure::config, refusal->message};
    }
    KE_TRY(std::string launch, launch_text(*task_, parts.plan, parts.knobs));
    return std::vector<GpuCode>{{arch_, launched_kernels(parts.plan), {}, std::move(launch)}};
  }

 private:
  std::shared_ptr<const Task> task_;
  std::string device_;
  std::string arch_ = "opencl";
};

}  // namespace

Result<Fact> KeptAnswers::ask(const Job& job) {
  const std::string path = folder_ + "/" + job.key.hex() + ".fact";
  if (const auto content = content_of(path)) {
    if (auto kept = decode<Fact>(*content)) return kept;
  }
  KE_TRY(Fact fact, ask_reliably(evaluator_, job, "dispatch/1"));
  if (is_worth_asking_again(fact.verdict)) return fact;
  KE_TRY_VOID(make_folder(folder_));
  KE_TRY_VOID(write_atomically(path, encode(fact)));
  return fact;
}

namespace {

std::int64_t timed_shapes(const Task& task) {
  return std::ranges::count_if(
      task.workloads, [](const Workload& workload) { return workload.role != Role::test; });
}

/// Scales the time of screens and duels: rules split it between a job's shapes, of which there are
/// more here than in a search. Verifications have no more shapes than in a run.
void give_each_shape_its_time(const Task& task, JudgingRules& rules) {
  constexpr std::int64_t usual_shapes = 3;  // deciding shapes of a usual search
  const std::int64_t count = timed_shapes(task);
  rules.screen_quads *= static_cast<int>(count);
  rules.duel_ns = std::max(rules.duel_ns, count * rules.duel_ns / usual_shapes);
  rules.patience_ns *= count;
}

void give_each_shape_its_time(const Task& task, CpuRules& rules) {
  rules.screen_ns *= timed_shapes(task);
  give_each_shape_its_time(task, static_cast<JudgingRules&>(rules));
}

/// Figures over opponents are of many shapes at once, and whatever they leave unresolved gets up to
/// four times this.
void limit_verifications(JudgingRules& rules) {
  rules.verify_ns = std::min<std::int64_t>(rules.verify_ns, 2'000'000'000);
}

/// A started judge.
struct Started {
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<const KernelCodes> codes;
  std::string warning;
  JudgingRules rules;
};

Result<Started> start_processor(Params& section, const std::shared_ptr<const Task>& task,
                                const EvaluatorSetup& setup, std::vector<std::string> readable) {
  CpuOptions options = cpu_options(section, setup);
  options.readable = std::move(readable);
  give_each_shape_its_time(*task, options.rules);
  const JudgingRules rules = options.rules;
  KE_TRY(StartedCpu started, start_cpu(task, std::move(options)));
  return Started{std::move(started.evaluator), nullptr, started.sandbox.warning, rules};
}

Result<Started> start_opencl_device(Params& section, const std::shared_ptr<const Task>& task,
                                    const EvaluatorSetup& setup) {
  KE_TRY(OpenclSetup prepared, opencl_setup(section, setup));
  give_each_shape_its_time(*task, prepared.options.cpu.rules);
  KE_TRY(const std::string device, opencl_device(prepared));
  KE_TRY(auto evaluator, start_opencl(task, prepared));
  return Started{std::move(evaluator), std::make_unique<OpenclCodes>(task, device),
                 prepared.sandbox.warning, prepared.options.cpu.rules};
}

Result<Started> start_gpu(const std::string& kind, Params& section,
                          const std::shared_ptr<const Task>& task, const EvaluatorSetup& setup) {
  GpuSetup prepared;
  if (kind == "python") {
    KE_TRY(prepared, python_setup(section, task, setup));
  } else {
    prepared.options = cuda_options(section, setup);
    KE_TRY(prepared.bench, make_workbench("auto"));
  }
  give_each_shape_its_time(*task, prepared.options.rules);
  limit_verifications(prepared.options.rules);
  KE_TRY(auto evaluator, start_cuda(task, prepared));
  KE_TRY(GpuBuilder own, open_gpu_builder(*task, prepared.options));
  return Started{std::move(evaluator),
                 std::make_unique<GpuCodes>(task, std::move(own), std::vector<GpuBuilder>()),
                 prepared.bench.sandbox.warning, prepared.options.rules};
}

/// Compilers for the other AMD GPUs that every kernel was compiled for.
Result<std::vector<GpuBuilder>> further_targets(const Task& task, const hip::AmdOptions& amd,
                                                const std::string& own) {
  std::vector<GpuBuilder> builders;
  for (const std::string& target : amd.targets) {
    if (target == own) continue;
    hip::AmdOptions alone = amd;
    alone.targets = {target};
    KE_TRY(auto compiler, hip::make_amd_device_compiler(task, std::move(alone), target));
    builders.push_back({std::move(compiler), {target, hip::terms_of(target)}});
  }
  return builders;
}

Result<Started> start_hip_device(Params& section, const std::shared_ptr<const Task>& task,
                                 const EvaluatorSetup& setup) {
  KE_TRY(HipSetup prepared, hip_setup(section, task, setup));
  give_each_shape_its_time(*task, prepared.options.rules);
  limit_verifications(prepared.options.rules);
  KE_TRY(auto evaluator, start_hip(task, prepared));
  KE_TRY_VOID(hip::set_runtime(*task, prepared.amd, prepared.runtime, cuda::make_nvrtc_compiler,
                               prepared.options));
  KE_TRY(GpuBuilder own, open_gpu_builder(*task, prepared.options));
  std::vector<GpuBuilder> further;
  if (own.target.arch.starts_with("gfx")) {
    KE_TRY(further, further_targets(*task, prepared.amd, own.target.arch));
  }
  return Started{std::move(evaluator),
                 std::make_unique<GpuCodes>(task, std::move(own), std::move(further)),
                 prepared.bench.sandbox.warning, prepared.options.rules};
}

}  // namespace

bool MeasuringBench::takes(const std::string& kind) {
  return kind == "cpu" || kind == "cuda" || kind == "hip" || kind == "opencl" || kind == "python";
}

MeasuringBench::MeasuringBench(std::shared_ptr<const Task> task,
                               std::unique_ptr<Evaluator> evaluator, const std::string& answers)
    : task_(std::move(task)),
      evaluator_(std::move(evaluator)),
      jobs_(evaluator_->info(), task_->content_hash),
      answers_(*evaluator_, answers) {}

Result<std::unique_ptr<MeasuringBench>> MeasuringBench::start(const Experiment& experiment,
                                                              std::shared_ptr<const Task> task,
                                                              const std::string& cache_folder,
                                                              const std::string& answers,
                                                              std::vector<std::string> readable) {
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params section = device_section(top, experiment.devices.front());
  const std::string& kind = experiment.devices.front().kind;
  const EvaluatorSetup setup{experiment.acceptance, cache_folder, tools_folder(), 0};
  KE_TRY(Started started, kind == "cpu" ? start_processor(section, task, setup, std::move(readable))
                          : kind == "opencl" ? start_opencl_device(section, task, setup)
                          : kind == "hip"    ? start_hip_device(section, task, setup)
                                             : start_gpu(kind, section, task, setup));
  std::unique_ptr<MeasuringBench> bench(
      new MeasuringBench(std::move(task), std::move(started.evaluator), answers));
  bench->codes_ = std::move(started.codes);
  bench->warning_ = started.warning;
  bench->rules_ = started.rules;
  return bench;
}

std::string MeasuringBench::processor() const {
  return codes_ ? codes_->name() : std::string(dispatch::ProcessorName().text);
}

std::string MeasuringBench::extensions() const {
  return codes_ ? codes_->arch() : fmt::format("{:x}", dispatch::supported_extensions());
}

std::vector<std::string> MeasuringBench::libraries() const {
  std::vector<std::string> names = evaluator_->info().baselines;
  std::erase_if(names, [&](const std::string& name) {
    return name == dispatcher_name || task_->kernel_source(name) != nullptr;
  });
  return names;
}

Result<Fact> MeasuringBench::build(const Kernel& kernel) {
  return answers_.ask(jobs_.build(kernel));
}

Result<Fact> MeasuringBench::screen(const Kernel& kernel, const Digest& build,
                                    const Labels& shapes) {
  return answers_.ask(jobs_.screen(kernel, build, 0, shapes));
}

Result<Fact> MeasuringBench::duel(const Kernel& kernel, const Digest& build, const Kernel& other,
                                  const Digest& other_build, const Labels& shapes) {
  return answers_.ask(jobs_.duel(kernel, build, other, other_build, 0, shapes));
}

Result<Fact> MeasuringBench::verify(const Kernel& kernel, const Digest& build,
                                    const std::string& opponent, const Labels& shapes) {
  return answers_.ask(jobs_.verify(kernel, build, {opponent, std::nullopt}, {}, shapes));
}

std::vector<Workload> deciding_workloads(const Task& task) {
  std::vector<Workload> list;
  std::ranges::copy_if(task.workloads, std::back_inserter(list),
                       [](const Workload& workload) { return decides(workload.role); });
  return list;
}

TimedFigure figure_at(const Fact& fact, const std::string& shape) {
  TimedFigure figure;
  figure.note = figure_note(fact, "");
  if (!fact.comparison) return figure;
  const auto timing =
      std::ranges::find(fact.comparison->workloads, shape, &WorkloadTiming::workload);
  if (timing == fact.comparison->workloads.end()) return figure;
  figure.speedup = timing->speedup;
  figure.ci = timing->ci;
  figure.kernel_ns = timing->candidate_ns;
  figure.opponent_ns = timing->opponent_ns;
  return figure;
}

}  // namespace ke
