#include "experiments/study/sweep/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"
#include "experiments/run/config/archives.hpp"

namespace ke {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

Values values_of(const Experiment& experiment) {
  Values values;
  for (const std::string_view line : split(experiment.canonical_text, '\n')) {
    const std::size_t equals = line.find(" = ");
    if (equals != line.npos) values[std::string(line.substr(0, equals))] = line.substr(equals + 3);
  }
  return values;
}

std::int64_t limit_of(const Experiment& experiment, std::string_view currency) {
  return currency == "proposals" ? experiment.limits.proposals : experiment.limits.evaluations;
}

bool is_below(std::string_view path, std::string_view top) {
  return path == top || (path.starts_with(top) && path[top.size()] == '.');
}

void add_paths(const std::string& path, const Node& value, std::vector<std::string>& paths) {
  const std::string plain = path.substr(0, path.find('!'));
  if (value.kind != Node::Kind::map || path.ends_with('!')) {
    // A new kind changes all options of its section.
    const bool kind = plain.ends_with(".kind");
    paths.push_back(kind ? plain.substr(0, plain.size() - 5) : plain);
    return;
  }
  for (const auto& entry : value.entries) add_paths(path + "." + entry.key, entry.value, paths);
}

/// Keys in which the arm may differ.
std::vector<std::string> declared_paths(const Sweep& sweep, const SweepArm& arm) {
  if (!sweep.factor.empty()) return sweep.factor;
  std::vector<std::string> paths;
  for (const ArmSetting& setting : arm.spec.settings) {
    add_paths(setting.path, setting.value, paths);
  }
  return paths;
}

void check_budgets(const Sweep& sweep, std::vector<std::string>& errors) {
  const Experiment& first = sweep.arms[sweep.reference()].experiments.front();
  const std::int64_t limit = limit_of(first, sweep.currency);
  if (limit == 0) {
    errors.push_back(fmt::format("{}: budget.{} has no limit, though the currency is {}",
                                 sweep.path, sweep.currency, sweep.currency));
  }
  for (const SweepArm& arm : sweep.arms) {
    const std::int64_t own = limit_of(arm.experiments.front(), sweep.currency);
    if (own == limit) continue;
    errors.push_back(fmt::format(
        "{}: arm '{}' has a budget of {} {}, '{}' has {}; arms are compared at equal budgets",
        sweep.path, arm.spec.name, own, sweep.currency, sweep.analysis.reference, limit));
  }
}

void check_cells(const Sweep& sweep, std::vector<std::string>& errors) {
  const Experiment& first = sweep.arms[sweep.reference()].experiments.front();
  for (const SweepArm& arm : sweep.arms) {
    const std::size_t cells = total_cells(arm.experiments.front());
    if (cells == total_cells(first)) continue;
    errors.push_back(fmt::format(
        "{}: hold: total_cells: arm '{}' has {} islands with {} cells in all, '{}' has {}",
        sweep.path, arm.spec.name, arm.experiments.front().islands.count, cells,
        sweep.analysis.reference, total_cells(first)));
  }
}

/// Rejects tasks of equal name and repeated seeds, which would share a run file.
void check_files(const Sweep& sweep, std::vector<std::string>& errors) {
  std::set<std::string> files;
  for (const SweepRun& run : runs_of(sweep)) {
    if (files.insert(run.file).second) continue;
    errors.push_back(fmt::format("{}: two runs would be {}: task '{}' or seed {} is there twice",
                                 sweep.path, run.file, sweep.tasks[run.task], run.seed));
    return;
  }
}

void check_chain(const Sweep& sweep, std::vector<std::string>& errors) {
  const auto fail = [&](const std::string& what) {
    errors.push_back(fmt::format("{}: {}", sweep.path, what));
  };
  const bool by_chain = sweep.analysis.unit == Unit::chain;
  if (!sweep.chained) {
    if (by_chain) fail("'analysis.unit' = chain, though the sweep has none; set 'chain: tasks'");
    return;
  }
  if (!by_chain) {
    fail(
        fmt::format("'analysis.unit' = {}, though runs of a chain depend on each other; with "
                    "'chain: tasks' it is chain",
                    to_string(sweep.analysis.unit)));
  }
  if (sweep.tasks.size() < 2) fail("'chain: tasks' needs two tasks");
  const bool told = std::ranges::any_of(
      sweep.arms, [](const SweepArm& arm) { return arm.experiments.front().memory.has_value(); });
  if (!told) fail("'chain: tasks' needs an arm with a memory, e.g. memory: {probability: 0.5}");
}

}  // namespace

std::size_t total_cells(const Experiment& experiment) {
  std::size_t cells = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(experiment.islands.count); ++i) {
    cells += make_archive(experiment, i)->cells();
  }
  return cells;
}

void check_rules(const Sweep& sweep, std::vector<std::string>& errors) {
  check_files(sweep, errors);
  check_budgets(sweep, errors);
  if (sweep.hold.total_cells) check_cells(sweep, errors);
  check_chain(sweep, errors);
}

std::vector<std::string> sweep_warnings(const Sweep& sweep) {
  std::vector<std::string> warnings;
  const Experiment& first = sweep.arms[sweep.reference()].experiments.front();
  std::map<std::string, std::string> known;
  for (const SweepArm& arm : sweep.arms) {
    const Experiment& own = arm.experiments.front();
    const auto [at, added] = known.emplace(own.canonical_text, arm.spec.name);
    if (!added) {
      warnings.push_back(
          fmt::format("arms '{}' and '{}' are the same configuration", at->second, arm.spec.name));
    }
    if (own.islands.count != first.islands.count && total_cells(own) != total_cells(first)) {
      warnings.push_back(fmt::format(
          "arm '{}' has {} islands and {} cells in all, '{}' has {} and {}: the effect of islands "
          "is mixed with that of cells; 'hold: [total_cells]' refuses that",
          arm.spec.name, own.islands.count, total_cells(own), sweep.analysis.reference,
          first.islands.count, total_cells(first)));
    }
  }
  return warnings;
}

std::vector<ArmDifference> differences(const Sweep& sweep, std::size_t arm) {
  std::map<std::string, ArmDifference> found;
  const auto paths = declared_paths(sweep, sweep.arms[arm]);
  for (std::size_t task = 0; task < sweep.tasks.size(); ++task) {
    const Values reference = values_of(sweep.arms[sweep.reference()].experiments[task]);
    const Values own = values_of(sweep.arms[arm].experiments[task]);
    std::set<std::string> all;
    for (const auto& [path, value] : reference) all.insert(path);
    for (const auto& [path, value] : own) all.insert(path);
    for (const std::string& path : all) {
      const auto a = reference.find(path), b = own.find(path);
      ArmDifference one{path, a == reference.end() ? "" : a->second,
                        b == own.end() ? "" : b->second, false};
      if (a != reference.end() && b != own.end() && one.reference == one.arm) continue;
      one.declared =
          std::ranges::any_of(paths, [&](const std::string& top) { return is_below(path, top); });
      found.emplace(path, std::move(one));
    }
  }
  std::vector<ArmDifference> list;
  for (auto& [path, one] : found) list.push_back(std::move(one));
  return list;
}

std::vector<ArmDifference> that_matter(const std::vector<ArmDifference>& differences) {
  constexpr std::string_view weight = ".weight";
  std::set<std::string> idle;
  for (const ArmDifference& one : differences) {
    if (one.path.ends_with(weight) && (one.reference == "0" || one.arm == "0")) {
      idle.insert(one.path.substr(0, one.path.size() - weight.size()));
    }
  }
  std::vector<ArmDifference> kept;
  for (const ArmDifference& one : differences) {
    const bool is_option = std::ranges::any_of(idle, [&](const std::string& operator_path) {
      return is_below(one.path, operator_path) && one.path != operator_path + std::string(weight);
    });
    if (!is_option) kept.push_back(one);
  }
  return kept;
}

std::string analysis_text(const ParamLog& log, const Analysis& analysis) {
  ParamLog only;
  for (const auto& [path, value] : log.values) {
    if (path.starts_with("analysis.")) only.values[path] = value;
  }
  only.values["analysis.reference"] = analysis.reference;
  return only.canonical_text();
}

namespace {

std::string line(char sign, const std::string& path, const std::string& value) {
  return value.empty() ? "" : fmt::format("{}{} = {}\n", sign, path, value);
}

}  // namespace

bool ArmDiff::proven() const {
  return !differences.empty() &&
         std::ranges::all_of(differences, [](const ArmDifference& d) { return d.declared; });
}

std::vector<ArmDiff> diff_arms(const Sweep& sweep) {
  std::vector<ArmDiff> diffs;
  for (std::size_t arm = 0; arm < sweep.arms.size(); ++arm) {
    if (arm == sweep.reference()) continue;
    diffs.push_back({sweep.arms[arm].spec.name, differences(sweep, arm)});
  }
  return diffs;
}

std::string text_of(const std::vector<ArmDiff>& diffs, const std::string& reference) {
  std::string text;
  for (const ArmDiff& diff : diffs) {
    text += fmt::format("--- {}\n+++ {}\n", reference, diff.arm);
    for (const ArmDifference& d : that_matter(diff.differences)) {
      if (!d.declared) text += "# not declared:\n";
      text += line('-', d.path, d.reference) + line('+', d.path, d.arm);
    }
    if (diff.differences.empty()) text += "# the same configuration\n";
  }
  return text;
}

Json json_of(const std::vector<ArmDiff>& diffs) {
  const auto difference = [](const ArmDifference& d) -> Json {
    return {{"path", d.path}, {"reference", d.reference}, {"arm", d.arm}, {"declared", d.declared}};
  };
  return column(diffs, [&](const ArmDiff& diff) -> Json {
    return {{"arm", diff.arm},
            {"ok", diff.proven()},
            {"differences", column(diff.differences, difference)}};
  });
}

}  // namespace ke
