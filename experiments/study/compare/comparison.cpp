#include "experiments/study/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "experiments/study/compare/contrast.hpp"
#include "experiments/study/compare/value_range.hpp"
#include "experiments/study/statistics/holm.hpp"
#include "experiments/study/statistics/iqm.hpp"
#include "experiments/study/statistics/targets.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr std::string_view conclusion_names[] = {"better", "worse", "equivalent", "undecided",
                                                 "out of reach"};

std::vector<Observation> of_arm(std::span<const Observation> observations, const std::string& arm) {
  std::vector<Observation> own;
  std::ranges::copy_if(observations, std::back_inserter(own),
                       [&](const Observation& o) { return o.arm == arm; });
  return own;
}

void read_running_time(const std::vector<Observation>& own, ArmFigures& figures) {
  std::vector<statistics::TargetRun> runs;
  for (const Observation& o : own) {
    runs.push_back({static_cast<std::int64_t>(o.value), !o.censored});
  }
  if (figures.censored < runs.size()) {
    figures.expected_running_time = statistics::expected_running_time(runs);
  }
}

/// Converts a gain back to the endpoint's own unit.
double value_of(const Analysis& analysis, double gain) { return effect_of(analysis, gain); }

/// Computes fast_p at each threshold; `tasks` counts the tasks that any arm has.
std::vector<double> fast_shares(const std::vector<Observation>& own, std::size_t tasks) {
  std::vector<double> shares;
  for (const double threshold : fast_thresholds) {
    std::map<std::string, std::vector<double>> by_task;
    for (const Observation& o : own) by_task[o.task].push_back(o.value > threshold ? 1 : 0);
    double sum = 0;
    for (const auto& [task, fast] : by_task) {
      sum += std::accumulate(fast.begin(), fast.end(), 0.0) / static_cast<double>(fast.size());
    }
    shares.push_back(sum / static_cast<double>(tasks));
  }
  return shares;
}

std::size_t count_tasks(std::span<const Observation> observations) {
  std::set<std::string_view> tasks;
  for (const Observation& o : observations) tasks.insert(o.task);
  return tasks.size();
}

/// Mean over tasks of the mean of their runs.
void read_sol(const std::vector<Observation>& own, ArmFigures& figures) {
  std::map<std::string, std::vector<double>> by_task;
  for (const Observation& o : own) {
    if (o.sol) by_task[o.task].push_back(*o.sol);
  }
  double sum = 0;
  for (const auto& [task, scores] : by_task) {
    figures.sol_runs += scores.size();
    sum += std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  }
  if (!by_task.empty()) figures.sol = sum / static_cast<double>(by_task.size());
}

GroupFigures group_of(const Analysis& analysis, const std::string& name,
                      std::span<const Observation> all, const std::vector<Observation>& own) {
  std::vector<Observation> of_all, of_own;
  const auto inside = [&](const Observation& o) { return o.group == name; };
  std::ranges::copy_if(all, std::back_inserter(of_all), inside);
  std::ranges::copy_if(own, std::back_inserter(of_own), inside);
  GroupFigures group{name, count_tasks(of_own), 0, fast_shares(of_own, count_tasks(of_all))};
  std::map<std::string, std::vector<double>> gains;
  auto samples = sample_of(analysis, of_own);
  for (const auto& [task, devices] : samples[own.front().arm]) {
    for (const auto& [device, seeds] : devices) {
      for (const auto& [seed, gain] : seeds) gains[task].push_back(gain);
    }
  }
  double sum = 0;
  for (const auto& [task, seeds] : gains) sum += reduced(analysis, seeds);
  if (!gains.empty()) group.mean = value_of(analysis, sum / static_cast<double>(gains.size()));
  return group;
}

void read_groups(const Analysis& analysis, std::span<const Observation> all,
                 const std::vector<Observation>& own, ArmFigures& figures) {
  std::set<std::string> names;
  for (const Observation& o : all) names.insert(o.group);
  if (names.size() < 2) return;
  for (const std::string& name : names) {
    figures.groups.push_back(group_of(analysis, name, all, own));
    if (name.empty()) figures.groups.back().name = "not stated";
  }
}

ArmFigures figures_of(const Analysis& analysis, const std::string& name, const ArmSample& sample,
                      const std::vector<Observation>& own, std::int64_t stream) {
  ArmFigures figures;
  figures.name = name;
  figures.tasks = sample.size();
  figures.runs = own.size();
  figures.censored = static_cast<std::size_t>(
      std::ranges::count_if(own, [](const Observation& o) { return o.censored; }));
  std::vector<double> values;
  for (const Observation& o : own) values.push_back(o.value);
  figures.median = median_of(values);
  figures.iqm = statistics::interquartile_mean(values);
  const auto hierarchy = hierarchy_of(analysis, sample);
  if (!hierarchy.empty()) {
    const auto interval = interval_of(analysis, hierarchy, stream);
    const double a = value_of(analysis, interval.low), b = value_of(analysis, interval.high);
    figures.mean = {value_of(analysis, interval.estimate), std::min(a, b), std::max(a, b)};
    figures.units = interval.units;
  }
  if (analysis.endpoint == Endpoint::evaluations_to_target) read_running_time(own, figures);
  return figures;
}

/// Adjusts the p-values that exist; the family consists of all contrasts.
void adjust(std::vector<Contrast>& contrasts, bool holm, std::optional<double> Contrast::*from,
            std::optional<double> Contrast::*to) {
  std::vector<double> p;
  for (const Contrast& c : contrasts) p.push_back((c.*from).value_or(1));
  const auto adjusted = holm ? statistics::holm_adjusted(p) : p;
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    if (contrasts[i].*from) contrasts[i].*to = adjusted[i];
  }
}

Conclusion conclude(const Analysis& analysis, const Contrast& c) {
  const bool equivalent = c.p_equivalence && *c.p_equivalence < analysis.alpha;
  if (c.p_adjusted && *c.p_adjusted < analysis.alpha) {
    const double none = analysis.log_scale ? 1 : 0;
    return (c.effect.value > none) == analysis.larger_is_better ? Conclusion::better
                                                                : Conclusion::worse;
  }
  if (equivalent) return Conclusion::equivalent;
  return c.p ? Conclusion::undecided : Conclusion::out_of_reach;
}

void add_note(ArmComparison& comparison, const std::string& note) {
  if (note.empty()) return;
  auto& notes = comparison.notes;
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

void note_scope(const Analysis& analysis, const std::map<std::string, ArmSample>& samples,
                ArmComparison& comparison) {
  std::set<std::string> tasks;
  for (const auto& [arm, sample] : samples) {
    for (const auto& [task, devices] : sample) tasks.insert(task);
  }
  if (analysis.unit == Unit::task && tasks.size() == 1) {
    add_note(comparison,
             fmt::format("one task: nothing can be concluded about other tasks; intervals and "
                         "p-values speak of '{}' alone, over its seeds or devices",
                         *tasks.begin()));
  }
  if (analysis.unit != Unit::task && tasks.size() > 1) {
    add_note(comparison, fmt::format("the unit is the {}: conclusions hold for these {} tasks, not "
                                     "for tasks in general",
                                     to_string(analysis.unit), tasks.size()));
  }
}

void note_few_units(ArmComparison& comparison) {
  int fewest = statistics::least_units_for_intervals;
  for (const ArmFigures& arm : comparison.arms) fewest = std::min(fewest, arm.units);
  if (fewest >= statistics::least_units_for_intervals) return;
  add_note(comparison,
           fmt::format("intervals rest on {} unit{}: they are wide, and hold their level "
                       "from {} units on",
                       fewest, fewest == 1 ? "" : "s", statistics::least_units_for_intervals));
}

/// Pools the devices of a task.
std::vector<double> values_on(const ArmSample& sample, const std::string& task) {
  std::vector<double> values;
  const auto devices = sample.find(task);
  if (devices == sample.end()) return values;
  for (const auto& [device, seeds] : devices->second) {
    for (const auto& [seed, value] : seeds) values.push_back(value);
  }
  return values;
}

/// Seeds and devices of each task reduced to one gain an arm.
TaskTable table_of(const Analysis& analysis, const std::vector<std::string>& arms,
                   const std::map<std::string, ArmSample>& samples) {
  TaskTable table;
  table.gains.resize(arms.size());
  for (const auto& [task, devices] : samples.at(arms.front())) {
    const bool everywhere = std::ranges::all_of(
        arms, [&](const std::string& arm) { return samples.at(arm).contains(task); });
    if (!everywhere) continue;
    table.tasks.push_back(task);
    for (std::size_t i = 0; i < arms.size(); ++i) {
      table.gains[i].push_back(reduced(analysis, values_on(samples.at(arms[i]), task)));
    }
  }
  return table;
}

TaskMeans means_by_task(const Analysis& analysis, const std::vector<std::string>& arms,
                        const std::map<std::string, ArmSample>& samples) {
  std::set<std::string> tasks;
  for (const auto& [arm, sample] : samples) {
    for (const auto& [task, devices] : sample) tasks.insert(task);
  }
  TaskMeans means{{tasks.begin(), tasks.end()}, {}};
  for (const std::string& arm : arms) {
    auto& row = means.means.emplace_back();
    for (const std::string& task : means.tasks) {
      const auto values = values_on(samples.at(arm), task);
      row.push_back(values.empty() ? std::optional<double>()
                                   : value_of(analysis, reduced(analysis, values)));
    }
  }
  return means;
}

/// Ranks all arms over the tasks that every arm has.
void rank(const Analysis& analysis, const std::vector<std::string>& arms, const TaskTable& table,
          ArmComparison& comparison) {
  if (arms.size() < 3) return;
  if (table.tasks.size() < statistics::least_tasks_for_ranks) {
    add_note(comparison,
             fmt::format("no ranks: they need {} tasks that all arms have, there are {}",
                         statistics::least_tasks_for_ranks, table.tasks.size()));
    return;
  }
  comparison.rank_arms = arms;
  comparison.ranks = statistics::compare_ranks(table.gains, analysis.alpha);
}

Result<void> check(const Analysis& analysis, const std::map<std::string, ArmSample>& samples,
                   std::span<const Observation> observations) {
  if (!samples.contains(analysis.reference)) {
    return Error{Failure::config,
                 fmt::format("no run of the reference arm '{}' has a figure", analysis.reference)};
  }
  for (const Observation& o : observations) {
    if (!std::isfinite(o.value)) {
      return Error{Failure::config,
                   fmt::format("arm '{}', task '{}', seed {}: {} is not finite", o.arm, o.task,
                               o.seed, to_string(analysis.endpoint))};
    }
  }
  return {};
}

Result<void> check_positive(const Analysis& analysis, std::span<const Observation> observations) {
  for (const Observation& o : observations) {
    if (analysis.log_scale && !(o.value > 0)) {
      return Error{Failure::config,
                   fmt::format("arm '{}', task '{}', seed {}: {} = {} has no logarithm; set "
                               "analysis.scale: linear",
                               o.arm, o.task, o.seed, to_string(analysis.endpoint), o.value)};
    }
  }
  return {};
}

/// Arms to compare with the reference.
std::vector<std::string> compared(const Analysis& analysis, const std::vector<std::string>& arms,
                                  const std::map<std::string, ArmSample>& samples) {
  std::vector<std::string> list;
  for (const std::string& arm : arms) {
    const bool wanted =
        analysis.arms.empty() || std::ranges::find(analysis.arms, arm) != analysis.arms.end();
    if (arm != analysis.reference && wanted && samples.contains(arm)) list.push_back(arm);
  }
  return list;
}

}  // namespace

std::string_view to_string(Conclusion c) { return conclusion_names[static_cast<std::size_t>(c)]; }

Result<ArmComparison> compare_arms(const Analysis& analysis, const std::vector<std::string>& arms,
                                   std::span<const Observation> observations,
                                   const ValueRange& objective) {
  KE_TRY_VOID(check_positive(analysis, observations));
  const auto samples = sample_of(analysis, observations);
  KE_TRY_VOID(check(analysis, samples, observations));
  ArmComparison comparison;
  comparison.analysis = analysis;
  std::vector<std::string> present;
  for (const std::string& arm : arms) {
    if (samples.contains(arm)) present.push_back(arm);
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    comparison.arms.push_back(figures_of(analysis, present[i], samples.at(present[i]),
                                         of_arm(observations, present[i]),
                                         1000 + static_cast<std::int64_t>(i)));
    if (analysis.endpoint == Endpoint::best_verified_speedup) {
      const auto own = of_arm(observations, present[i]);
      ArmFigures& arm = comparison.arms.back();
      arm.fast = fast_shares(own, count_tasks(observations));
      read_sol(own, arm);
      read_groups(analysis, observations, own, arm);
    }
  }
  comparison.by_task = means_by_task(analysis, present, samples);
  note_scope(analysis, samples, comparison);
  note_few_units(comparison);
  const auto list = compared(analysis, present, samples);
  const int family = analysis.holm ? std::max(1, static_cast<int>(list.size())) : 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    RawContrast raw = contrast_of(analysis, samples.at(list[i]), samples.at(analysis.reference),
                                  family, static_cast<std::int64_t>(i));
    raw.contrast.arm = list[i];
    add_note(comparison, raw.note);
    comparison.contrasts.push_back(std::move(raw.contrast));
  }
  adjust(comparison.contrasts, analysis.holm, &Contrast::p, &Contrast::p_adjusted);
  adjust(comparison.contrasts, analysis.holm, &Contrast::p_equivalence, &Contrast::p_equivalence);
  for (Contrast& c : comparison.contrasts) c.conclusion = conclude(analysis, c);
  cut_to_range(known_range(analysis, objective, observations), comparison);
  if (analysis.unit == Unit::chain) return comparison;  // its tasks are no replicates
  const TaskTable table = table_of(analysis, present, samples);
  rank(analysis, present, table, comparison);
  const auto reference = std::ranges::find(present, analysis.reference) - present.begin();
  comparison.held_out = leave_one_out(present, static_cast<std::size_t>(reference), table);
  return comparison;
}

}  // namespace ke
