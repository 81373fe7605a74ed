#pragma once
// What the measures of Nsight Compute's counters say of a kernel, in words.

#include <map>
#include <string>
#include <vector>

namespace ke::gpu {

/// Plain sentences for operators and reports: the limiter first, then what warps wait for, the
/// occupancy, and accesses that cost more than they need to. Nothing is said of measures that are
/// missing.
std::vector<std::string> ncu_sentences(const std::map<std::string, double>& measures);

}  // namespace ke::gpu
