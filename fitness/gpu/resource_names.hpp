#pragma once
// Names of what kernels take of an AMD GPU.

#include <array>
#include <string_view>

namespace ke::gpu {

/// sgprs, vgprs, agprs: registers of a wave (scalar) or of a lane; spills: registers kept in
/// memory; scratch_bytes: of a lane; lds_bytes: static, of a block; waves: on one SIMD at most, for
/// the least occupied kernel. Of the others the most of any kernel.
inline constexpr std::array<std::string_view, 7> resource_names = {
    "sgprs", "vgprs", "agprs", "spills", "scratch_bytes", "lds_bytes", "waves"};

}  // namespace ke::gpu
