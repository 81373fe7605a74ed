#include "fitness/cuda/cuda_evaluator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "fitness/cuda/nvrtc.hpp"
#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/gpu/compute_sanitizer.hpp"
#include "fitness/gpu/gpu_watch.hpp"

namespace ke::cuda {

using namespace gpu;
namespace {

ProbeLine of_gpu(const GpuInfo& gpu) {
  return {"cuda driver", true,
          fmt::format("GPU {}: {}, {}, {} multiprocessors, CUDA {}{}", gpu.index, gpu.terms.name,
                      gpu.arch, gpu.terms.sm_count, gpu.driver_version,
                      gpu.exports ? "" : "; cannot share memory between processes")};
}

ProbeLine clocks_of(const Nvml& nvml, const GpuInfo& gpu) {
  auto managed = ManagedGpu::find(nvml, gpu.bus_id);
  if (!managed) return {"cuda clocks", false, managed.error().message};
  char driver[96] = {};
  nvml.driver_version(driver, sizeof driver);
  GpuWatch watch(gpu.index, *std::move(managed));
  const bool slow = watch.look();
  return {"cuda clocks", !slow, fmt::format("{}; driver {}", watch.text(), driver)};
}

void add_gpus(std::vector<ProbeLine>& list) {
  const auto driver = load_driver();
  const auto gpus = driver ? describe_gpus(**driver, {}) : driver.error();
  if (gpus) {
    for (const GpuInfo& gpu : *gpus) list.push_back(of_gpu(gpu));
  } else {
    list.push_back({"cuda driver", false, gpus.error().message});
  }
  const auto nvml = load_nvml();
  if (!nvml) {
    list.push_back({"cuda clocks", false, nvml.error().message});
  } else if (gpus) {
    for (const GpuInfo& gpu : *gpus) list.push_back(clocks_of(**nvml, gpu));
  }
}

}  // namespace

Result<std::unique_ptr<Evaluator>> make_cuda_evaluator(std::shared_ptr<const Task> task,
                                                       Reference reference, GpuOptions options) {
  options.compiler = make_nvrtc_compiler(*task, options);
  return make_gpu_evaluator(std::move(task), std::move(reference), options);
}

Result<std::unique_ptr<Evaluator>> make_cuda_compiler(std::shared_ptr<const Task> task,
                                                      const GpuOptions& options) {
  const auto compiler = make_nvrtc_compiler(*task, options);
  const GpuTarget target{options.arch, {}};
  EvaluatorInfo info;
  KE_TRY(info.toolchain, compiler->toolchain(target));
  info.kind = "cuda";
  info.device_class = fmt::format("compiled for {}", options.arch);
  info.capabilities = {"cuda"};
  return compile_only(std::move(info), std::move(task), [compiler, target](const Kernel& kernel) {
    return compiler->build(kernel, target);
  });
}

std::vector<ProbeLine> probe_cuda(const std::string& tools_dir) {
  std::vector<ProbeLine> list;
  add_gpus(list);
  const auto nvrtc = find_nvrtc("");
  list.push_back({"cuda compiler", static_cast<bool>(nvrtc),
                  nvrtc ? nvrtc->library + (nvrtc->include_dir.empty() ? ", no headers found" : "")
                        : nvrtc.error().message});
  const auto sanitizer = find_compute_sanitizer();
  list.push_back({"cuda sanitizer", static_cast<bool>(sanitizer),
                  sanitizer ? *sanitizer : sanitizer.error().message});
  const auto profiler = find_nsight_compute();
  list.push_back({"cuda profiler", static_cast<bool>(profiler),
                  profiler ? *profiler : profiler.error().message});
  const std::string helper = tools_dir + "/kernelevolve-cuda";
  const bool there = access(helper.c_str(), X_OK) == 0;
  list.push_back(
      {"kernelevolve-cuda", there, there ? helper : helper + " is missing; build or install it"});
  return list;
}

}  // namespace ke::cuda
