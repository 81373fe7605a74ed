#pragma once
// Runs of a comparison, read from files or from a sweep's folder.

#include <optional>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "experiments/compare/analysis.hpp"
#include "experiments/compare/made_by.hpp"
#include "experiments/compare/observation.hpp"
#include "experiments/sweep/sweep_index.hpp"

namespace ke {

/// One run that ended, with what a caption must state.
struct ComparedRun {
  std::string file;
  std::string arm;
  std::string task;
  std::int64_t seed = 0;
  std::string hardware;  ///< "simulated" where nothing is timed
  RunHeader header;
  std::vector<Maker> made_by;

  /// The value of an option in its canonical text; "" when absent.
  std::string option(std::string_view path) const;
};

struct ComparedRuns {
  std::vector<std::string> arms;  ///< in the order of the sweep, else by name
  std::vector<ComparedRun> runs;
  std::vector<std::string> missing;  ///< planned, but failed or not done: one line each
  std::optional<SweepIndex> index;   ///< when all runs are of one sweep's folder
  std::string currency = "evaluations";
};

/// Arguments are a sweep's folder, or run files and folders whose arm is the first part of the file
/// name.
Result<ComparedRuns> load_runs(const std::vector<std::string>& arguments);

/// Refuses arms whose budgets differ, or whose diversity was counted on different axes.
/// `carry_forward` allows different budgets.
Result<void> check_comparable(const ComparedRuns& runs, const Analysis& analysis,
                              bool carry_forward);

}  // namespace ke
