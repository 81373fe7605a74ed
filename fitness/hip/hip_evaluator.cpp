#include "fitness/hip/hip_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fitness/cuda/gpu_device.hpp"
#include "fitness/hip/amd_compiler.hpp"
#include "fitness/hip/amd_dsl.hpp"
#include "fitness/hip/hip_dialect.hpp"
#include "fitness/hip/hip_runtime.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/pure_evaluator.hpp"

namespace ke::hip {
namespace {

std::vector<std::string> all_targets() {
  return {std::string(amd_targets[0]), std::string(amd_targets[1])};
}

/// Builds kernels for the targets.
class AmdCompiler {
 public:
  AmdCompiler(std::shared_ptr<const Task> task, const AmdOptions& amd)
      : task_(std::move(task)), builder_(*task_, amd) {}

  Fact answer(const Job& job) const {
    if (job.kind != JobKind::build) {
      return lost_fact(job.key, {Failure::device, "kernels are compiled here and not run"});
    }
    const auto built = build(job.kernel);
    if (!built) return lost_fact(job.key, built.error());
    Fact fact;
    fact.key = job.key;
    take_build(*built, fact);
    fact.cost.compile_ns = built->compile_ns;
    fact.feedback = feedback_of({&fact, &*built, nullptr, -1, task_.get(), ""});
    return fact;
  }

 private:
  Result<BuildOutcome> build(const Kernel& kernel) const {
    if (in_dsl(kernel)) {
      KE_TRY(BuildOutcome built, build_dsl(*task_, builder_.options(), kernel));
      return built;
    }
    PlannedKernel parts;
    if (const auto refusal = take_apart(kernel, hip_file, parts)) {
      return refused_build<BuildOutcome>(Verdict::rejected, refusal->reason, refusal->message);
    }
    BuildOutcome built;
    built.policy_flags = parts.policy_flags;
    KE_TRY(const auto objects, builder_.build(kernel, parts, built));
    if (built.verdict != Verdict::ok) return built;
    Encoder hashed;
    hashed("amd-build/1")(objects);
    for (const std::string& target : builder_.options().targets) {
      KE_TRY_VOID(encode_plans(*task_, parts.plan, parts.knobs, terms_of(target), hashed));
    }
    built.build_hash = hashed.digest();
    return built;
  }

  std::shared_ptr<const Task> task_;
  AmdBuilder builder_;
};

/// What compiling a kernel that does nothing gave for each target.
cuda::CudaFinding probe_compiler(const AmdOptions& amd) {
  const std::string what = "hip compiler";
  const auto version = compiler_version(amd.tools);
  if (!version) return {what, false, version.error().message};
  const Task task{};
  Kernel kernel;
  kernel.source = "extern \"C\" __global__ void nothing() {}\n";
  BuildOutcome built;
  const auto objects = AmdBuilder(task, amd).build(kernel, {}, built);
  if (!objects) return {what, false, objects.error().message};
  if (built.verdict != Verdict::ok) return {what, false, built.message};
  return {what, true, fmt::format("{}, for {}", *version, fmt::join(amd.targets, ", "))};
}

std::string described(const cuda::Driver& driver, const cuda::GpuInfo& gpu) {
  return fmt::format("GPU {}: {}, {}, {} compute units, {} {}{}", gpu.index, gpu.terms.name,
                     gpu.arch, gpu.terms.sm_count, driver.api, gpu.driver_version,
                     gpu.exports ? "" : "; cannot share memory between processes");
}

/// A line a GPU, or what is missing.
std::vector<cuda::CudaFinding> probe_runtime(const std::string& library) {
  const std::string what = "hip runtime";
  const auto driver = open_hip(library);
  const auto gpus = driver ? cuda::describe_gpus(**driver, {}) : driver.error();
  if (!gpus) {
    const std::string refused = driver ? "" : refused_device();
    const bool said = refused.empty() || gpus.error().message.find(refused) != std::string::npos;
    return {{what, false, gpus.error().message + (said ? "" : "; " + refused)}};
  }
  std::vector<cuda::CudaFinding> list;
  for (const cuda::GpuInfo& gpu : *gpus) {
    list.push_back({what, gpu.exports, described(**driver, gpu)});
  }
  return list;
}

/// Where `vendor: auto` runs kernels.
cuda::CudaFinding probe_execution(const std::string& library) {
  const std::string what = "hip execution";
  const auto chosen = choose_runtime({.hip_library = library});
  const auto driver = !chosen || *chosen ? chosen : cuda::load_driver();
  const auto gpu = driver ? cuda::describe_gpu(**driver, 0) : Result<cuda::GpuInfo>(driver.error());
  if (!gpu) return {what, false, "needs an AMD GPU and ROCm, or an NVIDIA GPU and CUDA"};
  return {what, true, fmt::format("{}, through {}", gpu->terms.name, (*driver)->api)};
}

/// What the GPU wants beside its runtime: its own compiler, or CUDA's with HIP as a dialect.
Result<void> add_compiler(const Task& task, const AmdOptions& amd, cuda::CudaOptions& options) {
  if (options.driver) {
    KE_TRY(const auto gpus, cuda::describe_gpus(*options.driver, options.gpus));
    if (!gpus.front().arch.starts_with("sm_")) {
      KE_TRY(options.compiler, make_amd_device_compiler(task, amd, gpus.front().arch));
      return {};
    }
  }
  KE_TRY(std::string toolchain, toolchain_of(amd));
  options.dialect = make_hip_dialect(task, amd, std::move(toolchain));
  return {};
}

}  // namespace

HipOptions HipOptions::read(Params& device) {
  HipOptions options;
  options.amd.targets =
      device.texts("targets", all_targets(),
                   "AMD GPUs that every kernel must compile for, gfx90a or gfx942; [] = none");
  for (const std::string& target : options.amd.targets) {
    if (std::ranges::find(amd_targets, target) != amd_targets.end()) continue;
    device.fail("targets", fmt::format("names '{}', which is not one of {}", target,
                                       fmt::join(amd_targets, ", ")));
  }
  options.sandbox = device.choice("sandbox", "auto", {"auto", "namespaces", "landlock", "rlimits"},
                                  "walls around the compiler for AMD GPUs; auto = the strongest");
  options.runtime.vendor =
      device.choice("vendor", "auto", {"auto", "nvidia", "amd"},
                    "whose GPU runs kernels: nvidia = through CUDA, amd = through the HIP runtime, "
                    "auto = amd where that sees a GPU");
  options.runtime.hip_library =
      device.text("hip_library", "", "path of libamdhip64; empty = where ROCm installs it");
  options.python = device.added("").text(
      "python", "",
      "Python that FlyDSL is installed for, a path or a name in PATH; empty = "
      "kernels in FlyDSL are refused");
  return options;
}

Result<std::shared_ptr<const cuda::Driver>> choose_runtime(const RuntimeOptions& options) {
  const std::shared_ptr<const cuda::Driver> of_nvidia;
  if (options.vendor == "nvidia") return of_nvidia;
  auto hip = open_hip(options.hip_library);
  const bool wanted = options.vendor == "amd" || !options.hip_library.empty();
  if (hip || wanted) return hip;
  const auto driver = cuda::load_driver();
  if (driver) return of_nvidia;
  return Error{Failure::device, driver.error().message + "; " + hip.error().message};
}

Result<std::unique_ptr<Evaluator>> make_hip_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference,
                                                      cuda::CudaOptions options,
                                                      const AmdOptions& amd,
                                                      const RuntimeOptions& runtime) {
  KE_TRY(options.driver, choose_runtime(runtime));
  if (!amd.targets.empty()) options.sheet_tail = "Kernels must also compile for:\n";
  for (const std::string& target : amd.targets) options.sheet_tail += "  " + sheet_of(target);
  KE_TRY_VOID(add_compiler(*task, amd, options));
  return cuda::make_cuda_evaluator(std::move(task), std::move(reference), options);
}

Result<std::unique_ptr<Evaluator>> make_amd_compiler(std::shared_ptr<const Task> task,
                                                     const AmdOptions& amd) {
  if (amd.targets.empty()) {
    return Error{Failure::config, "device.targets = [] leaves nothing to compile for"};
  }
  EvaluatorInfo info;
  KE_TRY(info.toolchain, toolchain_of(amd));
  info.kind = "hip";
  info.device_class = fmt::format("compiled for {}", fmt::join(amd.targets, ", "));
  info.capabilities = {"hip"};
  info.noisy = false;
  for (const std::string& target : amd.targets) info.sheet.text += sheet_of(target);
  const auto compiler = std::make_shared<const AmdCompiler>(std::move(task), amd);
  return make_pure_evaluator(std::move(info),
                             [compiler](const Job& job) { return compiler->answer(job); });
}

std::vector<cuda::CudaFinding> probe_hip(const AmdOptions& amd, const std::string& library) {
  std::vector<cuda::CudaFinding> list{probe_compiler(amd)};
  for (cuda::CudaFinding& found : probe_runtime(library)) list.push_back(std::move(found));
  list.push_back(probe_execution(library));
  return list;
}

}  // namespace ke::hip
