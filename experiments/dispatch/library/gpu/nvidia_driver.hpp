#pragma once
// The NVIDIA driver, opened at run time so that the library builds and loads on a machine without a
// GPU. Part of exported dispatchers for NVIDIA GPUs.

#include <cstdio>

#include "driver_api.hpp"

namespace dispatch {

/// Functions of libcuda that Driver does not hold.
struct Cuda {
  Status (*init)(unsigned);
  Status (*context_get)(Context*);
  Status (*context_set)(Context);
  Status (*pointer_attribute)(void*, int, Address);
  Status (*device)(int*);
  Status (*device_name)(char*, int, int);
  Status (*device_attribute)(int*, int, int);
};

inline Cuda& cuda() {
  static Cuda functions;
  return functions;
}

inline Status current_context(Context* context, const void* any) {
  if (const Status status = cuda().context_get(context)) return status;
  if (*context != nullptr) return success;
  constexpr int context_of_pointer = 1;
  const Status status =
      cuda().pointer_attribute(context, context_of_pointer, reinterpret_cast<Address>(any));
  return status == success ? cuda().context_set(*context) : Status{invalid_context};
}

inline Status describe_gpu(Gpu& gpu) {
  int device = 0;
  if (const Status status = cuda().device(&device)) return status;
  const auto read = [&](int attribute) {
    int value = 0;
    cuda().device_attribute(&value, attribute, device);
    return value;
  };
  // CUdevice_attribute
  constexpr int multiprocessors = 16, l2_cache_bytes = 38, capability_major = 75,
                capability_minor = 76, max_shared_optin = 97;
  gpu.terms = {read(multiprocessors), read(l2_cache_bytes), read(max_shared_optin)};
  const int major = read(capability_major);
  std::snprintf(gpu.arch, sizeof gpu.arch, "sm_%d%d%s", major, read(capability_minor),
                major >= 9 ? "a" : "");
  return cuda().device_name(gpu.name, sizeof gpu.name - 1, device);
}

/// Opens the driver; null if it is missing or too old.
inline const Driver* open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static Driver driver;
  Symbols from(library);
  from.take(cuda().init, "cuInit");
  from.take(cuda().context_get, "cuCtxGetCurrent");
  from.take(cuda().context_set, "cuCtxSetCurrent");
  from.take(cuda().pointer_attribute, "cuPointerGetAttribute");
  from.take(cuda().device, "cuCtxGetDevice");
  from.take(cuda().device_name, "cuDeviceGetName");
  from.take(cuda().device_attribute, "cuDeviceGetAttribute");
  driver.current = &current_context;
  driver.describe = &describe_gpu;
  from.take(driver.capture_mode, "cuThreadExchangeStreamCaptureMode");
  from.take(driver.module_load, "cuModuleLoadData");
  from.take(driver.module_function, "cuModuleGetFunction");
  from.take(driver.function_set, "cuFuncSetAttribute");
  from.take(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  from.take(driver.launch, "cuLaunchKernelEx");
  from.take(driver.set_bytes, "cuMemsetD8Async");
  from.take(driver.tensor_map, "cuTensorMapEncodeTiled");
  return from.whole() && cuda().init(0) == success ? &driver : nullptr;
}

}  // namespace dispatch
