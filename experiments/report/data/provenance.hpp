#pragma once
// Where a run's figures come from: machines, tools, verified measurements.

#include "archive/run_rows.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// [{host, hardware, microcode, kernel, sandbox, started_ms, stopped_ms, exit_code}].
Result<Json> session_rows(const RunReader& reader);

/// [{candidate, baseline, role, speedup, low, high, note, workloads}] with the position of the
/// candidate's row; workloads: [{name, speedup, low, high, candidate_ns, opponent_ns, floor_ns}]
/// of this role; floor_ns is null where it is unknown.
Result<Json> verified_rows(const RunReader& reader, const RunRows& rows);

}  // namespace ke
