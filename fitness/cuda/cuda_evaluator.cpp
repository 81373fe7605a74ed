#include "fitness/cuda/cuda_evaluator.hpp"

#include <fmt/format.h>

#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/gpu/compile_only.hpp"

namespace ke::cuda {

Result<std::unique_ptr<Evaluator>> make_cuda_evaluator(std::shared_ptr<const Task> task,
                                                       Reference reference,
                                                       gpu::GpuOptions options) {
  options.compiler = make_nvrtc_compiler(*task, options);
  return gpu::make_gpu_evaluator(std::move(task), std::move(reference), options);
}

Result<std::unique_ptr<Evaluator>> make_cuda_compiler(std::shared_ptr<const Task> task,
                                                      const gpu::GpuOptions& options) {
  const auto compiler = make_nvrtc_compiler(*task, options);
  const gpu::GpuTarget target{options.arch, {}};
  EvaluatorInfo info;
  KE_TRY(info.toolchain, compiler->toolchain(target));
  info.kind = "cuda";
  info.device_class = fmt::format("compiled for {}", options.arch);
  info.capabilities = {"cuda"};
  return gpu::compile_only(
      std::move(info), std::move(task),
      [compiler, target](const Kernel& kernel) { return compiler->build(kernel, target); });
}

}  // namespace ke::cuda
