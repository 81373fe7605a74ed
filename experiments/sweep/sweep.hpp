#pragma once
// A sweep: a base experiment, arms that differ from it, tasks, seeds, and the analysis declared
// before the data.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/compare/analysis.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"
#include "experiments/sweep/slurm_options.hpp"

namespace ke {

/// One key that an arm sets, with the value as its file wrote it.
struct ArmSetting {
  std::string path;
  Node value;
};

/// One arm as declared: an entry of `arms` at one row of `zip` and one point of `grid`.
struct ArmSpec {
  std::string name;
  std::vector<ArmSetting> settings;
};

struct SweepArm {
  ArmSpec spec;
  std::vector<Experiment> experiments;  ///< one a task, in the order of Sweep::subjects
};

/// What must be equal over all arms beside the budget.
struct HeldFixed {
  bool total_cells = false;  ///< islands times cells of an island's archive
};

struct Sweep {
  std::string name;
  std::string path;                                ///< of the document
  std::vector<std::string> tasks;                  ///< as given
  std::vector<std::shared_ptr<Subject>> subjects;  ///< [arm * tasks + task]
  std::vector<std::int64_t> seeds;
  std::string currency;             ///< evaluations | proposals
  std::vector<std::string> factor;  ///< paths in which arms may differ; empty = what each arm sets
  HeldFixed hold;
  bool chained = false;  ///< runs of an arm and seed are told what those of earlier tasks learned
  std::vector<SweepArm> arms;
  Analysis analysis;
  SlurmOptions slurm;

  const Subject& subject(std::size_t arm, std::size_t task) const {
    return *subjects[arm * tasks.size() + task];
  }
  /// Position of analysis.reference.
  std::size_t reference() const;
  /// What was fixed before the first run: the analysis, and the configuration, task and seed of
  /// every run.
  Digest plan_hash() const;
};

/// One run of the matrix.
struct SweepRun {
  std::size_t arm = 0;
  std::size_t task = 0;
  std::int64_t seed = 0;
  std::string file;  ///< name inside the sweep's folder
};

/// All runs, seeds outermost: a sweep that was stopped early has whole replicates.
std::vector<SweepRun> runs_of(const Sweep& sweep);

/// Runs that are carried out one after the other: the tasks of an arm and seed in a chained sweep,
/// in all others each run alone. In the order of their first runs.
std::vector<std::vector<SweepRun>> chains_of(const Sweep& sweep);

/// Reads a sweep with `a.b=1` overrides, which reach all arms (`analysis.` and other keys of the
/// sweep itself too). All errors at once, one a line, each with its place.
Result<Sweep> read_sweep(const std::string& path, const std::vector<std::string>& overrides);

/// Whether the document at `path` says that it is a sweep.
bool is_sweep(const std::string& path);

/// Every option of a sweep, for `list`.
std::vector<Option> sweep_options();

}  // namespace ke
