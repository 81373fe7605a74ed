#pragma once
// Reads the runs of a comparison from files or from a sweep's folder.

#include <optional>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "experiments/study/compare/analysis.hpp"
#include "experiments/study/compare/made_by.hpp"
#include "experiments/study/compare/observation.hpp"
#include "experiments/study/sweep/sweep_index.hpp"

namespace ke {

/// One finished run, with the facts that a caption must state.
struct ComparedRun {
  std::string file;
  std::string arm;
  std::string task;
  std::int64_t seed = 0;
  std::string hardware;  ///< "simulated" if nothing is timed
  RunHeader header;
  std::vector<Maker> made_by;

  /// Value of an option in the run's canonical text; "" if absent.
  std::string option(std::string_view path) const;
};

struct ComparedRuns {
  std::vector<std::string> arms;  ///< in the sweep's order, else sorted by name
  std::vector<ComparedRun> runs;
  std::vector<std::string> missing;  ///< planned, but failed or not done: one line each
  std::optional<SweepIndex> index;   ///< when all runs are of one sweep's folder
  std::string currency = "evaluations";
};

/// Takes a sweep's folder, or run files and folders; the first part of a run file's name is its
/// arm.
Result<ComparedRuns> load_runs(const std::vector<std::string>& arguments);

/// Refuses arms that differ in budget or in the axes on which diversity was counted.
/// `carry_forward` allows different budgets.
Result<void> check_comparable(const ComparedRuns& runs, const Analysis& analysis,
                              bool carry_forward);

}  // namespace ke
