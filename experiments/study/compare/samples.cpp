#include "experiments/study/compare/samples.hpp"

#include <algorithm>
#include <set>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "experiments/study/statistics/iqm.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

using Devices = std::map<std::string, std::map<std::int64_t, double>>;

std::vector<double> values_of(const std::map<std::int64_t, double>& seeds) {
  std::vector<double> values;
  for (const auto& [seed, value] : seeds) values.push_back(value);
  return values;
}

std::vector<double> values_of(const Devices& devices) {
  std::vector<double> values;
  for (const auto& [device, seeds] : devices) {
    for (const auto& [seed, value] : seeds) values.push_back(value);
  }
  return values;
}

statistics::Hierarchy by_task(const ArmSample& sample) {
  statistics::Hierarchy hierarchy;
  for (const auto& [task, devices] : sample) {
    auto& unit = hierarchy.emplace_back();
    for (const auto& [device, seeds] : devices) unit.push_back(values_of(seeds));
  }
  return hierarchy;
}

/// The value of each device is its mean over the tasks that all devices have.
statistics::Hierarchy by_device(const Analysis& analysis, const ArmSample& sample) {
  std::set<std::string> names;
  for (const auto& [task, devices] : sample) {
    for (const auto& [device, seeds] : devices) names.insert(device);
  }
  statistics::Hierarchy hierarchy;
  for (const std::string& name : names) {
    std::vector<double> tasks;
    for (const auto& [task, devices] : sample) {
      if (devices.size() != names.size()) continue;
      tasks.push_back(reduced(analysis, values_of(devices.at(name))));
    }
    if (!tasks.empty()) hierarchy.push_back({{mean_of(tasks)}});
  }
  return hierarchy;
}

/// The value of each seed (or chain of tasks) is its mean over all tasks and devices; seeds missing
/// on any of them are left out.
statistics::Hierarchy by_seed(const ArmSample& sample) {
  std::map<std::int64_t, std::vector<double>> seeds;
  std::size_t places = 0;
  for (const auto& [task, devices] : sample) {
    for (const auto& [device, values] : devices) {
      ++places;
      for (const auto& [seed, value] : values) seeds[seed].push_back(value);
    }
  }
  statistics::Hierarchy hierarchy;
  for (const auto& [seed, values] : seeds) {
    if (values.size() == places) hierarchy.push_back({{mean_of(values)}});
  }
  return hierarchy;
}

}  // namespace

double gain_of(const Analysis& analysis, double value) {
  KE_CHECK(!analysis.log_scale || value > 0);
  const double scaled = analysis.log_scale ? portable_log(value) : value;
  return analysis.larger_is_better ? scaled : -scaled;
}

std::map<std::string, ArmSample> sample_of(const Analysis& analysis,
                                           std::span<const Observation> observations) {
  std::map<std::string, ArmSample> arms;
  for (const Observation& o : observations) {
    arms[o.arm][o.task][o.device][o.seed] = gain_of(analysis, o.value);
  }
  return arms;
}

ArmSample paired_differences(const ArmSample& arm, const ArmSample& reference) {
  ArmSample differences;
  for (const auto& [task, devices] : arm) {
    for (const auto& [device, seeds] : devices) {
      for (const auto& [seed, value] : seeds) {
        const auto at_task = reference.find(task);
        if (at_task == reference.end()) continue;
        const auto at_device = at_task->second.find(device);
        if (at_device == at_task->second.end()) continue;
        const auto at_seed = at_device->second.find(seed);
        if (at_seed == at_device->second.end()) continue;
        differences[task][device][seed] = value - at_seed->second;
      }
    }
  }
  return differences;
}

std::size_t count_of(const ArmSample& sample) {
  std::size_t count = 0;
  for (const auto& [task, devices] : sample) count += values_of(devices).size();
  return count;
}

double reduced(const Analysis& analysis, std::span<const double> seeds) {
  if (analysis.reduce == Reduction::median) return median_of(seeds);
  return analysis.reduce == Reduction::iqm ? statistics::interquartile_mean(seeds) : mean_of(seeds);
}

statistics::Hierarchy hierarchy_of(const Analysis& analysis, const ArmSample& sample) {
  if (analysis.unit == Unit::task) return by_task(sample);
  return analysis.unit == Unit::device ? by_device(analysis, sample) : by_seed(sample);
}

std::vector<statistics::TaskScores> task_scores(const ArmSample& arm, const ArmSample& reference) {
  std::vector<statistics::TaskScores> scores;
  for (const auto& [task, devices] : arm) {
    const auto other = reference.find(task);
    if (other == reference.end()) continue;
    scores.push_back({values_of(devices), values_of(other->second)});
  }
  return scores;
}

}  // namespace ke
