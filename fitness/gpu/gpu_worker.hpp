#pragma once
// The judge's handle of one disposable GPU worker.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/gpu/worker_protocol.hpp"

namespace ke::gpu {

/// Starts a process on first use, and again after it was dropped.
class GpuWorker {
 public:
  /// `hip_library`: Driver::library; `cubin`: judge_kernels; `memory` is borrowed.
  GpuWorker(std::string tools_dir, int index, std::string hip_library, const GpuMemory& memory,
            std::string cubin)
      : tools_dir_(std::move(tools_dir)),
        index_(index),
        hip_library_(std::move(hip_library)),
        memory_(memory),
        cubin_(std::move(cubin)) {}

  /// Ends the process; the next request starts another.
  void drop() {
    process_.reset();
    loaded_.clear();
  }

  /// Loads a build's modules unless they are already loaded; `fresh` always loads them.
  Result<WorkerAnswer> load(const Digest& build, const std::vector<std::string>& cubins,
                            bool fresh);
  /// Failures caused by a candidate are answers, not Errors; `status` is worker_ended or
  /// worker_silent when the process died or did not answer in time, and it is then dropped.
  Result<WorkerAnswer> ask(const WorkerRequest& request, std::chrono::milliseconds limit);

 private:
  Result<void> start();

  std::string tools_dir_;
  int index_;
  std::string hip_library_;
  const GpuMemory& memory_;
  std::string cubin_;
  std::unique_ptr<HelperProcess> process_;
  std::string loaded_;
};

inline constexpr std::int64_t worker_ended = -1;
inline constexpr std::int64_t worker_silent = -2;

}  // namespace ke::gpu
