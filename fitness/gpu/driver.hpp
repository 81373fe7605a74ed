#pragma once
// The CUDA driver, opened with dlopen. Declares the few functions and constants in use, with the
// values of cuda.h of CUDA 12, so that the program builds and starts on any machine.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ke::gpu {

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
  int type = 1;          ///< CU_MEM_ALLOCATION_TYPE_PINNED
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
  shared_per_block = 8,
  warp_threads = 10,
  clock_rate_khz = 13,
  multiprocessors = 16,
  memory_clock_rate_khz = 36,
  memory_bus_bits = 37,
  l2_cache_bytes = 38,
  max_threads_per_multiprocessor = 39,
  capability_major = 75,
  capability_minor = 76,
  shared_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
  pageable_memory_access = 88,
  max_shared_optin = 97,
  exports_descriptors = 103,
  max_blocks_per_multiprocessor = 106,
  reserved_shared_per_block = 111,
  cluster_launch = 120,
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  function_max_dynamic_shared = 8,
  function_carveout = 9,
};

/// The CUresult values that the program distinguishes.
enum Code : Status {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_image = 200,
  uncorrectable_ecc = 214,
  not_found = 500,
  illegal_address = 700,
  launch_out_of_resources = 701,
  assert_failed = 710,
  launch_failed = 719,
  cooperative_too_large = 720,
  not_supported = 801,
  unknown = 999,
};

template <typename... Arguments>
using Call = std::function<Status(Arguments...)>;

/// Functions of libcuda.so.1 in the versions named in driver.cpp, or of another runtime adapted to
/// this interface. Copies share the state of their functions.
struct Driver {
  std::string api = "CUDA";
  std::string library;  ///< HIP's library, for workers to open; "" = the NVIDIA driver
  /// architecture of a device; empty, or returns "": derived from the compute capability
  std::function<std::string(Device)> arch;

  Call<unsigned> init;
  Call<int*> driver_version;
  Call<int*> device_count;
  Call<Device*, int> device_get;
  Call<char*, int, Device> device_name;
  Call<char*, int, Device> device_bus_id;
  Call<int*, int, Device> device_attribute;
  Call<std::size_t*, Device> device_memory;
  Call<Context*, Device> context_retain;
  Call<Context> context_set;
  Call<> context_synchronize;
  Call<> reset_persisting_l2;
  Call<Module*, std::string_view> module_load;
  Call<Module> module_unload;
  Call<Function*, Module, const char*> module_function;
  Call<Address*, std::size_t*, Module, const char*> module_global;
  Call<Function, int, int> function_set_attribute;
  Call<Function, std::size_t, std::size_t*, std::size_t*> function_parameter;
  Call<int*, Function, int, std::size_t> occupancy;
  Call<const LaunchConfig*, Function, void**, void**> launch;
  Call<Address*, std::size_t> memory_allocate;
  Call<Address> memory_free;
  Call<Address, const void*, std::size_t> copy_to_device;
  Call<void*, Address, std::size_t> copy_to_host;
  Call<Address, Address, std::size_t, Stream> copy_on_device;
  Call<Address, unsigned char, std::size_t, Stream> set_bytes;
  Call<Stream*, unsigned> stream_create;
  Call<Stream> stream_synchronize;
  Call<Event*, unsigned> event_create;
  Call<Event, Stream> event_record;
  Call<float*, Event, Event> event_elapsed;
  Call<Status, const char**> error_name;
  Call<Status, const char**> error_text;
  Call<std::size_t*, const MemoryProperties*, int> granularity;
  Call<Address*, std::size_t, std::size_t, Address, unsigned long long> reserve;
  Call<MemoryHandle*, std::size_t, const MemoryProperties*, unsigned long long> create_memory;
  Call<Address, std::size_t, std::size_t, MemoryHandle, unsigned long long> map_memory;
  Call<Address, std::size_t, const MemoryAccess*, std::size_t> allow_access;
  Call<void*, MemoryHandle, int, unsigned long long> export_memory;
  Call<MemoryHandle*, void*, int> import_memory;
  Call<TensorMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
       const std::uint32_t*, const std::uint32_t*, int, int, int, int>
      encode_tensor_map;

  /// A status with its name and text: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was
  /// encountered".
  std::string text(Status status) const;
  /// An Error that names the failed action.
  Error error(Status status, const char* what) const;
};

/// Opens and initialises the NVIDIA driver once for this process. Error: no driver, an old one, no
/// device; each says what to install.
Result<std::shared_ptr<const Driver>> load_driver();

/// `KE_CUDA(driver.f(...))` returns the failure of a call as an Error.
#define KE_CUDA(driver, call)                              \
  do {                                                     \
    if (const ::ke::gpu::Status ke_status = (driver).call) \
      return (driver).error(ke_status, #call);             \
  } while (false)

}  // namespace ke::gpu
