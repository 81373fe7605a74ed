#pragma once
// A Python baseline inside a GPU build.

#include <string>

namespace ke::gpu {

/// The kernel's language, pytorch_eager or pytorch_compiled, and the reference's text.
struct ModuleBaseline {
  std::string language, source;
};

}  // namespace ke::gpu
