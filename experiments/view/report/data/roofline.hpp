#pragma once
// Kernels relative to the ceilings of their device.

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// {workloads: [{name, role, bytes, flops, bytes_per_s}], ceilings: [{name, flops_per_s}], seen:
/// {workload, candidate, ns}, verified: [{workload, kernel, ns}]}. `seen` holds columns with one
/// row per screen of an ok kernel; verified kernels are "champion" and the baselines. `bytes_per_s`
/// is null if the judge measured no bandwidth. Null for runs whose workloads have no cost.
Json roofline_json(const Roofline& roofline);

}  // namespace ke
