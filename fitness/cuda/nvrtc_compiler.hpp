#pragma once
// From a CUDA kernel of the search to machine code with a checked launch plan, by NVRTC in helper
// processes.

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fitness/cuda/nvrtc.hpp"
#include "fitness/gpu/gpu_evaluator.hpp"
#include "fitness/gpu/helper_process.hpp"

namespace ke::cuda {

/// A compile process. Killed and started again when it does not answer. Used by one thread at a
/// time.
class CompileHelper {
 public:
  CompileHelper(std::string tools_dir, NvrtcPlace place, std::chrono::milliseconds limit)
      : tools_dir_(std::move(tools_dir)), place_(std::move(place)), limit_(limit) {}
  /// Starts the process if need be and gives the compiler's version.
  Result<std::string> version();
  /// Nothing when it took too long or crashed.
  Result<std::optional<CompileReply>> compile(const CompileRequest& request);
  const NvrtcPlace& place() const { return place_; }

 private:
  std::string tools_dir_;
  NvrtcPlace place_;
  std::chrono::milliseconds limit_;
  std::unique_ptr<gpu::HelperProcess> process_;
  std::string version_;
};

/// Compiles CUDA and, with a dialect, kernels in its language; kernels in Python DSLs go to the
/// compiler of those. As many helpers run as there are threads that ask.
class NvrtcCompiler final : public gpu::DeviceCompiler {
 public:
  /// The task is borrowed. NVRTC is looked for when first needed.
  NvrtcCompiler(const Task& task, const gpu::GpuOptions& options)
      : task_(task), options_(options) {}

  std::string language() const override;
  Result<std::string> toolchain(const gpu::GpuTarget& target) const override;
  Result<std::string> compile_own(const std::string& source,
                                  const gpu::GpuTarget& target) const override;
  Result<gpu::GpuBuilt> build(const Kernel& kernel, const gpu::GpuTarget& target) const override;

 private:
  using Helper = std::unique_ptr<CompileHelper>;
  Result<Helper> take_helper() const;
  void give_back(Helper helper) const;
  Result<gpu::GpuBuilt> compile(const Kernel& kernel, const gpu::GpuTarget& target,
                                CompileHelper& helper) const;

  const Task& task_;
  const gpu::GpuOptions options_;
  mutable std::mutex mutex_;
  mutable std::vector<Helper> idle_;
};

/// For hip::make_hip_evaluator.
std::shared_ptr<const gpu::DeviceCompiler> make_nvrtc_compiler(const Task& task,
                                                               const gpu::GpuOptions& options);

/// Fixed compiler options for an architecture, e.g. "sm_90a".
std::vector<std::string> nvrtc_options(const std::string& arch, const NvrtcPlace& place,
                                       const std::string& include_dir);
/// Why a flag of a kernel may not be used, or "".
std::string refused_cuda_flag(const std::string& flag);

}  // namespace ke::cuda
