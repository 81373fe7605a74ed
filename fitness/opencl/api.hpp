#pragma once
// The few functions of OpenCL 3.0 in use, opened with dlopen.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/result.hpp"

namespace ke::opencl {

using Status = std::int32_t;
using Object = void*;  ///< a platform, device, context, queue, program, kernel or event
using Bits = std::uint64_t;

/// Numbers of <CL/cl.h>.
inline constexpr Status success = 0;
inline constexpr Status build_program_failure = -11;
inline constexpr Bits device_type_cpu = 1 << 1;
inline constexpr Bits svm_fine_grain_system = 1 << 2;
enum Info : std::uint32_t {
  platform_version = 0x0901,
  device_max_group = 0x1004,
  device_max_items = 0x1005,
  device_local_bytes = 0x1023,
  device_name = 0x102B,
  driver_version = 0x102D,
  device_svm = 0x1053,
  program_binary_sizes = 0x1165,
  program_binaries = 0x1166,
  program_build_log = 0x1183,
  kernel_argument_count = 0x1191,
};

/// Functions of libOpenCL.so.1, named as in <CL/cl.h>.
struct Api {
  Status (*get_platforms)(std::uint32_t, Object*, std::uint32_t*);
  Status (*get_platform_info)(Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Status (*get_devices)(Object, Bits, std::uint32_t, Object*, std::uint32_t*);
  Status (*get_device_info)(Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Object (*create_context)(const void*, std::uint32_t, const Object*, void*, void*, Status*);
  Object (*create_queue)(Object, Object, const void*, Status*);
  Object (*program_from_source)(Object, std::uint32_t, const char**, const std::size_t*, Status*);
  Object (*program_from_binary)(Object, std::uint32_t, const Object*, const std::size_t*,
                                const unsigned char**, Status*, Status*);
  Status (*build_program)(Object, std::uint32_t, const Object*, const char*, void*, void*);
  Status (*get_program_info)(Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Status (*get_build_info)(Object, Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Object (*create_kernel)(Object, const char*, Status*);
  Status (*get_kernel_info)(Object, std::uint32_t, std::size_t, void*, std::size_t*);
  Status (*set_pointer)(Object, std::uint32_t, const void*);
  Status (*set_argument)(Object, std::uint32_t, std::size_t, const void*);
  Status (*enqueue)(Object, Object, std::uint32_t, const std::size_t*, const std::size_t*,
                    const std::size_t*, std::uint32_t, const Object*, Object*);
  Status (*finish)(Object);
  Object (*create_user_event)(Object, Status*);
  Status (*set_user_event)(Object, Status);

  /// Error: no OpenCL loader, or a function is missing in it.
  static Result<Api> open();
};

}  // namespace ke::opencl
