#pragma once
// Chooses the kernel for an OpenCL device and a shape, and calls it with buffers or with memory of
// the host. Part of every exported dispatcher for OpenCL devices.

#include <cstring>
#include <deque>
#include <memory>

#include "enqueue.hpp"
#include "nearest_shape.hpp"

namespace dispatch {

/// The library on one device: its figures and its programs.
struct LoadedDevice {
  ClDevice device;
  const Measured* measured = nullptr;
  std::deque<Program> programs;  ///< one per variant; built when first wanted, never released
};

/// Reads a property of a device into `into`; leaves it unchanged if OpenCL does not know the
/// property.
template <typename Value, typename Get>
Status read_info(Get get, Object of, std::uint32_t what, Value& into) {
  return get(of, what, sizeof into, &into, nullptr);
}

/// Buffers of a call that has its tensors in the host's memory.
class HostBuffers {
 public:
  explicit HostBuffers(std::size_t count) : buffers(count) {}
  HostBuffers(const HostBuffers&) = delete;
  HostBuffers& operator=(const HostBuffers&) = delete;
  ~HostBuffers() {
    for (const Object one : buffers) {
      if (one != nullptr) the_opencl()->release_buffer(one);
    }
  }
  std::vector<Object> buffers;
};

template <std::size_t axes>
class ClLibrary {
 public:
  ClLibrary(std::vector<TensorSpec> tensors, std::vector<ClVariant> variants,
            std::vector<Measured> measured)
      : tensors_(std::move(tensors)),
        variants_(std::move(variants)),
        measured_(std::move(measured)) {}

  Status call(const std::size_t* lengths, const void* const* buffers, Object queue) {
    if (the_opencl() == nullptr) return no_device;
    Object context = nullptr, device = nullptr;
    if (const Status status = place_of(queue, context, device)) return status;
    if (const Status status = check(lengths, buffers)) return status;
    return run(lengths, buffers, context, device, queue);
  }

  /// Waits for the result. Without a queue, it makes one on a device of its own choice.
  Status call_on_host(const std::size_t* lengths, const void* const* tensors, Object queue) {
    Object context = nullptr, device = nullptr;
    if (const Status status = place_of_host(queue, context, device)) return status;
    if (queue != nullptr) return copy_and_run(lengths, tensors, context, device, queue);
    Status status = success;
    const Object own = the_opencl()->create_queue(context, device, nullptr, &status);
    if (status != success) return status;
    status = copy_and_run(lengths, tensors, context, device, own);
    the_opencl()->release_queue(own);
    return status;
  }

  /// Name of the variant; "" if a call would fail.
  const char* name(const std::size_t* lengths, Object queue) {
    Object context = nullptr, device = nullptr;
    if (place_of_host(queue, context, device) != success) return "";
    const Chosen& chosen = choose(lengths, context, device);
    return chosen.status == success ? variants_[chosen.variant].name : "";
  }

 private:
  struct Chosen {
    Status status = no_device;
    LoadedDevice* on = nullptr;
    std::size_t variant = 0;
    const ClLibrary* by = nullptr;
    std::vector<std::size_t> lengths = {};
  };

  /// The context and device of a queue. Launches of a plan depend on each other: the queue must
  /// keep their order.
  static Status place_of(Object queue, Object& context, Object& device) {
    const auto read = the_opencl()->queue_info;
    Bits properties = 0;
    if (const Status status = read_info(read, queue, queue_context, context)) return status;
    if (const Status status = read_info(read, queue, queue_device, device)) return status;
    if (const Status status = read_info(read, queue, queue_properties, properties)) return status;
    return (properties & out_of_order) == 0 ? success : Status{invalid_queue};
  }

  Status place_of_host(Object queue, Object& context, Object& device) {
    if (the_opencl() == nullptr) return no_device;
    if (queue != nullptr) return place_of(queue, context, device);
    std::call_once(own_once_, [&] { own_status_ = find_own(); });
    context = own_.context;
    device = own_.device;
    return own_status_;
  }

  /// Finds the first device that was measured, else the first one, and makes its context.
  Status find_own() {
    std::vector<Object> found = all_devices();
    if (found.empty()) return no_device;
    own_.device = found.front();
    for (std::size_t i = found.size(); i-- > 0;) {
      if (measured_as(found[i]) != nullptr) own_.device = found[i];
    }
    Status status = success;
    own_.context =
        the_opencl()->create_context(nullptr, 1, &own_.device, nullptr, nullptr, &status);
    return status;
  }

  static std::vector<Object> all_devices() {
    std::vector<Object> all;
    std::uint32_t count = 0;
    the_opencl()->platforms(0, nullptr, &count);
    std::vector<Object> platforms(count);
    the_opencl()->platforms(count, platforms.data(), nullptr);
    for (const Object platform : platforms) {
      std::uint32_t more = 0;
      if (the_opencl()->devices(platform, any_device, 0, nullptr, &more) != success) continue;
      all.resize(all.size() + more);
      the_opencl()->devices(platform, any_device, more, all.data() + all.size() - more, nullptr);
    }
    return all;
  }

  /// Figures of a device of this name; null if there are none.
  const Measured* measured_as(Object device) const {
    char name[512] = {};
    the_opencl()->device_info(device, device_name, sizeof name - 1, name, nullptr);
    for (const Measured& one : measured_) {
      if (std::strcmp(one.device, name) == 0) return &one;
    }
    return nullptr;
  }

  /// Buffers must be as large as the kernels take them to be, and begin where they may.
  Status check(const std::size_t* lengths, const void* const* buffers) const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      auto* const buffer = const_cast<Object>(buffers[i]);
      std::size_t size = 0, offset = 0;
      void* host = nullptr;
      const auto read = the_opencl()->buffer_info;
      if (const Status status = read_info(read, buffer, memory_bytes, size)) return status;
      if (size < bytes_of(tensors_[i], lengths)) return invalid_buffer_size;
      read_info(read, buffer, memory_offset, offset);
      read_info(read, buffer, memory_host_pointer, host);
      if (offset % tensors_[i].align != 0) return misaligned;
      if (reinterpret_cast<std::uintptr_t>(host) % tensors_[i].align != 0) return misaligned;
    }
    return success;
  }

  Status copy_and_run(const std::size_t* lengths, const void* const* given, Object context,
                      Object device, Object queue) {
    auto* const tensors = const_cast<void* const*>(given);
    std::vector<std::size_t> bytes;
    HostBuffers held(tensors_.size());
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      bytes.push_back(bytes_of(tensors_[i], lengths));
      const bool copied = !tensors_[i].output && bytes[i] > 0;
      const Bits flags = tensors_[i].output ? read_write : read_only;
      Status status = success;
      held.buffers[i] = the_opencl()->create_buffer(context, copied ? flags | copy_host : flags,
                                                    bytes[i] > 0 ? bytes[i] : 1,
                                                    copied ? tensors[i] : nullptr, &status);
      if (status != success) return status;
    }
    Status status = run(lengths, held.buffers.data(), context, device, queue);
    for (std::size_t i = 0; i < tensors_.size() && status == success; ++i) {
      if (!tensors_[i].output || bytes[i] == 0) continue;
      constexpr std::uint32_t waits = 1;
      status = the_opencl()->read(queue, held.buffers[i], waits, 0, bytes[i], tensors[i], 0,
                                  nullptr, nullptr);
    }
    return status;
  }

  Status run(const std::size_t* lengths, const void* const* buffers, Object context, Object device,
             Object queue) {
    const Chosen& chosen = choose(lengths, context, device);
    if (chosen.status != success) return chosen.status;
    return run_of(chosen, buffers, queue).carry_out();
  }

  /// Without buffers and a queue, it only checks that the device can run the variant.
  ClRun run_of(const Chosen& chosen, const void* const* buffers, Object queue) const {
    return ClRun(chosen.on->programs[chosen.variant], variants_[chosen.variant].plan,
                 chosen.on->device.terms, chosen.lengths, buffers, queue);
  }

  /// Remembers the last shape per thread, because most calls repeat it.
  const Chosen& choose(const std::size_t* lengths, Object context, Object device) {
    thread_local Chosen last;
    const bool same = last.by == this && last.status == success &&
                      last.on->device.context == context && last.on->device.device == device &&
                      std::memcmp(last.lengths.data(), lengths, axes * sizeof *lengths) == 0;
    if (same) return last;
    last = {};
    last.by = this;
    last.on = &loaded(context, device);
    last.lengths.assign(lengths, lengths + axes);
    const auto can_run = [&](std::size_t i) {
      last.variant = i;
      last.status = last.on->programs[i].build(variants_[i], last.on->device);
      if (last.status == success) last.status = run_of(last, nullptr, nullptr).carry_out();
      return last.status == success;
    };
    const std::size_t best =
        best_index(variants_.size(), *last.on->measured, lengths, axes, can_run);
    can_run(best);
    return last;
  }

  LoadedDevice& loaded(Object context, Object device) {
    const std::lock_guard hold(lock_);
    for (const auto& one : loaded_) {
      if (one->device.context == context && one->device.device == device) return *one;
    }
    the_opencl()->retain_context(context);  // no other context gets its handle
    loaded_.push_back(std::make_unique<LoadedDevice>());
    LoadedDevice& made = *loaded_.back();
    made.device.context = context;
    made.device.device = device;
    std::uint64_t local_bytes = 0;
    read_info(the_opencl()->device_info, device, device_local_bytes, local_bytes);
    read_info(the_opencl()->device_info, device, device_max_items, made.device.max_items);
    // The terms under which plans were judged: one multiprocessor.
    made.device.terms = {1, 0, static_cast<std::int64_t>(local_bytes)};
    const Measured* const same = measured_as(device);
    made.measured = same != nullptr ? same : &measured_.front();
    for (std::size_t i = 0; i < variants_.size(); ++i) made.programs.emplace_back();
    return made;
  }

  const std::vector<TensorSpec> tensors_;
  const std::vector<ClVariant> variants_;
  const std::vector<Measured> measured_;
  std::once_flag own_once_;
  Status own_status_ = no_device;
  ClDevice own_;
  std::mutex lock_;
  std::vector<std::unique_ptr<LoadedDevice>> loaded_;  ///< one per device of a context
};

}  // namespace dispatch
