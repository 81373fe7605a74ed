#include "fitness/cpu/cpu_evaluator.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <shared_mutex>

#include "fitness/cpu/build_cache.hpp"
#include "fitness/cpu/build_reference.hpp"
#include "fitness/cpu/builder.hpp"
#include "fitness/cpu/linker.hpp"
#include "fitness/cpu/sanitizers.hpp"
#include "fitness/host/cpu_sheet.hpp"
#include "fitness/host/host.hpp"
#include "fitness/host/lane.hpp"
#include "fitness/host/python_baseline.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/sandbox/scratch_folder.hpp"

namespace ke {
namespace {

constexpr std::int64_t cpu_protocol = 3;

std::string openblas_of(const Compiler& compiler) { return compiler.library_argument("openblas"); }

class LaneEvaluator final : public QueuedEvaluator<CpuArms, CpuEvaluator> {
 public:
  /// `options.scratch` is the path of `scratch`.
  LaneEvaluator(std::shared_ptr<const Task> task, const CpuOptions& options, ScratchFolder scratch,
                Compiler compiler, Reference reference)
      : task_(std::move(task)),
        options_(options),
        scratch_(std::move(scratch)),
        compiler_(std::move(compiler)),
        reference_(std::move(reference)),
        cores_(divide_cores(options)) {
    describe();
    if (options_.sheet) info_.sheet = cpu_sheet(*task_, cores_.lane, options_.cold);
    builder_ = std::make_unique<Builder>(*task_, compiler_, options_.python.get(), info_.toolchain,
                                         options.cache_folder);
    linker_ = std::make_unique<Linker>(compiler_, cores_.others);
    sanitizers_ = std::make_unique<Sanitizers>(*task_, compiler_, reference_);
  }

  ~LaneEvaluator() override { stop_threads(); }

  void start() {
    for (std::int64_t i = 0; i < cores_.compile_threads; ++i) {
      threads_.emplace_back([this] { compile_jobs(); });
    }
    threads_.emplace_back([this] {
      serve_lane(queues_, {*task_, reference_, options_, *linker_, machine_}, cores_.lane);
    });
  }

  Result<Fact> run_job(const Job& job) override {
    KE_TRY_VOID(submit(job));
    for (;;) {
      for (Fact& fact : poll(std::chrono::milliseconds(1000))) {
        if (fact.key != job.key) continue;
        KE_TRY_VOID(reference_health(fact));
        return std::move(fact);
      }
    }
  }

 private:
  void describe() {
    info_.kind = "cpu";
    info_.device_class = cpu_class();
    if (options_.cold) info_.device_class += "; cold caches";
    std::string flags;
    for (const std::string& flag : fixed_flags()) flags += " " + flag;
    info_.toolchain =
        fmt::format("{}; flags {}; build 1", compiler_.version(), sha256(flags).short_hex());
    if (task_->libraries)
      info_.toolchain += "; " + std::filesystem::path(openblas_of(compiler_)).filename().string();
    info_.protocol_version = cpu_protocol;
    info_.capabilities = cpu_capabilities();
    info_.capabilities.emplace_back("sanitizers");
    info_.workloads = task_->labels(Role::bench);
    for (const char* name : {"naive", "anchor"}) {
      if (task_->kernel_source(name) != nullptr) info_.baselines.emplace_back(name);
    }
    for (const auto& [name, source] : task_->baselines) info_.baselines.push_back(name);
    if (options_.python) describe_python_baselines(*task_, *options_.python, info_);
  }

  // --- compile pool ---

  void compile_jobs() {
    bind_thread(cores_.others);
    prepare_jobs(
        *task_, [this](const Job& job) { return build(job); },
        [this](const Job& job, Fact& fact) -> Result<void> {
          KE_TRY(const SanitizerReport report, sanitizers_->examine(job.kernel));
          take_report(report, fact);
          return {};
        });
  }

  Result<CpuArms> build(const Job& job) {
    // A task with threads has the machine to itself while it is timed.
    std::shared_lock busy(machine_, std::defer_lock);
    if (task_->threads > 1) busy.lock();
    KE_TRY(CpuArms arms, build_arms<Built>(
                             job,
                             [&](const Kernel& kernel) {
                               return builder_->build({kernel, false});
                             },
                             [&](const Opponent& opponent) -> Result<BuiltPtr> {
                               KE_TRY(const Arm arm, builder_->resolve(opponent));
                               return builder_->build(arm);
                             }));
    if (needs_lane(job.kind) && arms.candidate->verdict == Verdict::ok) {
      linker_->ahead(arms.candidate, check_padding);
    }
    return arms;
  }

  std::shared_ptr<const Task> task_;
  CpuOptions options_;
  ScratchFolder scratch_;
  Compiler compiler_;
  Reference reference_;
  CoreUse cores_;
  std::unique_ptr<Builder> builder_;
  std::unique_ptr<Linker> linker_;
  std::unique_ptr<Sanitizers> sanitizers_;

  std::shared_mutex machine_;
};

Result<Compiler> compiler_of(const CpuOptions& options) {
  CompilerOptions tools;
  tools.tools_dir = options.tools_dir;
  tools.level = options.level;
  tools.gxx = options.compiler;
  tools.scratch = options.scratch;
  return Compiler::create(tools);
}

}  // namespace

Result<std::unique_ptr<CpuEvaluator>> make_cpu_evaluator(std::shared_ptr<const Task> task,
                                                         const CpuOptions& options) {
  KE_TRY(const Compiler compiler, compiler_of(options));
  KE_TRY(Reference oracle, build_reference(*task, compiler, options.scratch));
  return make_cpu_evaluator(std::move(task), std::move(oracle), options);
}

Result<std::unique_ptr<CpuEvaluator>> make_cpu_evaluator(std::shared_ptr<const Task> task,
                                                         Reference oracle,
                                                         const CpuOptions& asked) {
  KE_TRY(ScratchFolder scratch, ScratchFolder::create(asked.scratch));
  CpuOptions options = asked;
  options.scratch = scratch.path();
  KE_TRY(Compiler compiler, compiler_of(options));
  if (task->libraries && !openblas_of(compiler).starts_with('/')) {
    return Error{Failure::device,
                 task->name + " allows libraries, and libopenblas.so.0 is missing"};
  }
  if (!options.cache_folder.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(options.cache_folder, problem);
    if (problem) {
      return Error{Failure::io, fmt::format("cannot create the build cache {}: {}",
                                            options.cache_folder, problem.message())};
    }
    prune_builds(options.cache_folder, largest_build_cache);
  }
  auto made = std::make_unique<LaneEvaluator>(std::move(task), options, std::move(scratch),
                                              std::move(compiler), std::move(oracle));
  made->start();
  return std::unique_ptr<CpuEvaluator>(std::move(made));
}

}  // namespace ke
