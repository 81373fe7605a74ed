#pragma once
// Builds a variant's program for a device and carries out its launch plan; each variant's run()
// calls it. Part of every exported dispatcher for OpenCL devices.

#include <mutex>
#include <vector>

#include "opencl.hpp"

namespace dispatch {

class ClRun;
using Run = ClRun;  ///< the name in the text of launch plans

/// A kernel of the library.
struct ClVariant {
  const char* name;
  const char* source;
  const char* options;               ///< of the compiler
  std::vector<const char*> kernels;  ///< names, indexed by run()
  Status (*run)(Run&);
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

  Status enqueue(std::size_t kernel, Object queue, const std::size_t* global,
                 const std::size_t* local, const Argument* arguments, std::size_t count) {
    return with(kernel, [&](Object object) {
      for (std::size_t i = 0; i < count; ++i) {
        const Status status = the_opencl()->set_argument(object, static_cast<std::uint32_t>(i),
                                                         arguments[i].bytes, arguments[i].at);
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

using Address = Object;

/// A call of a variant at one shape. Without a queue, it only checks that the device can run it.
class ClRun {
 public:
  ClRun(Program& program, const GpuTerms& gpu, const std::size_t* lengths, const Object* tensors,
        Object queue)
      : gpu(gpu), program_(program), lengths_(lengths), tensors_(tensors), queue_(queue) {}

  const GpuTerms& gpu;
  static constexpr bool measures = false;

  Number axis(std::size_t i) const { return static_cast<std::int64_t>(lengths_[i]); }
  Address tensor(std::size_t i) const { return queue_ == nullptr ? nullptr : tensors_[i]; }
  /// Converts to a 32-bit argument. A number out of range makes the next launch fail.
  std::uint32_t int32(Number number) { return narrow_.put(number); }

  template <std::size_t count>
  Status launch(std::size_t kernel, const Launch& how, const Argument (&arguments)[count]) {
    return enqueue(kernel, how, arguments, count);
  }
  Status launch(std::size_t kernel, const Launch& how) { return enqueue(kernel, how, nullptr, 0); }

 private:
  Status enqueue(std::size_t kernel, const Launch& how, const Argument* arguments,
                 std::size_t count) {
    std::size_t local[3], global[3];
    if (!narrow_.fit() || !put(local, how.block) || !put(global, how.grid)) return invalid_value;
    for (std::size_t i = 0; i < 3; ++i) global[i] *= local[i];
    if (queue_ == nullptr) return program_.accepts(kernel, local);
    return program_.enqueue(kernel, queue_, global, local, arguments, count);
  }

  Program& program_;
  const std::size_t* lengths_;
  const Object* tensors_;
  Object queue_;
  NarrowNumbers narrow_;
};

}  // namespace dispatch
