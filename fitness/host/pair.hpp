#pragma once
// One cluster on the CPU: a fresh pair of processes, interleaved over all workloads of a
// comparison.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/result.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/session.hpp"
#include "fitness/judging/pair_result.hpp"

namespace ke {

/// Plans calls, rounds and slots for kernels that take about `call_ns` (by arm). `bytes`: per slot.
TimedWorkload plan_samples(const Workload& workload, const double (&call_ns)[2], std::size_t bytes,
                           std::size_t budget_bytes);

/// Measures one cluster. Contents are fresh for every round, every output is compared, rounds with
/// other classes and placements are mixed in at random, and preempted quads are repeated up to a
/// limit.
Result<PairResult> measure_pair(const Bench& bench, const Library& challenger,
                                const Library& opponent, const std::vector<TimedWorkload>& plan);

}  // namespace ke
