#pragma once
// Facts that a table must state next to its figures, without which readers cannot judge them.

#include <string>
#include <vector>

#include "experiments/study/compare/comparison.hpp"
#include "experiments/study/compare/load.hpp"

namespace ke {

/// Distinct values over all runs, in order of first appearance.
struct Provenance {
  std::vector<std::string> tasks;
  std::vector<std::int64_t> seeds;
  std::vector<std::string> hardware;
  std::vector<Maker> made_by;
  std::vector<std::string> lags;
  std::vector<std::string> budgets;  ///< "evaluations 200"
  /// Configurations per arm; an arm has several if its tasks differ in more than the task.
  std::vector<std::pair<std::string, std::vector<std::string>>> config_ids;
};

Provenance provenance_of(const ComparedRuns& runs);

/// "Exploratory, ...", or "" for an analysis that was declared before the runs.
std::string exploratory_text(bool exploratory);

/// Tasks, seeds, lag, budget, hardware: what the runs say of themselves. No full stop.
std::string runs_text(const Provenance& provenance);

/// Sentences: endpoint, interval, test, tasks, seeds, lag, budget, hardware. `reference`: what the
/// reference is called; "" = by its name.
std::string caption_of(const ArmComparison& comparison, const Provenance& provenance,
                       bool exploratory, std::string_view reference = {});

/// "Configurations: default 1a2b3c4d5e6f, ...", the hashes by arm.
std::string configurations_text(const Provenance& provenance);

}  // namespace ke
