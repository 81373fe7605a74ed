#pragma once
// A baseline in Python, as builds for GPUs carry it.

#include <string>

namespace ke::gpu {

/// By its kernel's language, pytorch_eager or pytorch_compiled, and the reference's text.
struct ModuleBaseline {
  std::string language, source;
};

}  // namespace ke::gpu
