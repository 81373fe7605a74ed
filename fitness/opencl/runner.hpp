#pragma once
// One OpenCL program on PoCL's device `basic`, which runs kernels in the calling thread. Only for
// the disposable processes that compile or call candidates.

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "fitness/host/wire.hpp"
#include "fitness/opencl/api.hpp"

namespace ke::opencl {

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
