#pragma once
// Measures of a CUDA kernel for the archive's axes, from the compiler's output.

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace ke::gpu {

/// registers: most of any kernel; spill_bytes: local memory for spilled registers; shared_bytes:
/// static; load_bytes: mean width of a load from global memory; shared_share: accesses to shared
/// memory among all memory accesses; async_copies, matrix_ops, shuffles, ptx_instructions: counts
/// in the text. `log` is the output of --ptxas-options=-v.
std::map<std::string, double> ptx_measures(std::string_view ptx, std::string_view log);

inline constexpr std::array<std::string_view, 9> ptx_measure_names = {
    "registers",    "spill_bytes", "shared_bytes", "load_bytes",      "shared_share",
    "async_copies", "matrix_ops",  "shuffles",     "ptx_instructions"};

}  // namespace ke::gpu
