#pragma once
// How much of the gap between a baseline and the limits of the device a run closed.

#include <optional>
#include <string>

#include "archive/run_reader.hpp"

namespace ke {

/// S = 1 / (1 + (t - t_limit) / (t_baseline - t_limit)) [Lin2026]: 0.5 at the baseline, 1 at the
/// limit, cut to [0, 1]. A baseline at its limit leaves 1 for a kernel at it too, else 0.
double sol_score(double t, double t_baseline, double t_limit);

/// Mean of the champion's scores over the workloads of a role. The limit of a workload is the
/// longer of its compulsory bytes at the bandwidth that the judge measured and its `flops` at the
/// measured peak. Nothing without a bandwidth or without verified times. A run without a champion
/// keeps the baseline, which is 0.5.
Result<std::optional<double>> sol_score_of(const RunReader& reader, const std::string& baseline,
                                           const std::string& role);

}  // namespace ke
