#pragma once
// A program in Python that shares the judge's memory of one GPU, trusted, unlike a GpuWorker.

#include <memory>
#include <string>

#include "core/json.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/python_home.hpp"

namespace ke::gpu {

/// {"axes": {name: length}, "dims": [of each tensor]}: what a request says about a call's shapes.
Json request_at(const Task& task, const Shapes& shapes);

class PythonServer {
 public:
  /// Starts `program` of PythonHome::folder for a reference and does not wait for it: importing
  /// PyTorch takes seconds. `layout` says what it serves; the number of the GPU and the bytes of
  /// `memory` are added.
  static Result<std::unique_ptr<PythonServer>> start(const PythonHome& python,
                                                     const std::string& program,
                                                     const std::string& source, Json layout,
                                                     int index, const GpuMemory& memory);
  /// Waits until it has started. Error: it does not, and why.
  Result<void> ready();
  /// The answer to one request, once it is ready; {"failure": why} where it failed or the process
  /// has ended.
  Json ask(const Json& request);
  bool running() const { return process_ != nullptr; }

 private:
  PythonServer(std::string program, TemporaryFile source, TemporaryFile layout,
               std::unique_ptr<HelperProcess> process)
      : program_(std::move(program)),
        source_(std::move(source)),
        layout_(std::move(layout)),
        process_(std::move(process)) {}
  Error no_start(const std::string& why) const;

  std::string program_;
  TemporaryFile source_, layout_;
  bool ready_ = false;
  std::unique_ptr<HelperProcess> process_;
};

}  // namespace ke::gpu
