#pragma once
// Which counters of Nsight Compute are read, and what they are called here.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/gpu/ncu_csv.hpp"

namespace ke::gpu {

/// Names to ask the tool for. Some are known for some GPUs alone.
std::vector<std::string> ncu_metric_names();

/// Of all launches together, each metric weighted by the launch's time:
/// ncu_time_ns (sum), ncu_dram_pct, ncu_sm_pct, ncu_tensor_pct, ncu_issue_pct, ncu_occupancy_pct
/// (of peak), ncu_l1_hit_pct, ncu_l2_hit_pct, ncu_registers (most of any launch),
/// ncu_bank_conflicts (a request to shared memory), ncu_sectors_per_load (32-byte sectors a request
/// to global memory, 4 or 16 at best for 4 or 16 bytes a thread), and ncu_stall_REASON of the two
/// reasons that warps waited for most, in cycles an issued instruction. What the tool did not give
/// is missing.
std::map<std::string, double> ncu_measures(const std::vector<ProfiledLaunch>& launches);

/// How measures of stalls begin, behind the prefix of all of them.
inline constexpr std::string_view ncu_stall_prefix = "stall_";
/// "dram_pct" gives "ncu_dram_pct".
std::string ncu_measure(std::string_view name);
/// What warps wait for when they wait for a REASON.
std::string_view ncu_stall_meaning(std::string_view reason);

}  // namespace ke::gpu
