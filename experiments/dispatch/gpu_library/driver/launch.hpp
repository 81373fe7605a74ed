#pragma once
// Carries out launch plans of kernels; each variant's run() calls it. Part of every exported
// dispatcher for GPUs.

#include <mutex>
#include <vector>

#include "driver.hpp"
#include "plan.hpp"

namespace dispatch {

// --- machine code ---

class Run;

/// Machine code of one variant for one architecture.
struct VariantCode {
  const char* arch;
  std::vector<const void*> cubins;
  std::vector<const char*> kernels;  ///< names; run() refers to kernels by their index here
  Status (*run)(Run&);
};

/// A kernel on one GPU.
struct LoadedKernel {
  Function function;
  std::int64_t dynamic_shared;  ///< bytes that it may use; guarded by `shared_lock`
};

/// Modules of one variant, loaded in one context.
struct LoadedCode {
  const VariantCode* code;
  std::vector<LoadedKernel> kernels;
};

inline std::mutex& shared_lock() {
  static std::mutex lock;
  return lock;
}

/// Allows a kernel dynamic shared memory beyond the driver's default limit.
inline Status allow_shared(LoadedKernel& kernel, std::int64_t bytes) {
  constexpr std::int64_t allowed_to_all = 48 * 1024;
  if (bytes <= allowed_to_all) return success;
  const std::lock_guard hold(shared_lock());
  if (bytes <= kernel.dynamic_shared) return success;
  const Status status = the_driver()->function_set(kernel.function, function_max_dynamic_shared,
                                                   static_cast<int>(bytes));
  if (status == success) kernel.dynamic_shared = bytes;
  return status;
}

// --- one call ---

struct MapShape {
  int type;
  std::vector<Number> dims, strides, box, steps;
  int interleave, swizzle, promotion, fill;
};

/// A call of a variant at one shape. With `measures`, it computes the needed workspace only.
class Run {
 public:
  static constexpr int workspace_align = 256;

  Run(LoadedCode& code, const GpuTerms& gpu, const std::size_t* lengths, const void* const* tensors,
      void* workspace, Stream stream, bool measures)
      : gpu(gpu),
        measures(measures),
        code_(code),
        lengths_(lengths),
        tensors_(tensors),
        workspace_(reinterpret_cast<Address>(workspace)),
        stream_(stream) {}

  const GpuTerms& gpu;
  const bool measures;

  Number axis(std::size_t i) const { return static_cast<std::int64_t>(lengths_[i]); }
  Address tensor(std::size_t i) const {
    return measures ? 0 : reinterpret_cast<Address>(tensors_[i]);
  }
  /// Allocates the next part of the workspace.
  Address scratch(Number bytes) {
    const Address at = workspace_ + static_cast<Address>(used_.value);
    used_ = used_ + round_up(bytes, workspace_align);
    return at;
  }
  std::size_t workspace_bytes() const { return static_cast<std::size_t>(used_.value); }

  /// Blocks of a kernel that fit on one multiprocessor; 0 if the driver cannot tell.
  Number occupancy(std::size_t kernel, const Extent& block, Number shared) {
    int blocks = 0;
    const Number threads = block[0] * block[1] * block[2];
    LoadedKernel& loaded = code_.kernels[kernel];
    if (allow_shared(loaded, shared.value) != success) return 0;
    the_driver()->occupancy(&blocks, loaded.function, static_cast<int>(threads.value),
                            static_cast<std::size_t>(shared.value));
    return blocks;
  }

  /// Converts to a 32-bit argument. A number out of range makes the next launch fail.
  std::uint32_t int32(Number number) { return narrow_.put(number); }

  Status set_bytes(Address at, Number byte, Number bytes) const {
    return the_driver()->set_bytes(at, static_cast<unsigned char>(byte.value),
                                   static_cast<std::size_t>(bytes.value), stream_);
  }

  static Status map(TensorMap& into, Address of, const MapShape& shape) {
    constexpr std::size_t most = 5;
    std::uint64_t dims[most] = {}, strides[most] = {};
    std::uint32_t box[most] = {}, steps[most] = {};
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
      dims[i] = static_cast<std::uint64_t>(shape.dims[i].value);
      box[i] = static_cast<std::uint32_t>(shape.box[i].value);
      steps[i] = i < shape.steps.size() ? static_cast<std::uint32_t>(shape.steps[i].value) : 1;
      if (i > 0) strides[i - 1] = static_cast<std::uint64_t>(shape.strides[i - 1].value);
    }
    return the_driver()->tensor_map(&into, shape.type,
                                    static_cast<std::uint32_t>(shape.dims.size()),
                                    reinterpret_cast<void*>(of), dims, strides, box, steps,
                                    shape.interleave, shape.swizzle, shape.promotion, shape.fill);
  }

  template <std::size_t count>
  Status launch(std::size_t kernel, const Launch& how, const Argument (&arguments)[count]) {
    void* pointers[count];
    for (std::size_t i = 0; i < count; ++i) pointers[i] = const_cast<void*>(arguments[i].at);
    return launch(kernel, how, static_cast<void**>(pointers));
  }

  /// Libraries made by earlier versions call this one with addresses.
  Status launch(std::size_t kernel, const Launch& how, void** arguments = nullptr) {
    LoadedKernel& loaded = code_.kernels[kernel];
    LaunchAttribute attributes[3] = {};
    LaunchConfig config = {};
    config.shared_bytes = static_cast<unsigned>(how.shared.value);
    config.stream = stream_;
    config.attributes = attributes;
    if (!narrow_.fit() || !put(config.grid, how.grid) || !put(config.block, how.block)) {
      return invalid_value;
    }
    if (const Status status = allow_shared(loaded, how.shared.value)) return status;
    if (how.carveout >= 0) {
      the_driver()->function_set(loaded.function, function_carveout,
                                 static_cast<int>(how.carveout.value));
    }
    const auto add = [&](int id) -> LaunchAttribute& {
      attributes[config.count].id = id;
      attributes[config.count].value.number = 1;
      return attributes[config.count++];
    };
    if (how.cooperative) add(LaunchAttribute::cooperative);
    // The caller's work lies ahead of the first launch, so it must have ended.
    if (how.dependent && launched_) add(LaunchAttribute::programmatic);
    launched_ = true;
    if (how.cluster[0] > 0) put(add(LaunchAttribute::cluster).value.extent, how.cluster);
    return the_driver()->launch(&config, loaded.function, arguments, nullptr);
  }

 private:
  LoadedCode& code_;
  const std::size_t* lengths_;
  const void* const* tensors_;
  Address workspace_;
  Stream stream_;
  Number used_ = 0;
  bool launched_ = false;
  NarrowNumbers narrow_;
};

}  // namespace dispatch
