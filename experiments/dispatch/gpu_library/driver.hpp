#pragma once
// Driver functions for launching kernels, opened at run time so that the library builds and loads
// on a machine without a GPU. Part of every exported dispatcher for NVIDIA GPUs.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dispatch {

using Status = int;  ///< CUresult; 0 = success
using Address = std::uint64_t;
using Context = void*;
using Function = void*;
using Module = void*;
using Stream = void*;

/// Values of CUresult.
enum Code : Status {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_context = 201,
  no_binary = 209,
  not_found = 500,
};

/// CUtensorMap.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16];
};

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  enum Id : int { cooperative = 2, cluster = 4, programmatic = 6 };
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    unsigned extent[3];
  } value;
};
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned count;
};

/// CUdevice_attribute and CUfunction_attribute.
enum Attribute : int {
  multiprocessors = 16,
  l2_cache_bytes = 38,
  capability_major = 75,
  capability_minor = 76,
  max_shared_optin = 97,
  function_max_dynamic_shared = 8,
  function_carveout = 9,
};

struct Driver {
  Status (*init)(unsigned);
  Status (*context_get)(Context*);
  Status (*context_set)(Context);
  Status (*pointer_attribute)(void*, int, Address);
  Status (*device)(int*);
  Status (*device_name)(char*, int, int);
  Status (*device_attribute)(int*, int, int);
  Status (*capture_mode)(int*);
  Status (*module_load)(Module*, const void*);
  Status (*module_function)(Function*, Module, const char*);
  Status (*function_set)(Function, int, int);
  Status (*occupancy)(int*, Function, int, std::size_t);
  Status (*launch)(const LaunchConfig*, Function, void**, void**);
  Status (*set_bytes)(Address, unsigned char, std::size_t, Stream);
  Status (*tensor_map)(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*,
                       const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int,
                       int, int);
};

/// Opens the driver; null if it is missing or too old.
inline const Driver* open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static Driver driver;
  bool whole = true;
  const auto take = [&](auto& function, const char* name) {
    void* const found = dlsym(library, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    whole = whole && found != nullptr;
  };
  take(driver.init, "cuInit");
  take(driver.context_get, "cuCtxGetCurrent");
  take(driver.context_set, "cuCtxSetCurrent");
  take(driver.pointer_attribute, "cuPointerGetAttribute");
  take(driver.device, "cuCtxGetDevice");
  take(driver.device_name, "cuDeviceGetName");
  take(driver.device_attribute, "cuDeviceGetAttribute");
  take(driver.capture_mode, "cuThreadExchangeStreamCaptureMode");
  take(driver.module_load, "cuModuleLoadData");
  take(driver.module_function, "cuModuleGetFunction");
  take(driver.function_set, "cuFuncSetAttribute");
  take(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  take(driver.launch, "cuLaunchKernelEx");
  take(driver.set_bytes, "cuMemsetD8Async");
  take(driver.tensor_map, "cuTensorMapEncodeTiled");
  return whole && driver.init(0) == success ? &driver : nullptr;
}

/// The driver, opened once per process.
inline const Driver* the_driver() {
  static const Driver* const driver = open_driver();
  return driver;
}

}  // namespace dispatch
