#pragma once
// The compiler flags that HIP kernels may use, by clang's names.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke::hip {

/// NVRTC's equivalent, possibly several options; nothing when kernels may not use the flag.
std::optional<std::vector<std::string>> nvrtc_flags(std::string_view flag);

}  // namespace ke::hip
