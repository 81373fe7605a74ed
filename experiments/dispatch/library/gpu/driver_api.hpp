#pragma once
// Driver functions for launching kernels, in the form of CUDA's, which HIP follows. Part of every
// exported dispatcher for GPUs.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "plan.hpp"

namespace dispatch {

using Address = std::uint64_t;
using Context = void*;
using Function = void*;
using Module = void*;
using Stream = void*;

/// Values of Status, equal in CUresult and hipError_t.
enum Code : Status {
  invalid_value = 1,
  out_of_memory = 2,
  invalid_context = 201,
  no_binary = 209,
  not_found = 500,
  not_supported = 801,
};

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  enum Id : int { cooperative = 2, cluster = 4, programmatic = 6 };
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    unsigned extent[3];
  } value;
};
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned count;
};

/// CUfunction_attribute.
enum FunctionAttribute : int { function_max_dynamic_shared = 8, function_carveout = 9 };

/// The GPU of a context.
struct Gpu {
  char name[128];  ///< as the driver reports it
  char arch[32];   ///< "sm_90a", "gfx942"
  GpuTerms terms;
};

struct Driver {
  /// The context of this thread, or that of the memory at `any` if the thread has none yet.
  Status (*current)(Context*, const void* any);
  Status (*describe)(Gpu&);  ///< the GPU of this thread's context
  Status (*capture_mode)(int*);
  Status (*module_load)(Module*, const void*);
  Status (*module_function)(Function*, Module, const char*);
  Status (*function_set)(Function, int, int);
  Status (*occupancy)(int*, Function, int, std::size_t);
  Status (*launch)(const LaunchConfig*, Function, void**, void**);
  Status (*set_bytes)(Address, unsigned char, std::size_t, Stream);
  Status (*tensor_map)(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*,
                       const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int,
                       int, int);
};

/// Functions of an opened library.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}
  template <typename Pointer>
  bool take(Pointer& function, const char* name) {
    void* const found = dlsym(library_, name);
    function = reinterpret_cast<Pointer>(found);
    whole_ = whole_ && found != nullptr;
    return found != nullptr;
  }
  /// True if no function was missing.
  bool whole() const { return whole_; }

 private:
  void* library_;
  bool whole_ = true;
};

}  // namespace dispatch
