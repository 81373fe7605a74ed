// A stand-in for libamdhip64 with one AMD GPU whose memory is the host's; memory shared by a
// process is an unnamed file. It runs no code object; KERNELS_ON_HOST may name a library with a
// function launch_NAME for each kernel (tests/fitness/hip/host_kernels.hpp), otherwise launches do
// nothing. A kernel "goes_on" keeps the device busy after its events, longer than the time between
// them. Signatures and numbers follow AMD's HIP reference.

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <utility>

#include "fitness/gpu/driver.hpp"

namespace {

using namespace ke::gpu;
using Launch = bool (*)(void** arguments, const unsigned* grid, const unsigned* block);

constexpr int no_device = 100;
constexpr std::size_t page = 1 << 16;

struct {
  int version = 60'443'484;
  int gpus = 1;
  int run_status = success;
  std::chrono::nanoseconds busy{0};  ///< duration after the last launch's events
} gpu;

struct HostFunction {
  std::string name;
  Launch launch = nullptr;
};
struct HostEvent {
  std::chrono::steady_clock::time_point time;
};

/// Allocates an object for a handle.
template <typename T>
T* kept(T value) {
  static std::deque<T> all;
  return &all.emplace_back(std::move(value));
}

void* as_pointer(Address address) { return reinterpret_cast<void*>(address); }

Launch launcher(const std::string& kernel) {
  const char* path = std::getenv("KERNELS_ON_HOST");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<Launch>(dlsym(library, ("launch_" + kernel).c_str()));
}

int attribute_of(int attribute) {
  switch (attribute) {
    case 56: return 1024;  // threads of a block
    case 26:
    case 27:
    case 28: return 1024;
    case 29: return 2'147'483'647;
    case 30:
    case 31: return 65'536;
    case 63: return 110;      // compute units
    case 19: return 8 << 20;  // L2
    case 74: return 65'536;   // shared memory of a block
    case 89: return 1;        // virtual memory
    default: return 0;
  }
}

}  // namespace

extern "C" {

/// `run_status`: result of waiting for the device.
void fake_hip_set(int version, int gpus, int run_status) { gpu = {version, gpus, run_status}; }

int hipInit(unsigned) { return gpu.gpus > 0 ? int{success} : no_device; }
int hipRuntimeGetVersion(int* version) { return *version = gpu.version, success; }
int hipGetDeviceCount(int* count) { return *count = gpu.gpus, success; }
int hipDeviceGet(Device* device, int index) { return *device = index, success; }
int hipGetDevice(int* index) { return *index = 0, success; }
int hipThreadExchangeStreamCaptureMode(int*) { return success; }
int hipSetDevice(int index) { return index < gpu.gpus ? int{success} : 101; }
int hipDeviceSynchronize() {
  std::this_thread::sleep_for(std::exchange(gpu.busy, {}));
  return gpu.run_status;
}

int hipDeviceGetName(char* name, int length, Device) {
  std::strncpy(name, "AMD Instinct MI250X", static_cast<std::size_t>(length));
  return success;
}

int hipDeviceGetPCIBusId(char* id, int length, Device) {
  std::strncpy(id, "0000:c1:00.0", static_cast<std::size_t>(length));
  return success;
}

int hipDeviceTotalMem(std::size_t* bytes, Device) {
  return *bytes = std::size_t{64} << 30, success;
}

int hipDeviceGetAttribute(int* value, int attribute, Device) {
  return *value = attribute_of(attribute), success;
}

int hipGetDevicePropertiesR0600(void* properties, int) {
  std::strcpy(static_cast<char*>(properties), "AMD Instinct MI250X");
  std::strcpy(static_cast<char*>(properties) + 1160, "gfx90a:sramecc+:xnack-");
  return success;
}

const char* hipGetErrorName(int status) {
  switch (status) {
    case success: return "hipSuccess";
    case no_device: return "hipErrorNoDevice";
    case illegal_address: return "hipErrorIllegalAddress";
    case not_supported: return "hipErrorNotSupported";
    default: return "hipErrorUnknown";
  }
}
const char* hipGetErrorString(int status) {
  return status == illegal_address ? "an illegal memory access was encountered" : "something";
}

// --- modules ---

int hipModuleLoadData(Module* module, const void* image) {
  if (std::memcmp(image, "\177ELF", 4) != 0) return invalid_image;
  return *module = kept(image), success;
}
int hipModuleUnload(Module) { return success; }

/// Reads the image as late as HIP may.
int hipModuleGetFunction(Function* function, Module module, const char* name) {
  if (std::memcmp(*static_cast<const void**>(module), "\177ELF", 4) != 0) return invalid_image;
  const Launch launch = launcher(name);
  if (launch == nullptr && std::getenv("KERNELS_ON_HOST") != nullptr) return not_found;
  return *function = kept(HostFunction{name, launch}), success;
}

int hipModuleGetGlobal(Address*, std::size_t*, Module, const char*) { return not_found; }
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int, std::size_t) {
  return *blocks = 1, success;
}

int hipModuleLaunchKernel(Function function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                          unsigned threads_y, unsigned threads_z, unsigned, Stream,
                          void** arguments, void**) {
  const auto* kernel = static_cast<HostFunction*>(function);
  const unsigned grid[] = {x, y, z}, block[] = {threads_x, threads_y, threads_z};
  const auto begin = std::chrono::steady_clock::now();
  const bool good = kernel->launch == nullptr || kernel->launch(arguments, grid, block);
  if (kernel->name == "goes_on") {
    gpu.busy = std::chrono::milliseconds(20) + (std::chrono::steady_clock::now() - begin);
  }
  return good ? success : launch_failed;
}

int hipModuleLaunchCooperativeKernel(Function, unsigned, unsigned, unsigned, unsigned, unsigned,
                                     unsigned, unsigned, Stream, void**) {
  return cooperative_too_large;
}

// --- streams ---

int hipStreamCreateWithFlags(Stream* stream, unsigned) { return *stream = kept(0), success; }
int hipStreamSynchronize(Stream) { return success; }
int hipEventCreateWithFlags(Event* event, unsigned) { return *event = kept(HostEvent{}), success; }
int hipEventRecord(Event event, Stream) {
  static_cast<HostEvent*>(event)->time = std::chrono::steady_clock::now();
  return success;
}
int hipEventElapsedTime(float* ms, Event begin, Event end) {
  const auto took = static_cast<HostEvent*>(end)->time - static_cast<HostEvent*>(begin)->time;
  *ms = std::chrono::duration<float, std::milli>(took).count();
  return success;
}

// --- memory ---

int hipMalloc(Address* memory, std::size_t bytes) {
  *memory = reinterpret_cast<Address>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return *memory == 0 ? int{out_of_memory} : success;
}
int hipFree(Address memory) { return std::free(as_pointer(memory)), success; }
int hipMemcpyHtoD(Address to, const void* from, std::size_t bytes) {
  return std::memcpy(as_pointer(to), from, bytes), success;
}
int hipMemcpyDtoH(void* to, Address from, std::size_t bytes) {
  return std::memcpy(to, as_pointer(from), bytes), success;
}
int hipMemcpyDtoDAsync(Address to, Address from, std::size_t bytes, Stream) {
  return std::memcpy(as_pointer(to), as_pointer(from), bytes), success;
}
int hipMemsetD8Async(Address to, unsigned char byte, std::size_t bytes, Stream) {
  return std::memset(as_pointer(to), byte, bytes), success;
}

int hipMemGetAllocationGranularity(std::size_t* bytes, const MemoryProperties*, int) {
  return *bytes = page, success;
}

int hipMemCreate(MemoryHandle* handle, std::size_t bytes, const MemoryProperties* properties,
                 unsigned long long) {
  if (properties->handle_types != 1) return invalid_value;
  const int file = memfd_create("fake_hip", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return out_of_memory;
  return *handle = static_cast<MemoryHandle>(file), success;
}

int hipMemAddressReserve(Address* address, std::size_t bytes, std::size_t, Address,
                         unsigned long long) {
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *address = reinterpret_cast<Address>(at), at == MAP_FAILED ? out_of_memory : success;
}

int hipMemMap(Address address, std::size_t bytes, std::size_t, MemoryHandle handle,
              unsigned long long) {
  const void* at = mmap(as_pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
                        static_cast<int>(handle), 0);
  return at == MAP_FAILED ? invalid_value : success;
}

int hipMemSetAccess(Address address, std::size_t bytes, const MemoryAccess*, std::size_t) {
  return mprotect(as_pointer(address), bytes, PROT_READ | PROT_WRITE) == 0 ? success
                                                                           : invalid_value;
}

int hipMemExportToShareableHandle(void* descriptor, MemoryHandle handle, int, unsigned long long) {
  return *static_cast<int*>(descriptor) = dup(static_cast<int>(handle)), success;
}

/// Since 7.1, `given` is the descriptor itself, before that the address of it.
int hipMemImportFromShareableHandle(MemoryHandle* handle, void* given, int) {
  const int descriptor = gpu.version >= 70'100'000
                             ? static_cast<int>(reinterpret_cast<std::intptr_t>(given))
                             : *static_cast<const int*>(given);
  return *handle = static_cast<MemoryHandle>(dup(descriptor)), success;
}

}  // extern "C"
