#include "fitness/opencl/runner.hpp"

#include <cstdlib>
#include <vector>

#include "fitness/process/symbols.hpp"

namespace ke::opencl {
namespace {

Error failure(std::string_view what, Status status) {
  return {Failure::device, std::string(what) + ": OpenCL error " + std::to_string(status)};
}

}  // namespace

Result<Api> Api::open() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{Failure::device,
                 "no OpenCL: libOpenCL.so.1 cannot be opened; apt install pocl-opencl-icd"};
  }
  Api api{};
  Symbols from(library);
  from.take(api.get_platforms, "clGetPlatformIDs");
  from.take(api.get_platform_info, "clGetPlatformInfo");
  from.take(api.get_devices, "clGetDeviceIDs");
  from.take(api.get_device_info, "clGetDeviceInfo");
  from.take(api.create_context, "clCreateContext");
  from.take(api.create_queue, "clCreateCommandQueueWithProperties");
  from.take(api.program_from_source, "clCreateProgramWithSource");
  from.take(api.program_from_binary, "clCreateProgramWithBinary");
  from.take(api.build_program, "clBuildProgram");
  from.take(api.get_program_info, "clGetProgramInfo");
  from.take(api.get_build_info, "clGetProgramBuildInfo");
  from.take(api.create_kernel, "clCreateKernel");
  from.take(api.get_kernel_info, "clGetKernelInfo");
  from.take(api.set_pointer, "clSetKernelArgSVMPointer");
  from.take(api.set_argument, "clSetKernelArg");
  from.take(api.enqueue, "clEnqueueNDRangeKernel");
  from.take(api.finish, "clFinish");
  from.take(api.create_user_event, "clCreateUserEvent");
  if (from.missing().empty()) return api;
  return Error{Failure::device, "the OpenCL loader lacks " + from.missing()};
}

std::string Runner::text(Object of, std::uint32_t what,
                         Status (*get)(Object, std::uint32_t, std::size_t, void*,
                                       std::size_t*)) const {
  std::size_t size = 0;
  if (get(of, what, 0, nullptr, &size) != success || size == 0) return {};
  std::string found(size, '\0');
  if (get(of, what, size, found.data(), nullptr) != success) return {};
  return found.substr(0, found.find('\0'));
}

// Other platforms may be installed too, but the code below relies on PoCL's behaviour.
Result<Object> Runner::find_device() const {
  std::uint32_t count = 0;
  if (api_.get_platforms(0, nullptr, &count) != success || count == 0) {
    return Error{Failure::device, "OpenCL has no platform here; apt install pocl-opencl-icd"};
  }
  std::vector<Object> platforms(count);
  api_.get_platforms(count, platforms.data(), nullptr);
  for (const Object platform : platforms) {
    if (text(platform, platform_version, api_.get_platform_info).find("PoCL") ==
        std::string::npos) {
      continue;
    }
    Object device = nullptr;
    if (api_.get_devices(platform, device_type_cpu, 1, &device, nullptr) == success) return device;
    return Error{Failure::device, "PoCL offers no processor here"};
  }
  return Error{Failure::device, "no OpenCL platform here is PoCL; apt install pocl-opencl-icd"};
}

Result<Runner> Runner::open(const std::string& cache_folder) {
  setenv("POCL_DEVICES", "basic", 1);
  setenv("POCL_CACHE_DIR", cache_folder.c_str(), 1);
  KE_TRY(const Api api, Api::open());
  Runner runner(api);
  KE_TRY(runner.device_, runner.find_device());
  Status status = success;
  runner.context_ = api.create_context(nullptr, 1, &runner.device_, nullptr, nullptr, &status);
  if (status != success) return failure("context", status);
  runner.queue_ = api.create_queue(runner.context_, runner.device_, nullptr, &status);
  if (status != success) return failure("queue", status);
  runner.waiting_ = api.create_queue(runner.context_, runner.device_, nullptr, &status);
  if (status != success) return failure("queue", status);
  runner.never_ = api.create_user_event(runner.context_, &status);
  if (status != success) return failure("event", status);
  return runner;
}

DeviceFacts Runner::facts() const {
  DeviceFacts facts;
  facts.name = text(device_, device_name, api_.get_device_info);
  facts.driver = text(device_, driver_version, api_.get_device_info);
  const auto read = [&](std::uint32_t what, void* into, std::size_t bytes) {
    api_.get_device_info(device_, what, bytes, into, nullptr);
  };
  read(device_max_group, &facts.max_group, sizeof facts.max_group);
  read(device_max_items, facts.max_items, sizeof facts.max_items);
  read(device_local_bytes, &facts.local_bytes, sizeof facts.local_bytes);
  return facts;
}

Result<bool> Runner::build(const std::string& source, const std::string& options,
                           std::string& log) {
  const char* text_of_source = source.c_str();
  const std::size_t size = source.size();
  Status status = success;
  program_ = api_.program_from_source(context_, 1, &text_of_source, &size, &status);
  if (status != success) return failure("program", status);
  status = api_.build_program(program_, 1, &device_, options.c_str(), nullptr, nullptr);
  std::size_t length = 0;
  api_.get_build_info(program_, device_, program_build_log, 0, nullptr, &length);
  log.assign(length, '\0');
  api_.get_build_info(program_, device_, program_build_log, length, log.data(), nullptr);
  log.resize(log.find_last_not_of('\0') + 1);
  if (status == build_program_failure) return false;
  if (status != success) return failure("build", status);
  return true;
}

Result<std::string> Runner::binary() const {
  std::size_t size = 0;
  Status status =
      api_.get_program_info(program_, program_binary_sizes, sizeof size, &size, nullptr);
  if (status != success || size == 0) return failure("binary", status);
  std::string bytes(size, '\0');
  auto* into = reinterpret_cast<unsigned char*>(bytes.data());
  status = api_.get_program_info(program_, program_binaries, sizeof into, &into, nullptr);
  if (status != success) return failure("binary", status);
  return bytes;
}

Result<void> Runner::load(std::string_view binary) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  Status status = success, of_binary = success;
  program_ = api_.program_from_binary(context_, 1, &device_, &size, &bytes, &of_binary, &status);
  if (status != success) return failure("program", status);
  status = api_.build_program(program_, 1, &device_, "", nullptr, nullptr);
  if (status != success) return failure("build", status);
  return {};
}

Result<Object> Runner::kernel(const wire::Launch& launch) {
  const std::string_view name(launch.kernel);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second;
  Status status = success;
  const Object made = api_.create_kernel(program_, launch.kernel, &status);
  if (status != success) {
    return Error{Failure::config, "the program has no kernel '" + std::string(name) + "'"};
  }
  std::uint32_t count = 0;
  api_.get_kernel_info(made, kernel_argument_count, sizeof count, &count, nullptr);
  if (count != launch.argument_count) {
    return Error{Failure::config, std::string(name) + " takes " + std::to_string(count) +
                                      " arguments, the plan gives " +
                                      std::to_string(launch.argument_count)};
  }
  kernels_.emplace(name, made);
  return made;
}

Status Runner::set_arguments(Object kernel, const wire::Launch& launch, const wire::Call& call,
                             char* base) const {
  Status status = success;
  for (std::uint32_t i = 0; i < launch.argument_count && status == success; ++i) {
    const wire::Argument& argument = launch.arguments[i];
    if (argument.kind == wire::Argument::address) {
      // PoCL accepts any address, so tensors can stay in the shared memory that this process
      // mapped.
      status = api_.set_pointer(kernel, i, base + call.arguments[argument.value]);
    } else {
      const std::size_t bytes = argument.kind == wire::Argument::word32 ? 4 : 8;
      status = api_.set_argument(kernel, i, bytes, &argument.value);
    }
  }
  return status;
}

Result<void> Runner::prepare(const wire::Launch& launch) {
  KE_TRY(const Object found, kernel(launch));
  Status status = set_arguments(found, launch, wire::Call{}, reinterpret_cast<char*>(this));
  if (status != success) {
    return Error{Failure::config, std::string(launch.kernel) + ": OpenCL error " +
                                      std::to_string(status) +
                                      ": an argument differs in kind or size from the plan's"};
  }
  status =
      api_.enqueue(waiting_, found, 3, nullptr, launch.global, launch.local, 1, &never_, nullptr);
  if (status == success) return {};
  return Error{Failure::config,
               std::string(launch.kernel) + ": OpenCL error " + std::to_string(status) +
                   ": it cannot run with local size " + std::to_string(launch.local[0]) + " x " +
                   std::to_string(launch.local[1]) + " x " + std::to_string(launch.local[2])};
}

bool Runner::run(const wire::Launch& launch, const wire::Call& call, char* base) {
  const auto found = kernels_.find(std::string_view(launch.kernel));
  return found != kernels_.end() && set_arguments(found->second, launch, call, base) == success &&
         api_.enqueue(queue_, found->second, 3, nullptr, launch.global, launch.local, 0, nullptr,
                      nullptr) == success &&
         api_.finish(queue_) == success;
}

}  // namespace ke::opencl
