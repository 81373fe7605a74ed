#pragma once
// A program in Python that shares the judge's memory of one GPU, trusted, unlike a GpuWorker.

#include <memory>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/python_home.hpp"

namespace ke::gpu {

class PythonServer {
 public:
  /// `program` of PythonHome::folder serves the reference of `task` on GPU `index`. Borrows all but
  /// `python`, which has PyTorch for this GPU; null = there is none.
  PythonServer(const Task& task, std::shared_ptr<const PythonHome> python, std::string program,
               int index, const GpuMemory& memory)
      : task_(task),
        python_(std::move(python)),
        program_(std::move(program)),
        index_(index),
        memory_(memory) {}

  /// Whether there is a Python that could run it.
  bool possible() const { return python_ != nullptr; }
  bool running() const { return process_ != nullptr; }
  /// Starts the process, unless it runs already, and does not wait for it: importing PyTorch takes
  /// seconds.
  Result<void> start();
  /// Waits until it has started. Error: it does not, and why.
  Result<void> ready();
  /// {"axes": {name: length}, "dims": [of each tensor]}: what a request says about a call's shapes.
  Json request_at(const Shapes& shapes) const;
  /// The answer to one request, once it is ready; {"failure": why} where it failed or the process
  /// has ended.
  Json ask(const Json& request);

 private:
  Error no_start(const std::string& why) const;

  const Task& task_;
  std::shared_ptr<const PythonHome> python_;
  std::string program_;
  int index_;
  const GpuMemory& memory_;
  std::vector<TemporaryFile> files_;
  bool ready_ = false;
  std::unique_ptr<HelperProcess> process_;
};

}  // namespace ke::gpu
