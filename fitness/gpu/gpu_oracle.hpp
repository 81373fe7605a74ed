#pragma once
// The oracle of large shapes on a GPU: the reference computes in double precision there, in a
// process of its own, and what it computes stays in the judge's memory of that GPU.

#include <memory>
#include <span>

#include "fitness/content/content_pool.hpp"
#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/python_server.hpp"
#include "fitness/host/python_home.hpp"

namespace ke::gpu {

/// Used on the lane's thread.
class GpuOracle final : public DeviceOracle {
 public:
  /// Borrows all but `python`, which has PyTorch for this GPU; null = no shape is wanted.
  GpuOracle(const Task& task, std::shared_ptr<const PythonHome> python, int index,
            GpuMemory& memory)
      : task_(task),
        index_(index),
        memory_(memory),
        server_(task, std::move(python), "serve_gpu_reference.py", index, memory) {}

  /// Whether a shape of that many elements is computed here rather than on the host.
  bool wants(std::int64_t elements) const;
  /// Starts the process, unless it runs already, and does not wait for it.
  Result<void> start() { return server_.start(); }
  /// Leaves all shapes that the host can compute to it: the reference does not run on the GPU.
  void give_up() { given_up_ = true; }
  Result<void> answer(Content& content, std::span<const double> least_rms) override;
  /// Measures rounding_room of a content that it answered. False: the GPU lacks the memory.
  Result<bool> measure_room(const Content& content);

 private:
  Error failed(const std::string& why) const;
  /// The request about a content, whose inputs it puts into the shared memory.
  Result<Json> request_for(const Content& content, const DeviceContent& tensors);
  Result<void> fetch(const char* part, std::size_t output, const DeviceContent::Part& to);

  const Task& task_;
  int index_;
  GpuMemory& memory_;
  PythonServer server_;
  bool given_up_ = false;
};

}  // namespace ke::gpu
