#pragma once
// One OpenCL program on PoCL's device `basic`, which runs kernels in the calling thread. Only for
// the disposable processes that compile or call candidates.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "fitness/host/wire.hpp"

namespace ke::opencl {

enum ExitCode : int {
  exit_ok = 0,
  exit_diagnostics = 1,  ///< the source does not compile; the file log says why
  exit_plan = 3,         ///< its launches do not fit its kernels; the output says why
  exit_device = 4,       ///< not the candidate's fault
};

using Status = std::int32_t;
using Object = void*;  ///< a platform, device, context, queue, program, kernel or event
using Bits = std::uint64_t;

/// Numbers of <CL/cl.h>.
inline constexpr Status success = 0;
inline constexpr Status build_program_failure = -11;
inline constexpr Bits device_type_cpu = 1 << 1;
enum Info : std::uint32_t {
  platform_version = 0x0901,
  device_max_group = 0x1004,
  device_max_items = 0x1005,
  device_local_bytes = 0x1023,
  device_name = 0x102B,
  driver_version = 0x102D,
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

  /// Error: no OpenCL loader, or a function is missing in it.
  static Result<Api> open();
};

/// Properties of the device.
struct DeviceFacts {
  std::string name;    ///< "basic-skylake-avx512-Intel(R) Xeon(R) Processor"
  std::string driver;  ///< "3.1+debian"
  std::uint64_t max_group = 1;
  std::uint64_t max_items[3] = {1, 1, 1};
  std::uint64_t local_bytes = 0;
};

class Runner {
 public:
  /// Opens the loader, the device and a queue; PoCL keeps its files in `cache_folder`, an absolute
  /// path. Changes this process's environment. Errors: no loader, no PoCL, a PoCL without the
  /// device.
  static Result<Runner> open(const std::string& cache_folder);

  DeviceFacts facts() const;
  /// False: the compiler refuses the source. `log` receives its errors and warnings.
  Result<bool> build(const std::string& source, const std::string& options, std::string& log);
  /// The program for load(), in PoCL's own format, with the code of all prepared launches.
  Result<std::string> binary() const;
  Result<void> load(std::string_view binary);

  /// Makes the machine code of a launch, or finds it in the loaded program, and brings it into
  /// memory. Runs nothing: the launch waits for an event that never occurs. Errors are the
  /// kernel's: no such kernel, different arguments from the launch, a local size that it refuses.
  Result<void> prepare(const wire::Launch& launch);
  /// Runs a prepared launch to its end. `base`: origin of the call's addresses.
  bool run(const wire::Launch& launch, const wire::Call& call, char* base);

 private:
  explicit Runner(const Api& api) : api_(api) {}
  Result<Object> find_device() const;
  Status set_arguments(Object kernel, const wire::Launch& launch, const wire::Call& call,
                       char* base) const;
  Result<Object> kernel(const wire::Launch& launch);
  std::string text(Object of, std::uint32_t what,
                   Status (*get)(Object, std::uint32_t, std::size_t, void*, std::size_t*)) const;

  Api api_;
  Object device_ = nullptr, context_ = nullptr;
  Object queue_ = nullptr;
  Object waiting_ = nullptr;  ///< queue of prepared launches
  Object never_ = nullptr;    ///< the event that they wait for
  Object program_ = nullptr;
  std::map<std::string, Object, std::less<>> kernels_;
};

}  // namespace ke::opencl
