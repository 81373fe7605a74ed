#pragma once
// Interface of tests to the stand-ins for the NVIDIA driver and the HIP runtime, which load as
// libcuda.so.1 and libamdhip64.so.6.

#include <cstddef>
#include <string>

/// Sets the sizes in bytes of a kernel's arguments, in order; 128 = a tensor map.
using FakeCudaArguments = void (*)(const char* kernel, const std::size_t* sizes, std::size_t count);
/// Returns the actions since the last call, one line each.
using FakeCudaLog = const char* (*)();

namespace ke::test {

/// Blocks of a kernel that fit on one of its multiprocessors.
inline int fake_occupancy(long long threads, long long shared_bytes) {
  return 1 + static_cast<int>(threads / 128 + shared_bytes / 65536);
}

/// One launch in the format of the log.
inline std::string launch_line(const std::string& kernel, const std::string& grid,
                               const std::string& block, long long shared,
                               const std::string& attributes, const std::string& arguments) {
  return kernel + " grid " + grid + " block " + block + " shared " + std::to_string(shared) +
         attributes + " (" + arguments + ")\n";
}

}  // namespace ke::test
