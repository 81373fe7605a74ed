#pragma once
// Groups observations by arm, task, device and seed, on the analysis's scale. Private to compare.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/study/compare/analysis.hpp"
#include "experiments/study/compare/observation.hpp"
#include "experiments/study/statistics/effect_size.hpp"
#include "experiments/study/statistics/hierarchical_bootstrap.hpp"

namespace ke {

/// Runs of one arm: task -> device -> seed -> gain.
using ArmSample = std::map<std::string, std::map<std::string, std::map<std::int64_t, double>>>;

/// Converts a value to the scale on which arms are compared: its logarithm on the log scale (the
/// value must be positive), with the sign that makes larger better.
double gain_of(const Analysis& analysis, double value);

/// Samples of all arms, by name.
std::map<std::string, ArmSample> sample_of(const Analysis& analysis,
                                           std::span<const Observation> observations);

/// arm - reference, where both have the task, the device and the seed.
ArmSample paired_differences(const ArmSample& arm, const ArmSample& reference);

std::size_t count_of(const ArmSample& sample);

double reduced(const Analysis& analysis, std::span<const double> seeds);

/// Builds the hierarchy with the analysis's unit on top: tasks with their devices and seeds, or
/// devices or seeds alone, averaged over all lower levels that every unit has. Empty without
/// observations.
statistics::Hierarchy hierarchy_of(const Analysis& analysis, const ArmSample& sample);

/// Seeds of both arms by task; pools all devices.
std::vector<statistics::TaskScores> task_scores(const ArmSample& arm, const ArmSample& reference);

}  // namespace ke
