#pragma once
// One cluster on a GPU: two freshly loaded modules, interleaved over all workloads.

#include <cstdint>

#include "fitness/gpu/gpu_bench.hpp"
#include "fitness/judging/pair_result.hpp"

namespace ke::gpu {

/// Calls that one sample needs to last `sample_ns`, for kernels that take about `call_ns`.
int calls_of_sample(double call_ns, std::int64_t sample_ns);

/// Measures. `calls` of the plan are those of one sample; contents are fresh for every call, every
/// output is compared. The recorded CPU clock of a sample is the host's span.
Result<PairResult> measure_gpu_pair(GpuBench& bench, const GpuBuiltPtr& challenger,
                                    const GpuBuiltPtr& opponent,
                                    const std::vector<TimedWorkload>& plan, const CallRules& rules);

}  // namespace ke::gpu
