#pragma once
// What a test asks of the stand-in for the NVIDIA driver, which loads as libcuda.so.1.

#include <cstddef>
#include <string>

/// Told to it: sizes in bytes of a kernel's arguments, one after the other; 128 = a tensor map.
using FakeCudaArguments = void (*)(const char* kernel, const std::size_t* sizes, std::size_t count);
/// What was done since the last question, a line each.
using FakeCudaLog = const char* (*)();

namespace ke::test {

/// Blocks of a kernel on a multiprocessor of it.
inline int fake_occupancy(long long threads, long long shared_bytes) {
  return 1 + static_cast<int>(threads / 128 + shared_bytes / 65536);
}

/// One launch as the log has it.
inline std::string launch_line(const std::string& kernel, const std::string& grid,
                               const std::string& block, long long shared,
                               const std::string& attributes, const std::string& arguments) {
  return kernel + " grid " + grid + " block " + block + " shared " + std::to_string(shared) +
         attributes + " (" + arguments + ")\n";
}

}  // namespace ke::test
