#pragma once
// Reads a kernel's resource usage from clang's remarks (-Rpass-analysis=kernel-resource-usage).

#include <map>
#include <string>
#include <string_view>

#include "fitness/gpu/gpu_compiler.hpp"

namespace ke::hip {

/// Usage by name; empty when the compiler's output holds no such remark. O(n).
std::map<std::string, double> resource_usage(std::string_view output);

}  // namespace ke::hip
