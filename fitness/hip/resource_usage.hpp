#pragma once
// What kernels take of an AMD GPU, as clang's remarks (-Rpass-analysis=kernel-resource-usage) say.

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace ke::hip {

/// sgprs, vgprs, agprs: registers of a wave (scalar) or of a lane; spills: registers kept in
/// memory; scratch_bytes: of a lane; lds_bytes: static, of a block; waves: on one SIMD at most, for
/// the least occupied kernel. Of the others the most of any kernel.
inline constexpr std::array<std::string_view, 7> resource_names = {
    "sgprs", "vgprs", "agprs", "spills", "scratch_bytes", "lds_bytes", "waves"};

/// By name; empty when the output of the compiler holds no such remark. O(n).
std::map<std::string, double> resource_usage(std::string_view output);

}  // namespace ke::hip
