#include "fitness/hip/hip_runtime.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "fitness/hip/code_object.hpp"
#include "fitness/process/symbols.hpp"

namespace ke::hip {
namespace {

using namespace gpu;

constexpr const char* places[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                  "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};
constexpr int first_of_runtime_below = 1050;

// HIP_VERSION is major * 10^7 + minor * 10^5 + patch; CUDA's is major * 1000 + minor * 10.
constexpr int hip_major = 10'000'000, hip_minor = 100'000;
/// Older versions import a descriptor by the address that holds it.
constexpr int imports_by_value = 7 * hip_major + hip_minor;

/// Values of hipDeviceAttribute_t.
constexpr std::pair<int, int> attributes[] = {
    {max_threads_per_block, 56}, {max_block_x, 26},        {max_block_x + 1, 27},
    {max_block_x + 2, 28},       {max_grid_x, 29},         {max_grid_x + 1, 30},
    {max_grid_x + 2, 31},        {multiprocessors, 63},    {l2_cache_bytes, 19},
    {capability_major, 23},      {capability_minor, 61},   {pageable_memory_access, 65},
    {max_shared_optin, 74},      {exports_descriptors, 89}};

/// Loads a function for which translating the status suffices.
template <typename... Arguments>
void take(Symbols& symbols, Call<Arguments...>& into, const char* name) {
  int (*function)(Arguments...) = nullptr;
  symbols.take(function, name);
  into = [function](Arguments... arguments) { return code_of(function(arguments...)); };
}

// --- devices ---

std::function<std::string(Device)> arch_reader(void* library) {
  int (*properties)(void*, int) = nullptr;
  Symbols current(library), former(library);
  current.take(properties, "hipGetDevicePropertiesR0600");
  if (properties == nullptr) former.take(properties, "hipGetDeviceProperties");
  if (properties == nullptr) return {};
  // The structure has grown over the years. Every version holds the processor's name, e.g.
  // "gfx942:sramecc+:xnack-", somewhere after the 256 bytes of the device name.
  return [properties](Device device) {
    constexpr std::size_t own_name = 256;
    std::array<char, 16384> bytes{};
    if (properties(bytes.data(), device) != success) return std::string();
    const std::string_view text(bytes.data() + own_name, bytes.size() - own_name);
    const std::size_t at = text.find("gfx");
    if (at == text.npos) return std::string();
    return std::string(text.substr(at, text.find_first_not_of("abcdefgx0123456789", at) - at));
  };
}

void take_devices(Symbols& symbols, Driver& d) {
  take(symbols, d.init, "hipInit");
  take(symbols, d.device_count, "hipGetDeviceCount");
  take(symbols, d.device_get, "hipDeviceGet");
  take(symbols, d.device_name, "hipDeviceGetName");
  take(symbols, d.device_bus_id, "hipDeviceGetPCIBusId");
  take(symbols, d.device_memory, "hipDeviceTotalMem");
  take(symbols, d.context_synchronize, "hipDeviceSynchronize");
  Call<int*, int, Device> attribute;
  take(symbols, attribute, "hipDeviceGetAttribute");
  d.device_attribute = [attribute](int* value, int wanted, Device device) {
    *value = 0;
    for (const auto& [ours, theirs] : attributes) {
      if (ours == wanted) return attribute(value, theirs, device);
    }
    return Status{success};
  };
  // HIP selects devices where CUDA uses primary contexts.
  Call<int> set_device;
  take(symbols, set_device, "hipSetDevice");
  d.context_retain = [](Context* context, Device device) {
    *context = reinterpret_cast<Context>(static_cast<std::intptr_t>(device) + 1);
    return Status{success};
  };
  d.context_set = [set_device](Context context) {
    return set_device(static_cast<int>(reinterpret_cast<std::intptr_t>(context) - 1));
  };
}

void take_errors(Symbols& symbols, Driver& d) {
  const auto take_text = [&](Call<Status, const char**>& into, const char* name) {
    const char* (*function)(int) = nullptr;
    symbols.take(function, name);
    into = [function](Status status, const char** text) {
      *text = function(status);
      return *text == nullptr ? invalid_value : success;
    };
  };
  take_text(d.error_name, "hipGetErrorName");
  take_text(d.error_text, "hipGetErrorString");
}

int take_version(Symbols& symbols, Driver& d) {
  Call<int*> version;
  take(symbols, version, "hipRuntimeGetVersion");
  int now = 0;
  if (!symbols.missing().empty() || version(&now) != success) return 0;
  d.driver_version = [now](int* as_cuda) {
    *as_cuda = now / hip_major * 1000 + now % hip_major / hip_minor * 10;
    return Status{success};
  };
  return now;
}

// --- modules ---

/// Remembers the parameters of loaded kernels, which HIP does not report, and code objects, which
/// HIP may read again when it looks up a kernel.
class KnownKernels {
 public:
  void add(Module module, std::shared_ptr<const std::string> image) {
    auto found = kernel_parameters(*image);
    const std::lock_guard lock(mutex_);
    modules_[module] = {std::move(image), found ? *std::move(found) : KernelParameters()};
  }
  void drop(Module module) {
    const std::lock_guard lock(mutex_);
    modules_.erase(module);
  }
  void name(Function function, Module module, const std::string& kernel) {
    const std::lock_guard lock(mutex_);
    functions_[function] = modules_[module].parameters[kernel];
  }
  Status parameter(Function function, std::size_t i, std::size_t* offset, std::size_t* bytes) {
    const std::lock_guard lock(mutex_);
    const auto& list = functions_[function];
    if (i >= list.size()) return invalid_value;
    *offset = list[i].offset;
    *bytes = list[i].bytes;
    return success;
  }

 private:
  struct Loaded {
    std::shared_ptr<const std::string> image;
    KernelParameters parameters;
  };
  std::mutex mutex_;
  std::map<Module, Loaded> modules_;
  std::map<Function, std::vector<KernelParameter>> functions_;
};

void take_modules(Symbols& symbols, Driver& d) {
  const auto known = std::make_shared<KnownKernels>();
  Call<Module*, const void*> load;
  take(symbols, load, "hipModuleLoadData");
  d.module_load = [load, known](Module* module, std::string_view image) {
    const auto copy = std::make_shared<const std::string>(image);
    const Status status = load(module, copy->data());
    if (status == success) known->add(*module, copy);
    return status;
  };
  Call<Module> unload;
  take(symbols, unload, "hipModuleUnload");
  d.module_unload = [unload, known](Module module) {
    const Status status = unload(module);
    known->drop(module);
    return status;
  };
  Call<Function*, Module, const char*> find;
  take(symbols, find, "hipModuleGetFunction");
  d.module_function = [find, known](Function* function, Module module, const char* name) {
    const Status status = find(function, module, name);
    if (status == success) known->name(*function, module, name);
    return status;
  };
  d.function_parameter = [known](Function function, std::size_t i, std::size_t* offset,
                                 std::size_t* bytes) {
    return known->parameter(function, i, offset, bytes);
  };
  take(symbols, d.module_global, "hipModuleGetGlobal");
  take(symbols, d.occupancy, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
}

// Libraries that run machine code of other vendors may report parameters through this function.
void take_told_parameters(void* library, Driver& d) {
  Call<Function, std::size_t, std::size_t*, std::size_t*> told;
  Symbols(library).take(told, "hipFuncGetParamInfo");
  if (told) d.function_parameter = told;
}

// --- execution ---

void take_launches(Symbols& symbols, Driver& d) {
  using Size = unsigned;
  Call<Function, Size, Size, Size, Size, Size, Size, Size, Stream, void**, void**> plain;
  take(symbols, plain, "hipModuleLaunchKernel");
  Call<Function, Size, Size, Size, Size, Size, Size, Size, Stream, void**> cooperative;
  take(symbols, cooperative, "hipModuleLaunchCooperativeKernel");
  d.launch = [plain, cooperative](const LaunchConfig* c, Function f, void** arguments, void**) {
    bool together = false;
    for (unsigned i = 0; i < c->count; ++i) {
      if (c->attributes[i].id != LaunchAttribute::cooperative) return Status{not_supported};
      together = c->attributes[i].value.number != 0;
    }
    const auto with = [&](const auto& launch, auto... rest) {
      return launch(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                    c->shared_bytes, c->stream, arguments, rest...);
    };
    return together ? with(cooperative) : with(plain, nullptr);
  };
}

void take_streams(Symbols& symbols, Driver& d) {
  take(symbols, d.stream_create, "hipStreamCreateWithFlags");
  take(symbols, d.stream_synchronize, "hipStreamSynchronize");
  take(symbols, d.event_create, "hipEventCreateWithFlags");
  take(symbols, d.event_record, "hipEventRecord");
  take(symbols, d.event_elapsed, "hipEventElapsedTime");
}

void take_memory(Symbols& symbols, Driver& d, int version) {
  take(symbols, d.memory_allocate, "hipMalloc");
  take(symbols, d.memory_free, "hipFree");
  take(symbols, d.copy_to_device, "hipMemcpyHtoD");
  take(symbols, d.copy_to_host, "hipMemcpyDtoH");
  take(symbols, d.copy_on_device, "hipMemcpyDtoDAsync");
  take(symbols, d.set_bytes, "hipMemsetD8Async");
  take(symbols, d.granularity, "hipMemGetAllocationGranularity");
  take(symbols, d.reserve, "hipMemAddressReserve");
  take(symbols, d.create_memory, "hipMemCreate");
  take(symbols, d.map_memory, "hipMemMap");
  take(symbols, d.allow_access, "hipMemSetAccess");
  take(symbols, d.export_memory, "hipMemExportToShareableHandle");
  Call<MemoryHandle*, void*, int> import;
  take(symbols, import, "hipMemImportFromShareableHandle");
  d.import_memory = [import, version](MemoryHandle* handle, void* descriptor, int type) {
    int held = static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor));
    return import(handle, version < imports_by_value ? &held : descriptor, type);
  };
}

void refuse_what_amd_lacks(Driver& d) {
  d.reset_persisting_l2 = [] { return Status{success}; };
  d.function_set_attribute = [](Function, int, int) { return Status{success}; };
  d.encode_tensor_map = [](auto...) { return Status{not_supported}; };
}

// --- the library ---

struct Opened {
  void* library = nullptr;
  std::string name;
};

Result<Opened> open_library(const std::string& given) {
  if (!given.empty()) {
    if (void* library = dlopen(given.c_str(), RTLD_NOW | RTLD_LOCAL)) return Opened{library, given};
    return Error{ke::Failure::device, fmt::format("no HIP runtime: {}", dlerror())};
  }
  for (const char* place : places) {
    if (void* library = dlopen(place, RTLD_NOW | RTLD_LOCAL)) return Opened{library, place};
  }
  return Error{ke::Failure::device,
               "no HIP runtime: libamdhip64.so is neither where libraries are looked up nor in "
               "/opt/rocm/lib; install ROCm 6 or later, or name it in device.hip_library"};
}

Result<Driver> filled(const Opened& opened) {
  Driver driver;
  driver.api = "HIP";
  driver.library = opened.name;
  driver.arch = arch_reader(opened.library);
  Symbols symbols(opened.library);
  const int version = take_version(symbols, driver);
  take_devices(symbols, driver);
  take_errors(symbols, driver);
  take_modules(symbols, driver);
  take_launches(symbols, driver);
  take_streams(symbols, driver);
  take_memory(symbols, driver, version);
  take_told_parameters(opened.library, driver);
  refuse_what_amd_lacks(driver);
  if (symbols.missing().empty()) return driver;
  return Error{ke::Failure::device, fmt::format("{} lacks {}; ROCm 6 or later is needed",
                                                opened.name, symbols.missing())};
}

}  // namespace

Status code_of(int status) {
  constexpr int prior_launch_failure = 53, invalid_kernel_file = 218, symbol_not_found = 302;
  switch (status) {
    case prior_launch_failure: return launch_failed;
    case invalid_kernel_file: return invalid_image;
    case symbol_not_found: return not_found;
    default: return status >= first_of_runtime_below ? unknown : status;
  }
}

std::string refused_device(const std::string& device) {
  if (access(device.c_str(), F_OK) != 0) {
    return device + " is missing: no AMD GPU, or its driver amdgpu is not loaded";
  }
  if (access(device.c_str(), R_OK | W_OK) == 0) return {};
  return device + " may not be opened: become a member of its group, mostly 'render'";
}

Result<std::shared_ptr<const Driver>> open_hip(const std::string& library) {
  KE_TRY(const Opened opened, open_library(library));
  KE_TRY(Driver driver, filled(opened));
  const Status status = driver.init(0);
  int count = 0;
  const Status counted = status == success ? driver.device_count(&count) : status;
  if (counted == success && count > 0) return std::make_shared<const Driver>(std::move(driver));
  const std::string refused = refused_device();
  const std::string why = counted == success ? "" : "; " + driver.text(counted);
  return Error{ke::Failure::device, fmt::format("{} sees no GPU{}{}{}", opened.name, why,
                                                refused.empty() ? "" : "; ", refused)};
}

}  // namespace ke::hip
