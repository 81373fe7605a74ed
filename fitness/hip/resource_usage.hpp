#pragma once
// What kernels take of an AMD GPU, as clang's remarks (-Rpass-analysis=kernel-resource-usage) say.

#include <map>
#include <string>
#include <string_view>

#include "fitness/gpu/gpu_compiler.hpp"

namespace ke::hip {

/// By name; empty when the output of the compiler holds no such remark. O(n).
std::map<std::string, double> resource_usage(std::string_view output);

}  // namespace ke::hip
