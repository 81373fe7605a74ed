#include "fitness/opencl/opencl_evaluator.hpp"

#include <fmt/format.h>

#include <shared_mutex>

#include "fitness/host/cpu_sheet.hpp"
#include "fitness/host/host.hpp"
#include "fitness/host/lane.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/opencl/opencl_builder.hpp"
#include "fitness/sandbox/scratch_folder.hpp"

namespace ke::opencl {
namespace {

constexpr std::int64_t protocol_version = 3;

class OpenclEvaluator final : public QueuedEvaluator<CpuArms> {
 public:
  /// `tools.scratch` and `options.cpu.scratch` are the path of `scratch`.
  OpenclEvaluator(std::shared_ptr<const Task> task, Reference reference,
                  const OpenclOptions& options, Tools tools, ScratchFolder scratch,
                  const DeviceFacts& device)
      : task_(std::move(task)),
        reference_(std::move(reference)),
        options_(options),
        scratch_(std::move(scratch)),
        cores_(divide_cores(options.cpu)),
        builder_(*task_, std::move(tools), terms_of(device),
                 std::chrono::milliseconds(options.compile_limit_ms)) {
    describe(device);
    if (options_.cpu.sheet) {
      info_.sheet = cpu_sheet(*task_, cores_.lane, options_.cpu.cold);
      info_.sheet.text = fmt::format("OpenCL device: {}, through PoCL {}, on this processor:\n",
                                     device.name, device.driver) +
                         info_.sheet.text;
    }
    for (std::int64_t i = 0; i < cores_.compile_threads; ++i) {
      threads_.emplace_back([this] { compile_jobs(); });
    }
    threads_.emplace_back([this] {
      serve_lane(queues_, {*task_, reference_, options_.cpu, libraries_, machine_}, cores_.lane);
    });
  }

  ~OpenclEvaluator() override { stop_threads(); }

 private:
  void describe(const DeviceFacts& device) {
    info_.kind = "opencl";
    info_.device_class = device.name + (options_.cpu.cold ? "; cold caches" : "");
    info_.toolchain = fmt::format("PoCL {}; build 1", device.driver);
    info_.protocol_version = protocol_version;
    info_.capabilities = {"opencl"};
    info_.workloads = task_->labels(Role::bench);
    info_.baselines = {"naive", "anchor"};
  }

  // --- compile pool ---

  void compile_jobs() {
    bind_thread(cores_.others);
    const auto build = [this](const Kernel& kernel) { return builder_.build(kernel); };
    prepare_jobs(
        *task_, [&](const Job& job) { return build_arms<Built>(job, *task_, build); },
        no_sanitizer("OpenCL here"));
  }

  std::shared_ptr<const Task> task_;
  Reference reference_;
  OpenclOptions options_;
  ScratchFolder scratch_;
  CoreUse cores_;
  OpenclBuilder builder_;

  ProgramLibraries libraries_;
  std::shared_mutex machine_;
};

}  // namespace

OpenclOptions OpenclOptions::read(Params& device) {
  OpenclOptions options;
  options.cpu = CpuOptions::read(device);
  options.compile_limit_ms =
      device.duration_ms("compile_limit", "20s", {1000, 600'000}, "time for compiling one kernel");
  return options;
}

Result<std::string> probe_opencl(const std::string& tools_dir, SandboxLevel level) {
  KE_TRY(const DeviceFacts facts, Tools{tools_dir, level}.probe());
  return fmt::format("{}, PoCL {}", facts.name, facts.driver);
}

Result<std::unique_ptr<Evaluator>> make_opencl_evaluator(std::shared_ptr<const Task> task,
                                                         Reference reference,
                                                         const OpenclOptions& options) {
  if (task->threads != 1) {
    return Error{Failure::config, fmt::format("task '{}' has {} threads; PoCL runs kernels in one",
                                              task->name, task->threads)};
  }
  KE_TRY(ScratchFolder scratch, ScratchFolder::create(options.cpu.scratch));
  OpenclOptions own = options;
  own.cpu.scratch = scratch.path();
  Tools tools{own.cpu.tools_dir, own.cpu.level, own.cpu.scratch};
  KE_TRY(const DeviceFacts device, tools.probe());
  return std::unique_ptr<Evaluator>(std::make_unique<OpenclEvaluator>(
      std::move(task), std::move(reference), own, std::move(tools), std::move(scratch), device));
}

}  // namespace ke::opencl
