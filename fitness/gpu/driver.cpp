#include "fitness/gpu/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "fitness/process/symbols.hpp"

namespace ke::gpu {
namespace {

void take_basics(Symbols& from, Driver& d) {
  from.take(d.init, "cuInit");
  from.take(d.driver_version, "cuDriverGetVersion");
  from.take(d.device_count, "cuDeviceGetCount");
  from.take(d.device_get, "cuDeviceGet");
  from.take(d.device_name, "cuDeviceGetName");
  from.take(d.device_bus_id, "cuDeviceGetPCIBusId");
  from.take(d.device_attribute, "cuDeviceGetAttribute");
  from.take(d.device_memory, "cuDeviceTotalMem_v2");
  from.take(d.context_retain, "cuDevicePrimaryCtxRetain");
  from.take(d.context_set, "cuCtxSetCurrent");
  from.take(d.context_synchronize, "cuCtxSynchronize");
  from.take(d.reset_persisting_l2, "cuCtxResetPersistingL2Cache");
  from.take(d.error_name, "cuGetErrorName");
  from.take(d.error_text, "cuGetErrorString");
}

void take_execution(Symbols& from, Driver& d) {
  Status (*load)(Module*, const void*) = nullptr;
  from.take(load, "cuModuleLoadData");
  d.module_load = [load](Module* into, std::string_view image) { return load(into, image.data()); };
  from.take(d.module_unload, "cuModuleUnload");
  from.take(d.module_function, "cuModuleGetFunction");
  from.take(d.module_global, "cuModuleGetGlobal_v2");
  from.take(d.function_set_attribute, "cuFuncSetAttribute");
  from.take(d.function_parameter, "cuFuncGetParamInfo");
  from.take(d.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  from.take(d.launch, "cuLaunchKernelEx");
  from.take(d.stream_create, "cuStreamCreate");
  from.take(d.stream_synchronize, "cuStreamSynchronize");
  from.take(d.event_create, "cuEventCreate");
  from.take(d.event_record, "cuEventRecord");
  from.take(d.event_elapsed, "cuEventElapsedTime");
  from.take(d.encode_tensor_map, "cuTensorMapEncodeTiled");
}

void take_memory(Symbols& from, Driver& d) {
  from.take(d.memory_allocate, "cuMemAlloc_v2");
  from.take(d.memory_free, "cuMemFree_v2");
  from.take(d.copy_to_device, "cuMemcpyHtoD_v2");
  from.take(d.copy_to_host, "cuMemcpyDtoH_v2");
  from.take(d.copy_on_device, "cuMemcpyDtoDAsync_v2");
  from.take(d.set_bytes, "cuMemsetD8Async");
  from.take(d.granularity, "cuMemGetAllocationGranularity");
  from.take(d.reserve, "cuMemAddressReserve");
  from.take(d.create_memory, "cuMemCreate");
  from.take(d.map_memory, "cuMemMap");
  from.take(d.allow_access, "cuMemSetAccess");
  from.take(d.export_memory, "cuMemExportToShareableHandle");
  from.take(d.import_memory, "cuMemImportFromShareableHandle");
}

Result<Driver> open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{ke::Failure::device,
                 "no NVIDIA driver: libcuda.so.1 cannot be opened; install the driver of the GPU"};
  }
  Driver driver{};
  Symbols symbols(library);
  take_basics(symbols, driver);
  take_execution(symbols, driver);
  take_memory(symbols, driver);
  if (!symbols.missing().empty()) {
    return Error{ke::Failure::device,
                 fmt::format("the NVIDIA driver lacks {}; version 550 or later is needed",
                             symbols.missing())};
  }
  if (const Status status = driver.init(0)) return driver.error(status, "cuInit");
  int count = 0;
  if (const Status status = driver.device_count(&count)) {
    return driver.error(status, "cuDeviceGetCount");
  }
  if (count == 0) return Error{ke::Failure::device, "the NVIDIA driver sees no GPU"};
  return driver;
}

}  // namespace

std::string Driver::text(Status status) const {
  const char *name = nullptr, *what = nullptr;
  if (error_name(status, &name) != success || error_text(status, &what) != success) {
    return fmt::format("{} error {}", api, status);
  }
  return fmt::format("{}: {}", name, what);
}

Error Driver::error(Status status, const char* what) const {
  return {ke::Failure::device, fmt::format("{}: {}", what, text(status))};
}

Result<std::shared_ptr<const Driver>> load_driver() {
  static const auto driver = []() -> Result<std::shared_ptr<const Driver>> {
    KE_TRY(Driver opened, open_driver());
    return std::make_shared<const Driver>(std::move(opened));
  }();
  return driver;
}

}  // namespace ke::gpu
