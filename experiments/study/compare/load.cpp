#include "experiments/study/compare/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/text.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/run_files.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

std::string arm_of(const std::string& file) {
  const std::string name = fs::path(file).filename().string();
  return name.substr(0, name.find('.'));
}

std::string hardware_of(const std::vector<SessionInfo>& sessions, const ComparedRun& run) {
  const auto* kind = find_component(evaluator_kinds(), run.option("device.kind"));
  const bool simulated = kind != nullptr && kind->make()->simulated();
  return simulated || sessions.empty() ? "simulated" : sessions.front().hardware;
}

/// Reads a finished run; `reason` says why a run cannot be compared.
Result<std::optional<ComparedRun>> load_one(const std::string& file, const std::string& arm,
                                            std::string& reason) {
  if (!fs::exists(file)) {
    reason = "never started";
    return std::optional<ComparedRun>();
  }
  KE_TRY(const auto reader, RunReader::open(file));
  KE_TRY(const RunState state, reader->state());
  if (state != RunState::done) {
    reason = fmt::format("is {}", to_string(state));
    return std::optional<ComparedRun>();
  }
  ComparedRun run;
  run.file = file;
  run.arm = arm;
  KE_TRY(run.header, reader->header());
  KE_TRY(const auto sessions, reader->sessions());
  run.task = run.header.task;
  run.seed = run.header.seed;
  run.hardware = hardware_of(sessions, run);
  KE_TRY(run.made_by, makers_of(*reader));
  return std::optional<ComparedRun>(std::move(run));
}

Result<void> add(const std::string& file, const std::string& arm, ComparedRuns& runs) {
  std::string reason;
  KE_TRY(auto run, load_one(file, arm, reason));
  if (run) {
    runs.runs.push_back(*std::move(run));
  } else {
    runs.missing.push_back(fmt::format("{}: {}", file, reason));
  }
  return {};
}

Result<ComparedRuns> load_sweep(const std::string& folder, SweepIndex index) {
  ComparedRuns runs;
  runs.arms = index.arms;
  runs.currency = index.currency;
  for (const IndexedRun& run : index.runs) {
    const std::string file = (fs::path(folder) / run.file).string();
    const auto failed = index.failures.find(run.file);
    if (failed != index.failures.end()) {
      runs.missing.push_back(fmt::format("{}: failed: {}", file, failed->second.message));
      continue;
    }
    KE_TRY_VOID(add(file, run.arm, runs));
  }
  runs.index = std::move(index);
  return runs;
}

std::string budget_of(const ComparedRun& run) {
  std::string text;
  for (const std::string_view line : split(run.header.config_text, '\n')) {
    if (line.starts_with("budget.")) text.append(text.empty() ? "" : ", ").append(line);
  }
  return text;
}

std::string axes_of(const ComparedRun& run) {
  std::string text;
  for (const std::string_view line : split(run.header.config_text, '\n')) {
    if (line.starts_with("archive.axes.")) text.append(line) += "\n";
  }
  return text;
}

}  // namespace

std::string ComparedRun::option(std::string_view path) const {
  for (const std::string_view line : split(header.config_text, '\n')) {
    const std::size_t equals = line.find(" = ");
    if (equals == path.size() && line.starts_with(path)) {
      return std::string(line.substr(equals + 3));
    }
  }
  return {};
}

Result<ComparedRuns> load_runs(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && fs::is_directory(arguments.front())) {
    KE_TRY(auto index, read_sweep_index(arguments.front()));
    if (index) return load_sweep(arguments.front(), *std::move(index));
  }
  ComparedRuns runs;
  KE_TRY(const auto files, find_run_files(arguments));
  for (const std::string& file : files) {
    const std::string arm = arm_of(file);
    if (std::ranges::find(runs.arms, arm) == runs.arms.end()) runs.arms.push_back(arm);
    KE_TRY_VOID(add(file, arm, runs));
  }
  return runs;
}

Result<void> check_comparable(const ComparedRuns& runs, const Analysis& analysis,
                              bool carry_forward) {
  const bool diversity =
      analysis.endpoint == Endpoint::qd_score || analysis.endpoint == Endpoint::coverage;
  std::map<std::string, const ComparedRun*> first;  // by task
  for (const ComparedRun& run : runs.runs) {
    const ComparedRun& other = *first.emplace(run.task, &run).first->second;
    if (!carry_forward && budget_of(run) != budget_of(other)) {
      return Error{Failure::config,
                   fmt::format("arms have different limits: '{}' {}, '{}' {}; --carry-forward "
                               "compares them at the end of each all the same",
                               other.arm, budget_of(other), run.arm, budget_of(run))};
    }
    if (diversity && axes_of(run) != axes_of(other)) {
      return Error{Failure::config,
                   fmt::format("arms '{}' and '{}' count {} on different axes, which cannot be "
                               "compared; give all arms the same archive.axes",
                               other.arm, run.arm, to_string(analysis.endpoint))};
    }
  }
  return {};
}

}  // namespace ke
