#include "experiments/run/config/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "experiments/run/config/archives.hpp"
#include "experiments/run/config/components.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "experiments/run/numeric/numeric_experiment.hpp"

namespace ke {
std::vector<std::string> experiment_warnings(const Experiment& experiment) {
  std::vector<std::string> warnings;
  if (experiment.numeric) return warnings;
  const auto cells = static_cast<std::int64_t>(archive_cells(experiment));
  const std::int64_t evaluations = experiment.limits.evaluations;
  if (evaluations > 0 && evaluations < 5 * cells) {
    warnings.push_back(fmt::format(
        "{} evaluations for {} cells are fewer than 5 a cell, most of the archive will stay empty; "
        "use fewer bins or a larger budget",
        evaluations, cells));
  }
  if (experiment.islands.count > 1 && experiment.islands.topology == "none") {
    warnings.push_back("islands without migration (topology: none) are independent runs");
  }
  return warnings;
}

namespace {

void read_all(Params& top, Experiment& experiment) {
  read_run(top, experiment);
  if (experiment.numeric) return read_numeric(top, experiment);
  read_device(top, experiment);
  read_islands(top, experiment);
  read_devices(top, experiment);
  if (experiment.tasks.empty()) top.fail("task", "is missing; name a task or a list of tasks");
  read_archive(top, experiment);
  read_strategy(top, experiment);
  read_operators(top, experiment);
  read_each_island(top, experiment);
  read_llm(top, experiment);
  read_memory(top, experiment);
  check_hints(top, experiment);
  read_acceptance(top, experiment);
  read_queue(top, experiment);
}

std::string identity(ParamLog log) {
  std::erase_if(log.values, [](const auto& value) { return outside_identity(value.first); });
  return log.canonical_text();
}

/// Keeps each error once: several readers report errors of a section that they share.
void drop_repeated(std::vector<std::string>& errors) {
  std::set<std::string> known;
  std::erase_if(errors, [&](const std::string& error) { return !known.insert(error).second; });
}

}  // namespace

Result<Experiment> read_experiment(Node document, const std::string& name) {
  Experiment experiment;
  experiment.document = std::move(document);
  experiment.name = name;
  experiment.numeric = is_numeric(experiment.document);
  if (!experiment.numeric) KE_TRY_VOID(fill_in_axes(experiment.document));
  ParamLog log;
  Params top(&experiment.document, "", log);
  read_all(top, experiment);
  log.report_unknown();
  drop_repeated(log.errors);
  if (!log.errors.empty()) {
    return Error{Failure::config, fmt::format("{}", fmt::join(log.errors, "\n"))};
  }
  experiment.canonical_text = identity(std::move(log));
  return experiment;
}

std::vector<Option> experiment_options() {
  Experiment experiment;
  ParamLog log;
  Params top(nullptr, "", log);
  read_all(top, experiment);
  std::set<std::string> known;
  for (const Option& option : log.options) known.insert(option.path);
  for (ComponentInfo& component : all_components()) {
    for (Option& option : component.options) {
      if (!known.insert(option.path).second) continue;
      option.doc += fmt::format(" ({} {})", component.kind, component.name);
      log.options.push_back(std::move(option));
    }
  }
  return log.options;
}

}  // namespace ke
