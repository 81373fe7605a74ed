#pragma once
// Compiler flags that HIP kernels may ask for, by clang's names.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke::hip {

/// What NVRTC calls one of them, maybe several options; nothing when kernels may not use it.
std::optional<std::vector<std::string>> nvrtc_flags(std::string_view flag);

}  // namespace ke::hip
