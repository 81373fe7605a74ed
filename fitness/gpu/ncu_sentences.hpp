#pragma once
// Describes the measures of Nsight Compute's counters in words.

#include <map>
#include <string>
#include <vector>

namespace ke::gpu {

/// Plain sentences for operators and reports: the limiter first, then the reasons for stalls, the
/// occupancy, and inefficient accesses. Omits missing measures.
std::vector<std::string> ncu_sentences(const std::map<std::string, double>& measures);

}  // namespace ke::gpu
