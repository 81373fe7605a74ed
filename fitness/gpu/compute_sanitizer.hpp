#pragma once
// NVIDIA's compute-sanitizer: what it says of a kernel. For champions, beside the figures.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/judging/sanitizer_report.hpp"
#include "fitness/process/limited_program.hpp"

namespace ke::gpu {

/// The program, looked up in PATH and in CUDA's folder. Error: where it was looked for.
Result<std::string> find_compute_sanitizer();

/// What a run of one of its tools says; reads its text, since its exit code is the program's too.
SanitizerReport report_of_tool(const std::string& tool, const LimitedRun& run);

/// Runs kernels on every test shape in a process of ours under memcheck and initcheck:
/// each tensor and each scratch buffer is an allocation of exactly its size, so that an access
/// beside it is seen. Two contents a shape. Takes seconds. Thread-safe.
class ComputeSanitizer {
 public:
  /// Where the tool is, asked when it is needed.
  using Find = Result<std::string> (*)();

  /// Task, reference and GPU are borrowed. `tools_dir`: folder of kernelevolve-cuda.
  ComputeSanitizer(const Task& task, const Reference& reference, const GpuInfo& gpu, Find find,
                   std::string tools_dir)
      : task_(task),
        reference_(reference),
        gpu_(gpu),
        find_(find),
        tools_dir_(std::move(tools_dir)) {}

  /// The first finding, or what all tools say. Errors are the machine's.
  Result<SanitizerReport> examine(const GpuBuilt& built) const;

 private:
  Result<std::string> calls(const GpuBuilt& built) const;

  const Task& task_;
  const Reference& reference_;
  const GpuInfo& gpu_;
  Find find_;
  std::string tools_dir_;
};

}  // namespace ke::gpu
