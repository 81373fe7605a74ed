#pragma once
// HIP kernels and how they are built.

#include <string>

#include "fitness/hip/amd_builder.hpp"
#include "fitness/sandbox/level.hpp"
#include "tests/support/copy_task.hpp"

namespace ke::test {

inline const std::string copy_plan = "// @launch copy grid=(ceil_div(n, 256)) block=(256)\n";
inline const std::string copy_kernel =
    copy_plan +
    "extern \"C\" __global__ void copy(const float* x, float* y, size_t n) {\n"
    "  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;\n"
    "  if (i < n) y[i] = x[i];\n}\n";

inline Kernel hip_kernel(const std::string& source) {
  Kernel kernel;
  kernel.language = "hip";
  kernel.source = source;
  return kernel;
}

/// Both targets, with the headers of this tree, in the strongest sandbox.
inline hip::AmdOptions amd_options() {
  hip::AmdOptions options;
  for (const std::string_view target : hip::amd_targets) options.targets.emplace_back(target);
  options.include_dir = KE_SOURCE_DIR "/configs/backends/hip/include";
  options.tools.tools_dir = KE_BINARY_DIR;
  if (const auto report = probe_sandbox(KE_BINARY_DIR)) options.tools.level = report->level;
  return options;
}

}  // namespace ke::test
