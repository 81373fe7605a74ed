#pragma once
// Provenance of a run's figures: machines, tools, verified measurements.

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// [{host, hardware, microcode, kernel, sandbox, started_ms, stopped_ms, exit_code}].
Result<Json> session_rows(const RunReader& reader);

/// [{candidate, baseline, role, speedup, low, high, note, workloads}], where candidate is the
/// position of its row; workloads: [{name, speedup, low, high, candidate_ns, opponent_ns,
/// floor_ns}] of this role; floor_ns is null if unknown.
Result<Json> verified_rows(const RunReader& reader, const RunRows& rows);

}  // namespace ke
