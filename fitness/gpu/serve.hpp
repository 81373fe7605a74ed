#pragma once
// The parts of the program `kernelevolve-cuda` that run in helper processes.

#include <string>

#include "core/result.hpp"
#include "fitness/gpu/driver.hpp"

namespace ke::gpu {

using OpenDriver = std::function<Result<std::shared_ptr<const Driver>>()>;

/// Launches kernels on device `index` of the driver on requests from the judge on `fd`, until the
/// stream ends. The process ends after an error that poisons its context.
Result<void> serve_worker(const OpenDriver& open, int index, int fd);

/// Launches the kernels of a file (examined_calls.hpp) under compute-sanitizer, each call on its
/// own memory. Error: the first call that fails.
Result<void> serve_examined(const std::string& path);

}  // namespace ke::gpu
