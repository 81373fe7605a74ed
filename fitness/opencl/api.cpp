#include "fitness/opencl/api.hpp"

#include "fitness/process/symbols.hpp"

namespace ke::opencl {
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
  from.take(api.set_user_event, "clSetUserEventStatus");
  if (from.missing().empty()) return api;
  return Error{Failure::device, "the OpenCL loader lacks " + from.missing()};
}

}  // namespace ke::opencl
