#pragma once
// The two halves of the program `kernelevolve-cuda`: what runs in helper processes.

#include <string>

#include "core/result.hpp"

namespace ke::cuda {

/// Compiles what arrives on `fd` until the stream ends. Says the compiler's version first.
Result<void> serve_compiler(const std::string& library, int fd);

/// Launches kernels on device `index` as the judge on `fd` asks for, until the stream ends. The
/// process ends after an error that poisons its context.
Result<void> serve_worker(int index, int fd);

}  // namespace ke::cuda
