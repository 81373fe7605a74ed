// A stand-in for libcuda.so.1 with one GPU, an H200, and for libamdhip64.so.6 with one, an MI300X.
// It logs calls in one form. Signatures and values follow NVIDIA's driver API reference and AMD's
// HIP reference.

#include "tests/support/fake_cuda.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace {

std::string said, answered;
std::map<std::string, std::vector<std::size_t>> arguments_of;
std::set<std::string> functions;
int context;

struct LaunchAttribute {
  int id;
  char pad[4];
  unsigned value[16];
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned count;
};

std::string three(const unsigned* numbers) {
  return std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + "," +
         std::to_string(numbers[2]);
}

std::string argument_text(const void* at, std::size_t bytes) {
  std::uint64_t word = 0;
  if (bytes == 128) return static_cast<const char*>(at);
  std::memcpy(&word, at, bytes);
  return std::to_string(word);
}

template <typename Number>
std::string list(const Number* numbers, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += " " + std::to_string(numbers[i]);
  return text;
}

int log_launch(void* function, const unsigned* grid, const unsigned* block, unsigned shared,
               const std::string& attributes, void** arguments) {
  const std::string name = static_cast<const char*>(function);
  const std::vector<std::size_t>& sizes = arguments_of.at(name);
  std::string values;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    values += (i > 0 ? " " : "") + argument_text(arguments[i], sizes[i]);
  }
  said += ke::test::launch_line(name, three(grid), three(block), shared, attributes, values);
  return 0;
}

}  // namespace

extern "C" {

void fake_cuda_arguments(const char* kernel, const std::size_t* sizes, std::size_t count) {
  arguments_of[kernel].assign(sizes, sizes + count);
}
const char* fake_cuda_log() {
  answered.swap(said);
  said.clear();
  return answered.c_str();
}

int cuInit(unsigned) { return 0; }
int cuCtxGetCurrent(void** current) {
  *current = &context;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuPointerGetAttribute(void* into, int, std::uint64_t) {
  *static_cast<void**>(into) = &context;
  return 0;
}
int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  std::strncpy(name, "NVIDIA H200", static_cast<std::size_t>(bytes));
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  static const std::map<int, int> known = {
      {16, 132}, {38, 62'914'560}, {75, 9}, {76, 0}, {97, 232'448}};
  *value = known.at(attribute);
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int*) { return 0; }
int cuModuleLoadData(void** module, const void* image) {
  *module = const_cast<void*>(image);
  return 0;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = const_cast<char*>(functions.insert(name).first->c_str());
  return 0;
}
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads,
                                                std::size_t shared) {
  *blocks = ke::test::fake_occupancy(threads, static_cast<long long>(shared));
  return 0;
}
int cuLaunchKernelEx(const LaunchConfig* config, void* function, void** arguments, void**) {
  std::string attributes;
  for (unsigned i = 0; i < config->count; ++i) {
    const LaunchAttribute& one = config->attributes[i];
    if (one.id == 2) attributes += " cooperative";
    if (one.id == 4) attributes += " cluster " + three(one.value);
    if (one.id == 6) attributes += " dependent";
  }
  return log_launch(function, config->grid, config->block, config->shared_bytes, attributes,
                    arguments);
}
int cuMemsetD8Async(std::uint64_t at, unsigned char byte, std::size_t bytes, void*) {
  said += "set " + std::to_string(at) + " to " + std::to_string(byte) + ", " +
          std::to_string(bytes) + " bytes\n";
  return 0;
}
int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address,
                           const std::uint64_t* dims, const std::uint64_t* strides,
                           const unsigned* box, const unsigned* steps, int interleave, int swizzle,
                           int promotion, int fill) {
  const std::string text = "map " + std::to_string(type) + " of " +
                           std::to_string(reinterpret_cast<std::uint64_t>(address)) +
                           list(dims, rank) + list(strides, rank - 1) + list(box, rank) +
                           list(steps, rank) + " " + std::to_string(interleave) +
                           std::to_string(swizzle) + std::to_string(promotion) +
                           std::to_string(fill);
  std::strncpy(static_cast<char*>(map), text.c_str(), 127);
  return 0;
}

// --- HIP ---

int hipInit(unsigned) { return 0; }
int hipGetDevice(int* device) {
  *device = 0;
  return 0;
}
int hipDeviceGetName(char* name, int bytes, int) {
  std::strncpy(name, "AMD Instinct MI300X", static_cast<std::size_t>(bytes));
  return 0;
}
int hipDeviceGetAttribute(int* value, int attribute, int) {
  static const std::map<int, int> known = {{63, 304}, {19, 4 << 20}, {74, 65'536}};
  *value = known.at(attribute);
  return 0;
}
int hipGetDevicePropertiesR0600(void* properties, int) {
  std::strcpy(static_cast<char*>(properties), "AMD Instinct MI300X");
  std::strcpy(static_cast<char*>(properties) + 1160, "gfx942:sramecc+:xnack-");
  return 0;
}
int hipThreadExchangeStreamCaptureMode(int*) { return 0; }
int hipModuleLoadData(void** module, const void* image) { return cuModuleLoadData(module, image); }
int hipModuleGetFunction(void** function, void* module, const char* name) {
  return cuModuleGetFunction(function, module, name);
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                       std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}
int hipModuleLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                          unsigned threads_y, unsigned threads_z, unsigned shared, void*,
                          void** arguments, void**) {
  const unsigned grid[] = {x, y, z}, block[] = {threads_x, threads_y, threads_z};
  return log_launch(function, grid, block, shared, "", arguments);
}
int hipModuleLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z,
                                     unsigned threads_x, unsigned threads_y, unsigned threads_z,
                                     unsigned shared, void*, void** arguments) {
  const unsigned grid[] = {x, y, z}, block[] = {threads_x, threads_y, threads_z};
  return log_launch(function, grid, block, shared, " cooperative", arguments);
}
int hipMemsetD8Async(std::uint64_t at, unsigned char byte, std::size_t bytes, void* stream) {
  return cuMemsetD8Async(at, byte, bytes, stream);
}

}  // extern "C"
