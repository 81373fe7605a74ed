#pragma once
// What compiles for devices that NVRTC does not know.

#include <cstdint>
#include <string>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/cuda/cuda_builder.hpp"

namespace ke::cuda {

/// Thread-safe.
class DeviceCompiler {
 public:
  virtual ~DeviceCompiler() = default;
  /// Of the kernels that it takes.
  virtual std::string language() const = 0;
  /// All that decides a build, for keys.
  virtual std::string toolchain() const = 0;
  /// Machine code of kernels of ours. Errors are the machine's.
  virtual Result<std::string> compile_own(const std::string& source) const = 0;
  /// Bad kernels are values with a verdict; errors are the machine's. `device`: where they will
  /// run.
  virtual Result<CudaBuilt> build(const Kernel& kernel, const DeviceTerms& device) const = 0;
  /// Bytes that the caches of the device hold, all of them.
  virtual std::int64_t cache_bytes() const = 0;
};

}  // namespace ke::cuda
