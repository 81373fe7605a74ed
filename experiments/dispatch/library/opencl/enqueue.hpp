#pragma once
// Builds a variant's program for a device and carries out its launch plan; Part of every exported
// dispatcher for OpenCL devices.

#include <mutex>
#include <vector>

#include "opencl.hpp"

namespace dispatch {

/// A kernel of the library.
struct ClVariant {
  const char* name;
  const char* source;
  const char* options;               ///< of the compiler
  std::vector<const char*> kernels;  ///< names; the plan refers to kernels by their index here
  LaunchPlan plan;
};

/// A device of a context.
struct ClDevice {
  Object context = nullptr, device = nullptr;
  GpuTerms terms = {};
  std::size_t max_items[3] = {1, 1, 1};
};

/// A variant's program on one device. Any thread may use it.
class Program {
 public:
  /// Builds the program when it is called first.
  Status build(const ClVariant& variant, const ClDevice& on) {
    std::call_once(once_, [&] { status_ = make(variant, on); });
    return status_;
  }

  /// Whether the device can run a kernel with these work-groups.
  Status accepts(std::size_t kernel, const std::size_t* local) {
    std::size_t most = 0;
    const Status status = with(kernel, [&](Object object) {
      return the_opencl()->group_info(object, on_.device, kernel_group_size, sizeof most, &most,
                                      nullptr);
    });
    if (status != success) return status;
    bool fits = local[0] * local[1] * local[2] <= most;
    for (std::size_t i = 0; i < 3; ++i) fits = fits && local[i] <= on_.max_items[i];
    return fits ? success : Status{invalid_group_size};
  }

  /// `values`: where those of the launch's arguments lie.
  Status enqueue(const Launch& launch, Object queue, const std::size_t* global,
                 const std::size_t* local, void* const* values) {
    return with(launch.kernel, [&](Object object) {
      for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const std::size_t bytes = launch.arguments[i].kind == Argument::int32 ? 4 : 8;
        const Status status =
            the_opencl()->set_argument(object, static_cast<std::uint32_t>(i), bytes, values[i]);
        if (status != success) return status;
      }
      return the_opencl()->enqueue(queue, object, 3, nullptr, global, local, 0, nullptr, nullptr);
    });
  }

 private:
  Status make(const ClVariant& variant, const ClDevice& on) {
    on_ = on;
    names_ = variant.kernels;
    free_.resize(names_.size());
    const char* source = variant.source;
    Status status = success;
    program_ = the_opencl()->create_program(on.context, 1, &source, nullptr, &status);
    if (status != success) return status;
    return the_opencl()->build_program(program_, 1, &on.device, variant.options, nullptr, nullptr);
  }

  /// Lends `use` an object of a kernel. The arguments of one object must not be set by two threads
  /// at once, so each call has its own; launches keep the arguments that they were made with.
  template <typename Use>
  Status with(std::size_t kernel, Use&& use) {
    Status status = success;
    const Object object = take(kernel, status);
    if (status != success) return status;
    status = use(object);
    const std::lock_guard hold(lock_);
    free_[kernel].push_back(object);
    return status;
  }

  Object take(std::size_t kernel, Status& status) {
    {
      const std::lock_guard hold(lock_);
      if (!free_[kernel].empty()) {
        const Object object = free_[kernel].back();
        free_[kernel].pop_back();
        return object;
      }
    }
    return the_opencl()->create_kernel(program_, names_[kernel], &status);
  }

  std::once_flag once_;
  Status status_ = success;
  ClDevice on_;
  Object program_ = nullptr;
  std::vector<const char*> names_;
  std::mutex lock_;
  std::vector<std::vector<Object>> free_;  ///< objects of each kernel that no call uses
};

/// A call of a variant at one shape. Without a queue, it only checks that the device can run it.
class ClRun final : PlanCall {
 public:
  ClRun(Program& program, const LaunchPlan& plan, const GpuTerms& terms,
        const std::vector<std::size_t>& lengths, const void* const* tensors, Object queue)
      : PlanCall(plan, terms, lengths, tensors), program_(program), queue_(queue) {}

  /// Plans for OpenCL hold launches alone.
  Status carry_out() {
    return run_stages(invalid_value, [this](const auto& stage) {
      if constexpr (std::is_same_v<decltype(stage), const Launch&>) return run(stage);
      return Status{invalid_value};
    });
  }

 private:
  Status run(const Launch& launch) {
    std::size_t local[3], global[3];
    put(local, launch.block);
    put(global, launch.grid);
    for (std::size_t i = 0; i < 3; ++i) global[i] *= local[i];
    void** const values = arguments(launch);
    if (!fits()) return invalid_value;
    if (queue_ == nullptr) return program_.accepts(launch.kernel, local);
    return program_.enqueue(launch, queue_, global, local, values);
  }

  Program& program_;
  Object queue_;
};

}  // namespace dispatch
