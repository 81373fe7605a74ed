#pragma once
// The HIP runtime, opened at run time so that the library builds and loads on a machine without
// ROCm. A context is a device. Part of exported dispatchers for AMD GPUs.

#include <cstdio>
#include <cstring>

#include "driver_api.hpp"

namespace dispatch {

/// Functions of libamdhip64 that Driver does not hold.
struct Hip {
  Status (*init)(unsigned);
  Status (*device)(int*);
  Status (*device_name)(char*, int, int);
  Status (*device_attribute)(int*, int, int);
  Status (*properties)(void*, int);
  Status (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Stream, void**, void**);
  Status (*launch_cooperative)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, Stream, void**);
};

inline Hip& hip() {
  static Hip functions;
  return functions;
}

inline Status current_context(Context* context, const void*) {
  int device = 0;
  if (const Status status = hip().device(&device)) return status;
  *context = reinterpret_cast<Context>(static_cast<std::intptr_t>(device) + 1);
  return success;
}

/// Reads "gfx942" of "gfx942:sramecc+:xnack-". The structure has grown over the years; every
/// version holds the processor's name somewhere after the 256 bytes of the device name.
inline Status read_arch(int device, char* arch, std::size_t room) {
  constexpr std::size_t own_name = 256;
  static constexpr char letters[] = "abcdefgx0123456789";
  char bytes[16384] = {};
  if (const Status status = hip().properties(bytes, device)) return status;
  for (std::size_t at = own_name; at + 4 < sizeof bytes; ++at) {
    if (std::memcmp(bytes + at, "gfx", 3) != 0) continue;
    bytes[sizeof bytes - 1] = 0;
    std::snprintf(arch, room, "%.*s", static_cast<int>(std::strspn(bytes + at, letters)),
                  bytes + at);
    return success;
  }
  return no_binary;
}

inline Status describe_gpu(Gpu& gpu) {
  int device = 0;
  if (const Status status = hip().device(&device)) return status;
  const auto read = [&](int attribute) {
    int value = 0;
    hip().device_attribute(&value, attribute, device);
    return value;
  };
  // hipDeviceAttribute_t
  constexpr int compute_units = 63, l2_cache_bytes = 19, shared_of_block = 74;
  gpu.terms = {read(compute_units), read(l2_cache_bytes), read(shared_of_block)};
  if (const Status status = hip().device_name(gpu.name, sizeof gpu.name - 1, device)) return status;
  return read_arch(device, gpu.arch, sizeof gpu.arch);
}

inline Status launch_kernel(const LaunchConfig* c, Function function, void** arguments, void**) {
  bool together = false;
  for (unsigned i = 0; i < c->count; ++i) {
    if (c->attributes[i].id != LaunchAttribute::cooperative) return not_supported;
    together = true;
  }
  if (together) {
    return hip().launch_cooperative(function, c->grid[0], c->grid[1], c->grid[2], c->block[0],
                                    c->block[1], c->block[2], c->shared_bytes, c->stream,
                                    arguments);
  }
  return hip().launch(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                      c->block[2], c->shared_bytes, c->stream, arguments, nullptr);
}

/// Opens the runtime; null if it is missing or too old.
inline const Driver* open_driver() {
  void* library = nullptr;
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                           "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return nullptr;
  static Driver driver;
  Symbols from(library);
  from.take(hip().init, "hipInit");
  from.take(hip().device, "hipGetDevice");
  from.take(hip().device_name, "hipDeviceGetName");
  from.take(hip().device_attribute, "hipDeviceGetAttribute");
  if (!Symbols(library).take(hip().properties, "hipGetDevicePropertiesR0600")) {
    from.take(hip().properties, "hipGetDeviceProperties");
  }
  from.take(hip().launch, "hipModuleLaunchKernel");
  from.take(hip().launch_cooperative, "hipModuleLaunchCooperativeKernel");
  driver.current = &current_context;
  driver.describe = &describe_gpu;
  from.take(driver.capture_mode, "hipThreadExchangeStreamCaptureMode");
  from.take(driver.module_load, "hipModuleLoadData");
  from.take(driver.module_function, "hipModuleGetFunction");
  // AMD GPUs need no permission for shared memory, and have no carveout and no tensor maps.
  driver.function_set = [](Function, int, int) { return Status{success}; };
  from.take(driver.occupancy, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
  driver.launch = &launch_kernel;
  from.take(driver.set_bytes, "hipMemsetD8Async");
  driver.tensor_map = [](TensorMap*, int, std::uint32_t, void*, const std::uint64_t*,
                         const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int,
                         int, int) { return Status{not_supported}; };
  return from.whole() && hip().init(0) == success ? &driver : nullptr;
}

}  // namespace dispatch
