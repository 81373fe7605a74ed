#include "experiments/dispatch/gpu_codes.hpp"

#include <fmt/format.h>

#include "experiments/dispatch/launch_text.hpp"
#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/gpu/gpu_device.hpp"

namespace ke {
namespace {

/// Variables of a module that all calls share: `__device__`, with and without a first value.
Result<bool> keeps_variables(const std::string& cubin) {
  KE_TRY(const ElfFile file, read_elf(cubin));
  for (const char* section : {".nv.global", ".nv.global.init"}) {
    const ElfSection* const found = file.find(section);
    if (found != nullptr && found->size > 0) return true;
  }
  return false;
}

}  // namespace

Result<GpuCodes> GpuCodes::open(std::shared_ptr<const Task> task, const gpu::GpuOptions& options) {
  KE_TRY(const auto driver, gpu::load_driver());
  KE_TRY(const auto gpus, gpu::describe_gpus(*driver, options.gpus));
  GpuCodes codes;
  codes.compiler_ = cuda::make_nvrtc_compiler(*task, options);
  codes.task_ = std::move(task);
  codes.target_ = {gpus.front().arch, gpus.front().terms};
  return codes;
}

Result<GpuCode> GpuCodes::make(const Kernel& kernel, const Digest& build) const {
  KE_TRY(const gpu::GpuBuilt built, compiler_->build(kernel, target_));
  if (built.build_hash != build) {
    return Error{Failure::device, fmt::format("compiled again it is another kernel than the one "
                                              "that was judged{}{}",
                                              built.message.empty() ? "" : ": ", built.message)};
  }
  for (const std::string& cubin : built.cubins) {
    KE_TRY(const bool keeps, keeps_variables(cubin));
    if (!keeps) continue;
    return Error{Failure::config,
                 "it keeps __device__ variables, which calls on two streams would share"};
  }
  KE_TRY(std::string launch, launch_text(*task_, built.plan, built.knobs));
  return GpuCode{target_.arch, launched_kernels(built.plan), built.cubins, std::move(launch)};
}

}  // namespace ke
