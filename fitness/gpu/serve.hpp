#pragma once
// The parts of the program `kernelevolve-cuda`: what runs in helper processes.

#include <string>

#include "core/result.hpp"
#include "fitness/gpu/driver.hpp"

namespace ke::gpu {

using OpenDriver = std::function<Result<std::shared_ptr<const Driver>>()>;

/// Launches kernels on device `index` of the driver as the judge on `fd` asks for, until the stream
/// ends. The process ends after an error that poisons its context.
Result<void> serve_worker(const OpenDriver& open, int index, int fd);

/// Launches the kernels of a file (examined_calls.hpp), each call on memory of its own, for
/// compute-sanitizer to look on. Error: the first call that fails.
Result<void> serve_examined(const std::string& path);

}  // namespace ke::gpu
