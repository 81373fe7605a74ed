#include "fitness/hip/hip_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fitness/gpu/gpu_device.hpp"
#include "fitness/hip/amd_compiler.hpp"
#include "fitness/hip/hip_runtime.hpp"

namespace ke::hip {
namespace {

/// Builds a kernel for every target; the hash covers all code objects.
Result<gpu::GpuBuilt> build_for_targets(const Task& task, const AmdBuilder& builder,
                                        const Kernel& kernel) {
  if (gpu::is_dsl(kernel.language)) return build_dsl(builder.options(), kernel);
  KE_TRY(gpu::GpuBuilt built, build_hip(builder, kernel));
  if (built.verdict != Verdict::ok) return built;
  Encoder hashed;
  hashed("amd-build/1")(built.cubins);
  for (const std::string& target : builder.options().targets) {
    KE_TRY(const auto plans, plans_of(task, built.plan, built.knobs, terms_of(target)));
    for (const ResolvedPlan& plan : plans) hashed(plan);
  }
  built.build_hash = hashed.digest();
  return built;
}

/// Compiles an empty kernel for each target and reports the results.
gpu::ProbeLine probe_compiler(const AmdOptions& amd) {
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

std::string described(const gpu::Driver& driver, const gpu::GpuInfo& gpu) {
  return fmt::format("GPU {}: {}, {}, {} compute units, {} {}{}", gpu.index, gpu.terms.name,
                     gpu.arch, gpu.terms.sm_count, driver.api, gpu.driver_version,
                     gpu.exports ? "" : "; cannot share memory between processes");
}

/// One line per GPU, or what is missing.
std::vector<gpu::ProbeLine> probe_runtime(const std::string& library) {
  const std::string what = "hip runtime";
  const auto driver = open_hip(library);
  const auto gpus = driver ? gpu::describe_gpus(**driver, {}) : driver.error();
  if (!gpus) {
    const std::string refused = driver ? "" : refused_device();
    const bool said = refused.empty() || gpus.error().message.find(refused) != std::string::npos;
    return {{what, false, gpus.error().message + (said ? "" : "; " + refused)}};
  }
  std::vector<gpu::ProbeLine> list;
  for (const gpu::GpuInfo& gpu : *gpus) {
    list.push_back({what, gpu.exports, described(**driver, gpu)});
  }
  return list;
}

/// Reports where `vendor: auto` runs kernels.
gpu::ProbeLine probe_execution(const std::string& library) {
  const std::string what = "hip execution";
  const auto chosen = choose_runtime({.hip_library = library});
  const auto driver = !chosen || *chosen ? chosen : gpu::load_driver();
  const auto gpu = driver ? gpu::describe_gpu(**driver, 0) : Result<gpu::GpuInfo>(driver.error());
  if (!gpu) return {what, false, "needs an AMD GPU and ROCm, or an NVIDIA GPU and CUDA"};
  return {what, true, fmt::format("{}, through {}", gpu->terms.name, (*driver)->api)};
}

}  // namespace

// The GPU needs AMD's own compiler, or CUDA's with HIP as a dialect.
Result<void> set_runtime(const Task& task, const AmdOptions& amd, const RuntimeOptions& runtime,
                         const MakeCompiler& on_nvidia, gpu::GpuOptions& options) {
  KE_TRY(options.driver, choose_runtime(runtime));
  if (options.driver) {
    KE_TRY(const auto gpus, gpu::describe_gpus(*options.driver, options.gpus));
    if (!gpus.front().arch.starts_with("sm_")) {
      KE_TRY(options.compiler, make_amd_device_compiler(task, amd, gpus.front().arch));
      return {};
    }
  }
  KE_TRY(std::string toolchain, toolchain_of(amd));
  options.dialect = make_hip_dialect(task, amd, std::move(toolchain));
  options.compiler = on_nvidia(task, options);
  return {};
}

HipOptions HipOptions::read(Params& device) {
  HipOptions options;
  options.amd.targets =
      device.texts("targets", {amd_targets.begin(), amd_targets.end()},
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

Result<std::shared_ptr<const gpu::Driver>> choose_runtime(const RuntimeOptions& options) {
  const std::shared_ptr<const gpu::Driver> of_nvidia;
  if (options.vendor == "nvidia") return of_nvidia;
  auto hip = open_hip(options.hip_library);
  const bool wanted = options.vendor == "amd" || !options.hip_library.empty();
  if (hip || wanted) return hip;
  const auto driver = gpu::load_driver();
  if (driver) return of_nvidia;
  return Error{Failure::device, driver.error().message + "; " + hip.error().message};
}

Result<std::unique_ptr<Evaluator>> make_hip_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference, gpu::GpuOptions options,
                                                      const AmdOptions& amd,
                                                      const RuntimeOptions& runtime,
                                                      const MakeCompiler& on_nvidia) {
  if (!amd.targets.empty()) options.sheet_tail = "Kernels must also compile for:\n";
  for (const std::string& target : amd.targets) options.sheet_tail += "  " + sheet_of(target);
  KE_TRY_VOID(set_runtime(*task, amd, runtime, on_nvidia, options));
  return gpu::make_gpu_evaluator(std::move(task), std::move(reference), options);
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
  for (const std::string& target : amd.targets) info.sheet.text += sheet_of(target);
  const auto builder = std::make_shared<const AmdBuilder>(*task, amd);
  return gpu::compile_only(std::move(info), task, [task, builder](const Kernel& kernel) {
    return build_for_targets(*task, *builder, kernel);
  });
}

std::vector<gpu::ProbeLine> probe_hip(const AmdOptions& amd, const std::string& library) {
  std::vector<gpu::ProbeLine> list{probe_compiler(amd)};
  for (gpu::ProbeLine& found : probe_runtime(library)) list.push_back(std::move(found));
  list.push_back(probe_execution(library));
  return list;
}

}  // namespace ke::hip
