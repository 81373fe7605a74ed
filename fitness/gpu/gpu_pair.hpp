#pragma once
// One cluster on a GPU: two freshly loaded modules, interleaved over all workloads.

#include "fitness/gpu/gpu_bench.hpp"
#include "fitness/judging/pair_result.hpp"

namespace ke::gpu {

/// Measures one cluster. The plan's `calls` are per sample; contents are fresh for every call, and
/// every output is compared. The recorded CPU clock of a sample is its span on the host.
Result<PairResult> measure_gpu_pair(GpuBench& bench, const GpuBuiltPtr& challenger,
                                    const GpuBuiltPtr& opponent,
                                    const std::vector<TimedWorkload>& plan, const CallRules& rules);

}  // namespace ke::gpu
