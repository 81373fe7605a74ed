#pragma once
// Carries out launch plans of kernels. Part of every exported dispatcher for GPUs.

#include <mutex>
#include <vector>

#include "driver.hpp"
#include "plan.hpp"

namespace dispatch {

// --- machine code ---

/// Machine code of one variant for one architecture.
struct VariantCode {
  const char* arch;
  std::vector<const void*> cubins;
  std::vector<const char*> kernels;  ///< names; the plan refers to kernels by their index here
  LaunchPlan plan;
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

/// A call of a variant at one shape. Without tensors, it only checks that it would launch.
class GpuRun final : PlanCall {
 public:
  static constexpr std::size_t workspace_align = 256;

  GpuRun(LoadedCode& code, const GpuTerms& terms, const std::vector<std::size_t>& lengths,
         const void* const* tensors, void* workspace, Stream stream)
      : PlanCall(code.code->plan, terms, lengths, tensors),
        code_(code),
        workspace_(reinterpret_cast<Address>(workspace)),
        stream_(stream) {}

  /// 0 where the plan is none at these lengths.
  std::size_t workspace_bytes() {
    const Address end = lay_out_scratch();
    return fits() ? end - workspace_ : 0;
  }

  Status carry_out() {
    lay_out_scratch();
    if (!fits()) return invalid_value;
    maps_.resize(plan_.maps.size());
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      if (const Status status = encode(plan_.maps[i], maps_[i])) return status;
    }
    for (std::size_t i = 0; i < scratch_.size(); ++i) {
      if (!plan_.scratch[i].zeroed) continue;
      if (const Status status = set_bytes(scratch_[i], 0, number(plan_.scratch[i].bytes))) {
        return status;
      }
    }
    return run_stages(invalid_value, [this](const auto& stage) { return run(stage); });
  }

 private:
  /// Returns the end of the workspace.
  Address lay_out_scratch() {
    Address at = workspace_;
    for (const Scratch& one : plan_.scratch) {
      scratch_.push_back(at);
      const auto bytes = static_cast<Address>(number(one.bytes, 0));
      at += (bytes + workspace_align - 1) / workspace_align * workspace_align;
    }
    return at;
  }

  /// Blocks of a kernel that fit on one multiprocessor; 0 if the driver cannot tell.
  std::int64_t occupancy(const Launch& launch) override {
    int blocks = 0;
    std::int64_t block[3];
    put(block, launch.block);
    const std::int64_t shared = number(launch.shared, 0, INT32_MAX);
    LoadedKernel& loaded = code_.kernels[launch.kernel];
    if (allow_shared(loaded, shared) != success) return 0;
    the_driver()->occupancy(&blocks, loaded.function,
                            static_cast<int>(block[0] * block[1] * block[2]),
                            static_cast<std::size_t>(shared));
    return blocks;
  }

  Status set_bytes(Address at, std::int64_t byte, std::int64_t bytes) const {
    if (only_checks()) return success;
    return the_driver()->set_bytes(at, static_cast<unsigned char>(byte),
                                   static_cast<std::size_t>(bytes), stream_);
  }

  Status encode(const Map& map, TensorMap& into) {
    constexpr std::size_t most = 5;
    std::uint64_t dims[most] = {}, strides[most] = {};
    std::uint32_t box[most] = {}, steps[most] = {};
    for (std::size_t i = 0; i < map.dims.size(); ++i) {
      dims[i] = static_cast<std::uint64_t>(number(map.dims[i]));
      box[i] = static_cast<std::uint32_t>(number(map.box[i], 1, 256));
      steps[i] = i < map.steps.size() ? static_cast<std::uint32_t>(number(map.steps[i], 1, 8)) : 1;
      if (i > 0) strides[i - 1] = static_cast<std::uint64_t>(number(map.strides[i - 1]));
    }
    if (!fits()) return invalid_value;
    if (only_checks()) return success;
    return the_driver()->tensor_map(&into, map.type, static_cast<std::uint32_t>(map.dims.size()),
                                    reinterpret_cast<void*>(address(map.of)), dims, strides, box,
                                    steps, map.interleave, map.swizzle, map.promotion, map.fill);
  }

  Status run(const Memset& stage) {
    const std::int64_t byte = number(stage.byte, 0, 255), bytes = number(stage.bytes);
    return fits() ? set_bytes(address(stage.target), byte, bytes) : Status{invalid_value};
  }

  Status run(const Launch& stage) {
    LoadedKernel& loaded = code_.kernels[stage.kernel];
    LaunchAttribute attributes[3] = {};
    LaunchConfig config = {};
    const std::int64_t shared = number(stage.shared, 0, INT32_MAX);
    const std::int64_t carveout = number(stage.carveout, -1, 100);
    config.shared_bytes = static_cast<unsigned>(shared);
    config.stream = stream_;
    config.attributes = attributes;
    put(config.grid, stage.grid);
    put(config.block, stage.block);
    const auto add = [&](int id) -> LaunchAttribute& {
      attributes[config.count].id = id;
      attributes[config.count].value.number = 1;
      return attributes[config.count++];
    };
    if (stage.cooperative) add(LaunchAttribute::cooperative);
    // The caller's work lies ahead of the first launch, so it must have ended.
    if (stage.dependent && launched_) add(LaunchAttribute::programmatic);
    launched_ = true;
    if (!stage.cluster.empty()) put(add(LaunchAttribute::cluster).value.extent, stage.cluster);
    void** const values = arguments(stage);
    if (!fits()) return invalid_value;
    if (only_checks()) return success;
    if (const Status status = allow_shared(loaded, shared)) return status;
    if (carveout >= 0) {
      the_driver()->function_set(loaded.function, function_carveout, static_cast<int>(carveout));
    }
    return the_driver()->launch(&config, loaded.function, values, nullptr);
  }

  LoadedCode& code_;
  const Address workspace_;
  const Stream stream_;
  bool launched_ = false;
};

}  // namespace dispatch
