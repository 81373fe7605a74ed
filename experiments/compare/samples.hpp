#pragma once
// Observations by arm, task, device and seed, on the scale of the analysis. Private to compare.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/compare/analysis.hpp"
#include "experiments/compare/observation.hpp"
#include "experiments/statistics/effect_size.hpp"
#include "experiments/statistics/hierarchical_bootstrap.hpp"

namespace ke {

/// The runs of one arm: task -> device -> seed -> gain.
using ArmSample = std::map<std::string, std::map<std::string, std::map<std::int64_t, double>>>;

/// A value on the scale on which arms are compared: its logarithm on the log scale (which needs a
/// positive one), with the sign that makes larger better.
double gain_of(const Analysis& analysis, double value);

/// All arms by name.
std::map<std::string, ArmSample> sample_of(const Analysis& analysis,
                                           std::span<const Observation> observations);

/// arm - reference where both have the task, the device and the seed.
ArmSample paired_differences(const ArmSample& arm, const ArmSample& reference);

std::size_t count_of(const ArmSample& sample);

double reduced(const Analysis& analysis, std::span<const double> seeds);

/// The units on top, as the analysis asks: tasks with their devices and seeds, or devices or seeds
/// alone, averaged over all below that every one of them has. Empty when there is nothing.
statistics::Hierarchy hierarchy_of(const Analysis& analysis, const ArmSample& sample);

/// Seeds of both arms by task, all devices together.
std::vector<statistics::TaskScores> task_scores(const ArmSample& arm, const ArmSample& reference);

}  // namespace ke
