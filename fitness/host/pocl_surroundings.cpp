#include "fitness/host/pocl_surroundings.hpp"

#include <unistd.h>

#include <vector>

namespace ke {
namespace {

constexpr std::uint64_t cache_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t library_bytes = std::uint64_t{2} << 30;  // addresses for LLVM and its heap

}  // namespace

void allow_pocl(SandboxSpec& spec, const std::string& cache) {
  const bool namespaces = spec.level == SandboxLevel::namespaces;
  // The list of platforms, PoCL's headers, and the machine's topology and memory for hwloc.
  std::vector<const char*> paths{"/etc/OpenCL", "/usr/share/pocl", "/sys/devices/system/cpu"};
  if (!namespaces) paths.insert(paths.end(), {"/proc/meminfo", "/proc/cpuinfo"});
  for (const char* path : paths) {
    if (access(path, R_OK) == 0) spec.read_only.emplace_back(path);
  }
  spec.writable.push_back({cache, namespaces ? cache_bytes : 0});
  spec.proc = namespaces;  // a /proc of its own
  spec.limits.file_bytes = cache_bytes;
  spec.limits.address_space_bytes += library_bytes;
}

}  // namespace ke
