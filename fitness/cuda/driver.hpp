#pragma once
// The CUDA driver, opened with dlopen: the few functions and constants that are used, declared
// here, so that the program builds and starts on any machine. Values as in cuda.h of CUDA 12.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/result.hpp"

namespace ke::cuda {

using Status = int;  ///< CUresult; 0 = success
using Device = int;
using Address = std::uint64_t;  ///< CUdeviceptr
using Context = void*;
using Module = void*;
using Function = void*;
using Stream = void*;
using Event = void*;
using MemoryHandle = std::uint64_t;

/// CUmemLocation, CUmemAllocationProp, CUmemAccessDesc.
struct MemoryLocation {
  int type = 1;  ///< a device
  int id = 0;
};
struct MemoryProperties {
  int type = 1;          ///< pinned
  int handle_types = 1;  ///< POSIX file descriptors
  MemoryLocation location;
  void* win32 = nullptr;
  unsigned char flags[8] = {};
};
struct MemoryAccess {
  MemoryLocation location;
  int flags = 3;  ///< read and write
};

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  enum Id : int { cooperative = 2, cluster = 4, programmatic = 6 };
  int id = 0;
  char pad[4] = {};
  union Value {
    char pad[64];
    int number;
    unsigned extent[3];
  } value = {};
};
struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned count = 0;
};

/// CUtensorMap.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16];
};

/// CUdevice_attribute.
enum DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_x = 2,  ///< y and z follow
  max_grid_x = 5,   ///< y and z follow
  multiprocessors = 16,
  l2_cache_bytes = 38,
  capability_major = 75,
  capability_minor = 76,
  pageable_memory_access = 88,
  max_shared_optin = 97,
  exports_descriptors = 103,
  cluster_launch = 120,
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  function_max_threads = 0,
  function_shared_bytes = 1,
  function_local_bytes = 3,
  function_registers = 4,
  function_max_dynamic_shared = 8,
  function_carveout = 9,
};

/// CUresult values that are told apart.
enum Code : Status {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_image = 200,
  no_binary = 209,
  uncorrectable_ecc = 214,
  not_found = 500,
  illegal_address = 700,
  launch_out_of_resources = 701,
  assert_failed = 710,
  launch_failed = 719,
  cooperative_too_large = 720,
  unknown = 999,
};

/// Functions of libcuda.so.1 in the versions named behind the field in driver.cpp.
struct Driver {
  Status (*init)(unsigned);
  Status (*driver_version)(int*);
  Status (*device_count)(int*);
  Status (*device_get)(Device*, int);
  Status (*device_name)(char*, int, Device);
  Status (*device_bus_id)(char*, int, Device);
  Status (*device_attribute)(int*, int, Device);
  Status (*device_memory)(std::size_t*, Device);
  Status (*context_retain)(Context*, Device);
  Status (*context_set)(Context);
  Status (*context_synchronize)();
  Status (*reset_persisting_l2)();
  Status (*module_load)(Module*, const void*);
  Status (*module_unload)(Module);
  Status (*module_function)(Function*, Module, const char*);
  Status (*module_global)(Address*, std::size_t*, Module, const char*);
  Status (*function_attribute)(int*, int, Function);
  Status (*function_set_attribute)(Function, int, int);
  Status (*function_parameter)(Function, std::size_t, std::size_t*, std::size_t*);
  Status (*occupancy)(int*, Function, int, std::size_t);
  Status (*launch)(const LaunchConfig*, Function, void**, void**);
  Status (*memory_allocate)(Address*, std::size_t);
  Status (*memory_free)(Address);
  Status (*copy_to_device)(Address, const void*, std::size_t);
  Status (*copy_to_host)(void*, Address, std::size_t);
  Status (*copy_on_device)(Address, Address, std::size_t, Stream);
  Status (*set_bytes)(Address, unsigned char, std::size_t, Stream);
  Status (*stream_create)(Stream*, unsigned);
  Status (*stream_synchronize)(Stream);
  Status (*event_create)(Event*, unsigned);
  Status (*event_record)(Event, Stream);
  Status (*event_query)(Event);
  Status (*event_elapsed)(float*, Event, Event);
  Status (*error_name)(Status, const char**);
  Status (*error_text)(Status, const char**);
  Status (*granularity)(std::size_t*, const MemoryProperties*, int);
  Status (*reserve)(Address*, std::size_t, std::size_t, Address, unsigned long long);
  Status (*create_memory)(MemoryHandle*, std::size_t, const MemoryProperties*, unsigned long long);
  Status (*map_memory)(Address, std::size_t, std::size_t, MemoryHandle, unsigned long long);
  Status (*allow_access)(Address, std::size_t, const MemoryAccess*, std::size_t);
  Status (*export_memory)(void*, MemoryHandle, int, unsigned long long);
  Status (*import_memory)(MemoryHandle*, void*, int);
  Status (*encode_tensor_map)(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*,
                              const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int,
                              int, int, int);

  /// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
  std::string text(Status status) const;
  /// A world failure that names what was tried.
  Error error(Status status, const char* what) const;
};

/// Opens and initialises the driver once for this process. Error: no driver, an old one, no
/// device; each says what to install.
Result<const Driver*> load_driver();

/// `KE_CUDA(driver.f(...))` returns the failure of a call as an Error.
#define KE_CUDA(driver, call)                               \
  do {                                                      \
    if (const ::ke::cuda::Status ke_status = (driver).call) \
      return (driver).error(ke_status, #call);              \
  } while (false)

}  // namespace ke::cuda
