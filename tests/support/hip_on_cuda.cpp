// libamdhip64 on top of the CUDA driver, to execute the whole path through the HIP runtime on an
// NVIDIA GPU. Its device reports no processor name, so machine code is for its compute capability;
// hipFuncGetParamInfo reports the sizes of parameters. Signatures and numbers follow AMD's HIP
// reference.

#include <string_view>

#include "fitness/gpu/driver.hpp"

namespace {

using namespace ke::gpu;

constexpr int version = 70'100'000, no_device = 100;
constexpr std::size_t plain_shared_bytes = 48 * 1024;

const Driver* cuda() {
  static const auto driver = load_driver();
  return driver ? driver->get() : nullptr;
}

/// CUdevice_attribute of a hipDeviceAttribute_t; 0 = none.
int attribute_of(int hip) {
  switch (hip) {
    case 56: return max_threads_per_block;
    case 26:
    case 27:
    case 28: return max_block_x + (hip - 26);
    case 29:
    case 30:
    case 31: return max_grid_x + (hip - 29);
    case 63: return multiprocessors;
    case 19: return l2_cache_bytes;
    case 23: return capability_major;
    case 61: return capability_minor;
    case 65: return pageable_memory_access;
    case 74: return max_shared_optin;
    case 89: return exports_descriptors;
    default: return 0;
  }
}

// HIP has no opt-in for shared memory.
int allow_shared(Function function, std::size_t bytes) {
  if (bytes <= plain_shared_bytes) return success;
  return cuda()->function_set_attribute(function, function_max_dynamic_shared,
                                        static_cast<int>(bytes));
}

int launch(Function function, LaunchConfig config, void** arguments) {
  if (const int status = allow_shared(function, config.shared_bytes)) return status;
  return cuda()->launch(&config, function, arguments, nullptr);
}

}  // namespace

extern "C" {

int hipInit(unsigned) { return cuda() == nullptr ? no_device : success; }
int hipRuntimeGetVersion(int* now) { return *now = version, success; }
int hipGetDeviceCount(int* count) { return cuda()->device_count(count); }
int hipDeviceGet(Device* device, int index) { return cuda()->device_get(device, index); }
int hipDeviceGetName(char* name, int length, Device device) {
  return cuda()->device_name(name, length, device);
}
int hipDeviceGetPCIBusId(char* id, int length, Device device) {
  return cuda()->device_bus_id(id, length, device);
}
int hipDeviceTotalMem(std::size_t* bytes, Device device) {
  return cuda()->device_memory(bytes, device);
}
int hipDeviceGetAttribute(int* value, int attribute, Device device) {
  const int wanted = attribute_of(attribute);
  return wanted == 0 ? invalid_value : cuda()->device_attribute(value, wanted, device);
}
int hipSetDevice(int index) {
  Context context = nullptr;
  if (const int status = cuda()->context_retain(&context, index)) return status;
  return cuda()->context_set(context);
}
int hipDeviceSynchronize() { return cuda()->context_synchronize(); }

const char* hipGetErrorName(int status) {
  if (cuda() == nullptr) return "hipErrorNoDevice";
  const char* text = nullptr;
  return cuda()->error_name(status, &text) == success ? text : nullptr;
}
const char* hipGetErrorString(int status) {
  if (cuda() == nullptr) return "no NVIDIA GPU or no driver of it";
  const char* text = nullptr;
  return cuda()->error_text(status, &text) == success ? text : nullptr;
}

int hipModuleLoadData(Module* module, const void* image) {
  return cuda()->module_load(module, std::string_view(static_cast<const char*>(image), 1));
}
int hipModuleUnload(Module module) { return cuda()->module_unload(module); }
int hipModuleGetFunction(Function* function, Module module, const char* name) {
  return cuda()->module_function(function, module, name);
}
int hipModuleGetGlobal(Address* at, std::size_t* bytes, Module module, const char* name) {
  return cuda()->module_global(at, bytes, module, name);
}
int hipFuncGetParamInfo(Function function, std::size_t i, std::size_t* offset, std::size_t* bytes) {
  return cuda()->function_parameter(function, i, offset, bytes);
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function function, int threads,
                                                       std::size_t shared) {
  if (const int status = allow_shared(function, shared)) return status;
  return cuda()->occupancy(blocks, function, threads, shared);
}
int hipModuleLaunchKernel(Function function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                          unsigned threads_y, unsigned threads_z, unsigned shared, Stream stream,
                          void** arguments, void**) {
  return launch(function, {{x, y, z}, {threads_x, threads_y, threads_z}, shared, stream},
                arguments);
}
int hipModuleLaunchCooperativeKernel(Function function, unsigned x, unsigned y, unsigned z,
                                     unsigned threads_x, unsigned threads_y, unsigned threads_z,
                                     unsigned shared, Stream stream, void** arguments) {
  LaunchAttribute together;
  together.id = LaunchAttribute::cooperative;
  together.value.number = 1;
  return launch(function,
                {{x, y, z}, {threads_x, threads_y, threads_z}, shared, stream, &together, 1},
                arguments);
}

int hipStreamCreateWithFlags(Stream* stream, unsigned flags) {
  return cuda()->stream_create(stream, flags);
}
int hipStreamSynchronize(Stream stream) { return cuda()->stream_synchronize(stream); }
int hipEventCreateWithFlags(Event* event, unsigned flags) {
  return cuda()->event_create(event, flags);
}
int hipEventRecord(Event event, Stream stream) { return cuda()->event_record(event, stream); }
int hipEventElapsedTime(float* ms, Event begin, Event end) {
  return cuda()->event_elapsed(ms, begin, end);
}

int hipMalloc(Address* memory, std::size_t bytes) { return cuda()->memory_allocate(memory, bytes); }
int hipFree(Address memory) { return cuda()->memory_free(memory); }
int hipMemcpyHtoD(Address to, const void* from, std::size_t bytes) {
  return cuda()->copy_to_device(to, from, bytes);
}
int hipMemcpyDtoH(void* to, Address from, std::size_t bytes) {
  return cuda()->copy_to_host(to, from, bytes);
}
int hipMemcpyDtoDAsync(Address to, Address from, std::size_t bytes, Stream stream) {
  return cuda()->copy_on_device(to, from, bytes, stream);
}
int hipMemsetD8Async(Address to, unsigned char byte, std::size_t bytes, Stream stream) {
  return cuda()->set_bytes(to, byte, bytes, stream);
}
int hipMemGetAllocationGranularity(std::size_t* bytes, const MemoryProperties* of, int which) {
  return cuda()->granularity(bytes, of, which);
}
int hipMemAddressReserve(Address* address, std::size_t bytes, std::size_t alignment, Address near,
                         unsigned long long flags) {
  return cuda()->reserve(address, bytes, alignment, near, flags);
}
int hipMemCreate(MemoryHandle* handle, std::size_t bytes, const MemoryProperties* of,
                 unsigned long long flags) {
  return cuda()->create_memory(handle, bytes, of, flags);
}
int hipMemMap(Address address, std::size_t bytes, std::size_t offset, MemoryHandle handle,
              unsigned long long flags) {
  return cuda()->map_memory(address, bytes, offset, handle, flags);
}
int hipMemSetAccess(Address address, std::size_t bytes, const MemoryAccess* access,
                    std::size_t count) {
  return cuda()->allow_access(address, bytes, access, count);
}
int hipMemExportToShareableHandle(void* descriptor, MemoryHandle handle, int type,
                                  unsigned long long flags) {
  return cuda()->export_memory(descriptor, handle, type, flags);
}
int hipMemImportFromShareableHandle(MemoryHandle* handle, void* descriptor, int type) {
  return cuda()->import_memory(handle, descriptor, type);
}

}  // extern "C"
