#pragma once
// Structure of a CUDA kernel for the archive's axes: what a person would call its kind.

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/plan/resolve_plan.hpp"

namespace ke::gpu {

/// registers: most of any kernel; spill_bytes: local memory for spilled registers; shared_bytes:
/// static; load_bytes: mean width of a load from global memory; shared_share: accesses to shared
/// memory among all memory accesses; async_copies, matrix_ops, shuffles, ptx_instructions: counts
/// in the text. `log` is the output of --ptxas-options=-v.
std::map<std::string, double> ptx_measures(std::string_view ptx, std::string_view log);

inline constexpr std::array<std::string_view, 9> ptx_measure_names = {
    "registers",    "spill_bytes", "shared_bytes", "load_bytes",      "shared_share",
    "async_copies", "matrix_ops",  "shuffles",     "ptx_instructions"};

/// Measures of the launches of `plans`, which are one kernel's plan at the shapes that are timed;
/// code that they do not launch does not count. Of several launches the greatest value counts: how
/// long each takes is unknown when a kernel is built. Waves and threads are those of the launch
/// with the greatest engine, then data_path, then threads in all.
///
/// engine        what multiplies: 0 single numbers, 1 packed pairs, 2 mma.sync, 3 wgmma, 4 wgmma
///               with an operand in registers, 5 tcgen05
/// data_path     how global memory is read: 0 single numbers, 1 vectors, 2 cp.async, 3 bulk copies,
///               4 tensor maps, 5 copies that several blocks of a cluster receive
/// cooperation   the widest group that exchanges values: 0 thread, 1 warp, 2 block, 3 cluster,
///               4 grid (atomic operations on global memory, cooperative launches)
/// launches      kernels a call
/// waves         blocks for each multiprocessor; a persistent kernel has few
/// block_threads, block_shared_bytes (static and dynamic)
/// stages        buffers in flight: groups of cp.async, or barriers in memory divided by two
/// warp_roles    1 if warps of a block do unlike work (setmaxnreg, named barriers)
/// plan_scratch_bytes
///
/// `ptx` and `log` are the compiler's, the log with --ptxas-options=-v. All names are there always.
std::map<std::string, double> structure_measures(std::string_view ptx, std::string_view log,
                                                 const std::vector<ResolvedPlan>& plans,
                                                 const DeviceTerms& device);

inline constexpr std::array<std::string_view, 10> structure_names = {
    "engine",        "data_path",          "cooperation", "launches",   "waves",
    "block_threads", "block_shared_bytes", "stages",      "warp_roles", "plan_scratch_bytes"};

}  // namespace ke::gpu
