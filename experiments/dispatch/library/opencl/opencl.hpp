#pragma once
// The functions of OpenCL in use, opened at run time so that the library builds and loads without
// it. Part of every exported dispatcher for OpenCL devices.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "plan.hpp"

namespace dispatch {

using Object = void*;  ///< a platform, device, context, queue, program, kernel or buffer
using Bits = std::uint64_t;

/// Values of <CL/cl.h>.
enum ClCode : Status {
  no_device = -1,
  misaligned = -13,
  build_failure = -11,
  invalid_value = -30,
  invalid_queue = -36,
  invalid_group_size = -54,
  invalid_buffer_size = -61,
};
inline constexpr Bits any_device = 0xFFFFFFFF, out_of_order = 1;
inline constexpr Bits read_write = 1, read_only = 4, copy_host = 32;
enum Info : std::uint32_t {
  device_max_items = 0x1005,
  device_local_bytes = 0x1023,
  device_name = 0x102B,
  queue_context = 0x1090,
  queue_device = 0x1091,
  queue_properties = 0x1093,
  memory_bytes = 0x1102,
  memory_host_pointer = 0x1103,
  memory_offset = 0x1108,
  kernel_group_size = 0x11B0,
};

struct OpenCl {
  Status (*platforms)(std::uint32_t, Object*, std::uint32_t*);
  Status (*devices)(Object, Bits, std::uint32_t, Object*, std::uint32_t*);
  Status (*device_info)(Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Object (*create_context)(const void*, std::uint32_t, const Object*, void*, void*, Status*);
  Status (*retain_context)(Object);
  Object (*create_queue)(Object, Object, const void*, Status*);
  Status (*queue_info)(Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Status (*release_queue)(Object);
  Object (*create_program)(Object, std::uint32_t, const char**, const std::size_t*, Status*);
  Status (*build_program)(Object, std::uint32_t, const Object*, const char*, void*, void*);
  Object (*create_kernel)(Object, const char*, Status*);
  Status (*group_info)(Object, Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Status (*set_argument)(Object, std::uint32_t, std::size_t, const void*);
  Status (*enqueue)(Object, Object, std::uint32_t, const std::size_t*, const std::size_t*,
                    const std::size_t*, std::uint32_t, const Object*, Object*);
  Object (*create_buffer)(Object, Bits, std::size_t, void*, Status*);
  Status (*buffer_info)(Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Status (*release_buffer)(Object);
  Status (*read)(Object, Object, std::uint32_t, std::size_t, std::size_t, void*, std::uint32_t,
                 const Object*, Object*);
};

/// Opens the loader; null if it is missing or too old.
inline const OpenCl* open_opencl() {
  void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static OpenCl cl;
  bool whole = true;
  const auto take = [&](auto& function, const char* name) {
    void* const found = dlsym(library, name);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(found);
    whole = whole && found != nullptr;
  };
  take(cl.platforms, "clGetPlatformIDs");
  take(cl.devices, "clGetDeviceIDs");
  take(cl.device_info, "clGetDeviceInfo");
  take(cl.create_context, "clCreateContext");
  take(cl.retain_context, "clRetainContext");
  take(cl.create_queue, "clCreateCommandQueueWithProperties");
  take(cl.queue_info, "clGetCommandQueueInfo");
  take(cl.release_queue, "clReleaseCommandQueue");
  take(cl.create_program, "clCreateProgramWithSource");
  take(cl.build_program, "clBuildProgram");
  take(cl.create_kernel, "clCreateKernel");
  take(cl.group_info, "clGetKernelWorkGroupInfo");
  take(cl.set_argument, "clSetKernelArg");
  take(cl.enqueue, "clEnqueueNDRangeKernel");
  take(cl.create_buffer, "clCreateBuffer");
  take(cl.buffer_info, "clGetMemObjectInfo");
  take(cl.release_buffer, "clReleaseMemObject");
  take(cl.read, "clEnqueueReadBuffer");
  return whole ? &cl : nullptr;
}

/// OpenCL, opened once per process.
inline const OpenCl* the_opencl() {
  static const OpenCl* const cl = open_opencl();
  return cl;
}

}  // namespace dispatch
